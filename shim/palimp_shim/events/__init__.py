"""Requests about events, and the file where one waits."""
