"""Exchanges about which check comes first: of who has not logged in, of a level that nobody may ask for, of what is not there."""
from connection import BATCH, batch, integer, values
from exchange_list import each_version, exchange

NODE_LOCAL = 0x0B
OF_ROLES = ("GRANT SELECT ON serve_x.t TO r", "REVOKE SELECT ON t FROM r", "LIST ROLES", "LIST USERS", "LIST ALL PERMISSIONS", "LIST ALL ON serve_x.t",
            "CREATE ROLE r", "ALTER ROLE r WITH LOGIN = true", "DROP ROLE r", "GRANT a TO b", "REVOKE a FROM b", "CREATE USER u", "ALTER USER u SUPERUSER",
            "DROP USER u", "ADD IDENTITY 'i' TO ROLE 'r'", "DROP IDENTITY 'i'")


@each_version
def statements_of_roles_are_not_prepared_for_just_anybody(c, version):
    c.start(version)
    for text in OF_ROLES:
        c.prepare(text)
    c.prepare("SELECT p FROM serve_x.t WHERE p = ?")


@exchange
def statements_of_roles_of_just_anybody(c):
    c.start()
    for text in OF_ROLES:
        c.run(text, note=True)


@each_version
def a_level_that_nobody_may_ask_for(c, version):
    c.start(version)
    for text in ("SELECT * FROM serve_x.nosuch", "SELECT * FROM serve_x.t", "INSERT INTO serve_x.nosuch (p) VALUES (1)", "TRUNCATE serve_x.n", "SELEC",
                 "USE nosuch", "DROP TABLE serve_x.nosuch", "LIST ROLES", "GRANT SELECT ON serve_x.nosuch TO r", "DESCRIBE TABLE serve_x.nosuch",
                 "SELECT * FROM serve_x.t WHERE p = ?", "BEGIN BATCH INSERT INTO serve_x.nosuch (p) VALUES (1); APPLY BATCH",
                 "BEGIN BATCH INSERT INTO serve_x.t (p, c) VALUES (1, 1); APPLY BATCH"):
        c.run(text, note=True, consistency=NODE_LOCAL)
    for text in ("INSERT INTO serve_x.nosuch (p) VALUES (1)", "INSERT INTO serve_x.t (p, c) VALUES (1, 1)", "SELECT p FROM serve_x.t"):
        c.ask(BATCH, batch(version, 0, (text, values()), consistency=NODE_LOCAL))
    for kind in (0, 1, 2):
        c.ask(BATCH, batch(version, kind, consistency=NODE_LOCAL))
    prepared = c.prepare("SELECT p FROM serve_x.t WHERE p = ?", note=False)
    c.execute(prepared, consistency=NODE_LOCAL)
    c.execute(prepared, 1, values(integer(1)), consistency=NODE_LOCAL)
