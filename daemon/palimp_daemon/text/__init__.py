"""Pure functions on texts: redaction, titles, markdown, transcripts."""
