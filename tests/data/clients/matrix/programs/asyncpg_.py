"""asyncpg: binary results, its statement cache, introspection of types, cursors, copies, pools and their reset."""

import asyncio
import datetime
import decimal
import io
import json
import uuid

import asyncpg

from steps import ERRORS, WRITES, Steps

loop = asyncio.new_event_loop()
asyncio.set_event_loop(loop)
connection = loop.run_until_complete(asyncpg.connect())


async def recover():
    global connection
    connection.terminate()
    connection = await asyncpg.connect()


step = Steps("asyncpg", asyncpg.__version__, recover, loop)


async def rows(text, *params):
    return [list(row.items()) for row in await connection.fetch(text, *params)]


@step
def on_connect():
    got = connection.get_settings()
    names = ("server_encoding", "client_encoding", "DateStyle", "TimeZone", "standard_conforming_strings", "is_superuser")
    return [tuple(connection.get_server_version())[:3], {name: getattr(got, name) for name in names}]


@step
async def most_types():
    return await rows(
        "SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_float8, a_numeric, a_money, a_text, a_varchar, a_char, a_name, a_char1,"
        " a_bytea, a_date, a_time, a_timetz, a_timestamp, a_timestamptz, an_interval, a_uuid, a_json, a_jsonb, a_jsonpath, a_bit,"
        " a_varbit, an_inet, a_cidr, a_macaddr, a_point, a_line, a_lseg, a_box, a_path, a_polygon, a_circle, a_tsvector, an_int4range,"
        " a_numrange, a_tsrange, a_daterange, a_multirange, an_enum, a_pair, a_domain, an_array, a_matrix, a_pairs, an_oid,"
        " a_regclass, a_pg_lsn, a_span FROM every_type WHERE a_int2 < 0 OR a_bool IS NULL")


@step
async def all_types_in_text():
    for name in ("tsvector", "tsquery", "jsonpath", "money"):
        await connection.set_type_codec(name, schema="pg_catalog", encoder=str, decoder=str, format="text")
    return await rows("SELECT a_tsvector, a_tsquery, a_jsonpath, a_money FROM every_type")


@step
async def parameters():
    values = {"int": 1, "bigint": 2**40, "float8": 1.5, "numeric": decimal.Decimal("1.20"), "text": "it's", "bytea": b"\x00\xff",
              "bool": True, "date": datetime.date(2024, 2, 29), "timestamptz": datetime.datetime(2024, 2, 29, tzinfo=datetime.timezone.utc),
              "time": datetime.time(1, 2), "interval": datetime.timedelta(days=1), "uuid": uuid.UUID(int=7), "int[]": [1, None, 3],
              "text[]": ["a", "b"], "jsonb": json.dumps({"k": 1}), "int4range": asyncpg.Range(1, 5), "inet": "10.0.0.1",
              "shop.status": "paid", "shop.address": ("s", "t", 1), "point": asyncpg.Point(1, 2)}
    got = [await rows(f"SELECT $1::{kind} AS v, $2::{kind} AS n", value, None) for kind, value in values.items()]
    return [*got, await rows("SELECT id FROM item WHERE id = ANY($1) ORDER BY id", [3, 1, 99999])]


@step
async def codecs():
    await connection.set_type_codec("jsonb", schema="pg_catalog", encoder=json.dumps, decoder=json.loads)
    await connection.set_builtin_type_codec("hstore", codec_name="pg_contrib.hstore")
    got = await rows("SELECT notes FROM shop.customer ORDER BY id LIMIT 2"), await rows("SELECT 'a=>1, b=>NULL'::hstore AS h")
    await connection.reset_type_codec("jsonb", schema="pg_catalog")
    return got


@step
async def types_of_the_database():
    """asyncpg asks the catalog about each type that it does not know, in a query of a page's length."""
    await connection.reload_schema_state()
    return await rows("SELECT home, tags, ref, seen_from, email FROM shop.customer ORDER BY id LIMIT 3") + await rows(
        "SELECT word, path FROM shop.word") + await rows("SELECT state, wait, total FROM shop.purchase ORDER BY 3 LIMIT 3")


@step
async def prepared():
    statement = await connection.prepare("SELECT $1::int * 2 AS twice, $2::text, home FROM shop.customer WHERE id = 1")
    return [[str(kind) for kind in statement.get_parameters()], [str(kind) for kind in statement.get_attributes()],
            await statement.fetchrow(21, "x"), await statement.fetchval(2, None), statement.get_statusmsg(), statement.get_query()]


@step
async def explain():
    statement = await connection.prepare("SELECT name FROM item WHERE id = $1")
    return (await statement.explain(1))[0]["Plan"]["Node Type"]


@step
async def fetches():
    return [await connection.fetchval("SELECT count(*) FROM item"), await connection.fetchrow("SELECT 1 AS a, 2 AS b"),
            await connection.execute("SELECT 1"), await connection.fetchval("SELECT NULL"),
            await connection.fetchmany("SELECT $1::int", [(1,), (2,)])]


@step
async def executemany():
    await connection.executemany("SELECT $1::int", [(n,) for n in range(200)])
    return "done"


@step
async def statement_cache():
    return [await connection.fetchval(f"SELECT {n} + $1::int", n) for n in range(150)]


@step
async def several_statements():
    return await connection.execute("SELECT 1; SELECT 2")


