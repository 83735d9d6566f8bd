"""The description of damage, and changes that several cases share."""

import dataclasses
import struct
import zlib
from collections.abc import Callable


@dataclasses.dataclass
class Damage:
    """A change of one stored value of a golden array: every reader must fail to read the whole array."""

    name: str
    clause: str
    counterpart: str
    about: str
    change: Callable[[bytes], bytes]
    key: str | None = None
    """The key of the value, or `None` for the first chunk."""


def keep(count):
    """Keeps the first bytes of a value; a negative count is the number of bytes to remove."""
    return lambda value: value[:count]


def flip(at, bits=0xFF):
    def change(value):
        changed = bytearray(value)
        changed[at] ^= bits
        return bytes(changed)

    return change


def put(at, new):
    def change(value):
        changed = bytearray(value)
        assert len(value[at : at + len(new)]) == len(new), "beyond the end"
        changed[at : at + len(new)] = new
        return bytes(changed)

    return change


def add(new):
    return lambda value: value + new


def become(new):
    return lambda _: new


def u32(number):
    return struct.pack("<I", number)


def u64(number):
    return struct.pack("<Q", number)


def gzip_member(content):
    """Returns a gzip member with uncompressed content, so that its bytes do not depend on the version of a library."""
    header = bytes.fromhex("1f8b08000000000000ff")
    block = b"\x01" + struct.pack("<HH", len(content), len(content) ^ 0xFFFF) + content
    return header + block + u32(zlib.crc32(content)) + u32(len(content))


def zstd_frame(content, block_type=0):
    """Returns a zstd frame with one block, of the raw type by default."""
    assert len(content) < 256
    block_header = (len(content) << 3 | block_type << 1 | 1).to_bytes(3, "little")
    return bytes.fromhex("28b52ffd20") + bytes([len(content)]) + block_header + content


def crc32c(content):
    value = 0xFFFFFFFF
    for byte in content:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0x82F63B78 if value & 1 else 0)
    return u32(value ^ 0xFFFFFFFF)


assert crc32c(b"123456789") == u32(0xE3069283), "the check value of CRC-32C"
