#!/usr/bin/env python3
"""Asks a Cassandra what it says of broken statements, and writes its answers as a table for test_parse.c.

    record_syntax.py [--every] [HOST[:PORT]] > syntax_messages.inc

--every breaks each statement in all the ways known here, not in a choice of them: for measuring, too long to keep.
The statements name a keyspace that does not exist, so none has an effect, broken or whole. Speaks the native protocol by
itself: a few thousand statements take some seconds.
"""
import re
import socket
import struct
import sys

WHOLE = """
SELECT * FROM zz.t
SELECT JSON a, b AS c FROM zz.t WHERE k = 1 AND c > 'x' LIMIT 5
SELECT DISTINCT k FROM t PER PARTITION LIMIT ? LIMIT :n ALLOW FILTERING
SELECT count(*), writetime(v), ttl(m['a']), cast(a AS text) FROM zz.t
SELECT m['a'..'b'], u.f, (int)1, [1, a], {1, 2}, {a: 1}, (a, b) FROM zz.t
SELECT a + b * -c / 2 - (d % 3), zz.f(a, 1), token(k) FROM zz.t
SELECT k FROM zz.t WHERE token(k) > -5 AND (c1, c2) IN ((1, 2), (3, 4))
SELECT k FROM zz.t WHERE k IN (1, ?, :x) AND c CONTAINS KEY 'a' AND m['x'] = 1
SELECT k FROM zz.t WHERE c IS NOT NULL AND (d >= 1) AND (a, b) < (1, 2)
SELECT k FROM zz.t GROUP BY a, floor(b, 1h) ORDER BY c DESC, d ANN OF [1.0, 2.5]
INSERT INTO zz.t (a, b, "C d") VALUES (1, 'x', now()) IF NOT EXISTS USING TTL 5 AND TIMESTAMP ?
INSERT INTO zz.t JSON '{}' DEFAULT UNSET USING TTL 10
INSERT INTO zz.t (a, b) VALUES ({'a': 1, 'b': [2, 3]}, (1, 0xab, null, true))
INSERT INTO zz.t (a, b) VALUES (550e8400-e29b-41d4-a716-446655440000, {f: 1, g: {1.5, -NaN}})
UPDATE zz.t USING TTL 1 SET a = 1, l = l + [1], m['x'] = 2, u.f = 3, c += 1, n = n - 1 WHERE k = 1 IF a = 1 AND b IN (1, 2)
UPDATE zz.t SET l = [1] + l, x = (int)5 + cast(3 AS int) WHERE k = 1 IF EXISTS
DELETE a, m['x'], u.f FROM zz.t USING TIMESTAMP 5 WHERE k = 1 IF m['a'] > 5 AND u.f != 1
DELETE FROM zz.t WHERE k = 1 AND c > 5
BEGIN UNLOGGED BATCH USING TIMESTAMP 1 INSERT INTO zz.t (a) VALUES (1); UPDATE zz.t SET a = 1 WHERE k = 1 DELETE FROM zz.t WHERE k = 1; APPLY BATCH
CREATE KEYSPACE IF NOT EXISTS zz WITH replication = {'class': 'Nowhere', 'a': 1} AND durable_writes = true
ALTER KEYSPACE IF EXISTS zz WITH durable_writes = false
DROP KEYSPACE IF EXISTS zz
USE zz
CREATE TABLE IF NOT EXISTS zz.t (a int, b frozen<list<text>> STATIC, c map<int, vector<float, 3>>, PRIMARY KEY ((a, b), c)) WITH CLUSTERING ORDER BY (c DESC) AND comment = 'x'
CREATE TABLE zz.t (k int PRIMARY KEY, v text) WITH COMPACT STORAGE AND ID = 5a1c395e-b41f-11e5-9f22-ba0be0483c18
CREATE TABLE zz.t (k int PRIMARY KEY, v zz.u MASKED WITH mask_inner(1, null), w tuple<int, set<text>>)
ALTER TABLE zz.t ADD IF NOT EXISTS (a int STATIC, b list<int>)
ALTER TABLE IF EXISTS zz.t DROP a USING TIMESTAMP 5
ALTER TABLE zz.t RENAME IF EXISTS a TO b AND c TO d
ALTER TABLE zz.t ALTER a MASKED WITH DEFAULT
ALTER TABLE zz.t ALTER a TYPE int
ALTER TABLE zz.t WITH gc_grace_seconds = 5 AND caching = {'keys': 'ALL'}
ALTER TABLE zz.t DROP COMPACT STORAGE
DROP TABLE IF EXISTS zz.t
TRUNCATE TABLE zz.t
CREATE TYPE IF NOT EXISTS zz.u (a int, b frozen<zz.v>)
ALTER TYPE zz.u ADD IF NOT EXISTS c int
ALTER TYPE zz.u RENAME a TO b AND c TO d
DROP TYPE zz.u
CREATE INDEX IF NOT EXISTS i ON zz.t (keys(m))
CREATE CUSTOM INDEX ON zz.t (v) USING 'sai' WITH OPTIONS = {'a': 'b'}
DROP INDEX IF EXISTS zz.i
CREATE MATERIALIZED VIEW IF NOT EXISTS zz.v AS SELECT a, b FROM zz.t WHERE a IS NOT NULL AND b > 1 PRIMARY KEY ((a), b) WITH CLUSTERING ORDER BY (b ASC)
ALTER MATERIALIZED VIEW zz.v WITH comment = 'x'
DROP MATERIALIZED VIEW zz.v
CREATE OR REPLACE FUNCTION zz.f (a int, b text) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS $$ return 1; $$
CREATE FUNCTION IF NOT EXISTS zz.f () CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'x'
DROP FUNCTION IF EXISTS zz.f (int, list<text>)
CREATE AGGREGATE zz.g (int) SFUNC f STYPE int FINALFUNC h INITCOND 0
DROP AGGREGATE zz.g
CREATE TRIGGER IF NOT EXISTS tr ON zz.t USING 'x'
DROP TRIGGER tr ON zz.t
DESCRIBE TABLE zz.t WITH INTERNALS
DESC FULL SCHEMA
DESCRIBE ONLY KEYSPACE zz
DESC FUNCTION zz.f
DESCRIBE AGGREGATE zz.f
DESCRIBE TYPE zz.u WITH INTERNALS
CREATE ROLE IF NOT EXISTS r WITH PASSWORD = 'x' AND LOGIN = true AND OPTIONS = {'a': 'b'} AND ACCESS TO DATACENTERS {'d'}
ALTER USER u WITH PASSWORD 'x' SUPERUSER
DROP ROLE IF EXISTS r
GRANT SELECT PERMISSION, MODIFY ON KEYSPACE zz TO r
REVOKE ALL PERMISSIONS ON ALL TABLES IN KEYSPACE zz FROM r
GRANT ALL ON TABLE zz.t TO r
GRANT r TO s
LIST ALL PERMISSIONS ON ROLE r OF s NORECURSIVE
LIST ROLES OF r
ADD IDENTITY 'i' TO ROLE 'r'
"""

