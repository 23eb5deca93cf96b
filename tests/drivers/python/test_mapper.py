"""cqlengine, the driver's object mapper."""
import os
import uuid

import pytest
from cassandra.cqlengine import columns, connection, management, models, usertype
from cassandra.cqlengine.query import BatchQuery, LWTException

os.environ["CQLENG_ALLOW_SCHEMA_MANAGEMENT"] = "1"


class Address(usertype.UserType):
    street = columns.Text()
    zip = columns.Integer()


class Person(models.Model):
    __keyspace__ = "mapped"
    id = columns.UUID(primary_key=True, default=uuid.uuid4)
    c = columns.Integer(primary_key=True, clustering_order="DESC")
    name = columns.Text(index=True)
    numbers = columns.Set(columns.Integer)
    scores = columns.Map(columns.Text, columns.Integer)
    home = columns.UserDefinedType(Address)
    shared = columns.Text(static=True)


class Visits(models.Model):
    __keyspace__ = "mapped"
    id = columns.Integer(primary_key=True)
    n = columns.Counter()


@pytest.fixture(scope="module", autouse=True)
def mapped(server):
    connection.setup(["127.0.0.1"], "mapped", port=server.port, protocol_version=4)
    management.create_keyspace_simple("mapped", 1)
    for model in (Person, Visits, Person):  # the last again: it is there as it should be
        management.sync_table(model)
    yield
    management.drop_keyspace("mapped")
    connection.unregister_connection("default")


def test_objects():
    key = uuid.uuid4()
    Person.create(id=key, c=1, name="x", numbers={1, 2}, scores={"a": 1}, home=Address(street="Main", zip=5), shared="all")
    read = Person.get(id=key, c=1)
    assert (read.name, read.numbers, read.scores, read.home.zip, read.shared) == ("x", {1, 2}, {"a": 1}, 5, "all")
    Person.objects(id=key, c=1).update(name="y", numbers__add={3})
    assert Person.get(id=key, c=1).numbers == {1, 2, 3}
    with BatchQuery() as batch:
        for c in range(10, 15):
            Person.batch(batch).create(id=key, c=c, name="b")
    assert Person.objects(id=key).count() == 6
    assert [p.c for p in Person.objects(id=key).order_by("c").limit(3)] == [1, 10, 11]
    assert len(Person.objects(name="b")) == 5
    Person.objects(id=key, c=1).delete()
    assert Person.objects(id=key).count() == 5


def test_conditions():
    key = uuid.uuid4()
    Person.if_not_exists().create(id=key, c=1, name="first")
    with pytest.raises(LWTException) as refused:
        Person.if_not_exists().create(id=key, c=1, name="second")
    assert refused.value.existing["name"] == "first"


def test_counters():
    visits = Visits.create(id=1)
    visits.n += 5
    visits.update()
    assert Visits.get(id=1).n == 5
