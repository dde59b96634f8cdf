"""What both sides of palimp's socket share: frames, bounds, paths, projects, errors, operations.

Rules of this package
---------------------
* No I/O on a socket, no database. Only `env` and `versions` look at the machine: files, the time of day.
* `frames`, `limits`, `paths`, `project` and `errors` import the standard library only, because the
  relay imports them and must start in a few tens of milliseconds. `operations` and `decoding` need
  msgspec and are for the daemon and the command line.
"""

__version__ = "0.1.0"
