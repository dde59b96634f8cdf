"""SQL of removed code: its hunks and their index, the trees that may have it again."""
