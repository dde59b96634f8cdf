"""The second tier: what was said in sessions and in git's messages, verbatim, found below memories."""
