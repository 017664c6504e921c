"""Plays scripts/claims.json: no network, no key, always the same answers."""

from workbench.authoring import define_model

model = define_model(name="claims", provider="scripted", model="scripts/claims.json")
