"""The Python peers under measurement: zarr-python, zarr-python with zarrs, TensorStore. Jobs are lines of JSON."""

import json
import sys
import time
import zlib

import numpy as np


def status(name):
    with open("/proc/self/status") as f:
        return next(int(line.split()[1]) * 1024 for line in f if line.startswith(name))


def reads():
    with open("/proc/self/io") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("syscr"))


class Meter:
    def __init__(self):
        self.seconds, self.crc = 0.0, 0

    def time(self, f):
        start = time.perf_counter()
        out = f()
        self.seconds += time.perf_counter() - start
        return out

    def check(self, array):
        self.crc = zlib.crc32(np.ascontiguousarray(array), self.crc)


def slices(region):
    return tuple(slice(s, s + n) for s, n in zip(region["start"], region["shape"]))


def counting(i, region):
    shape = region["shape"]
    return (np.arange(np.prod(shape)) + i).astype(np.uint16).reshape(shape)


def load(path, shape, kept={}):
    if path not in kept:
        kept.clear()
        kept[path] = np.fromfile(path, dtype="<u2")
    return kept[path].reshape(shape)


class ZarrPython:
    def __init__(self, pipeline=None):
        import zarr

        self.zarr = zarr
        if pipeline:
            import zarrs  # noqa: F401

            zarr.config.set({"codec_pipeline.path": pipeline})
        self.pipeline = pipeline

    def open(self, path, one_thread):
        # Threads are created once: jobs on one thread run in a separate process.
        if one_thread:
            self.zarr.config.set({"async.concurrency": 1, "threading.max_workers": 1})
            if self.pipeline:
                self.zarr.config.set({"codec_pipeline.chunk_concurrent_maximum": 1, "codec_pipeline.chunk_concurrent_minimum": 1})
        return self.zarr.open_array(path, mode="r+")

    def read(self, array, where):
        return array[where]

    def write(self, array, where, values):
        array[where] = values

    def list(self, path):
        root = self.zarr.open_group(path, mode="r")
        return sum(a.shape[0] + a.attrs["number"] for _, a in root.arrays())


class TensorStore:
    def __init__(self):
        import tensorstore

        self.ts = tensorstore

    def open(self, path, one_thread):
        one = {"data_copy_concurrency": {"limit": 1}, "file_io_concurrency": {"limit": 1}}
        context = self.ts.Context(one if one_thread else {})
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
        return self.ts.open(spec, open=True, context=context).result()

    def read(self, array, where):
        return array[where].read().result()

    def write(self, array, where, values):
        array[where].write(values).result()

    def list(self, path):
        context = self.ts.Context()
        store = self.ts.KvStore.open({"driver": "file", "path": path + "/"}, context=context).result()
        names = {key.split(b"/")[0].decode() for key in store.list().result() if b"/" in key}
        opened = [
            self.ts.open({"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/{name}"}}, open=True, context=context)
            for name in names
        ]
        return sum(a.result().shape[0] + a.result().spec().to_json()["metadata"]["attributes"]["number"] for a in opened)


def run(peer, job, meter):
    task, path, one = job["task"], job["path"], job["one_thread"]
    if task == "read":
        array = peer.open(path, one)
        for region in job["regions"]:
            where = slices(region)
            meter.check(meter.time(lambda: peer.read(array, where)))
    elif task == "write":
        values = load(job["data"], job["shape"])
        array = peer.open(path, one)
        meter.time(lambda: peer.write(array, (slice(None),) * 3, values))
    elif task == "update":
        array = peer.open(path, one)
        for i, region in enumerate(job["regions"]):
            where, values = slices(region), counting(i, region)
            meter.time(lambda: peer.write(array, where, values))
    elif task == "copy":
        source, target, everything = peer.open(job["from"], one), peer.open(path, one), (slice(None),) * 3
        meter.time(lambda: peer.write(target, everything, peer.read(source, everything)))
    elif task == "open":
        total = meter.time(lambda: peer.list(path))
        meter.crc = zlib.crc32(int(total).to_bytes(8, "little"))
    else:
        raise NotImplementedError("unsupported")


def main():
    peer = {
        "zarr-python": ZarrPython,
        "zarr-python+zarrs": lambda: ZarrPython("zarrs.ZarrsCodecPipeline"),
        "tensorstore": TensorStore,
    }[sys.argv[1]]()
    for line in sys.stdin:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
        meter, answer, resident, before = Meter(), {}, status("VmRSS"), reads()
        try:
            run(peer, json.loads(line), meter)
        except Exception as e:
            answer["error"] = f"{type(e).__name__}: {e}".splitlines()[0]
        peak = max(status("VmHWM") - resident, 0)
        answer.update(seconds=meter.seconds, check=meter.crc, peak=peak, reads=reads() - before)
        print(json.dumps(answer), flush=True)


main()
