"""Check the stored data, and rebuild derived indexes."""
