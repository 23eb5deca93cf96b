"""Runs in the environment that has coodie:  use.py HOST PORT KEYSPACE. Documents of all types, conditions, batches, counters, views, vectors, migrations."""
import asyncio
import json
import os
import sys
import tempfile
from datetime import date, datetime, time, timezone
from decimal import Decimal
from ipaddress import IPv4Address
from typing import Annotated, Optional
from uuid import UUID, uuid4

from cassandra import DriverException
from cassandra.cluster import Cluster
from cassandra.protocol import ErrorMessage
from coodie import fields as f
from coodie.batch import BatchQuery
from coodie.drivers import get_driver, init_coodie
from coodie.migrations.runner import MigrationRunner
from coodie.sync import CounterDocument, Document, MaterializedView, execute_raw
from coodie.usertype import UserType

KEYSPACE = sys.argv[3]
cluster = Cluster([sys.argv[1]], port=int(sys.argv[2]))
session = cluster.connect(KEYSPACE)
session.default_timeout = 60
init_coodie(session=session, keyspace=KEYSPACE)


class Address(UserType):
    street: str
    zip: Optional[int] = None


class Person(Document):
    town: Annotated[str, f.PrimaryKey(partition_key_index=0)]
    year: Annotated[int, f.PrimaryKey(partition_key_index=1), f.SmallInt()]
    name: Annotated[str, f.ClusteringKey(order="DESC")]
    number: Annotated[int, f.ClusteringKey(clustering_key_index=1)]
    mayor: Annotated[Optional[str], f.Static()] = None
    email: Annotated[Optional[str], f.Indexed()] = None
    address: Annotated[Optional[Address], f.Frozen()] = None
    tags: Optional[set[str]] = None
    scores: Optional[list[int]] = None
    phones: Optional[dict[str, str]] = None
    wallet: Optional[Decimal] = None
    big: Annotated[Optional[int], f.VarInt()] = None
    long: Annotated[Optional[int], f.BigInt()] = None
    exact: Annotated[Optional[float], f.Double()] = None
    alive: Optional[bool] = None
    photo: Optional[bytes] = None
    born: Optional[date] = None
    rises: Annotated[Optional[time], f.Time()] = None
    seen: Optional[datetime] = None
    host: Optional[IPv4Address] = None
    id: Optional[UUID] = None

    class Settings:
        name = "people"
        __default_ttl__ = 86400
        __options__ = {"comment": "who lives where", "gc_grace_seconds": 3600}


class PersonByEmail(MaterializedView):
    email: Annotated[str, f.PrimaryKey()]
    town: Annotated[str, f.ClusteringKey(clustering_key_index=0)]
    year: Annotated[int, f.ClusteringKey(clustering_key_index=1), f.SmallInt()]
    name: Annotated[str, f.ClusteringKey(clustering_key_index=2)]
    number: Annotated[int, f.ClusteringKey(clustering_key_index=3)]

    class Settings:
        name = "people_by_email"
        __base_table__ = "people"
        __view_columns__ = ["email", "town", "year", "name", "number", "wallet"]


class Visits(CounterDocument):
    page: Annotated[str, f.PrimaryKey()]
    day: Annotated[date, f.ClusteringKey(order="DESC")]
    views: Annotated[int, f.Counter()] = 0
    visitors: Annotated[int, f.Counter()] = 0


class Item(Document):
    id: Annotated[int, f.PrimaryKey()]
    name: Optional[str] = None
    embedding: Annotated[list[float], f.Vector(dimensions=3)]


def refused(why, what):
    try:
        what()
    except (DriverException, ErrorMessage) as e:
        assert why in str(e), e
    else:
        raise AssertionError("it was not refused")


def person(town, name, number, **more):
    return Person(town=town, year=2024, name=name, number=number, **more)


