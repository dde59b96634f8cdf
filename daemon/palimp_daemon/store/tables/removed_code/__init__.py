"""SQL of removed code: hunks, their index, working trees."""
