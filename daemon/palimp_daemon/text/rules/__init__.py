"""Rules in people's words as checks, and acts against checks: plain functions."""
