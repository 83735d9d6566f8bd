"""TensorStore as an adapter of the conformance suite: version, read, write, open, session. See python_adapter.py."""

import python_adapter
from peer import TensorStore, Unsupported


class Adapter(TensorStore):
    # It supports raw bytes, although not their elements from Python: a refusal of them is not a missing feature.
    data_types = TensorStore.data_types | {"raw_bytes"} | {f"r{8 * size}" for size in range(1, 65)}

    def read(self, path):
        elements = super().read(path)
        if elements.dtype.itemsize == 0:
            raise Unsupported("elements of the data type byte, which numpy sees as nothing")
        return elements

    def open(self, path):
        return self.tensorstore.open(self.spec(path), open=True).result()

    def make(self, metadata, path):
        array = self.tensorstore.open(self.spec(path) | {"metadata": metadata}, create=True).result()
        return array, array.dtype.numpy_dtype


if __name__ == "__main__":
    python_adapter.main(Adapter, "tensorstore")