def documents():
    Person.sync_table()
    Person.sync_table()  # nothing to do
    PersonByEmail.sync_view()
    ada = person("London", "Ada", 1, mayor="Sadiq", email="ada@example.org", address=Address(street="St James's", zip=4), tags={"b", "a"}, scores=[3, 1, 2],
                 phones={"home": "1", "work": "2"}, wallet=Decimal("12.340"), big=2**70, long=-2**62, exact=0.1, alive=True, photo=b"\x00\xff", born=date(1815, 12, 10),
                 rises=time(6, 30, 0, 5), seen=datetime(2024, 1, 2, 3, 4, 5, 678000), host=IPv4Address("127.0.0.1"), id=UUID(int=7))
    ada.save()
    for i in range(2, 12):
        person("London", "Bob", i, email="bob%d@example.org" % i, wallet=Decimal(i)).save(timestamp=1700000000000000 + i)
    person("Paris", "Zoë", 1, mayor="Anne", email="zoe@example.org").save(ttl=1000)
    back = Person.get(town="London", year=2024, name="Ada", number=1)
    assert tuple(back.address) == ("St James's", 4) and back.tags == ada.tags and back.scores == [3, 1, 2] and dict(back.phones) == ada.phones, back
    assert (back.wallet, back.big, back.long, back.exact, back.photo, back.born.date(), back.seen, back.id) == \
        (ada.wallet, ada.big, ada.long, ada.exact, ada.photo, ada.born, ada.seen, ada.id), back
    london = dict(town="London", year=2024)
    assert [p.number for p in Person.find(**london).all()] == list(range(2, 12)) + [1]
    assert [p.number for p in Person.find(**london).order_by("name", "-number").all()] == [1] + list(range(11, 1, -1))
    assert [p.number for p in Person.find(**london, name="Bob", number__gt=5, number__lte=8).all()] == [6, 7, 8]
    assert [p.number for p in Person.find(**london, name__in=["Ada", "Bob"]).limit(3).all()] == [2, 3, 4]
    assert [p.name for p in Person.find(email="bob7@example.org").all()] == ["Bob"]
    assert [p.name for p in Person.find(tags__contains="a").allow_filtering().all()] == ["Ada"]
    assert [p.name for p in Person.find(phones__contains_key="work").allow_filtering().all()] == ["Ada"]
    assert Person.find(**london).count() == 11
    assert Person.find(**london).sum("wallet") == Decimal("77.340") and Person.find(**london).max("number") == 11
    assert Person.find(**london).aggregate(least="min(wallet)", mean="avg(number)") == {"least": Decimal(2), "mean": 6}
    assert Person.find(**london, name="Bob", number=3).writetime("wallet") == 1700000000000003
    assert 990 < Person.find(town="Paris", year=2024, name="Zoë", number=1).column_ttl("email") <= 1000
    told = json.loads(Person.find(**london, name="Ada").json()[0])
    assert list(told)[:5] == ["town", "year", "name", "number", "mayor"] and told["address"] == {"street": "St James's", "zip": 4}, told
    assert (told["big"], told["born"], told["photo"], told["rises"], told["seen"], told["tags"]) == \
        (2**70, "1815-12-10", "0x00ff", "06:30:00.000005000", "2024-01-02 03:04:05.678Z", ["a", "b"]), told
    assert len(Person.find().per_partition_limit(1).all()) == 2
    page, numbers = Person.find(**london).fetch_size(4).paged_all(), []
    while True:
        numbers += [p.number for p in page.data]
        if page.paging_state is None:
            break
        page = Person.find(**london).fetch_size(4).page(page.paging_state).paged_all()
    assert numbers == list(range(2, 12)) + [1], numbers
    person("Rome", "Json", 1, tags={"x"}, wallet=Decimal("1.5"), seen=datetime(2024, 1, 1, tzinfo=timezone.utc)).save_json(ttl=500)
    assert Person.get(town="Rome", year=2024, name="Json", number=1).tags == {"x"}
    assert [v.number for v in PersonByEmail.find(email="bob9@example.org").all()] == [9]
    refused("ALLOW FILTERING", lambda: Person.find(wallet=Decimal(1)).all())
    refused("ALLOW FILTERING", lambda: Person.find(town="London").all())
    refused("LIKE restriction is only supported on properly indexed columns. name LIKE ? is not valid.", lambda: Person.find(name__like="B%").all())
    refused("Order by currently only supports the ordering of columns following their declared order in the PRIMARY KEY", lambda: Person.find(**london).order_by("number").all())
    refused("PRIMARY KEY column \"number\" cannot be restricted as preceding column \"name\" is not restricted", lambda: Person.find(**london, number=3).all())
    refused("The token() function must be applied to all partition key components or none of them", lambda: Person.find(town__token__gt="a").all())


