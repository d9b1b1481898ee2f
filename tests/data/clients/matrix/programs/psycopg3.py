"""psycopg 3: sync, async, pools, pipelines, binary copy."""

import asyncio
import logging
import threading

import psycopg
from psycopg import sql
from psycopg.rows import class_row, dict_row, namedtuple_row, scalar_row
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.enum import EnumInfo
from psycopg.types.hstore import register_hstore
from psycopg.types.json import Jsonb
from psycopg.types.range import RangeInfo, Range
from psycopg_pool import AsyncConnectionPool, ConnectionPool, NullConnectionPool

from steps import ERRORS, WRITES, Steps

logging.getLogger("psycopg").setLevel(logging.CRITICAL)
connection = psycopg.connect(autocommit=True)
loop = asyncio.new_event_loop()


def recover():
    """A new connection, whatever state the old one is in."""
    global connection
    connection.close()
    connection = psycopg.connect(autocommit=True)


step = Steps("psycopg 3", psycopg.__version__, recover, loop)


def rows(text, params=None, **options):
    return connection.execute(text, params, **options).fetchall()


@step
def on_connect():
    info = connection.info
    names = ("server_version", "server_encoding", "client_encoding", "DateStyle", "IntervalStyle", "TimeZone", "integer_datetimes",
             "standard_conforming_strings", "is_superuser", "session_authorization", "scram_iterations", "search_path")
    return [info.dbname, info.user, info.server_version, info.encoding, {name: info.parameter_status(name) for name in names}]


@step
def simple():
    return rows("SELECT 1, 'two', NULL, true, 1.5, ARRAY[1, 2], '{\"a\": 1}'::jsonb")


@step
def every_type_in_text():
    cursor = connection.execute("SELECT * FROM every_type WHERE a_bool IS NULL OR a_date < '2025-01-01'")
    return [cursor.fetchall(), [(column.name, column.type_code, column.internal_size) for column in cursor.description]]


@step
def most_types_in_binary():
    with connection.cursor(binary=True) as cursor:
        cursor.execute("SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_float8, a_numeric, a_text, a_bytea, a_date, a_time, a_uuid,"
                       " a_jsonb, an_inet, an_int4range, an_array, an_enum::text, a_multirange FROM every_type LIMIT 1")
        return cursor.fetchall()


@step
def parameters():
    import datetime, decimal, ipaddress, uuid
    values = [1, 2**40, 1.5, decimal.Decimal("1.20"), "text", b"\x00\xff", True, None, datetime.date(2024, 2, 29),
              datetime.datetime(2024, 2, 29, 1, 2, 3, tzinfo=datetime.timezone.utc), datetime.time(1, 2), datetime.timedelta(days=1),
              uuid.UUID(int=7), [1, None, 3], ["a", "b"], Jsonb({"k": [1, None]}), ipaddress.ip_address("10.0.0.1"), Range(1, 5)]
    return [rows(f"SELECT {mark}{cast}", (value,)) for value in values for mark in ("%s", "%b", "%t")
            for cast in (("::text",) if value is None else ("",))]


@step
def prepared():
    got = [rows("SELECT %s::int + 1", (turn,)) for turn in range(12)]
    got.append(rows("SELECT %s::text", ("now",), prepare=True))
    # Its own: on a connection that clients share there may be others.
    got.append(rows("SELECT count(*) FROM pg_prepared_statements WHERE statement = 'SELECT $1::int + 1'"))
    connection.execute("DEALLOCATE ALL")
    return got


@step
def several_statements():
    cursor = connection.execute("SELECT 1; SELECT 2, 'two'; SELECT id FROM item WHERE id < 3 ORDER BY id")
    got = [cursor.fetchall()]
    while cursor.nextset():
        got.append(cursor.fetchall())
    return got


