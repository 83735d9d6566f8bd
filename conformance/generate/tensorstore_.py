"""Writes the golden arrays that TensorStore can write.

    python tensorstore_.py

The gzip of TensorStore is not quite deterministic: on rare runs it compresses a few bytes of content differently. No case
has changed so far; if one does, keep the existing file.

The name ends in an underscore so that the file does not hide the package of that name.
"""

from cases import all_cases
from golden import write_cases

write_cases(all_cases(), "tensorstore", "tensorstore_.py")
