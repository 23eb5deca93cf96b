"""The list of all exchanges: (name, function, version or None), in the order in which they are played."""
EXCHANGES = []
VERSIONS = (3, 4, 5)


def exchange(function):
    EXCHANGES.append((function.__name__, function, None))
    return function


def each_version(function):
    for version in VERSIONS:
        EXCHANGES.append(("%s v%d" % (function.__name__, version), function, version))
    return function
