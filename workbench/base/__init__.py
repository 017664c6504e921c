"""Ground that everything stands on: errors, ids, clock, paths, logs, exact JSON, masking."""
