"""The socket and who is on the other side of it. The only package that imports zmq."""
