"""DuckDB with its postgres extension: ATTACH, its parallel binary scans, pushdown, postgres_query, and writes."""

import os
from pathlib import Path

import duckdb
import duckdb_extension_postgres_scanner

from steps import ERRORS, WRITES, Steps

EXTENSION = next(Path(duckdb_extension_postgres_scanner.__file__).parent.glob("extensions/*/postgres_scanner.duckdb_extension"))
PLACE = "host={PGHOST} port={PGPORT} user={PGUSER} password={PGPASSWORD} dbname={PGDATABASE}".format(**os.environ)


def opened():
    made = duckdb.connect(config={"threads": 4})
    made.execute(f"LOAD '{EXTENSION}'")
    made.execute(f"ATTACH '{PLACE}' AS pg (TYPE postgres, READ_ONLY)")
    return made


connection = opened()


def recover():
    global connection
    connection.close()
    connection = opened()


step = Steps("DuckDB's postgres extension", duckdb.__version__, recover)


def rows(text):
    return connection.execute(text).fetchall()


step.run("tables", lambda: sorted(rows("SELECT schema, name, column_names, column_types FROM (SHOW ALL TABLES) WHERE database = 'pg'")))
step.run("columns", lambda: sorted(rows("SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns"
                                        " WHERE table_catalog = 'pg' AND table_schema IN ('public', 'shop', 'Mixed Schema')")))
step.run("constraints", lambda: sorted(rows("SELECT schema_name, table_name, constraint_type, constraint_text FROM duckdb_constraints()"
                                            " WHERE database_name = 'pg'"), key=str))
step.run("indexes", lambda: sorted(rows("SELECT schema_name, index_name, table_name FROM duckdb_indexes() WHERE database_name = 'pg'")))
step.run("scan", lambda: rows("SELECT count(*), sum(id), sum(value), min(taken)::varchar, max(note) FROM pg.shop.reading"))
step.run("rows", lambda: rows("SELECT id, name, price, made::varchar, tags, state FROM pg.item WHERE id < 12 ORDER BY id"))
step.run("most types", lambda: rows(
    "SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_text, a_varchar, a_bytea, a_date, a_time, a_timestamp, a_uuid, a_jsonb, an_inet,"
    " an_enum, an_array, an_oid, an_interval FROM pg.every_type WHERE a_int2 < 0"))
step.run("composites", lambda: rows("SELECT home, notes, tags, ref, seen_from FROM pg.shop.customer ORDER BY id LIMIT 3"))
step.run("quoted names", lambda: rows('SELECT "Id", "Upper Column", "select" FROM pg."Mixed Schema"."Mixed Table" ORDER BY 1'))
step.run("partitions", lambda: rows("SELECT count(*), sum(id) FROM pg.shop.event"))
step.run("view", lambda: rows("SELECT * FROM pg.shop.customer_total ORDER BY id LIMIT 3"))
step.run("materialized view", lambda: rows("SELECT count(*) FROM pg.shop.sensor_day"))
step.run("join with its own", lambda: rows("SELECT r, count(*) FROM range(5) t(r) JOIN pg.shop.reading ON sensor = r GROUP BY 1 ORDER BY 1"))
step.run("filter pushed down", lambda: rows("SET pg_experimental_filter_pushdown = true; SELECT id, note FROM pg.shop.reading WHERE id IN (5, 77) ORDER BY id"))
step.run("limit", lambda: len(rows("SELECT * FROM pg.shop.reading LIMIT 7")))
step.run("query", lambda: rows("SELECT * FROM postgres_query('pg', 'SELECT id, name FROM item WHERE id < 4 ORDER BY id')"))
step.run("scan function", lambda: rows(f"SELECT count(*) FROM postgres_scan('{PLACE}', 'shop', 'purchase')"))
step.run("scan function with pushdown", lambda: rows(f"SELECT sku FROM postgres_scan_pushdown('{PLACE}', 'shop', 'product') WHERE sku = 'SKU-7'"))
for setting in ("pg_use_binary_copy = false", "pg_use_ctid_scan = false", "pg_pages_per_task = 20", "pg_connection_cache = false",
                "pg_array_as_varchar = true", "pg_use_text_protocol = true"):

    def with_setting():
        connection.execute(f"SET {setting}")
        try:
            return rows("SELECT count(*), sum(id) FROM pg.shop.reading")
        finally:
            connection.execute(f"RESET {setting.split()[0]}")

    step.run(setting, with_setting)


def in_a_transaction():
    connection.execute("BEGIN")
    got = [rows("SELECT count(*) FROM pg.item"), rows("SELECT sum(id) FROM pg.shop.reading")]
    connection.execute("COMMIT")
    return got


step.run("transaction", in_a_transaction)


def copied():
    connection.execute("CREATE OR REPLACE TABLE mine AS SELECT * FROM pg.shop.purchase")
    connection.execute("COPY (SELECT id, name FROM pg.item ORDER BY id) TO 'items.csv'")
    return [rows("SELECT count(*), sum(number) FROM mine"), Path("items.csv").read_text()[:60]]


step.run("copied into its own", copied)
step.run("cleared cache", lambda: rows("SELECT count(*) FROM pg_clear_cache()"))
step.run("attached by schema", lambda: rows(f"ATTACH '{PLACE}' AS one (TYPE postgres, SCHEMA 'shop'); SELECT count(*) FROM one.customer"))
for name, text in ERRORS.items():
    if name != "syntax":
        quoted = text.replace("'", "''")
        step.run(f"error: {name}", lambda: rows(f"SELECT * FROM postgres_query('pg', '{quoted}')"))


def writable():
    """Attached for writing, so that it is the server who refuses."""
    try:
        connection.execute(f"ATTACH '{PLACE}' AS rw (TYPE postgres)")
    except duckdb.Error as error:
        if "already exists" not in str(error):
            raise


step.run("attached for writing", lambda: [writable(), rows("SELECT count(*) FROM rw.item")][1])
for name, text in {
    "insert": "INSERT INTO rw.item (id, name) VALUES (0, 'x')",
    "update": "UPDATE rw.item SET name = 'x' WHERE id = 1",
    "delete": "DELETE FROM rw.item WHERE id = 1",
    "create": "CREATE TABLE rw.made_anew AS SELECT 1 AS id",
    "drop": "DROP TABLE rw.item",
    "create schema": "CREATE SCHEMA rw.made_anew",
}.items():
    step.run(f"write: {name}", lambda: [writable(), rows(text)], write=True)
for name, text in WRITES.items():
    quoted = text.replace("'", "''")
    step.run(f"write: execute {name}", lambda: [writable(), rows(f"CALL postgres_execute('rw', '{quoted}')")], write=True)
step.run("usable at the end", lambda: rows("SELECT count(*) FROM pg.item"))
