"""psycopg 3: connects from the environment of libpq. Prints what it sees; asserts what must hold."""

import asyncio
import logging
import os
import threading
import time

import psycopg
from psycopg import errors, sql
from psycopg.rows import dict_row

QUERY = "SELECT id, name, price, made, tags, state FROM item WHERE id <= %s ORDER BY id"


# An aborted pipeline is reported with addresses.
logging.getLogger("psycopg").setLevel(logging.CRITICAL)


def refused(connection, text, kind, params=None, show=True):
    try:
        connection.execute(text, params)
    except kind as error:
        if show:
            print("refused", text.split()[0], error.sqlstate)
        assert error.diag.severity_nonlocalized == "ERROR"
    else:
        raise AssertionError(f"{text} was not refused")


def formats(connection):
    for binary in (False, True):
        with connection.cursor(binary=binary) as cursor:
            for row in cursor.execute(QUERY, (11,)):
                print(row)
            cursor.execute("SELECT a_bool, a_int8, a_text, a_bytea, a_jsonb, an_array, a_uuid, an_inet, an_int4range FROM every_type")
            print(cursor.fetchall(), [(column.name, column.type_code) for column in cursor.description])
            cursor.execute("SELECT %b::int, %t::text, %s::date", (7, "seven", None))
            print(cursor.fetchone())


def prepared(connection):
    for turn in range(8):
        # From the fifth time on psycopg prepares it by itself.
        assert connection.execute("SELECT %s::int + 1", (turn,)).fetchone() == (turn + 1,)
    assert connection.execute("SELECT %s::text", ("now",), prepare=True).fetchone() == ("now",)
    print(connection.execute("SELECT count(*) > 0 FROM pg_prepared_statements").fetchone())
    connection.prepare_threshold = None
    connection.execute("DEALLOCATE ALL")


def cursors(connection):
    with connection.transaction():
        with connection.cursor("a server cursor") as cursor:
            cursor.itersize = 13
            cursor.execute("SELECT id FROM item ORDER BY id")
            print(cursor.fetchone(), cursor.fetchmany(3), sum(row[0] for row in cursor))
        with connection.cursor("scrolls", scrollable=True) as cursor:
            cursor.execute("SELECT id FROM item ORDER BY id")
            cursor.scroll(500, mode="absolute")
            print(cursor.fetchone())
            cursor.scroll(-3)
            print(cursor.fetchone())


def pipelines(connection):
    with connection.pipeline() as pipeline:
        got = [connection.execute("SELECT %s::int", (n,)) for n in range(50)]
        pipeline.sync()
        print(sum(cursor.fetchone()[0] for cursor in got))
    # An error in the middle: what came before it has its answer, what came after is aborted.
    first = second = None
    try:
        with connection.pipeline() as pipeline:
            first = connection.execute("SELECT 'before'")
            connection.execute("DELETE FROM item")
            second = connection.execute("SELECT 'after'")
            pipeline.sync()
            first.fetchone()
            second.fetchone()
    except psycopg.Error as error:
        print("pipeline", error.sqlstate, type(error).__name__)
    print(first.fetchone())
    print(connection.execute("SELECT 'usable'").fetchone())


def copy(connection):
    with connection.cursor() as cursor:
        with cursor.copy("COPY (SELECT id, name FROM item WHERE id < 4 ORDER BY id) TO STDOUT") as out:
            print(list(out.rows()))
        with cursor.copy(sql.SQL("COPY (SELECT id, made FROM item WHERE id < 4 ORDER BY id) TO STDOUT (FORMAT binary)")) as out:
            out.set_types(["int4", "timestamptz"])
            print(list(out.rows()))
        with cursor.copy(sql.SQL("COPY {} ({}) TO STDOUT (FORMAT binary)").format(sql.Identifier("item"), sql.Identifier("id"))) as out:
            out.set_types(["int4"])
            print(sum(row[0] for row in out.rows()))
        with cursor.copy("COPY every_type TO STDOUT") as out:
            print([bytes(part) for part in out])
        try:
            with cursor.copy("COPY item FROM STDIN") as into:
                into.write_row((1, "x"))
        except psycopg.Error as error:
            print("copy in", error.sqlstate)
    print(connection.execute("SELECT 'usable'").fetchone())


def notices(connection):
    heard = []
    connection.add_notice_handler(lambda notice: heard.append((notice.severity, notice.sqlstate, notice.message_primary, notice.message_detail)))
    connection.execute("SELECT 'notice' ~~~> 'hello', '01000' ~~~> 'with fields'")
    print(heard)