BY_HAND = [
    "", " ", ";", ";;", "-- x", "-- x\n", "/* x */", "/* x", "//", "x", "1", "'x'", "select", "foo bar", "(", ")",
    "SELECT @ FROM zz.t", "SELECT a FROM zz.t WHERE a = #", "SELECT a FROM zz.t WHERE a = 'x", 'SELECT "a FROM zz.t',
    "SELECT a FROM zz.t WHERE a = $$x", "SELECT a FROM zz.t WHERE a = $x", "SELECT a FROM zz.t -- x", "SELECT a ! FROM zz.t",
    "SELECT a FROM zz.t WHERE a <> 1", "SELECT a FROM zz.t WHERE a == 1", "SELECT a FROM zz.t WHERE a = 1 OR b = 2",
    "SELECT a FROM zz.t WHERE a BETWEEN 1 AND 2", "SELECT a FROM zz.t WHERE a NOT IN (1)", "SELECT a FROM zz.t WHERE NOT a = 1",
    "SELECT a FROM zz.t WHERE a = b", "SELECT a FROM zz.t WHERE 1 = a", "SELECT a FROM zz.t WHERE a = (SELECT b FROM zz.t)",
    "SELECT a FROM zz.t ORDER BY a ASC LIMIT 'x'", "SELECT a FROM zz.t LIMIT 1.5", "SELECT a FROM zz.t LIMIT 1 WHERE a = 1",
    "SELECT a FROM zz.t, zz.u", "SELECT a FROM zz.t AS x", "SELECT a FROM zz.t x", "SELECT a, FROM zz.t", "SELECT FROM zz.t",
    "SELECT a[0];", "SELECT a.f.g;", "SELECT count(writetime(a;", "SELECT ttl(a[1];", "SELECT abs(a;", "SELECT cast(a;", "SELECT (a.b;", "SELECT a.f AS b;",
    "SELECT a. FROM zz.t", "SELECT a.* FROM zz.t", "SELECT *, a FROM zz.t", "SELECT a, * FROM zz.t", "SELECT count( FROM zz.t",
    "SELECT count(DISTINCT a) FROM zz.t", "SELECT v-1 FROM zz.t", "SELECT +1 FROM zz.t", "SELECT a[0 FROM zz.t",
    "SELECT f(a FROM zz.t", "SELECT (a FROM zz.t", "SELECT ((((a)))) FROM zz.t", "SELECT ((a, (b FROM zz.t",
    "SELECT a AS FROM zz.t", "SELECT a AS 'x' FROM zz.t", "SELECT a AS select FROM zz.t", "SELECT from FROM zz.t",
    "SELECT a FROM zz", "SELECT a FROM zz.", "SELECT a FROM zz.t.u", "SELECT a FROM 'zz'.t", "SELECT a FROM zz.select",
    "SELECT a\nFROM zz.t\nWHERE b =\n  c\nLIMIT 5", "SELECT a FROM zz.t WHERE x = 'two\nlines' AND y z", "SELECT\n\n\nfoo\nbar\n",
    "SELECT 'é', 'x' y z FROM zz.t", "SELECT 'a''b' x FROM zz.t", "SELECT \"Q\" \"R\" FROM zz.t", "SELECT 1 2 FROM zz.t",
    "INSERT INTO zz.t VALUES (1, 2)", "INSERT INTO zz.t (a, b) VALUES (1, 2), (3, 4)", "INSERT INTO zz.t (a, b) VALUES (1, b)",
    "INSERT INTO zz.t (a, b) VALUES (1, 2", "INSERT INTO zz.t (a b) VALUES (1, 2)", "INSERT INTO zz.t () VALUES ()",
    "INSERT zz.t (a) VALUES (1)", "INSERT INTO zz.t (a) VALUES (1) USING TTL 5 IF NOT EXISTS", "INSERT INTO zz.t (a) VALUES ()",
    "INSERT INTO zz.t (a) VALUES (1) USING TTL", "INSERT INTO zz.t (a) VALUES (1) USING TTL 'x'", "INSERT INTO zz.t (a) VALUES (1,)",
    "INSERT INTO zz.t (a) VALUES ({1: 2, 3})", "INSERT INTO zz.t (a) VALUES ({1, 2: 3})", "INSERT INTO zz.t (a) VALUES ([1, 2)",
    "INSERT INTO zz.t (a) VALUES ({'a': 1)", "INSERT INTO zz.t (a) VALUES ({a: 1, 'b': 2})", "INSERT INTO zz.t (a) VALUES (abc)",
    "INSERT INTO zz.t (a) VALUES (\"abc\")", "INSERT INTO zz.t (a) VALUES ('it's')", "INSERT INTO zz.t (a) VALUES (- - 1)",
    "UPDATE zz.t SET a = 1", "UPDATE zz.t WHERE k = 1", "UPDATE zz.t SET a = 1, WHERE k = 1", "UPDATE zz.t SET a == 1 WHERE k = 1",
    "UPDATE zz.t SET a = b WHERE k = 1", "UPDATE zz.t SET a = b + WHERE k = 1", "UPDATE zz.t SET a + 1 WHERE k = 1",
    "UPDATE zz.t SET a = 1 WHERE k = 1 IF", "UPDATE zz.t SET a = 1 WHERE k = 1 IF NOT EXISTS", "UPDATE zz.t SET WHERE k = 1",
    "UPDATE zz.t SET a = 1 WHERE k = 1 USING TTL 5", "UPDATE zz.t SET a = 1 USING TTL 5 WHERE k = 1",
    "UPDATE zz.t SET a = b + 1 WHERE k = 1", "UPDATE zz.t SET a = 1, a = 2 WHERE k = 1", "UPDATE zz.t SET a = a 1 WHERE k = 1",
    "UPDATE zz.t SET a['x'] = 1, a = {} WHERE k = 1", "UPDATE zz.t SET a.b = 1, a.b = 2 WHERE k = 1",
    "DELETE * FROM zz.t WHERE k = 1", "DELETE FROM zz.t", "DELETE a b FROM zz.t WHERE k = 1", "DELETE zz.t WHERE k = 1",
    "DELETE FROM zz.t USING TTL 5 WHERE k = 1", "DELETE FROM zz.t WHERE k = 1 LIMIT 5", "DELETE FROM zz.t IF EXISTS",
    "BEGIN BATCH", "BEGIN LOGGED BATCH APPLY BATCH", "BEGIN BATCH SELECT a FROM zz.t; APPLY BATCH", "BEGIN BATCH APPLY",
    "BEGIN BATCH INSERT INTO zz.t (a) VALUES (1);; APPLY BATCH", "BEGIN TRANSACTION", "COMMIT", "APPLY BATCH",
    "CREATE", "CREATE foo", "CREATE SCHEMA zz WITH replication = {}", "CREATE TABLE", "CREATE TABLE zz.t", "CREATE TABLE zz.t ()",
    "CREATE TABLE zz.t (a)", "CREATE TABLE zz.t (a int b int)", "CREATE TABLE zz.t (a int,, b int)", "CREATE TABLE zz.t (,)",
    "CREATE TABLE zz.t (a int PRIMARY KEY", "CREATE TABLE zz.t (a int PRIMARY KEY) WITH", "CREATE TABLE zz.t (a list<int)",
    "CREATE TABLE zz.t (a list int)", "CREATE TABLE zz.t (a list<>)", "CREATE TABLE zz.t (a map<int>)", "CREATE TABLE zz.t (a set)",
    "CREATE TABLE zz.t (a vector<int>)", "CREATE TABLE zz.t (a vector<int, x>)", "CREATE TABLE zz.t (a varchar(10))",
    "CREATE TABLE zz.t (a int NOT NULL)", "CREATE TABLE zz.t (a int, PRIMARY KEY a)", "CREATE TABLE zz.t (a int, PRIMARY KEY ())",
    "CREATE TABLE zz.t (a int PRIMARY KEY) WITH comment 'x'", "CREATE TABLE zz.t (a int PRIMARY KEY) WITH comment = foo",
    "CREATE TABLE zz.t (a int PRIMARY KEY) WITH comment = 'x', b = 1", "CREATE TABLE zz.t (a int PRIMARY KEY) WITH comment = ?",
    "CREATE TABLE zz.t (a int PRIMARY KEY) WITH CLUSTERING ORDER BY (a)", "CREATE TABLE zz.t LIKE zz.u",
    "CREATE TABLE zz.t (select int PRIMARY KEY)", "CREATE TABLE zz.select (a int PRIMARY KEY)", "CREATE TABLE \"\" (a int)",
    "CREATE TABLE zz.t (\"\" int PRIMARY KEY)", "CREATE TABLE zz.t (a int PRIMARY KEY) WITH compaction = {'class': x}",
    "CREATE TABLE zz.t (a int PRIMARY KEY) WITH x = {'a': 1, 'a': 2}", "CREATE TABLE zz.t (a int PRIMARY KEY) WITH x = 1 AND x = 2",
    "CREATE TABLE zz.t (a frozen<int> PRIMARY KEY)", "CREATE TABLE zz.t (a frozen PRIMARY KEY)", "CREATE TYPE zz.int (a int)",
    "CREATE TYPE zz.byte (a int)", "CREATE TYPE zz.u ()", "CREATE TYPE zz.u (a int, a)", "CREATE TYPE u AS (a int)",
    "CREATE INDEX ON zz.t", "CREATE INDEX ON zz.t (f(a))", "CREATE INDEX i zz.t (a)", "CREATE UNIQUE INDEX ON zz.t (a)",
    "CREATE INDEX zz.i ON zz.t (a)", "CREATE INDEX ON zz.t (a) USING sai", "CREATE INDEX ON zz.t (values(a)",
    "CREATE MATERIALIZED VIEW zz.v AS SELECT * FROM zz.t", "CREATE VIEW zz.v AS SELECT * FROM zz.t", "CREATE USER \"x\"",
    "CREATE MATERIALIZED VIEW zz.v AS SELECT * FROM zz.t PRIMARY KEY (a) WITH COMPACT STORAGE", "CREATE USER select",
    "ALTER TABLE zz.t", "ALTER TABLE zz.t ADD", "ALTER TABLE zz.t ADD a", "ALTER TABLE zz.t ADD COLUMN a int", "ALTER zz.t",
    "ALTER TABLE zz.t DROP", "ALTER TABLE zz.t RENAME a b", "ALTER TABLE zz.t ALTER a int", "ALTER TABLE zz.t DROP COLUMN a",
    "ALTER TABLE zz.t ADD a int, b int", "ALTER TABLE zz.t ADD PRIMARY KEY (a)", "ALTER TYPE zz.u DROP a", "ALTER TYPE zz.u ADD a",
    "DROP", "DROP zz.t", "DROP TABLE", "DROP TABLE zz.t zz.u", "DROP TABLE IF NOT EXISTS zz.t", "DROP TABLE zz.t CASCADE",
    "DROP COLUMN a", "TRUNCATE", "TRUNCATE zz.t, zz.u", "USE", "USE 'zz'", "USE ?", "USE zz.t", "SHOW TABLES", "EXPLAIN SELECT 1",
    "DESCRIBE", "DESCRIBE TABLE", "DESCRIBE a.b.c", "DESCRIBE KEYSPACE zz.t", "DESC select", "DESCRIBE TYPE zz.add", "DESCRIBE TYPE zz.",
    "DESC TYPE zz.'", "DESCRIBE TYPE zz.int", "DESCRIBE TYPE int", "DESCRIBE TYPE add", "DESC TYPE zz.u WITH", "DESCRIBE FUNCTION zz.add", "DESC FUNCTION zz.",
    "DESCRIBE FUNCTION add", "DESC FUNCTION zz.f x", "DESCRIBE AGGREGATE zz.5", "DESCRIBE AGGREGATE zz.f(int)", "DESCRIBE INDEX zz.add", "SELECT * FROM ?", "GRANT", "LIST",
    "LIST SUPERUSERS", "LIST foo", "GRANT foo ON zz.t TO r", "GRANT SELECT zz.t TO r", "CREATE ROLE r WITH PASSWORD 'x'",
    "CREATE ROLE r WITH foo = 1", "MERGE INTO zz.t", "UPSERT INTO zz.t (a) VALUES (1)", "selct * from zz.t", "SELECT * FORM zz.t",
    "SELECT * FROM zz.t WERE a = 1", "SELECT * FROM zz.t WHERE a = 1 ORDERBY a", "SELECT * FROM zz.t WHERE a = 1 AND",
    "SELECT * FROM zz.t WHERE a LIKE", "SELECT * FROM zz.t WHERE a IN 1, 2", "SELECT * FROM zz.t WHERE a IN [1]",
    "SELECT * FROM zz.t WHERE (a) = 1", "SELECT * FROM zz.t WHERE (a, b) = 1", "SELECT * FROM zz.t WHERE (a, b) IN (1, 2)",
    "SELECT * FROM zz.t WHERE (a, b) IN ((1, 2), ?)", "SELECT * FROM zz.t WHERE token(a = 1", "SELECT * FROM zz.t WHERE a IS NULL",
    "SELECT * FROM zz.t WHERE a CONTAINS", "SELECT * FROM zz.t WHERE expr(i 'x')", "SELECT * FROM zz.t WHERE expr(i, 'x'",
    "SELECT * FROM zz.t ALLOW", "SELECT * FROM zz.t FILTERING", "SELECT * FROM zz.t LIMIT", "SELECT * FROM zz.t GROUP a",
    "SELECT * FROM zz.t PER PARTITION 5", "SELECT * FROM zz.t ORDER BY", "SELECT * FROM zz.t HAVING a > 1", "SELECT a; b FROM zz.t",
    "SELECT * FROM zz.t; SELECT * FROM zz.t", "SELECT 1e400 FROM zz.t", "SELECT 1d5 FROM zz.t", "SELECT 1e FROM zz.t",
    "SELECT 0x FROM zz.t", "SELECT 1.2.3 FROM zz.t", "SELECT :1 FROM zz.t", "SELECT : a FROM zz.t", "SELECT ?? FROM zz.t",
    "SELECT json.a FROM zz.t", "SELECT json b c FROM zz.t", "SELECT distinct b c FROM zz.t", "SELECT ttl(1) FROM zz.t",
    "SELECT writetime(f(a)) FROM zz.t", "SELECT cast(a AS foo) FROM zz.t", "SELECT cast(a, int) FROM zz.t", "SELECT cast(a) FROM zz.t",
    "DESC FUNCTION zz'.f", "DESCRIBE AGGREGATE zz\"", "DESC FUNCTION zz /* x", "USE ?'", "DROP ROLE ?\"",
]

