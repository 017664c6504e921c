"""What a thread did, to be looked at: its work over time, and each question to a model as it was sent."""