def transactions():
    with psycopg.connect() as connection:
        print(connection.info.transaction_status.name)
        connection.execute("SELECT 1")
        print(connection.info.transaction_status.name)
        refused(connection, "INSERT INTO item (id, name) VALUES (0, 'x')", errors.ReadOnlySqlTransaction)
        print(connection.info.transaction_status.name)
        refused(connection, "SELECT 1", errors.InFailedSqlTransaction)
        connection.rollback()
        print(connection.info.transaction_status.name)
        with connection.transaction():
            try:
                with connection.transaction():
                    connection.execute("SELECT 1/0")
            except errors.DivisionByZero as error:
                print(error.diag.message_primary, error.diag.source_function is not None)
            print(connection.execute("SELECT 'after the savepoint'").fetchone())
        connection.commit()
        for level in psycopg.IsolationLevel:
            connection.isolation_level = level
            connection.read_only = True
            connection.deferrable = True
            print(connection.execute("SHOW transaction_isolation").fetchone())
            connection.commit()


def fields(connection):
    try:
        connection.execute("SELECT 'P0042' !!!> 'told'")
    except psycopg.Error as error:
        diag = error.diag
        print(diag.sqlstate, diag.message_primary, diag.message_detail, diag.message_hint, diag.column_name, diag.constraint_name, diag.context)
    try:
        connection.execute("SELECT id FROM item WHERE nothing = 1")
    except errors.UndefinedColumn as error:
        print(error.diag.statement_position, error.diag.message_primary)


def once_it_runs(connection, then):
    """Calls that once a statement of the connection runs, which somebody else has to see."""

    def wait():
        with psycopg.connect(autocommit=True) as other:
            asked = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%%generate_series%%' AND pid = %s"
            while not other.execute(asked, (connection.info.backend_pid,)).rowcount:
                time.sleep(0.02)
        then()

    return threading.Thread(target=wait)


def cancel(connection):
    timer = once_it_runs(connection, connection.cancel)
    timer.start()
    began = time.monotonic()
    refused(connection, "SELECT count(*) FROM generate_series(1, 1000000000)", errors.QueryCanceled)
    assert time.monotonic() - began < 10
    timer.join()
    timer = once_it_runs(connection, connection.cancel_safe)
    timer.start()
    refused(connection, "SELECT count(*) FROM generate_series(1, 1000000000)", errors.QueryCanceled)
    timer.join()


def streams(connection):
    with connection.cursor() as cursor:
        print(sum(1 for _ in cursor.stream("SELECT id FROM item")))


async def asynchronous():
    async with await psycopg.AsyncConnection.connect(autocommit=True, row_factory=dict_row) as connection:
        cursor = await connection.execute("SELECT id, name FROM item WHERE id < 3 ORDER BY id")
        print(await cursor.fetchall())


def main():
    with psycopg.connect(autocommit=True) as connection:
        for part in (formats, prepared, cursors, pipelines, copy, notices, fields, cancel, streams):
            print("--", part.__name__)
            part(connection)
        for text, kind in (
            ("DELETE FROM item", errors.ReadOnlySqlTransaction),
            ("WITH gone AS (DELETE FROM item RETURNING id) SELECT * FROM gone", errors.ReadOnlySqlTransaction),
            ("CREATE TEMP TABLE t (a int)", errors.ReadOnlySqlTransaction),
            ("SELECT * FROM item FOR UPDATE", errors.ReadOnlySqlTransaction),
            ("SELECT nextval('counter')", errors.ReadOnlySqlTransaction),
        ):
            refused(connection, text, kind)
        if os.environ.get("PGSIEVE"):
            refused(connection, "SELECT pg_notify('a', 'b')", errors.DatabaseError, show=False)
            stopped = connection.execute("SELECT pg_terminate_backend(%s)", (1,))
            assert stopped.fetchone() == (False,)
            every = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            refused(connection, every, errors.DatabaseError, show=False)
            refused(connection, "SET session_replication_role = replica", errors.DatabaseError, show=False)
            connection.execute("SET default_transaction_read_only = off")
        print(connection.execute("SELECT count(*) FROM item").fetchone())
        connection.execute("DISCARD ALL")
        print(connection.execute("SHOW transaction_read_only").fetchone())
    print("-- transactions")
    transactions()
    asyncio.run(asynchronous())
    print("done")


main()
