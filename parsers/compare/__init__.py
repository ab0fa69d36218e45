"""What two reports of one program differ in."""
