"""What makes damage detectable: checksums, the commit counter, the identity of the file."""
