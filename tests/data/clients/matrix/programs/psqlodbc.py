"""psqlODBC through pyodbc: with and without autocommit, declare and fetch, protocol levels, catalog functions."""

import hashlib
import os
import re
import threading
import time
from pathlib import Path

import pyodbc
from steps import Steps, failure

DRIVER = "/usr/lib/x86_64-linux-gnu/odbc/psqlodbcw.so"
SLOW = "SELECT count(*) FROM generate_series(1, 1000000000)"
TABLES = [("public", "item"), ("public", "part"), ("public", "every_type"), ("shop", "purchase_line"),
          ("shop", "customer"), ("Mixed Schema", "Mixed Table")]
WAYS = {
    "plain": {},
    "declare and fetch": {"UseDeclareFetch": 1, "Fetch": 37},
    "declare and fetch by one": {"UseDeclareFetch": 1, "Fetch": 1},
    "prepared on the server": {"UseServerSidePrepare": 1},
    "not prepared on the server": {"UseServerSidePrepare": 0},
    "rollback of nothing": {"Protocol": "7.4-0"},
    "rollback of the transaction": {"Protocol": "7.4-1"},
    "rollback of the statement": {"Protocol": "7.4-2"},
    "updatable cursors": {"UpdatableCursors": 1, "LFConversion": 1, "ParseStatement": 1},
    "booleans as they are": {"BoolsAsChar": 0, "TextAsLongVarchar": 0, "UnknownSizes": 2, "MaxVarcharSize": 4000},
}


def statements(kind):
    lines = (Path(__file__).parent / "statements.tsv").read_text().splitlines()
    return [line.split("\t")[1:3] for line in lines if line.split("\t")[0] == kind]


def connect(autocommit=True, **settings):
    words = {
        "Driver": find_driver(), "Servername": os.environ["PGHOST"], "Port": os.environ["PGPORT"],
        "Database": os.environ["PGDATABASE"], "UserName": os.environ["PGUSER"], "Password": os.environ["PGPASSWORD"],
        "SSLmode": "disable", **settings,
    }
    return pyodbc.connect(";".join(f"{key}={value}" for key, value in words.items()), autocommit=autocommit)


def find_driver():
    if Path(DRIVER).exists():
        return DRIVER
    return str(next(Path("/usr/lib").glob("*/odbc/psqlodbcw.so")))


def rows(cursor):
    return [list(row) for row in cursor.fetchall()]


def told(error):
    """The code and the server's words, out of what the driver wraps around them."""
    said = failure(error)
    if isinstance(error, pyodbc.Error) and len(error.args) > 1:
        said["error"] = error.args[0]
        words = re.sub(r"^(\[[^]]*\] *)*", "", error.args[1])
        said["message"] = re.sub(r"port \d+", "port", words.splitlines()[0]).rstrip(";")
    return said


class Program(Steps):
    def run(self, name, function, write=False):
        def wrapped():
            try:
                return function()
            except pyodbc.Error as error:
                raise Told(told(error)) from None

        super().run(name, wrapped, write)

    def on(self, name, function, write=False, autocommit=True, **settings):
        """A step on a connection of its own."""

        def run():
            connection = connect(autocommit, **settings)
            try:
                return function(connection)
            finally:
                connection.close()

        self.run(name, run, write)


class Told(Exception):
    """An error by its code."""

    def __init__(self, said):
        super().__init__(said["message"])
        self.sqlstate = said["error"]


def fails(run):
    try:
        run()
    except pyodbc.Error as error:
        return told(error)
    raise AssertionError("this should have failed")


def ask(connection, text, *given):
    return rows(connection.execute(text, *given))


