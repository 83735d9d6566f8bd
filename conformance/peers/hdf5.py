"""Writes an HDF5 file whose data set uses shuffle, deflate and fletcher32, and the place of each of its chunks.

    python hdf5.py FILE.h5 MANIFEST.json ELEMENTS

MANIFEST is a chunk manifest: for each chunk key the file's name, the first byte and the number of bytes. The data set's
elements are written to ELEMENTS in C order as little-endian bytes.
"""

import json
import sys
from pathlib import Path

import h5py
import numpy

SHAPE, CHUNKS = (50, 33), (16, 10)


def main():
    file, manifest, elements = map(Path, sys.argv[1:])
    values = (numpy.arange(SHAPE[0] * SHAPE[1], dtype="<f8") ** 1.5).reshape(SHAPE)
    with h5py.File(file, "w") as h5:
        # The chunk at (16, 10) is never written, so HDF5 does not store it.
        dataset = h5.create_dataset(
            "d", SHAPE, "<f8", chunks=CHUNKS, shuffle=True, compression="gzip", fletcher32=True, fillvalue=-1.0
        )
        dataset[:16] = values[:16]
        dataset[16:, :10] = values[16:, :10]
        dataset[16:, 20:] = values[16:, 20:]
        dataset[32:, 10:20] = values[32:, 10:20]
    entries = {}
    with h5py.File(file) as h5:
        dataset = h5["d"]
        elements.write_bytes(dataset[...].tobytes())
        for i in range(dataset.id.get_num_chunks()):
            chunk = dataset.id.get_chunk_info(i)
            assert chunk.filter_mask == 0, "every filter is applied"
            cell = [start // length for start, length in zip(chunk.chunk_offset, CHUNKS)]
            key = "/".join(["c", *map(str, cell)])
            entries[key] = {"path": file.name, "offset": chunk.byte_offset, "length": chunk.size}
    manifest.write_text(json.dumps(entries))


if __name__ == "__main__":
    main()
