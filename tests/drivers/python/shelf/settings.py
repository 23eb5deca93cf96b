import os

SECRET_KEY = "none"
INSTALLED_APPS = ["django_cassandra_engine", "django_cassandra_engine.sessions", "shelf"]
SESSION_ENGINE = "django_cassandra_engine.sessions.backends.db"
USE_TZ = False
DATABASES = {
    "default": {
        "ENGINE": "django_cassandra_engine",
        "NAME": "shelf",
        "TEST_NAME": "test_shelf",
        "HOST": "127.0.0.1",
        "OPTIONS": {
            "replication": {"strategy_class": "SimpleStrategy", "replication_factor": 1},
            "connection": {"port": int(os.environ["PORT"]), "connect_timeout": 20, "protocol_version": 4},
        },
    }
}