@step
def row_factories():
    class Item:
        def __init__(self, id, name):
            self.id, self.name = id, name

    text = "SELECT id, name FROM item WHERE id < 4 ORDER BY id"
    got = []
    for factory in (dict_row, namedtuple_row, scalar_row, class_row(Item)):
        with connection.cursor(row_factory=factory) as cursor:
            found = cursor.execute(text).fetchall()
            got.append([vars(row) if isinstance(row, Item) else row for row in found])
    return got


@step
def client_cursor():
    with psycopg.ClientCursor(connection) as cursor:
        cursor.execute("SELECT name, %s, %s FROM item WHERE id = %s", ("it's", None, 5))
        return [cursor.fetchall(), cursor.mogrify("SELECT %s, %s", ("a'b\\", 1))]


@step
def raw_cursor():
    with psycopg.RawCursor(connection) as cursor:
        return cursor.execute("SELECT name FROM item WHERE id = $1", [5]).fetchall()


@step
def server_cursor():
    with connection.transaction(), connection.cursor("a cursor") as cursor:
        cursor.itersize = 1000
        cursor.execute("SELECT id FROM shop.reading ORDER BY id")
        return [cursor.fetchone(), cursor.fetchmany(3), sum(row[0] for row in cursor)]


@step
def scrolling_cursor():
    with connection.transaction(), connection.cursor("scrolls", scrollable=True) as cursor:
        cursor.execute("SELECT id FROM shop.reading ORDER BY id")
        cursor.scroll(500, mode="absolute")
        got = [cursor.fetchone()]
        cursor.scroll(-3)
        return [*got, cursor.fetchone()]


@step
def cursor_with_hold():
    with connection.cursor("held", withhold=True) as cursor:
        cursor.execute("SELECT id FROM item ORDER BY id")
        return [cursor.fetchmany(5), len(cursor.fetchall())]


@step
def stream():
    with psycopg.connect() as other, other.cursor() as cursor:
        got = [sum(row[0] for row in cursor.stream("SELECT id FROM shop.reading"))]
        if psycopg.pq.version() >= 170000:
            got.append(sum(row[0] for row in cursor.stream("SELECT id FROM shop.reading", size=500)))
        return got


@step
def pipeline():
    with connection.pipeline() as pipe:
        got = [connection.execute("SELECT %s::int", (n,)) for n in range(50)]
        pipe.sync()
        many = connection.cursor()
        many.executemany("SELECT %s::int * 2", [(n,) for n in range(20)], returning=True)
        twice = [many.fetchone()]
        while many.nextset():
            twice.append(many.fetchone())
        return [[cursor.fetchone() for cursor in got], twice]


@step
def pipeline_with_an_error():
    cursors, code = [], None
    try:
        with connection.pipeline() as pipe:
            cursors.append(connection.execute("SELECT 'before'"))
            cursors.append(connection.execute("SELECT 1/0"))
            cursors.append(connection.execute("SELECT 'behind'"))
            pipe.sync()
    except psycopg.Error as error:
        code = error.sqlstate
    return [code, cursors[0].fetchone(), rows("SELECT 'usable'")]


@step
def copy_out():
    got = []
    with connection.cursor() as cursor:
        for text in ("COPY (SELECT id, name FROM item WHERE id < 4 ORDER BY id) TO STDOUT", "COPY shop.product TO STDOUT (FORMAT csv, HEADER)",
                     "COPY shop.customer (id, name, tags) TO STDOUT"):
            with cursor.copy(text) as out:
                got.append(b"".join(out))
        with cursor.copy("COPY item (id, price) TO STDOUT") as out:
            got.append(sum(1 for _ in out.rows()))
    return got


@step
def copy_out_in_binary():
    got = []
    with connection.cursor() as cursor:
        with cursor.copy("COPY (SELECT id, made, tags FROM item WHERE id < 12 ORDER BY id) TO STDOUT (FORMAT binary)") as out:
            out.set_types(["int4", "timestamptz", "text[]"])
            got += list(out.rows())
        text = sql.SQL("COPY {} ({}) TO STDOUT (FORMAT binary)").format(sql.Identifier("shop", "reading"), sql.Identifier("id"))
        with cursor.copy(text) as out:
            out.set_types(["int4"])
            got.append(sum(row[0] for row in out.rows()))
    return got