# Bits of text at the edges of the lexer's rules.
TOKENS = """5a
5ab
5abcdef01
12345678-1
12345678-
123456789-1
1234567-1
deadbeef-1
deadbeef-
deadbeef-x
deadbee-1
abcd
1a2b3c4d-1a2b-1a2b-1a2b-1a2b3c4d5e6f
1a2b3c4d-1a2b-1a2b-1a2b-1a2b3c4d5e6
1a2b3c4d-1a2b-1a2b-1a2b-1a2b3c4d5e6f7
1a2b3c4d-1a2b-1a2b-1a2b-1a2b3c4d5e6fx
1a2b3c4d-1a2b-1a2b_
1d
1da
1d5
1d5h
1d5x
1de
1d e
1dea
1e
1ea
1e5
1e5a
1e5f
1e+
1e+5
1e-5
1e5.5
12e45678-1234-1234-1234-123456789012
1e234567-1234-1234-1234-123456789012
1d234567-1234-1234-1234-123456789012
12d45678-1234-1234-1234-123456789012
12345678-1234-1234-1234-123456789012
1mo
1mox
1mon
1m
1mx
1ms
1msx
1u
1us
1ux
1n
1ns
1nx
1h2
1h2m
1h2x
1y
1yx
1w2
1w2d
P1
P
P1Y
P1Y2
P1Y2M
P1x
P1Yx
P1YT
P1YT5
P1YT5H
PT5
PT5S
PT
PTx
P2W
P2Wx
P0001-02-03T04:05:06
P0001-02-03
P0001-
P0001
P1-2
Px
p1y
-P1Y
-P1
-P
-x
-1h
-1hx
-1d5
-NaN
-NaNx
-Na
-N
-Infinity
-Infinit
-I
-Ia
NaNx
Infinityx
1.5
1.
1..5
1...5
1.5.5
1.5h
1.5e
1.5e+
1.e5
.5
..5
.
0x
0xg
0xab
0xabg
0xabcdefgh
-0x1
00x1
0X1F
0xa-1
1_
1_a
_a
a_
é
aé
'é'x
1µs
1µ
1µx
&
a&
!
!=
!a
<>
$
$a
$$
$$a$
$$a$$
$$$$
$$$
'
''
'''
"
\"\"
\"a
/
//
/*
/**/
/* * /
-
--
--x
+
+=
+1
-=
*
%
^
~
[
\\
|
expr(
expr (
EXPR(
expr
exprx(
true
truex
TRUE
select_masked
select_mask
selectx
1select
1from
5x
5g
5z
5.a
5.e
5.d
5.5d
1h1h1h
1d1e
1d1a
1f
12345678a
1234567a-
1234567a-1
1234567g-1
12345678-1234-1234-1234-12345678901g"""

