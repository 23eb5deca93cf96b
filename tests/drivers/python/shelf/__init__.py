"""A Django project on django-cassandra-engine, which test_django.py runs."""
