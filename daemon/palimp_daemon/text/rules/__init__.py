"""Rules as checks, and acts against checks: pure functions."""
