"""Speak MCP; nothing else imports the SDK.

Importing it takes 0.6 s, so `serve` does so in a thread at the first MCP frame.
"""
