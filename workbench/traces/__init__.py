"""Histories out: what threads and calls did, as OpenTelemetry spans that a trace store takes."""
