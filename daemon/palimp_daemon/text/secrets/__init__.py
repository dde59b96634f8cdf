"""Finding secrets in texts: one detector for each form they have, and the judgement of names and values."""
