"""pg8000, in its native form and as a DBAPI: prepared statements, parameters, copies, transactions."""

import datetime
import decimal
import io
import os
import uuid
from importlib.metadata import version

import pg8000.dbapi
import pg8000.native

from steps import ERRORS, WRITES, Steps

PLACE = {"user": os.environ["PGUSER"], "host": os.environ["PGHOST"], "port": int(os.environ["PGPORT"]),
         "database": os.environ["PGDATABASE"], "password": os.environ["PGPASSWORD"]}
connection = pg8000.native.Connection(**PLACE)


def recover():
    global connection
    try:
        connection.close()
    except Exception:
        pass
    connection = pg8000.native.Connection(**PLACE)


step = Steps("pg8000", version("pg8000"), recover)


@step
def on_connect():
    names = ("server_version", "server_encoding", "client_encoding", "DateStyle", "TimeZone", "standard_conforming_strings")
    return {name: str(connection.parameter_statuses.get(name)) for name in names}


@step
def every_type():
    got = connection.run("SELECT * FROM every_type WHERE a_date = '2024-02-29' OR a_bool IS NULL")
    return [got, [[column["name"], column["type_oid"]] for column in connection.columns], connection.row_count]


@step
def parameters():
    values = {"int": 1, "bigint": 2**40, "float8": 1.5, "numeric": decimal.Decimal("1.20"), "text": "it's", "bytea": b"\x00\xff",
              "bool": True, "date": datetime.date(2024, 2, 29), "timestamptz": datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc),
              "time": datetime.time(1, 2), "interval": datetime.timedelta(days=1), "uuid": uuid.UUID(int=7), "int[]": [1, None, 3],
              "jsonb": {"k": [1, None]}, "shop.status": "paid"}
    return [connection.run(f"SELECT CAST(:v AS {kind}), CAST(:n AS {kind})", v=value, n=None) for kind, value in values.items()]


@step
def prepared():
    statement = connection.prepare("SELECT CAST(:v AS integer) * 2")
    got = [statement.run(v=n) for n in range(5)]
    statement.close()
    return got


@step
def several_statements():
    return connection.run("SELECT 1; SELECT 2")


@step
def transactions():
    got = []
    for begin in ("START TRANSACTION", "START TRANSACTION ISOLATION LEVEL SERIALIZABLE", "BEGIN READ WRITE"):
        connection.run(begin)
        got.append(connection.run("SHOW transaction_isolation"))
        connection.run("SAVEPOINT a")
        try:
            connection.run("SELECT 1/0")
        except pg8000.native.DatabaseError as error:
            got.append(error.args[0]["C"])
        connection.run("ROLLBACK TO a")
        got.append(connection.run("SELECT 'back'"))
        connection.run("COMMIT")
    return got


@step
def copies():
    out = io.BytesIO()
    for text in ("COPY (SELECT id, name FROM item WHERE id < 4 ORDER BY id) TO STDOUT (FORMAT csv)", "COPY shop.customer TO STDOUT",
                 "COPY shop.product (sku) TO STDOUT (FORMAT binary)"):
        connection.run(text, stream=out)
    return out.getvalue()


@step
def settings():
    got = []
    for text in ("SET application_name = 'matrix'", "SET TIME ZONE 'Asia/Tokyo'", "SET search_path = shop, public"):
        connection.run(text)
    for name in ("application_name", "TimeZone", "search_path"):
        got.append(connection.run(f"SHOW {name}"))
    connection.run("DISCARD ALL")
    return [*got, connection.run("SHOW TimeZone")]


@step
def at_connect():
    other = pg8000.native.Connection(**PLACE, application_name="given", startup_params={"search_path": "shop", "statement_timeout": "20s"})
    got = [other.run(f"SHOW {name}") for name in ("application_name", "search_path", "statement_timeout")]
    other.close()
    return got


@step
def notices():
    connection.notices.clear()
    connection.run("SELECT 'notice' ~~~> 'hello'")
    return [notice[b"M"] for notice in connection.notices]


@step
def as_a_dbapi():
    other = pg8000.dbapi.connect(**PLACE)
    cursor = other.cursor()
    got = []
    for style, text, params in (("format", "SELECT %s::int", (1,)), ("qmark", "SELECT ?::int", (2,)),
                                ("named", "SELECT CAST(:a AS int)", {"a": 3}), ("numeric", "SELECT :1::int", (4,)),
                                ("pyformat", "SELECT %(a)s::int", {"a": 5})):
        pg8000.dbapi.paramstyle = style
        cursor.execute(text, params)
        got.append(cursor.fetchall())
    pg8000.dbapi.paramstyle = "format"
    cursor.execute("SELECT id, name FROM item ORDER BY id")
    got += [cursor.fetchone(), cursor.fetchmany(3), len(cursor.fetchall()), [column[:2] for column in cursor.description]]
    cursor.executemany("SELECT %s::int", [(1,), (2,)])
    other.rollback()
    other.autocommit = True
    cursor.execute("SELECT 'no transaction'")
    got.append(cursor.fetchall())
    other.close()
    return got


@step
def rows_by_the_ten_thousand():
    return sum(row[0] for row in connection.run("SELECT id FROM shop.reading"))


for name, text in ERRORS.items():
    step.run(f"error: {name}", lambda text=text: connection.run(text))

for name, text in (WRITES | {"write behind a read": "SELECT 1; DELETE FROM item"}).items():
    step.run(f"write: {name}", lambda text=text: connection.run(text), write=True)


@step.write
def write_copy_in():
    connection.run("COPY item (id, name) FROM STDIN", stream=["0\tx\n"])


@step.write
def write_two_phase():
    other = pg8000.dbapi.connect(**PLACE)
    other.tpc_begin(other.xid(1, "matrix", "branch"))
    other.cursor().execute("SELECT 1")
    other.tpc_prepare()


@step
def usable_at_the_end():
    return connection.run("SELECT count(*) FROM item")
