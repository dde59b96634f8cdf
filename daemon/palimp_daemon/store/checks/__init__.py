"""Compare the stored data with itself, and rebuild derived indexes."""