@step
def copy_left_early():
    other = psycopg.connect(autocommit=True)
    out = other.cursor().copy("COPY (SELECT id FROM shop.reading ORDER BY id) TO STDOUT")
    got = bytes(out.__enter__().read())
    other.close()
    return [got, rows("SELECT 'usable'")]


@step
def transactions():
    with psycopg.connect() as other:
        got = [other.info.transaction_status.name]
        other.execute("SELECT 1")
        got.append(other.info.transaction_status.name)
        try:
            other.execute("SELECT 1/0")
        except psycopg.Error as error:
            got += [error.sqlstate, other.info.transaction_status.name]
        try:
            other.execute("SELECT 1")
        except psycopg.Error as error:
            got.append(error.sqlstate)
        other.rollback()
        with other.transaction():
            with other.transaction(force_rollback=True):
                got.append(other.execute("SELECT 'inner'").fetchone())
            try:
                with other.transaction("named savepoint"):
                    other.execute("SELECT 1/0")
            except psycopg.Error as error:
                got.append(error.sqlstate)
            got.append(other.execute("SELECT 'outer'").fetchone())
        return got


@step
def isolation_levels():
    got = []
    with psycopg.connect() as other:
        for level in psycopg.IsolationLevel:
            for read_only, deferrable in ((True, True), (True, False), (None, None)):
                other.isolation_level, other.read_only, other.deferrable = level, read_only, deferrable
                got.append(other.execute("SHOW transaction_isolation").fetchone())
                got.append(other.execute("SHOW transaction_deferrable").fetchone())
                other.commit()
    return got


@step
def read_write_transaction():
    with psycopg.connect() as other:
        other.read_only = False
        got = other.execute("SELECT count(*) FROM item").fetchone()
        other.commit()
        return got


@step
def types_by_name():
    found = [EnumInfo.fetch(connection, "shop.status"), RangeInfo.fetch(connection, "public.spans")]
    address = CompositeInfo.fetch(connection, "shop.address")
    register_composite(address, connection)
    hstore = psycopg.types.TypeInfo.fetch(connection, "hstore")
    got = [found[0].labels, found[1].subtype_oid, address.field_names, rows("SELECT home FROM shop.customer ORDER BY id LIMIT 2")]
    if hstore:
        register_hstore(hstore, connection)
        got.append(rows("SELECT 'a=>1, b=>NULL'::hstore"))
    return got


@step
def notices():
    heard = []

    def hear(notice):
        heard.append([notice.severity, notice.sqlstate, notice.message_primary, notice.message_detail])

    connection.add_notice_handler(hear)
    connection.execute("SELECT 'notice' ~~~> 'hello', '01000' ~~~> 'with fields'")
    connection.remove_notice_handler(hear)
    return heard


@step
def settings():
    got = []
    for text in ("SET application_name = 'matrix'", "SET TIME ZONE 'Asia/Tokyo'", "SET search_path = shop, public",
                 "SELECT set_config('extra_float_digits', '0', false)"):
        connection.execute(text)
    for name in ("application_name", "TimeZone", "search_path", "extra_float_digits"):
        got.append(rows(f"SHOW {name}"))
    got.append(connection.info.parameter_status("TimeZone"))
    connection.execute("RESET ALL")
    connection.execute("DISCARD ALL")
    return [*got, rows("SHOW TimeZone")]


@step
def options_at_connect():
    with psycopg.connect(options="-c search_path=shop -c statement_timeout=20s", application_name="given") as other:
        return [other.execute(f"SHOW {name}").fetchone() for name in ("search_path", "statement_timeout", "application_name")]


