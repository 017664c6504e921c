"""The couriers that are booked: one value that all sessions of the project share, by its key."""

PICKUPS = "pickups"
