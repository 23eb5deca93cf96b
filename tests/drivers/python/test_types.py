"""Every type there and back: values, nulls, empties, through prepared and simple statements, in each version of the protocol."""
import datetime
import decimal
import ipaddress
import uuid

import pytest
from cassandra.util import Date, Duration, SortedSet, Time
from conftest import connect

NOW = datetime.datetime(2024, 2, 29, 12, 34, 56, 789000)
U1 = uuid.UUID("f47ac10b-58cc-11ee-8c99-0242ac120002")
U4 = uuid.UUID("c0ffee00-0000-4000-8000-000000000001")
VALUES = [
    ("ascii", ["a", ""]),
    ("text", ["grün \U0001f600", "", "x" * 70000]),
    ("bigint", [0, -2**63, 2**63 - 1]),
    ("int", [0, -2**31, 2**31 - 1]),
    ("smallint", [0, -2**15, 2**15 - 1]),
    ("tinyint", [0, -128, 127]),
    ("varint", [0, -1, 2**200, -2**127, 128]),
    ("blob", [b"", b"\x00\xff" * 10]),
    ("boolean", [True, False]),
    ("double", [0.1, -1e300, float("inf")]),
    ("float", [0.5, -2.0]),
    ("decimal", [decimal.Decimal("1.50"), decimal.Decimal("-1E+10"), decimal.Decimal("0")]),
    ("inet", [ipaddress.ip_address("127.0.0.1"), ipaddress.ip_address("::1")]),
    ("timestamp", [NOW, datetime.datetime(1970, 1, 1)]),
    ("date", [Date(datetime.date(2024, 2, 29)), Date(-1000000)]),
    ("time", [Time(0), Time(86399999999999)]),
    ("duration", [Duration(1, 2, 3), Duration(-1, -2, -3)]),
    ("uuid", [U4, U1]),
    ("timeuuid", [U1]),
    ("list<int>", [[3, 1, 2]]),
    ("set<text>", [SortedSet(["b", "a"])]),
    ("map<text, int>", [{"a": 1, "b": 2}]),
    ("frozen<list<frozen<map<int, text>>>>", [[{1: "a"}, {}]]),
    ("map<text, frozen<set<int>>>", [{"x": SortedSet([2, 1])}]),
    ("tuple<int, text, date>", [(1, "a", Date(5)), (None, "b", None)]),
    ("vector<float, 3>", [[1.0, 2.0, 3.0]]),
    ("vector<text, 2>", [["a", "bb"]]),
    ("list<frozen<tuple<int, duration>>>", [[(1, Duration(1, 2, 3))]]),
]


@pytest.fixture(scope="module", params=[3, 4, 5])
def speaker(server, request):
    cluster = connect(server, protocol_version=request.param)
    session = cluster.connect()
    session.execute("CREATE KEYSPACE k_types WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.set_keyspace("k_types")
    yield session
    session.execute("DROP KEYSPACE k_types")
    cluster.shutdown()


def plain(value):
    """What the driver gives, comparable with what it was given."""
    if isinstance(value, (str, bytes)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if hasattr(value, "items"):
        return sorted((plain(k), plain(v)) for k, v in value.items())
    if isinstance(value, (set, frozenset, SortedSet)):
        return sorted(plain(v) for v in value)
    if isinstance(value, (ipaddress.IPv4Address, ipaddress.IPv6Address)):
        return str(value)
    return value


@pytest.mark.parametrize("number", range(len(VALUES)), ids=[name for name, _ in VALUES])
def test_there_and_back(speaker, number):
    type_name, values = VALUES[number]
    table = "t%d" % number
    speaker.execute("CREATE TABLE %s (p int PRIMARY KEY, v %s)" % (table, type_name))
    insert = speaker.prepare("INSERT INTO %s (p, v) VALUES (?, ?)" % table)
    select = speaker.prepare("SELECT v FROM %s WHERE p = ?" % table)
    for p, value in enumerate(values):
        speaker.execute(insert, (p, value))
        assert plain(speaker.execute(select, (p,)).one().v) == plain(value)
        assert plain(speaker.execute("SELECT v FROM %s WHERE p = %d" % (table, p)).one().v) == plain(value)
    speaker.execute(insert, (99, None))
    assert speaker.execute(select, (99,)).one().v is None


def test_as_keys(speaker):
    speaker.execute("CREATE TABLE keys (a text, b tinyint, c date, d uuid, e inet, PRIMARY KEY ((a, b), c, d, e)) WITH CLUSTERING ORDER BY (c DESC, d ASC, e ASC)")
    insert = speaker.prepare("INSERT INTO keys (a, b, c, d, e) VALUES (?, ?, ?, ?, ?)")
    keys = [("k", 1, Date(5), U4, "10.0.0.1"), ("k", 1, Date(7), U4, "10.0.0.1")]
    for key in keys:
        speaker.execute(insert, key)
    assert [tuple(r) for r in speaker.execute("SELECT * FROM keys WHERE a = 'k' AND b = 1")] == keys[::-1]


def test_user_defined_types(speaker):
    speaker.execute("CREATE TYPE addr (street text, zip int, tags frozen<set<text>>)")
    speaker.execute("CREATE TABLE people (p int PRIMARY KEY, home frozen<addr>, all_of map<text, frozen<addr>>, loose addr)")
    insert = speaker.prepare("INSERT INTO people (p, home, all_of, loose) VALUES (?, ?, ?, ?)")
    home = ("Main", 12345, SortedSet(["x", "y"]))
    speaker.execute(insert, (1, home, {"h": home}, ("Side", None, None)))
    row = speaker.execute("SELECT * FROM people WHERE p = 1").one()
    assert (row.home.street, row.home.zip, list(row.home.tags)) == ("Main", 12345, ["x", "y"])
    assert row.all_of["h"].street == "Main"
    assert (row.loose.street, row.loose.zip) == ("Side", None)
    speaker.execute("ALTER TYPE addr ADD country text")
    speaker.execute("UPDATE people SET loose.country = 'DE' WHERE p = 1")
    assert speaker.execute("SELECT loose FROM people WHERE p = 1").one().loose.country == "DE"


def test_empty_values(speaker):
    speaker.execute("CREATE TABLE empties (p int PRIMARY KEY, i int, t text, b blob)")
    speaker.execute("INSERT INTO empties (p, i, t, b) VALUES (1, blob_as_int(0x), '', 0x)")
    row = speaker.execute("SELECT i, t, b FROM empties WHERE p = 1").one()
    assert (row.i, row.t, row.b) == (None, "", b"")  # the driver has no empty int


def test_functions_and_json(speaker):
    row = speaker.execute("SELECT JSON key, cql_version FROM system.local").one()
    assert row[0] == '{"key": "local", "cql_version": "3.4.7"}'
    assert speaker.execute("SELECT cast((int)3 AS text) AS three FROM system.local").one().three == "3"