@step
def cancel():
    got = []
    for cancel in (connection.cancel, connection.cancel_safe):
        timer = threading.Timer(0.3, cancel)
        timer.start()
        try:
            connection.execute("SELECT count(*) FROM generate_series(1, 10000000000)")
        except psycopg.Error as error:
            got.append(error.sqlstate)
        timer.join()
    return got


@step
def backend_pid():
    return rows("SELECT pg_backend_pid()")[0][0] == connection.info.backend_pid


def fields(text):
    try:
        return rows(text)
    except psycopg.Error as error:
        diag = error.diag
        # A repair that was looked for adds a DETAIL to what is not there.
        more = [] if error.sqlstate.startswith("42") else [diag.message_detail, diag.message_hint, diag.context]
        return [type(error).__name__, error.sqlstate, diag.severity, diag.message_primary, diag.statement_position,
                diag.column_name, diag.constraint_name, *more]


for name, text in ERRORS.items():
    step.run(f"error: {name}", lambda text=text: fields(text))


@step
def listens():
    connection.execute("UNLISTEN *")
    return list(connection.notifies(timeout=0.1))


@step
def pool():
    got = []
    with ConnectionPool(min_size=1, max_size=3, open=True, kwargs={"autocommit": True},
                        reset=lambda used: used.execute("DISCARD ALL"), check=ConnectionPool.check_connection) as used:
        for n in range(6):
            with used.connection() as one:
                one.execute("SET application_name = 'borrowed'")
                got.append(one.execute("SELECT %s::int", (n,)).fetchone())
        with used.connection() as one, used.connection() as other:
            got.append([one.execute("SHOW application_name").fetchone(), other.execute("SELECT 2").fetchone()])
    with NullConnectionPool(max_size=2, open=True) as used, used.connection() as one:
        got.append(one.execute("SELECT 3").fetchone())
    return got


@step
async def asynchronous():
    async with await psycopg.AsyncConnection.connect(autocommit=True, row_factory=dict_row) as other:
        got = [await (await other.execute("SELECT id, name FROM item WHERE id < %s ORDER BY id", (3,))).fetchall()]
        async with other.transaction(), other.cursor("async cursor") as cursor:
            await cursor.execute("SELECT id FROM shop.reading ORDER BY id")
            got.append(sum([row["id"] async for row in cursor]))
        async with other.pipeline():
            cursors = [await other.execute("SELECT %s::int AS n", (n,)) for n in range(5)]
            got.append([await cursor.fetchone() for cursor in cursors])
        async with other.cursor() as cursor, cursor.copy("COPY (SELECT id FROM item WHERE id < 5 ORDER BY id) TO STDOUT") as out:
            got.append([row async for row in out.rows()])
        task = asyncio.create_task(other.execute("SELECT count(*) FROM generate_series(1, 10000000000)"))
        await asyncio.sleep(0.3)
        task.cancel()
        try:
            await task
        except asyncio.CancelledError:
            got.append("cancelled")
        got.append(await (await other.execute("SELECT 'usable'")).fetchall())
        return got


@step
async def asynchronous_pool():
    async with AsyncConnectionPool(min_size=2, max_size=4, open=False) as used:
        async def one(n):
            async with used.connection() as borrowed:
                return await (await borrowed.execute("SELECT %s::int", (n,))).fetchone()

        return await asyncio.gather(*(one(n) for n in range(20)))


for name, text in (WRITES | {"write behind a read": "SELECT 1; DELETE FROM item"}).items():
    step.run(f"write: {name}", lambda text=text: rows(text), write=True)


@step.write
def write_copy_in():
    with connection.cursor() as cursor, cursor.copy("COPY item FROM STDIN") as into:
        into.write_row((1, "x"))


@step.write
def write_in_a_read_write_transaction():
    with psycopg.connect() as other:
        other.read_only = False
        other.execute("DELETE FROM item")


@step.write
def write_two_phase():
    with psycopg.connect() as other:
        other.tpc_begin("matrix")
        other.execute("SELECT 1")
        other.tpc_prepare()


@step
def usable_at_the_end():
    return rows("SELECT count(*) FROM item")