def queries(step, way, settings):
    for autocommit in (True, False):
        named = f"{way}, {'autocommit' if autocommit else 'no autocommit'}"

        def on(name, function, write=False):
            step.on(f"{name}, {named}", function, write, autocommit, **settings)

        on("rows", lambda c: ask(c, "SELECT id, name, price, made, tags, state FROM item ORDER BY id LIMIT 120"))
        on("types", lambda c: ask(c, """SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_numeric, a_text, a_varchar, a_char,
            a_bytea, a_date, a_time, a_timestamp, a_uuid, a_jsonb::text, an_inet, an_enum, an_array FROM every_type
            WHERE a_int4 > 0"""))
        on("columns", lambda c: [list(map(str, column)) for column in c.execute("SELECT * FROM every_type").description])
        on("parameters", parameters)
        on("again and again", lambda c: [ask(c, "SELECT * FROM item WHERE id = ?", id) for id in (1, 2, 3, 10)])
        on("in pieces", in_pieces)
        on("two at once", two_at_once)
        on("several statements", several)
        on("commit and rollback", commit_and_rollback)
        on("after a failure", after_a_failure)
        on("escapes", lambda c: ask(c, "SELECT {fn UCASE('x')}, {d '2024-02-29'}, {fn LENGTH('ü')}, {fn CONCAT('a', 'b')}"))
        for name, text in statements("error"):
            on(f"error: {name}", lambda c, text=text: ask(c, text))
        for name, text in statements("write"):
            on(name, lambda c, text=text: (c.execute(text), c.commit()) and None, write=True)
        on("insert of values", lambda c: (c.execute("INSERT INTO part VALUES (?, ?, 0)", 1, 99), c.commit()) and None, write=True)
        on("insert of many", insert_of_many, write=True)


def parameters(c):
    return ask(c, "SELECT ?::int, ?::bigint, ?::text, ?::float8, ?::numeric, ?::bytea, ?::text, ?::mood, ?::bool",
               7, 9007199254740993, "it's \\ ünïcode", 1.5, 1234, b"\x00\x01\xff", None, "happy", True)


def in_pieces(c):
    cursor = c.execute("SELECT id, note FROM shop.reading ORDER BY id LIMIT 3000")
    seen = 0
    while got := cursor.fetchmany(170):
        seen += sum(row[0] for row in got)
    return seen


def two_at_once(c):
    one, two = c.cursor(), c.cursor()
    one.execute("SELECT id FROM item ORDER BY id")
    two.execute("SELECT id FROM item ORDER BY id DESC")
    total = 0
    while (first := one.fetchone()) and (second := two.fetchone()):
        total += first[0] * second[0]
    return total


def several(c):
    cursor = c.execute("SET TIME ZONE 'UTC'; SELECT id FROM item WHERE id < 3; RESET TIME ZONE")
    answers = []
    while True:
        if cursor.description:
            answers.append(rows(cursor))
        if not cursor.nextset():
            return answers


def commit_and_rollback(c):
    answers = [ask(c, "SELECT count(*) FROM item")]
    c.commit()
    answers.append(ask(c, "SELECT count(*) FROM part"))
    c.rollback()
    return answers + [ask(c, "SHOW transaction_isolation")]


def after_a_failure(c):
    answers = [ask(c, "SELECT 1"), fails(lambda: ask(c, "SELECT no_such_column FROM item"))]
    try:
        answers.append(ask(c, "SELECT 'after'"))
    except pyodbc.Error as error:
        answers.append(told(error))
    c.rollback()
    return answers + [ask(c, "SELECT 'usable'")]


def insert_of_many(c):
    cursor = c.cursor()
    cursor.fast_executemany = True
    cursor.executemany("INSERT INTO part VALUES (?, ?, 0)", [(1, 98), (1, 99)])
    c.commit()


