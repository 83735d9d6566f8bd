"""zarr-python as an adapter of the conformance suite: version, read, write, open, session. See python_adapter.py."""

import json
from pathlib import Path

import python_adapter
from peer import ZarrPython


class Adapter(ZarrPython):
    def open(self, path):
        return self.zarr.open(path, mode="r")

    def make(self, metadata, path):
        """zarr-python creates arrays from arguments. From a document it can only open an existing array."""
        Path(path).mkdir()
        (Path(path) / "zarr.json").write_text(json.dumps(metadata))
        array = self.zarr.open_array(path, mode="r+")
        return array, array.dtype


if __name__ == "__main__":
    python_adapter.main(Adapter, "zarr")
