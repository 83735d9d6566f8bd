"""Writes the golden arrays that TensorStore can write.

    python tensorstore_.py

The name ends in an underscore so that the file does not hide the package of that name.
"""

from cases import all_cases
from golden import write_cases

write_cases(all_cases(), "tensorstore", "tensorstore_.py")