def changes():
    ada = Person.get(town="London", year=2024, name="Ada", number=1)
    ada.update(tags__add={"c"}, scores__append=[9], phones__put=("home", "7"), wallet=None)
    ada.update(scores__prepend=[0], tags__remove={"a"})
    ada.update(scores__setindex=(1, 33))
    ada.update(scores__remove=[9])
    back = Person.get(town="London", year=2024, name="Ada", number=1)
    assert (back.tags, back.scores, dict(back.phones), back.wallet) == ({"b", "c"}, [0, 33, 1, 2], {"home": "7", "work": "2"}, None), back
    refused("List index 10 out of bound, list has size 4", lambda: ada.update(scores__setindex=(10, 1)))
    back.delete_columns("alive", collection_elements=[("phones", "home"), ("scores", 0)])
    back = Person.get(town="London", year=2024, name="Ada", number=1)
    assert (back.alive, dict(back.phones), back.scores) == (None, {"work": "2"}, [33, 1, 2]), back


def conditions():
    again = person("London", "Ada", 1).insert()
    assert not again.applied and again.existing["email"] == "ada@example.org", again
    assert person("Oslo", "Per", 1, wallet=Decimal(5), tags={"t"}).insert(ttl=100).applied
    per = Person.get(town="Oslo", year=2024, name="Per", number=1)
    assert per.update(wallet=Decimal(6), if_conditions={"wallet": Decimal(5), "email": None}).applied
    for wanted, seen in (({"wallet__gt": Decimal(7)}, {"wallet": Decimal(6)}), ({"wallet__ne": Decimal(6)}, {"wallet": Decimal(6)}),
                         ({"wallet__in": [Decimal(1), Decimal(2)]}, {"wallet": Decimal(6)}), ({"mayor": "x"}, {"mayor": None}),
                         ({"wallet__lte": Decimal(1), "mayor": None}, {"wallet": Decimal(6), "mayor": None})):
        result = per.update(wallet=Decimal(0), if_conditions=wanted)
        assert not result.applied and result.existing == seen, (wanted, result)
    assert per.update(email="per@example.org", if_exists=True).applied
    assert not person("Oslo", "Nobody", 1).update(email="x", if_exists=True).applied
    assert per.delete(if_conditions={"wallet": Decimal(1)}).existing == {"wallet": Decimal(6)}
    assert per.delete(if_exists=True).applied and not per.delete(if_exists=True).applied
    refused("Undefined column name nothing", lambda: per.update(wallet=1, if_conditions={"nothing": 1}))
    with BatchQuery() as batch:
        person("Bonn", "A", 1).insert(batch=batch)
        person("Bonn", "B", 1, mayor="Katja").insert(batch=batch)
    assert batch.result.applied
    with BatchQuery() as batch:
        person("Bonn", "C", 1).insert(batch=batch)
        person("Bonn", "B", 1).insert(batch=batch)
    assert not batch.result.applied and batch.result.existing["name"] == "B" and batch.result.existing["mayor"] is None, batch.result


def batches():
    with BatchQuery() as batch:
        for i in range(20):
            person("Kyiv", "N", i, tags={str(i)}).save(batch=batch, ttl=100)
        person("Kyiv", "N", 3).delete(batch=batch)
    assert len(Person.find(town="Kyiv", year=2024).all()) == 19
    with BatchQuery(logged=False, timestamp=1000) as batch:
        person("Kyiv", "N", 5, email="late").save(batch=batch)
        person("Kyiv", "M", 5, email="first").save(batch=batch)
    assert Person.get(town="Kyiv", year=2024, name="N", number=5).email is None
    assert Person.get(town="Kyiv", year=2024, name="M", number=5).email == "first"
    Person.find(town="Kyiv", year=2024, name="N", number__gte=10).delete()
    assert Person.find(town="Kyiv", year=2024).count() == 10
    Person.find(town="Kyiv", year=2024).delete()
    assert Person.find(town="Kyiv", year=2024).count() == 0


