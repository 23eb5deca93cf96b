import uuid

from cassandra.cqlengine import columns
from django_cassandra_engine.models import DjangoCassandraModel


class Book(DjangoCassandraModel):
    """One book of one author; the newest first."""

    author = columns.Text(partition_key=True)
    year = columns.Integer(primary_key=True, clustering_order="DESC")
    book_id = columns.UUID(primary_key=True, default=uuid.uuid4)
    title = columns.Text(required=True, index=True)
    tags = columns.Set(columns.Text)
    price = columns.Decimal()

    class Meta:
        get_pk_field = "book_id"
