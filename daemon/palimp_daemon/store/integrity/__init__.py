"""What makes damage detectable: checksums, the commit counter, the identity of the file. How damage of the database is detected: checksums, the commit counter, index verification."""
