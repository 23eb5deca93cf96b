"""Run in a feast repository, with feast's Python:   use.py fill | remove"""
import sys
from datetime import datetime, timedelta, timezone

import pandas
from feast import Entity, FeatureStore, FeatureView, Field, FileSource, ValueType
from feast.types import Float32, Int64

DRIVERS = 100
store = FeatureStore(".")
now = datetime.now(timezone.utc).replace(microsecond=0)
driver = Entity(name="driver", join_keys=["driver_id"], value_type=ValueType.INT64)
source = FileSource(path="stats.parquet", timestamp_field="at")
view = FeatureView(name="driver_stats", entities=[driver], ttl=timedelta(days=7), source=source,
                   schema=[Field(name="trips", dtype=Int64), Field(name="rating", dtype=Float32)])


def fill():
    frames = [pandas.DataFrame({"driver_id": range(DRIVERS), "trips": [n * day for n in range(DRIVERS)], "rating": [n / 4 for n in range(DRIVERS)],
                                "at": now - timedelta(days=3 - day)}) for day in (1, 2)]
    pandas.concat(frames).to_parquet("stats.parquet")
    store.apply([driver, view])
    store.materialize(now - timedelta(days=5), now)
    asked = [{"driver_id": n} for n in (0, 7, DRIVERS - 1, DRIVERS + 5)]
    got = store.get_online_features(features=["driver_stats:trips", "driver_stats:rating"], entity_rows=asked).to_dict()
    assert got["trips"] == [0, 14, 198, None], got  # the newer of two days
    assert got["rating"] == [0, 1.75, 24.75, None], got
    newer = pandas.DataFrame({"driver_id": [7], "trips": [1000], "rating": [5.0], "at": [now]})
    store.write_to_online_store("driver_stats", newer)
    got = store.get_online_features(features=["driver_stats:trips"], entity_rows=asked[1:2]).to_dict()
    assert got["trips"] == [1000], got


def remove():
    store.apply([], objects_to_delete=[view], partial=False)


{"fill": fill, "remove": remove}[sys.argv[1]]()
