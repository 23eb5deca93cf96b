"""Texts that are nearly CQL: a word lost, doubled, changed or out of place."""
import re

from answers import Statement

TOKEN = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|[A-Za-z_][\w]*|-?\d+(?:\.\d+)?|\s+|.""", re.S)
WORDS = ("SELECT", "FROM", "WHERE", "AND", "IN", "IF", "EXISTS", "NOT", "USING", "TTL", "TIMESTAMP", "SET", "VALUES", "GROUP", "BY", "ORDER",
         "LIMIT", "ALLOW", "FILTERING", "TOKEN", "JSON", "DISTINCT", "AS", "CAST", "null", "true", "NaN", "nosuch", "x", "1", "-1", "1.5", "'s'",
         "0xff", "2h", "(", ")", "[", "]", "{", "}", ",", ".", "=", "<", ">=", "!=", "+", "-", "*", "/", "%", ";", ":", "..", "\"Q\"", "@", "#", "$$",
         "\\", "&", "BATCH", "APPLY", "BEGIN", "CONTAINS", "KEY", "LIKE", "IS", "OR", "BETWEEN", "count", "*", "TABLE", "PRIMARY", "WITH", "''", "é",
         "123e4567-e89b-42d3-a456-426614174000", "0x", "1e", "P1D", "--", "/*")


def mistaken(rng, text):
    """One or two small accidents."""
    for _ in range(rng.choice((1, 1, 1, 2))):
        text = accident(rng, text)
    return Statement(text, [] if "?" in text or re.search(r":\s*\w", text) else None, prepare="?" in text or ":" in text)


def accident(rng, text):
    tokens = TOKEN.findall(text)
    solid = [i for i, t in enumerate(tokens) if not t.isspace()]
    if not solid:
        return text + rng.choice(WORDS)
    i = rng.choice(solid)
    kind = rng.choice(("drop", "drop", "double", "swap", "change", "change", "add", "cut", "letter", "quote"))
    if kind == "drop":
        del tokens[i]
    elif kind == "double":
        tokens.insert(i, tokens[i] + " ")
    elif kind == "swap":
        j = rng.choice(solid)
        tokens[i], tokens[j] = tokens[j], tokens[i]
    elif kind == "change":
        tokens[i] = rng.choice(WORDS)
    elif kind == "add":
        tokens.insert(i, " " + rng.choice(WORDS) + " ")
    elif kind == "cut":
        at = rng.randrange(len(text))
        return text[:at]
    elif kind == "letter":
        at = rng.randrange(len(text))
        return text[:at] + text[at + 1:]
    else:
        at = rng.randrange(len(text))
        return text[:at] + rng.choice("'\"();,=") + text[at:]
    return "".join(tokens)


def misnamed(rng, text, names):
    """A column's name where there is none, or another's."""
    tokens = TOKEN.findall(text)
    places = [i for i, t in enumerate(tokens) if t in names]
    if places:
        tokens[rng.choice(places)] = rng.choice(("nosuch", '"Nosuch"', rng.choice(names), rng.choice(names)))
    return "".join(tokens)
