"""psycopg 2: client-side parameters, named cursors, copies, isolation, its asynchronous mode, extras, pools."""

import datetime
import decimal
import io
import select
import threading
import uuid

import psycopg2
import psycopg2.extensions
import psycopg2.extras
import psycopg2.pool
import psycopg2.sql

from steps import ERRORS, WRITES, Steps

connection = psycopg2.connect("")


def recover():
    global connection
    connection.close()
    connection = psycopg2.connect("")


step = Steps("psycopg 2", psycopg2.__version__.split()[0], recover)


def rows(text, params=None):
    with connection.cursor() as cursor:
        cursor.execute(text, params)
        got = cursor.fetchall() if cursor.description else []
    connection.commit()
    return got


@step
def on_connect():
    names = ("server_version", "server_encoding", "client_encoding", "DateStyle", "TimeZone", "standard_conforming_strings")
    return [connection.encoding, connection.protocol_version, connection.server_version, connection.info.dbname,
            {name: connection.get_parameter_status(name) for name in names}]


@step
def every_type():
    with connection.cursor() as cursor:
        # No date of Python is before Christ or infinite.
        cursor.execute("SELECT * FROM every_type WHERE a_date = '2024-02-29' OR a_bool IS NULL")
        got = cursor.fetchall(), [tuple(column)[:6] for column in cursor.description], cursor.statusmessage, cursor.rowcount
    connection.commit()
    return got


@step
def parameters():
    psycopg2.extras.register_uuid()
    values = [1, 2**40, 1.5, decimal.Decimal("1.20"), "it's \\ %", b"\x00\xff", True, None, datetime.date(2024, 2, 29),
              datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc), datetime.time(1, 2), datetime.timedelta(days=1),
              uuid.UUID(int=7), [1, None, 3], ("a", 1), psycopg2.extras.Json({"k": [1, None]}), psycopg2.extras.NumericRange(1, 5),
              psycopg2.extras.Inet("10.0.0.1/8")]
    return [rows("SELECT %s AS v", (value,)) for value in values] + [rows("SELECT %(a)s, %(a)s", {"a": 1})]


@step
def mogrify():
    with connection.cursor() as cursor:
        return cursor.mogrify("SELECT %s, %s, %s", ("a'b", None, [1]))


@step
def several_statements():
    return rows("SELECT 1; SELECT 2")


@step
def row_factories():
    got = []
    for factory in (psycopg2.extras.DictCursor, psycopg2.extras.RealDictCursor, psycopg2.extras.NamedTupleCursor):
        with connection.cursor(cursor_factory=factory) as cursor:
            cursor.execute("SELECT id, name FROM item WHERE id < 4 ORDER BY id")
            got.append([list(row.items()) if hasattr(row, "items") else list(row) for row in cursor])
    return got


@step
def named_cursor():
    with connection.cursor("a cursor") as cursor:
        cursor.itersize = 700
        cursor.execute("SELECT id FROM shop.reading ORDER BY id")
        got = [cursor.fetchone(), cursor.fetchmany(2), sum(row[0] for row in cursor)]
    connection.rollback()
    return got


@step
def scrolling_cursor():
    with connection.cursor("scrolls", scrollable=True) as cursor:
        cursor.execute("SELECT id FROM shop.reading ORDER BY id")
        cursor.scroll(500, mode="absolute")
        got = [cursor.fetchone()]
        cursor.scroll(-3)
        got.append(cursor.fetchone())
    connection.rollback()
    return got


@step
def cursor_with_hold():
    cursor = connection.cursor("held", withhold=True)
    cursor.execute("SELECT id FROM item ORDER BY id")
    connection.commit()
    got = [cursor.fetchmany(5), len(cursor.fetchall())]
    cursor.close()
    connection.commit()
    return got


@step
def execute_values_and_batch():
    with connection.cursor() as cursor:
        got = psycopg2.extras.execute_values(cursor, "SELECT * FROM (VALUES %s) AS v(a, b)", [(1, "x"), (2, None)], fetch=True)
    connection.commit()
    return got


@step
def execute_batch():
    with connection.cursor() as cursor:
        psycopg2.extras.execute_batch(cursor, "SELECT %s::int", [(n,) for n in range(10)], page_size=1)
        cursor.executemany("SELECT %s::int", [(n,) for n in range(10)])
        got = cursor.rowcount
    connection.commit()
    return got


@step
def execute_batch_in_pages():
    with connection.cursor() as cursor:
        psycopg2.extras.execute_batch(cursor, "SELECT id FROM item WHERE id = %s", [(n,) for n in range(10)])
        got = cursor.fetchall()
    connection.commit()
    return got


@step
def copies():
    out = io.StringIO()
    with connection.cursor() as cursor:
        cursor.copy_expert("COPY (SELECT id, name FROM item WHERE id < 4 ORDER BY id) TO STDOUT CSV HEADER", out)
        cursor.copy_to(out, "item", columns=("id", "price"), null="none", sep="|")
        cursor.copy_expert("COPY shop.customer TO STDOUT", out)
        cursor.copy_expert(psycopg2.sql.SQL("COPY {} TO STDOUT").format(psycopg2.sql.Identifier("Mixed Schema", "Mixed Table")), out)
    connection.rollback()
    return out.getvalue()


@step
def isolation_levels():
    got = []
    other = psycopg2.connect("")
    for level in ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "READ UNCOMMITTED", "DEFAULT"):
        for read_only, deferrable in ((True, False), (False, True), ("DEFAULT", "DEFAULT")):
            other.set_session(isolation_level=level, readonly=read_only, deferrable=deferrable)
            with other, other.cursor() as cursor:
                for name in ("transaction_isolation", "transaction_deferrable"):
                    cursor.execute(f"SHOW {name}")
                    got.append(cursor.fetchone())
    other.close()
    return got


