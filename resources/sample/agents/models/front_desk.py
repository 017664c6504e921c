"""Plays scripts/front_desk.json: no network, no key, always the same answers."""

from workbench.authoring import define_model

model = define_model(name="front-desk", provider="scripted", model="scripts/front_desk.json")
