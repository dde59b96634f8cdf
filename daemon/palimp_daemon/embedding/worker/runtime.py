"""Import onnxruntime without its telemetry; no other module imports it.

Official builds write a machine identifier below the home folder and send events to their maker, unless this variable is
set before loading (onnxruntime's Privacy.md, *Disabling Telemetry*).
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

import onnxruntime  # pyright: ignore[reportMissingTypeStubs]  it ships none

__all__ = ["onnxruntime"]
