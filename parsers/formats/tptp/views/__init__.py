"""What the views of a recording share."""