def counters():
    Visits.sync_table()
    for i in range(5):
        Visits(page="/", day=date(2024, 1, 1 + i % 2)).increment(views=2, visitors=1)
    Visits(page="/", day=date(2024, 1, 1)).decrement(views=5)
    assert [(v.views, v.visitors) for v in Visits.find(page="/").all()] == [(4, 2), (1, 3)]
    refused("INSERT statements are not allowed on counter tables, use UPDATE instead", lambda: execute_raw("INSERT INTO %s.visits (page, day, views) VALUES ('/', '2024-01-01', 1)" % KEYSPACE))
    with BatchQuery(batch_type="COUNTER") as batch:
        for day in (1, 2):
            batch.add('UPDATE %s.visits SET views = views + ? WHERE page = ? AND day = ?' % KEYSPACE, [10, "/b", date(2024, 1, day)])
    assert [v.views for v in Visits.find(page="/b").all()] == [10, 10]


def vectors():
    Item.sync_table()
    execute_raw("CREATE CUSTOM INDEX ON %s.item (embedding) USING 'StorageAttachedIndex' WITH OPTIONS = {'similarity_function': 'euclidean'}" % KEYSPACE)
    refused("Unable to find custom indexer class 'vector_index'", lambda: execute_raw("CREATE CUSTOM INDEX ON %s.item (name) USING 'vector_index'" % KEYSPACE))
    for i in range(30):
        Item(id=i, name="item %d" % i, embedding=[i / 10, 1 - i / 20, i % 3]).save()
    assert [i.id for i in Item.find().order_by_ann("embedding", [0.62, 0.7, 0]).limit(3).all()] == [6, 9, 3]
    refused("ANN ordering is only supported on float vector indexes", lambda: Item.find().order_by_ann("name", [0.6, 0.7]).limit(3).all())


def later_schema():
    class Address(UserType):
        street: str
        zip: Optional[int] = None
        country: Optional[str] = None

    class Person2(Document):
        town: Annotated[str, f.PrimaryKey(partition_key_index=0)]
        year: Annotated[int, f.PrimaryKey(partition_key_index=1), f.SmallInt()]
        name: Annotated[str, f.ClusteringKey(order="DESC")]
        number: Annotated[int, f.ClusteringKey(clustering_key_index=1)]
        address: Annotated[Optional[Address], f.Frozen()] = None
        pace: Annotated[Optional[object], f.Duration()] = None
        nick: Annotated[Optional[str], f.Indexed(index_name="by_nick")] = None

        class Settings:
            name = "people"
            __default_ttl__ = 60

    done = Person2.sync_table(drop_removed_indexes=True)
    assert "ALTER TYPE %s.address ADD \"country\" text" % KEYSPACE in done and "DROP INDEX IF EXISTS %s.people_email_idx" % KEYSPACE in done, done
    back = Person2.get(town="London", year=2024, name="Ada", number=1)
    assert back.address.street == "St James's" and back.address.country is None and back.nick is None, back
    Person2(town="London", year=2024, name="Ada", number=1, nick="a", address=Address(street="s", country="uk")).save()
    assert Person2.get(nick="a").address.country == "uk"


MIGRATION = """
from coodie.migrations import Migration

class ForwardMigration(Migration):
    description = "%(what)s"

    async def upgrade(self, ctx):
        await ctx.execute("%(up)s")

    async def downgrade(self, ctx):
        await ctx.execute("%(down)s")
"""


def migrations():
    with tempfile.TemporaryDirectory() as folder:
        steps = [("CREATE TABLE {k}.m (id int PRIMARY KEY, a text)", "DROP TABLE {k}.m"), ("ALTER TABLE {k}.m ADD b int", "ALTER TABLE {k}.m DROP b"),
                 ("CREATE INDEX m_b ON {k}.m (b)", "DROP INDEX {k}.m_b")]
        for i, (up, down) in enumerate(steps):
            with open(os.path.join(folder, "2024010%d_001_step_%d.py" % (i + 1, i)), "w") as out:
                out.write(MIGRATION % dict(what="step %d" % i, up=up.format(k=KEYSPACE), down=down.format(k=KEYSPACE)))

        async def go():
            runner = MigrationRunner(get_driver(), KEYSPACE, folder)
            assert len(await runner.pending()) == 3
            await runner.apply()
            assert await runner.pending() == []
            await runner.rollback(steps=2)
            assert len(await runner.pending()) == 2
            await runner.apply()

        asyncio.run(go())


for topic in (documents, changes, conditions, batches, counters, vectors, later_schema, migrations):
    topic()
Person.truncate()
assert Person.find().count() == 0
cluster.shutdown()