def catalog(step, way, settings):
    def on(name, function):
        step.on(f"{name}, {way}", lambda c: rows(function(c.cursor())), **settings)

    on("tables", lambda k: k.tables())
    on("tables of a schema", lambda k: k.tables(schema="shop", tableType="TABLE,VIEW"))
    on("catalogs", lambda k: k.tables(catalog="%", schema="", table=""))
    on("schemas", lambda k: k.tables(catalog="", schema="%", table=""))
    on("kinds of tables", lambda k: k.tables(catalog="", schema="", table="", tableType="%"))
    on("types", lambda k: k.getTypeInfo())
    on("procedures", lambda k: k.procedures(schema="shop"))
    on("columns of procedures", lambda k: k.procedureColumns(schema="shop"))
    for schema, table in TABLES:
        on(f"columns of {table}", lambda k, s=schema, t=table: k.columns(schema=s, table=t))
        on(f"statistics of {table}", lambda k, s=schema, t=table: k.statistics(t, schema=s))
        on(f"primary keys of {table}", lambda k, s=schema, t=table: k.primaryKeys(t, schema=s))
        on(f"foreign keys of {table}", lambda k, s=schema, t=table: k.foreignKeys(table=t, schema=s))
        on(f"foreign keys from {table}", lambda k, s=schema, t=table: k.foreignKeys(foreignTable=t, foreignSchema=s))
        on(f"best row of {table}", lambda k, s=schema, t=table: k.rowIdColumns(t, schema=s))
        on(f"version of {table}", lambda k, s=schema, t=table: k.rowVerColumns(t, schema=s))


# What SQLGetInfo is asked; what tells the address is left out.
INFORMATION = ["SQL_DBMS_NAME", "SQL_DBMS_VER", "SQL_DRIVER_VER", "SQL_USER_NAME", "SQL_DATABASE_NAME", "SQL_TXN_CAPABLE",
               "SQL_DEFAULT_TXN_ISOLATION", "SQL_DATA_SOURCE_READ_ONLY", "SQL_IDENTIFIER_QUOTE_CHAR", "SQL_KEYWORDS",
               "SQL_MAX_IDENTIFIER_LEN", "SQL_CURSOR_COMMIT_BEHAVIOR", "SQL_CURSOR_ROLLBACK_BEHAVIOR"]


def sessions(step):
    step.on("information", lambda c: [c.getinfo(getattr(pyodbc, name)) for name in INFORMATION])
    step.on("settings at connect", lambda c: [ask(c, f"SHOW {name}") for name in ("search_path", "application_name", "datestyle")],
            ConnSettings="SET search_path TO shop%2c public%3b SET application_name TO matrix")
    for level in ("TXN_READ_COMMITTED", "TXN_REPEATABLE_READ", "TXN_SERIALIZABLE"):
        step.on(f"isolation: {level}", lambda c, level=level: isolated(c, level), autocommit=False)
    step.on("read only", lambda c: ask(c, "SELECT count(*) FROM item"), ReadOnly=1)
    step.on("cancel", cancel)
    step.on("statement timeout", statement_timeout)
    step.on("a large value", lambda c: hashlib.sha256(ask(c, "SELECT body FROM big WHERE id = 1")[0][0].encode()).hexdigest())
    step.run("pool", lambda: [ask(connect(), "SELECT count(*) FROM item") for _ in range(4)])
    step.run("error: the database is not there", lambda: connect(Database="no_such_database"))


def isolated(c, level):
    c.set_attr(pyodbc.SQL_ATTR_TXN_ISOLATION, getattr(pyodbc, f"SQL_{level}"))
    return ask(c, "SHOW transaction_isolation")


def cancel(c):
    cursor = c.cursor()
    threading.Thread(target=lambda: (time.sleep(1.5), cursor.cancel())).start()
    return [fails(lambda: cursor.execute(SLOW)), ask(c, "SELECT 'usable'")]


def statement_timeout(c):
    c.execute("SET statement_timeout = 500")
    return [fails(lambda: ask(c, SLOW)), ask(c, "SELECT 'usable'")]


def main():
    pyodbc.pooling = False
    connection = connect()
    step = Program("psqlODBC", connection.getinfo(pyodbc.SQL_DRIVER_VER))
    connection.close()
    for way, settings in WAYS.items():
        queries(step, way, settings)
    catalog(step, "plain", {})
    catalog(step, "declare and fetch", WAYS["declare and fetch"])
    catalog(step, "updatable cursors", WAYS["updatable cursors"])
    sessions(step)


main()
