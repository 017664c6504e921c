"""What the tools of the parcel desk share."""
