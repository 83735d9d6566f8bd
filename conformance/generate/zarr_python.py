"""Writes the golden arrays that zarr-python can write.

    python zarr_python.py

gzip stores the time in each file; its clock is stopped, so that a second run writes the same files.
"""

import gzip
import types

from cases import all_cases
from golden import write_cases

gzip.time = types.SimpleNamespace(time=lambda: 0)
write_cases(all_cases(), "zarr-python", "zarr_python.py")
