"""Plays scripts/office.json: no network, no key, always the same answers."""

from workbench.authoring import define_model

model = define_model(name="office", provider="scripted", model="scripts/office.json")
