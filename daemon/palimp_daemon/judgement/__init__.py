"""Judgement: which of two memories holds. Pure; whoever asks reads the memories."""
