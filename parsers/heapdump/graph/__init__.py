"""Objects by number: fields, references, values, retained sizes, suspects."""
