"""The languages of questions, texts and prompts: one file of words each, their reader, and the recognition of them."""
