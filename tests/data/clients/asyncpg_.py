"""asyncpg: binary results, its own statement cache, its reset between users of a pool."""

import asyncio
import io
import os

import asyncpg


def settings():
    options = os.environ.get("PGOPTIONS")
    return {"options": options} if options else {}


async def refused(awaitable, sqlstate):
    try:
        await awaitable
    except asyncpg.PostgresError as error:
        print("refused", error.sqlstate, type(error).__name__)
        assert error.sqlstate == sqlstate, error
    else:
        raise AssertionError("not refused")


async def one(connection):
    print(connection.get_server_version().major > 12)
    for row in await connection.fetch("SELECT id, name, price, made, tags, state FROM item WHERE id <= $1 ORDER BY id", 11):
        print(dict(row))
    for row in await connection.fetch(
        "SELECT a_bool, a_int2, a_int8, a_float8, a_numeric, a_text, a_bytea, a_date, a_time, an_interval, a_uuid, a_jsonb,"
        " a_bit, an_inet, a_point, an_int4range, an_enum, a_pair, a_domain, an_array, a_matrix, a_pairs, a_multirange FROM every_type"
        " WHERE a_int2 <> 32767"
    ):
        print(list(row))
    print(await connection.fetchval("SELECT count(*) FROM item"))
    print(await connection.execute("SELECT 1"))

    statement = await connection.prepare("SELECT $1::int * 2 AS twice, $2::text")
    print(statement.get_parameters(), statement.get_attributes(), await statement.fetchrow(21, "x"))
    print(await connection.fetchmany("SELECT $1::int", [(1,), (2,)]) if hasattr(connection, "fetchmany") else "")
    await connection.executemany("SELECT $1::int", [(n,) for n in range(20)])

    async with connection.transaction(isolation="repeatable_read", readonly=True):
        total = 0
        async for row in connection.cursor("SELECT id FROM item ORDER BY id", prefetch=33):
            total += row["id"]
        cursor = await connection.cursor("SELECT id FROM item ORDER BY id")
        await cursor.forward(10)
        print(total, await cursor.fetch(3), await cursor.fetchrow())
    for isolation in ("read_committed", "serializable", "repeatable_read"):
        async with connection.transaction(isolation=isolation, readonly=True, deferrable=isolation == "serializable"):
            print(await connection.fetchval("SHOW transaction_isolation"))
            try:
                async with connection.transaction():
                    await connection.execute("SELECT 1/0")
            except asyncpg.DivisionByZeroError as error:
                print(error.as_dict()["message"])
            print(await connection.fetchval("SELECT 'after the savepoint'"))

    out = io.BytesIO()
    await connection.copy_from_query("SELECT id, name FROM item WHERE id < $1 ORDER BY id", 4, output=out, format="csv")
    await connection.copy_from_query("SELECT id FROM item WHERE id < 4 ORDER BY id", output=out, format="binary")
    await connection.copy_from_table("item", output=out, columns=["id", "name"], format="csv", header=True)
    await connection.copy_from_table("item", schema_name="other", output=out, format="binary")
    print(out.getvalue())

    heard = []
    connection.add_log_listener(lambda _, notice: heard.append((notice.severity, notice.message)))
    await connection.execute("SELECT 'notice' ~~~> 'hello'")
    await asyncio.sleep(0)
    print(heard)

    try:
        await connection.execute("SELECT 'P0042' !!!> 'told'")
    except asyncpg.PostgresError as error:
        print({key: value for key, value in error.as_dict().items() if not key.startswith("server_source")})
    try:
        await asyncio.wait_for(connection.execute("SELECT count(*) FROM generate_series(1, 1000000000)"), 0.3)
    except (asyncio.TimeoutError, asyncpg.QueryCanceledError) as error:
        print("cancelled")
    print(await connection.fetchval("SELECT 'usable'"))


async def writes(connection):
    await refused(connection.execute("DELETE FROM item"), "25006")
    await refused(connection.fetch("DELETE FROM item WHERE id = $1 RETURNING id", 1), "25006")
    await refused(connection.fetch("SELECT nextval('counter')"), "25006")
    await refused(connection.fetch("WITH a AS (INSERT INTO empty_table VALUES ($1) RETURNING 1) SELECT * FROM a", 1), "25006")
    await refused(connection.copy_records_to_table("empty_table", records=[(1, "x")]), "25006")
    transaction = connection.transaction()
    await transaction.start()
    await refused(connection.execute("UPDATE item SET name = ''"), "25006")
    await refused(connection.execute("SELECT 1"), "25P02")
    await transaction.rollback()
    if os.environ.get("PGSIEVE"):
        # It is answered, and nothing listens.
        await connection.add_listener("channel", print)
        await connection.remove_listener("channel", print)
    print(await connection.fetchval("SELECT count(*) FROM item"))


async def main():
    connection = await asyncpg.connect(server_settings=settings())
    await one(connection)
    await writes(connection)
    await connection.reset()
    print(await connection.fetchval("SHOW default_transaction_read_only"))
    await connection.close()

    # Each release runs: SELECT pg_advisory_unlock_all(); CLOSE ALL; UNLISTEN *; RESET ALL;
    async with asyncpg.create_pool(min_size=2, max_size=4, server_settings=settings()) as pool:
        answers = await asyncio.gather(*(pool.fetchval("SELECT $1::int + 1", n) for n in range(40)))
        print(sum(answers))
        async with pool.acquire() as held:
            await held.execute("SET TimeZone = 'Asia/Tokyo'")
    print("done")


asyncio.run(main())
