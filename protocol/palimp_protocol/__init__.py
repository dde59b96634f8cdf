"""What both sides of palimp's socket share: frames, bounds, paths, projects, errors, operations.

Rules of this package
---------------------
* No I/O on a socket, no database, no clock. `project` reads the file system; nothing else does.
* `frames`, `limits`, `paths`, `project` and `errors` import the standard library only, because the
  relay imports them and must start in a few tens of milliseconds. `operations` and `decoding` need
  msgspec and are for the daemon and the command line.
"""

__version__ = "0.1.0"
