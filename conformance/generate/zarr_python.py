"""Writes the golden arrays that zarr-python can write.

    python zarr_python.py

gzip puts the time into each file; its clock is stopped here, so that running this twice gives the same files.
"""

import gzip
import types

from cases import all_cases
from golden import write_cases

gzip.time = types.SimpleNamespace(time=lambda: 0)
write_cases(all_cases(), "zarr-python", "zarr_python.py")