PUT_IN = [",", ")", "(", "foo", "select", "5", "'s'", "=", "?", "."]

# What the reference refuses with the same code after its grammar has taken the text.
LATER = re.compile(r"Unknown property|Invalid value for property|Invalid (integer|boolean|double) value")

# Where something else in the reference fails after its parser has stumbled, and its answer is about that.
CRASH = re.compile(r"Error setting type|Duplicate column|.*reason: (NullPointer|NoSuchElement)Exception", re.S)

TOKEN = re.compile(r"\$\$.*?\$\$|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|[0-9a-f]{8}-[0-9a-f-]{27}|-?[0-9][0-9a-zA-Z.]*|-NaN|\w+|\.\.|[<>!+-]=|\S", re.S)


def broken(statement, every):
    """Statements that are one mistake away from the whole one."""
    spans = [m.span() for m in TOKEN.finditer(statement)]
    for n, (start, end) in enumerate(spans):
        mistakes = [
            statement[:start].rstrip(),
            statement[:start] + statement[end:],
            statement[:end] + " " + statement[start:],
            statement[:start] + PUT_IN[n % len(PUT_IN)] + statement[end:],
            statement[:start] + PUT_IN[(n * 7 + 3) % len(PUT_IN)] + " " + statement[start:],
        ]
        yield from mistakes if every else [mistakes[n % 5]]
    yield statement + " foo"
    yield statement + " ("
    yield statement + ";"


