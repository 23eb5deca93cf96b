"""Runs in the environment that has cassio:  use.py HOST PORT KEYSPACE. Tables of keys, partitions, metadata and vectors, as LangChain's stores use them."""
import asyncio
import sys
import time

import cassio
from cassandra import ReadFailure
from cassandra.cluster import Cluster
from cassandra.util import uuid_from_time
from cassio.table import (
    ClusteredCassandraTable, ClusteredMetadataVectorCassandraTable, ElasticCassandraTable, MetadataCassandraTable,
    MetadataVectorCassandraTable, PlainCassandraTable, VectorCassandraTable,
)

cluster = Cluster([sys.argv[1]], port=int(sys.argv[2]))
session = cluster.connect()
session.default_timeout = 60
cassio.init(session=session, keyspace=sys.argv[3])


def ids(rows):
    return [row["row_id"] for row in rows]


def ready(ask):
    """A Cassandra builds an index while it already answers."""
    end = time.time() + 60
    while True:
        try:
            return ask()
        except ReadFailure:
            if time.time() > end:
                raise
            time.sleep(0.2)


def keys():
    table = PlainCassandraTable(table="plain", primary_key_type="TEXT")
    table.put(row_id="a", body_blob="x")
    table.put(row_id="b", body_blob="y", ttl_seconds=100)
    assert table.get(row_id="a") == {"row_id": "a", "body_blob": "x"}
    table.delete(row_id="a")
    assert table.get(row_id="a") is None and table.get(row_id="b")["body_blob"] == "y"
    table.clear()
    assert table.get(row_id="b") is None
    table = ElasticCassandraTable(table="elastic", keys=["model", "prompt"], primary_key_type=["TEXT", "TEXT"])
    table.put(model="m", prompt="why?", body_blob="because")
    assert table.get(model="m", prompt="why?")["body_blob"] == "because"
    table.delete(model="m", prompt="why?")
    assert table.get(model="m", prompt="why?") is None


def partitions():
    table = ClusteredCassandraTable(table="history", primary_key_type=["TEXT", "TIMEUUID"], ordering_in_partition="desc")
    for who in ("p", "q"):
        for i in range(5):
            table.put(partition_id=who, row_id=uuid_from_time(1700000000 + i, node=1, clock_seq=1), body_blob="%s%d" % (who, i))
    assert [row["body_blob"] for row in table.get_partition(partition_id="p", n=3)] == ["p4", "p3", "p2"]
    table.delete_partition(partition_id="p")
    assert list(table.get_partition(partition_id="p")) == []
    assert len(list(table.get_partition(partition_id="q"))) == 5


def metadata():
    for indexing in ("all", ["allow", ["colour", "size"]], ["deny", ["text"]]):
        name = "metadata_" + (indexing if indexing == "all" else indexing[0])
        table = MetadataCassandraTable(table=name, primary_key_type="TEXT", metadata_indexing=indexing if indexing == "all" else tuple(indexing))
        for i in range(6):
            table.put(row_id="r%d" % i, body_blob="b", metadata={"colour": "red" if i % 2 else "blue", "size": i, "text": "it's long"})
        assert sorted(ids(ready(lambda: list(table.find_entries(n=10, metadata={"colour": "red"}))))) == ["r1", "r3", "r5"]
        assert ids(ready(lambda: list(table.find_entries(n=10, metadata={"colour": "red", "size": 3})))) == ["r3"]
        assert table.find_and_delete_entries(metadata={"colour": "red"}) == 3
        left = {row["row_id"]: row["metadata"] for row in table.find_entries(n=10, metadata={})}
        assert sorted(left) == ["r0", "r2", "r4"] and left["r4"]["text"] == "it's long", left


def vectors():
    points = [[1, i / 10, i * i / 50] for i in range(30)]
    for function in ("COSINE", "EUCLIDEAN", "DOT_PRODUCT"):
        table = VectorCassandraTable(table="vector_" + function.lower(), vector_dimension=3, primary_key_type="INT", vector_similarity_function=function)
        for i, point in enumerate(points):
            table.put(row_id=i, body_blob=str(i), vector=point)
        near = ids(ready(lambda: list(table.ann_search(vector=[1, 0.31, 0.17], n=3))))
        assert near == ([29, 28, 27] if function == "DOT_PRODUCT" else [3, 2, 4]), (function, near)
    table = MetadataVectorCassandraTable(table="documents", vector_dimension=3, primary_key_type="TEXT")
    for i, point in enumerate(points):
        table.put(row_id="d%d" % i, body_blob="text %d" % i, vector=point, metadata={"parity": str(i % 2)})
    odd = ready(lambda: list(table.metric_ann_search(vector=[1, 0.31, 0.17], n=3, metric="l2", metadata={"parity": "1"})))
    assert ids(odd) == ["d3", "d1", "d5"] and odd[0]["distance"] < odd[1]["distance"] < odd[2]["distance"], odd
    near = list(table.metric_ann_search(vector=[1, 0.31, 0.17], n=20, metric="cos", metric_threshold=0.99))
    assert ids(near)[0] == "d3" and all(row["distance"] >= 0.99 for row in near) and len(near) < 20, near

    async def later():
        await table.aput(row_id="late", body_blob="late", vector=[0, 0, -1], metadata={})
        return await table.aget(row_id="late"), await table.aann_search(vector=[0, 0, -1], n=1)

    row, found = asyncio.run(later())
    assert row["body_blob"] == "late" and ids(found) == ["late"]


def vectors_of_partitions():
    table = ClusteredMetadataVectorCassandraTable(table="shelves", vector_dimension=2, primary_key_type=["TEXT", "INT"])
    for i in range(12):
        table.put(partition_id="p%d" % (i % 2), row_id=i, body_blob=str(i), vector=[i / 12, 1], metadata={"third": str(i % 3)})
    search = dict(vector=[0, 1], n=3, metric="cos")
    assert ids(ready(lambda: list(table.metric_ann_search(partition_id="p1", **search)))) == [1, 3, 5]
    assert ids(table.metric_ann_search(partition_id="p1", metadata={"third": "1"}, **search)) == [1, 7]
    assert ids(table.metric_ann_search(partition_id=None, metadata={"third": "1"}, **search)) == [1, 4, 7]


for topic in (keys, partitions, metadata, vectors, vectors_of_partitions):
    topic()
cluster.shutdown()
