"""The data of a profile: columns, texts, facts and problems, from an index or from plain tables."""
