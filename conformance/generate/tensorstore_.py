"""Writes the golden arrays that TensorStore can write.

    python tensorstore_.py

The gzip of TensorStore is not quite deterministic: on rare runs it packs a content of a few bytes differently. No case
here was seen to change; if one does, keep the file that is there.

The name ends in an underscore so that the file does not hide the package of that name.
"""

from cases import all_cases
from golden import write_cases

write_cases(all_cases(), "tensorstore", "tensorstore_.py")
