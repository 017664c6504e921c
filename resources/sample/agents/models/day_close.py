"""Plays scripts/day_close.json: no network, no key, always the same answers."""

from workbench.authoring import define_model

model = define_model(name="day-close", provider="scripted", model="scripts/day_close.json")
