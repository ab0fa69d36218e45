"""Objects by class at any moment; garbage collections."""
