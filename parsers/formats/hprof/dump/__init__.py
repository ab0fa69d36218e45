"""Binary heap dumps."""