class Server:
    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port))
        self.file = self.socket.makefile("rb")
        self.call(1, struct.pack(">HH", 1, 11) + b"CQL_VERSION" + struct.pack(">H", 5) + b"3.0.0")

    def call(self, opcode, body):
        self.socket.sendall(struct.pack(">BBhBi", 4, 0, 0, opcode, len(body)) + body)
        header = self.file.read(9)
        return header[4], self.file.read(struct.unpack(">i", header[5:])[0])

    def ask(self, cql):
        """The code and message of the answer; 0 where there is no error."""
        text = cql.encode()
        opcode, body = self.call(7, struct.pack(">i", len(text)) + text + struct.pack(">HB", 1, 0))
        if opcode != 0:
            return 0, ""
        code, length = struct.unpack(">iH", body[:6])
        return code, body[6:6 + length].decode()


def literal(text):
    out = "".join("\\%03o" % b if b < 32 or b > 126 else "\\" + chr(b) if b in b'"\\?' else chr(b) for b in text.encode())
    return '"' + out + '"'


def main():
    every = "--every" in sys.argv
    where = [a for a in sys.argv[1:] if a != "--every"]
    host, _, port = (where[0] if where else "127.0.0.1").partition(":")
    server = Server(host, int(port or 9042))
    whole = WHOLE.strip().split("\n")
    lexed = [form % x for x in TOKENS.split("\n") for form in ("SELECT %s", "SELECT %s FROM zz.t", "SELECT a FROM zz.t WHERE a=%s ")]
    statements = dict.fromkeys(whole + BY_HAND + lexed + [b for w in whole for b in broken(w, every)])
    print("/* Made by record_syntax.py from the answers of Cassandra 5.0.6: text, message (NULL: no syntax error). */")
    for statement in statements:
        code, message = server.ask(statement)
        if CRASH.match(message) and not statement.startswith("DESC"):
            continue
        if code in (0, 0x2100, 0x2200, 0x2300, 0x2400) or (code == 0x2000 and LATER.match(message)):
            print("{ %s,\n  NULL }," % literal(statement))
        elif code == 0x2000:
            print("{ %s,\n  %s }," % (literal(statement), literal(message)))


main()
