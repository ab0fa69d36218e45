"""What a person set, and where it is kept."""
