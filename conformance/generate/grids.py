"""Golden arrays for the chunk grid and the chunk key encodings: ranks, edges, and missing chunks."""

import numpy

from case import LITTLE, ZARR_PYTHON, Case, extension, ramp


def cases():
    yield from regular_grids()
    yield from key_encodings()


def grid_case(label, about, elements, chunk_shape, **given):
    return Case("chunk_grid", "regular", label, about, elements, chunk_shape=chunk_shape, **given)


def regular_grids():
    for rank, shape, chunk_shape in [
        (0, (), ()),
        (1, (7,), (3,)),
        (2, (3, 5), (2, 2)),
        (3, (3, 4, 5), (2, 2, 3)),
        (4, (2, 3, 2, 3), (1, 2, 2, 2)),
        (5, (2, 1, 3, 2, 2), (2, 1, 2, 1, 2)),
    ]:
        about = f"Rank {rank} with chunks of shape {list(chunk_shape)}; the last ones extend beyond the edge if there are any."
        yield grid_case(f"rank-{rank}", about, ramp("uint16", shape), chunk_shape)
    for label, shape in [("empty-rank-1", (0,)), ("empty-middle", (3, 0, 2)), ("empty-all", (0, 0))]:
        about = f"Shape {list(shape)}: there are no elements and no chunks."
        yield grid_case(label, about, ramp("int32", shape), (2,) * len(shape))
    about = "One chunk, larger than the array in every dimension."
    yield grid_case("larger-than-array", about, ramp("float32", (2, 3)), (5, 4))
    about = "Chunks of one element."
    yield grid_case("one-element-chunks", about, ramp("int16", (2, 3)), (1, 1))
    about = "More than ten chunks in a dimension, so that keys have two digits."
    yield grid_case("twelve-chunks", about, ramp("uint8", (12,)), (1,))
    yield from missing_chunks()
    about = "An attribute with a name that is special to a peer: attributes may have any name."
    elements = ramp("uint8", (2,))
    units = {"dimension_units": "m"}
    yield grid_case("attribute-dimension-units", about, elements, (2,), attributes=units, writers=ZARR_PYTHON)


def missing_chunks():
    elements = ramp("int32", (5, 6))
    elements[:2, 2:4] = elements[4:, :] = -9
    about = "Chunks that contain only the fill value are not stored."
    yield grid_case("missing-chunks", about, elements, (2, 2), fill_value=-9)
    about = "Chunks that contain only the fill value are stored."
    yield grid_case("stored-fill", about, elements, (2, 2), fill_value=-9, store_fill=True)
    about = "No chunk is stored."
    yield grid_case("nothing-stored", about, numpy.full((5, 6), -9, "int32"), (2, 2), fill_value=-9)
    about = "A single element that is the fill value and not stored."
    yield grid_case("rank-0-missing", about, numpy.array(3.5), (), fill_value=3.5)


def key_encodings():
    for name in ("default", "v2"):
        for label, separator in [("slash", "/"), ("dot", ".")]:
            for rank, shape, chunk_shape in [(0, (), ()), (1, (5,), (2,)), (3, (3, 2, 3), (2, 1, 2))]:
                yield Case(
                    "chunk_key_encoding",
                    name,
                    f"{label}-rank-{rank}",
                    f'Keys of rank {rank} with the separator "{separator}".',
                    ramp("int16", shape),
                    chunk_shape=chunk_shape,
                    codecs=[LITTLE],
                    key_encoding=extension(name, separator=separator),
                )
