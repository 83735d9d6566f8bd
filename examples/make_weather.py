"""Creates weather.zarr, the sample store of this project: one day of synthetic weather, without real measurements.

    python make_weather.py

Needs the packages in ../conformance/peers/requirements.txt. Every number comes from sines and a fixed seed, and the
clock of gzip is stopped, so that every run creates the same store.
"""

import gzip
import shutil
import types
from pathlib import Path

import numpy
import zarr

STORE = Path(__file__).parent / "weather.zarr"
HOURS, LATITUDES, LONGITUDES = 24, 90, 180
STATIONS = ["Zürich", "Kraków", "Málaga", "東京", "Reykjavík", "São Paulo", "Nairobi", "Perth"]
GZIP = zarr.codecs.GzipCodec(level=5)


def main():
    gzip.time = types.SimpleNamespace(time=lambda: 0)
    shutil.rmtree(STORE, ignore_errors=True)
    root = zarr.create_group(STORE, attributes={"title": "Sample weather", "source": "synthetic", "version": 1})
    write_coordinates(root)
    observations = root.create_group("observations", attributes={"institution": "none", "interval_hours": 1})
    write_fields(observations)
    write_stations(root.create_group("stations", attributes={"count": len(STATIONS)}))


def latitudes():
    return numpy.linspace(89, -89, LATITUDES, dtype="float32")


def longitudes():
    return numpy.linspace(-179, 179, LONGITUDES, dtype="float32")


def write_coordinates(root):
    hours = numpy.arange(HOURS, dtype="int64")
    coordinate(root, "time", hours, {"units": "hours since 2024-06-01T00:00:00Z", "standard_name": "time"})
    coordinate(root, "latitude", latitudes(), {"units": "degrees_north", "standard_name": "latitude"})
    coordinate(root, "longitude", longitudes(), {"units": "degrees_east", "standard_name": "longitude"})


def coordinate(group, name, values, attributes):
    write(group, name, values, values.shape, dimensions=(name,), attributes=attributes, compressors=None)


def write_fields(group):
    grid = ("time", "latitude", "longitude")
    temperature = temperature_field()
    write(
        group,
        "temperature",
        temperature,
        (12, 45, 90),
        dimensions=grid,
        attributes={"units": "degC", "long_name": "air temperature at 2 m"},
        compressors=zarr.codecs.GzipCodec(level=1),
    )
    write(
        group,
        "pressure",
        packed_pressure(temperature),
        (6, 45, 90),
        shards=(12, 90, 180),
        dimensions=grid,
        fill_value=-32768,
        attributes={"units": "hPa", "scale_factor": 0.1, "add_offset": 1000.0, "valid_min": -500},
    )
    write(
        group,
        "land_mask",
        land(),
        (45, 90),
        dimensions=grid[1:],
        attributes={"long_name": "true on land"},
    )
    write_rainfall(group, grid)


def write_rainfall(group, grid):
    """Rain falls in a few places only: the other chunks are the fill value and are not stored."""
    rainfall = numpy.zeros((HOURS, LATITUDES, LONGITUDES), "float32")
    rainfall[6:12, 30:40, 20:50] = 2.5
    rainfall[14:16, 60:64, 100:110] = 0.5
    write(
        group,
        "rainfall",
        rainfall,
        (12, 30, 60),
        dimensions=grid,
        fill_value=0.0,
        attributes={"units": "mm/h"},
    )


def write_stations(group):
    noise = numpy.random.Generator(numpy.random.PCG64(7)).normal(0, 0.4, (len(STATIONS), HOURS))
    daily = 15 + 6 * numpy.sin(numpy.arange(HOURS) / HOURS * 2 * numpy.pi - 2)
    readings = (daily + noise).round(1).astype("float32")
    readings[3, 10:14] = numpy.nan
    write(group, "name", numpy.array(STATIONS, "T"), (4,), dimensions=("station",), attributes={})
    write(
        group,
        "temperature",
        readings,
        (4, 24),
        dimensions=("station", "time"),
        fill_value="NaN",
        attributes={"units": "degC"},
    )


def write(group, name, values, chunks, *, dimensions, attributes, shards=None, fill_value=None, compressors=GZIP):
    array = group.create_array(
        name,
        shape=values.shape,
        dtype=values.dtype,
        chunks=chunks,
        shards=shards,
        compressors=compressors,
        fill_value=fill_value,
        dimension_names=dimensions,
        attributes=attributes,
    )
    array[...] = values


def temperature_field():
    """Warm at the equator, warmest where it is noon, with a few slow waves; kept to a tenth of a degree."""
    hour = numpy.arange(HOURS)[:, None, None]
    latitude = numpy.radians(latitudes().astype("float64"))[None, :, None]
    longitude = numpy.radians(longitudes().astype("float64"))[None, None, :]
    zones = 45 * numpy.cos(latitude) - 20
    daily = 6 * numpy.cos(latitude) * numpy.cos(longitude + hour / HOURS * 2 * numpy.pi - numpy.pi)
    waves = 3 * numpy.sin(3 * longitude + hour / 8) * numpy.cos(2 * latitude)
    return (zones + daily + waves).round(1).astype("float32")


def packed_pressure(temperature):
    """Pressure as tenths of a hectopascal above 1000, low where the air is warm."""
    return (200 - 8 * temperature.astype("float64")).round().astype("int16")


def land():
    """Three round continents."""
    rows, columns = numpy.mgrid[:LATITUDES, :LONGITUDES]
    centres = [(30, 40, 18), (60, 95, 14), (28, 140, 20)]
    return numpy.any([(rows - y) ** 2 + (columns - x) ** 2 < r * r for y, x, r in centres], axis=0)


if __name__ == "__main__":
    main()
