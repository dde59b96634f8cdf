"""Find secrets in texts, with a detector for each form."""
