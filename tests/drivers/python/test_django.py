"""django-cassandra-engine: the project in shelf/, by Django's own commands and its own runner."""
import os
import pathlib
import subprocess
import sys

import pytest
from conftest import connect

pytest.importorskip("django_cassandra_engine", reason="Django is beside the other driver")


@pytest.fixture(scope="module")
def django(server):
    environment = dict(os.environ, PORT=str(server.port), DJANGO_SETTINGS_MODULE="shelf.settings", CQLENG_ALLOW_SCHEMA_MANAGEMENT="1")

    def run(*arguments):
        done = subprocess.run([sys.executable, "-m", "django", *arguments], capture_output=True, text=True, timeout=300, env=environment,
                              cwd=pathlib.Path(__file__).parent)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr

    return run


def test_its_tests_pass(django):
    said = django("test", "shelf", "--noinput")
    assert "Ran 4 tests" in said and said.rstrip().endswith("OK") or "\nOK\n" in said, said


def test_tables_come_from_models(django, server):
    for _ in range(2):  # the second time they are as they should be
        django("sync_cassandra")
    cluster = connect(server)
    session = cluster.connect("shelf")
    session.execute("INSERT INTO book (author, year, book_id, title) VALUES ('Lem', 1961, uuid(), 'Solaris')")
    assert [column.name for column in cluster.metadata.keyspaces["shelf"].tables["book"].clustering_key] == ["year", "book_id"]
    django("flush", "--noinput")
    assert session.execute("SELECT count(*) FROM book").one()[0] == 0
    session.execute("DROP KEYSPACE shelf")
    cluster.shutdown()
