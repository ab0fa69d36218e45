"""All reports of one build joined."""
