"""Put palimp into clients' files, and remove it without a trace."""
