"""Merge several sources into one answer."""