@step
def set_session_in_autocommit():
    other = psycopg2.connect("")
    other.autocommit = True
    other.set_session(isolation_level="SERIALIZABLE", readonly=False)
    with other.cursor() as cursor:
        cursor.execute("SHOW default_transaction_isolation")
        got = cursor.fetchone()
    other.close()
    return got


@step
def transactions():
    got = [connection.get_transaction_status()]
    with connection.cursor() as cursor:
        cursor.execute("SAVEPOINT a")
        for text in ("SELECT 1/0", "SELECT 1"):
            try:
                cursor.execute(text)
            except psycopg2.Error as error:
                got += [error.pgcode, connection.get_transaction_status()]
        cursor.execute("ROLLBACK TO SAVEPOINT a")
        cursor.execute("SELECT 'back'")
        got.append(cursor.fetchone())
    connection.rollback()
    return [*got, connection.get_transaction_status()]


@step
def types_by_name():
    got = []
    psycopg2.extras.register_hstore(connection)
    got.append(rows("SELECT 'a=>1, b=>NULL'::hstore"))
    address = psycopg2.extras.register_composite("shop.address", connection)
    got += [address.attnames, rows("SELECT home FROM shop.customer ORDER BY id LIMIT 2")]
    spans = psycopg2.extras.register_range("public.spans", "Spans", connection)
    got.append([type(row[0]).__name__ for row in rows("SELECT a_span FROM every_type WHERE a_span IS NOT NULL")] + [spans.typecaster.name])
    return got


@step
def notices():
    del connection.notices[:]
    rows("SELECT 'notice' ~~~> 'hello'")
    return connection.notices


@step
def settings():
    connection.set_client_encoding("UTF8")
    for text in ("SET application_name = 'matrix'", "SET TIME ZONE 'Asia/Tokyo'", "SET search_path = shop, public"):
        rows(text)
    got = [rows(f"SHOW {name}") for name in ("application_name", "TimeZone", "search_path", "client_encoding")]
    connection.reset()
    return [*got, rows("SHOW TimeZone")]


@step
def options_at_connect():
    other = psycopg2.connect("", options="-c search_path=shop -c statement_timeout=20s", application_name="given",
                             connect_timeout=10, keepalives_idle=30, target_session_attrs="any")
    got = []
    with other, other.cursor() as cursor:
        for name in ("search_path", "statement_timeout", "application_name"):
            cursor.execute(f"SHOW {name}")
            got.append(cursor.fetchone())
    other.close()
    return got


@step
def cancel():
    timer = threading.Timer(0.3, connection.cancel)
    timer.start()
    try:
        rows("SELECT count(*) FROM generate_series(1, 10000000000)")
    except psycopg2.Error as error:
        connection.rollback()
        return [type(error).__name__, error.pgcode, rows("SELECT 'usable'")]
    finally:
        timer.join()


@step
def backend_pid():
    return rows("SELECT pg_backend_pid()")[0][0] == connection.get_backend_pid()


def wait(other):
    """Until the connection has nothing to wait for."""
    while True:
        state = other.poll()
        if state == psycopg2.extensions.POLL_OK:
            return
        reads, writes = ([other], []) if state == psycopg2.extensions.POLL_READ else ([], [other])
        select.select(reads, writes, [], 10)


@step
def asynchronous():
    other = psycopg2.connect("", async_=True)
    wait(other)
    cursor = other.cursor()
    got = []
    for text, params in (("SELECT %s::int, 'x'", (1,)), ("SELECT count(*) FROM shop.reading", None)):
        cursor.execute(text, params)
        wait(other)
        got.append(cursor.fetchall())
    other.close()
    return got


@step
def waiting_with_select():
    psycopg2.extensions.set_wait_callback(psycopg2.extras.wait_select)
    try:
        other = psycopg2.connect("")
        with other.cursor() as cursor:
            cursor.execute("SELECT id, name FROM item WHERE id < 3 ORDER BY id")
            got = cursor.fetchall()
        other.close()
        return got
    finally:
        psycopg2.extensions.set_wait_callback(None)


@step
def pool():
    used = psycopg2.pool.ThreadedConnectionPool(1, 3, "")
    got = []
    for n in range(6):
        one, other = used.getconn(), used.getconn()
        with one.cursor() as cursor:
            cursor.execute("SET application_name = 'borrowed'")
            cursor.execute("SELECT %s", (n,))
            got.append(cursor.fetchone())
        used.putconn(one)
        used.putconn(other)
    used.closeall()
    return got


@step
def polls_for_notifications():
    rows("UNLISTEN *")
    connection.poll()
    return connection.notifies


def fields(text):
    try:
        return rows(text)
    except psycopg2.Error as error:
        diag = error.diag
        return [type(error).__name__, error.pgcode, diag.severity, diag.message_primary, diag.statement_position, diag.column_name]
    finally:
        connection.rollback()


for name, text in ERRORS.items():
    step.run(f"error: {name}", lambda text=text: fields(text))

for name, text in (WRITES | {"write behind a read": "SELECT 1; DELETE FROM item"}).items():
    step.run(f"write: {name}", lambda text=text: rows(text), write=True)


@step.write
def write_copy_in():
    with connection.cursor() as cursor:
        cursor.copy_expert("COPY item FROM STDIN", io.StringIO("1\tx\n"))


@step.write
def write_large_object():
    connection.lobject(0, "w").write("x")


@step.write
def write_two_phase():
    connection.tpc_begin(connection.xid(1, "matrix", "branch"))
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    connection.tpc_prepare()


@step
def usable_at_the_end():
    return rows("SELECT count(*) FROM item")