@step
async def housekeeping_and_a_read():
    return await connection.execute("BEGIN; SET LOCAL search_path = shop; SELECT count(*) FROM customer; COMMIT")


@step
async def cursors():
    got = []
    async with connection.transaction(isolation="repeatable_read", readonly=True):
        total = 0
        async for row in connection.cursor("SELECT id FROM shop.reading ORDER BY id", prefetch=777):
            total += row["id"]
        cursor = await connection.cursor("SELECT id FROM shop.reading WHERE id > $1 ORDER BY id", 10)
        got += [total, await cursor.forward(10), await cursor.fetch(3), await cursor.fetchrow()]
    return got


@step
async def transactions():
    got = []
    for isolation in ("read_committed", "read_uncommitted", "serializable", "repeatable_read"):
        for read_only in (True, False):
            async with connection.transaction(isolation=isolation, readonly=read_only, deferrable=isolation == "serializable"):
                got.append(await connection.fetchval("SHOW transaction_isolation"))
                try:
                    async with connection.transaction():
                        await connection.execute("SELECT 1/0")
                except asyncpg.DivisionByZeroError as error:
                    got.append(error.as_dict()["message"])
                got.append(await connection.fetchval("SELECT 'behind the savepoint'"))
    return got


@step
async def copies():
    out = io.BytesIO()
    got = [await connection.copy_from_table("customer", schema_name="shop", columns=["id", "name"], output=out),
           await connection.copy_from_query("SELECT id, name FROM item WHERE id < $1 ORDER BY id", 4, output=out, format="csv", header=True),
           await connection.copy_from_query("SELECT id, made FROM item WHERE id < 4 ORDER BY id", output=out, format="binary"),
           await connection.copy_from_table("Mixed Table", schema_name="Mixed Schema", output=out)]
    return [*got, out.getvalue()]


@step
async def notices():
    heard = []

    def hear(_, notice):
        heard.append([notice.severity, notice.sqlstate, notice.message, notice.detail])

    connection.add_log_listener(hear)
    await connection.execute("SELECT 'notice' ~~~> 'hello', '01000' ~~~> 'with fields'")
    connection.remove_log_listener(hear)
    return heard


@step
async def settings():
    got = []
    for text in ("SET application_name = 'matrix'", "SET TIME ZONE 'Asia/Tokyo'", "SET search_path = shop, public"):
        await connection.execute(text)
    for name in ("application_name", "TimeZone", "search_path"):
        got.append(await connection.fetchval(f"SHOW {name}"))
    await connection.reset()
    return [*got, await connection.fetchval("SHOW TimeZone")]


@step
async def settings_at_connect():
    other = await asyncpg.connect(server_settings={"search_path": "shop", "statement_timeout": "20s", "application_name": "given", "jit": "off"},
                                  command_timeout=20)
    got = [await other.fetchval(f"SHOW {name}") for name in ("search_path", "statement_timeout", "application_name", "jit")]
    await other.close()
    return got


@step
async def timeout():
    try:
        await connection.fetch("SELECT count(*) FROM generate_series(1, 10000000000)", timeout=0.5)
    except asyncio.TimeoutError:
        return ["timed out", await connection.fetchval("SELECT 'usable'")]


@step
async def cancel():
    task = asyncio.ensure_future(connection.fetch("SELECT count(*) FROM generate_series(1, 10000000000)"))
    await asyncio.sleep(0.3)
    task.cancel()
    try:
        await task
    except asyncio.CancelledError:
        return ["cancelled", await connection.fetchval("SELECT 'usable'")]


@step
async def backend_pid():
    return await connection.fetchval("SELECT pg_backend_pid()") == connection.get_server_pid()


@step
async def pool():
    async def setup(borrowed):
        await borrowed.execute("SET application_name = 'borrowed'")

    async with asyncpg.create_pool(min_size=2, max_size=4, setup=setup) as used:
        async def one(n):
            async with used.acquire() as borrowed, borrowed.transaction():
                return await borrowed.fetchval("SELECT $1::int", n)

        got = await asyncio.gather(*(one(n) for n in range(20)))
        await used.expire_connections()
        return [got, await used.fetchval("SHOW application_name"), await used.fetch("SELECT id FROM item WHERE id < 3 ORDER BY id")]


@step
async def without_a_statement_cache():
    other = await asyncpg.connect(statement_cache_size=0)
    got = [await other.fetchval("SELECT $1::int", n) for n in range(5)]
    await other.close()
    return got


async def fields(text):
    try:
        return await rows(text)
    except asyncpg.PostgresError as error:
        return [type(error).__name__, error.sqlstate, error.message, error.severity, error.position, error.column_name]


for name, text in ERRORS.items():
    step.run(f"error: {name}", lambda text=text: fields(text))

for name, text in (WRITES | {"write behind a read": "SELECT 1; DELETE FROM item"}).items():
    step.run(f"write: {name}", lambda text=text: connection.execute(text), write=True)


@step.write
async def write_copy_in():
    await connection.copy_records_to_table("item", records=[(0, "x")], columns=["id", "name"])


@step.write
async def write_prepared():
    await connection.fetch("INSERT INTO item (id, name) VALUES ($1, $2)", 0, "x")


@step.write
async def write_in_a_read_write_transaction():
    async with connection.transaction(readonly=False):
        await connection.execute("DELETE FROM item")


@step
async def usable_at_the_end():
    return await connection.fetchval("SELECT count(*) FROM item")
