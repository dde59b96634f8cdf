"""Repair a damaged database."""
