import decimal
import uuid

from django_cassandra_engine.sessions.backends.db import SessionStore
from django_cassandra_engine.test import TestCase

from .models import Book


class Books(TestCase):
    def setUp(self):
        self.ids = {year: uuid.uuid4() for year in (1961, 1964, 1971)}
        for year, book_id in self.ids.items():
            Book.objects.create(author="Lem", year=year, book_id=book_id, title="of %d" % year, tags={"sf", "pl"}, price=decimal.Decimal("9.50"))

    def test_created_and_found(self):
        book = Book.objects.get(author="Lem", year=1961)
        self.assertEqual((book.title, book.tags, book.price), ("of 1961", {"sf", "pl"}, decimal.Decimal("9.50")))
        self.assertEqual([b.year for b in Book.objects.filter(author="Lem")], [1971, 1964, 1961])
        self.assertEqual([b.year for b in Book.objects.filter(author="Lem", year__gte=1964).order_by("year")], [1964, 1971])
        self.assertEqual(Book.objects.filter(title="of 1964").count(), 1)
        with self.assertRaises(Book.DoesNotExist):
            Book.objects.get(author="Lem", year=2000)

    def test_updated(self):
        books = Book.objects.filter(author="Lem", year=1961, book_id=self.ids[1961])
        books.update(title="Solaris", tags__add={"sea"})
        self.assertEqual(Book.objects.get(author="Lem", year=1961).title, "Solaris")
        self.assertEqual(Book.objects.get(author="Lem", year=1961).tags, {"sf", "pl", "sea"})

    def test_tables_are_empty_for_each_test(self):
        self.assertEqual(Book.objects.count(), 3)

    def test_sessions(self):
        store = SessionStore()
        store["cart"] = [1, 2]
        store.save()
        self.assertEqual(SessionStore(store.session_key)["cart"], [1, 2])
        store.delete()
        self.assertFalse(SessionStore().exists(store.session_key))
