"""Speak MCP: the SDK's server, one session per peer, and the tools; nothing else imports the SDK.

Importing it takes 0.6 s, so `serve` does so in a thread when the first MCP frame comes.
"""
