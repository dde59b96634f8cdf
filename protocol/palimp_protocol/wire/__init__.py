"""Frames and their decoding."""
