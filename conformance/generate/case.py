"""The description of a golden array, and helpers that most tables of cases share."""

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy

BOTH = ("zarr-python", "tensorstore")
ZARR_PYTHON = ("zarr-python",)
TENSORSTORE = ("tensorstore",)


def extension(name, **configuration):
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


LITTLE = extension("bytes", endian="little")
BIG = extension("bytes", endian="big")
BYTES = extension("bytes")
CRC32C = extension("crc32c")


@dataclasses.dataclass
class Case:
    """A golden array; members that are not given have the simplest values."""

    point: str
    name: str
    label: str
    about: str
    elements: numpy.ndarray
    data_type: object = None
    chunk_shape: tuple | None = None
    fill_value: object = None
    codecs: list | None = None
    key_encoding: dict = dataclasses.field(default_factory=lambda: extension("default", separator="/"))
    store_fill: bool = False
    attributes: dict = dataclasses.field(default_factory=dict)
    writers: tuple = BOTH
    edit: Callable[[Path], str] | None = None
    """Changes the array after the peer has written it, and describes the change."""

    def __post_init__(self):
        dtype = self.elements.dtype
        if self.data_type is None:
            self.data_type = dtype.name
        if self.chunk_shape is None:
            self.chunk_shape = self.elements.shape
        if self.fill_value is None:
            self.fill_value = {"b": False, "c": [0, 0]}.get(dtype.kind, 0)
        if self.codecs is None:
            self.codecs = [BYTES if dtype.itemsize == 1 else LITTLE]


def ramp(dtype, shape):
    """Returns the elements 1, 2, 3, ... in C order."""
    return numpy.arange(1, numpy.prod(shape, dtype=int) + 1).astype(dtype).reshape(shape)


def objects(values, shape=None):
    """Returns a numpy array of Python objects, for texts and byte strings."""
    elements = numpy.empty(len(values), object)
    elements[:] = values
    return elements.reshape(len(values) if shape is None else shape)


def from_bits(dtype, bits):
    """Returns floating-point numbers from their bits, without arithmetic."""
    dtype = numpy.dtype(dtype)
    return numpy.array(bits, f"u{dtype.itemsize}").view(dtype)
