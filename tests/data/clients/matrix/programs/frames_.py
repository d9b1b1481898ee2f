"""pandas, polars, connectorx, ADBC and ibis, whichever the argument names: frames out of a database."""

import os
import sys
import warnings
from importlib.metadata import version

from steps import ERRORS, URL, WRITES, Steps

warnings.simplefilter("ignore")
READINGS = "SELECT id, sensor, value, taken, note FROM shop.reading"
ITEMS = "SELECT id, name, price, made, state::text AS state FROM item ORDER BY id"
TYPES = ("SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_float8, a_text, a_varchar, a_date, a_time, a_timestamp, a_timestamptz,"
         " a_uuid, a_jsonb FROM every_type WHERE a_date = '2024-02-29' OR a_bool IS NULL")


def shown(frame):
    """Names, types, size, and the first and last rows."""
    if hasattr(frame, "to_arrow"):
        frame = frame.to_arrow()
    if hasattr(frame, "to_pylist"):
        rows = frame.to_pylist()
        return [[(field.name, str(field.type)) for field in frame.schema], len(rows), rows[:5], rows[-2:]]
    return [[(name, str(kind)) for name, kind in frame.dtypes.items()], list(frame.shape),
            frame.head(5).astype(str).values.tolist(), frame.tail(2).astype(str).values.tolist()]


def pandas():
    import adbc_driver_postgresql.dbapi
    import pandas as pd
    import psycopg2
    import sqlalchemy as sa

    step = Steps("pandas", pd.__version__)
    engines = {"psycopg2": sa.create_engine(URL), "psycopg": sa.create_engine(URL.replace("://", "+psycopg://"))}
    for name, engine in engines.items():
        step.run(f"{name}: query", lambda: shown(pd.read_sql(ITEMS, engine, index_col="id", parse_dates=["made"])))
        step.run(f"{name}: types", lambda: shown(pd.read_sql_query(TYPES, engine)))
        step.run(f"{name}: dtypes", lambda: shown(pd.read_sql_query(ITEMS, engine, dtype_backend="numpy_nullable")))
        step.run(f"{name}: parameters", lambda: shown(pd.read_sql(sa.text("SELECT * FROM item WHERE id = :id"), engine, params={"id": 7})))
        step.run(f"{name}: table", lambda: shown(pd.read_sql_table("customer", engine, schema="shop")))
        step.run(f"{name}: quoted table", lambda: shown(pd.read_sql("Mixed Case", engine)))
        step.run(f"{name}: columns", lambda: shown(pd.read_sql_table("reading", engine, schema="shop", columns=["id", "value"], index_col="id")))
        step.run(f"{name}: chunks", lambda: [len(part) for part in pd.read_sql(READINGS, engine, chunksize=9000)])

        def streamed():
            with engine.connect().execution_options(stream_results=True) as connection:
                return [len(part) for part in pd.read_sql(sa.text(READINGS), connection, chunksize=9000)]

        step.run(f"{name}: stream", streamed)
        step.run(f"{name}: sqldatabase", lambda: [pd.io.sql.pandasSQL_builder(engine).has_table("item"),
                                                   pd.io.sql.pandasSQL_builder(engine, schema="shop").has_table("nope")])
        for what, text in ERRORS.items():
            step.run(f"{name}: error: {what}", lambda: shown(pd.read_sql(text, engine)))
        for what, text in WRITES.items():
            step.run(f"{name}: write: {what}", lambda: shown(pd.read_sql(text, engine)), write=True)
        for how in ("replace", "append"):
            step.run(f"{name}: write: to_sql {how}", lambda: pd.DataFrame({"id": [1]}).to_sql("item", engine, if_exists=how, index=False), write=True)
        step.run(f"{name}: write: to_sql anew", lambda: pd.DataFrame({"id": [1]}).to_sql("made_anew", engine, method="multi"), write=True)

    def plain_connection():
        with psycopg2.connect("") as connection:
            return shown(pd.read_sql("SELECT id, name FROM item WHERE id < %s ORDER BY id", connection, params=(5,)))

    step.run("psycopg2 without SQLAlchemy", plain_connection)

    def by_adbc(what, **options):
        with adbc_driver_postgresql.dbapi.connect(URL) as connection:
            return shown(pd.read_sql(what, connection, **options))

    step.run("adbc: query", lambda: by_adbc(ITEMS))
    step.run("adbc: table", lambda: by_adbc("parted", dtype_backend="pyarrow"))
    step.run("adbc: schema", lambda: by_adbc("SELECT id, name, active FROM shop.customer ORDER BY id"))
    step.run("adbc: write", lambda: pd.DataFrame({"id": [1]}).to_sql("made_anew", adbc_driver_postgresql.dbapi.connect(URL)), write=True)


def polars():
    import polars as pl
    import sqlalchemy as sa

    step = Steps("polars", pl.__version__)
    for engine in ("connectorx", "adbc"):
        # polars has no type for what ADBC makes of a numeric.
        items = ITEMS if engine == "connectorx" else ITEMS.replace("price,", "price::float8 AS price,")
        step.run(f"{engine}: query", lambda: shown(pl.read_database_uri(items, URL, engine=engine)))
        step.run(f"{engine}: readings", lambda: shown(pl.read_database_uri(READINGS + " ORDER BY id", URL, engine=engine)))
        types = TYPES if engine == "connectorx" else TYPES.replace(" a_uuid, a_jsonb ", " a_uuid::text, a_jsonb::text ")
        step.run(f"{engine}: types", lambda: shown(pl.read_database_uri(types, URL, engine=engine)))
        for what, text in ERRORS.items():
            step.run(f"{engine}: error: {what}", lambda: classed(lambda: pl.read_database_uri(text, URL, engine=engine)))
        for what, text in WRITES.items():
            step.run(f"{engine}: write: {what}", lambda: shown(pl.read_database_uri(text, URL, engine=engine)), write=True)
    step.run("partitions", lambda: shown(pl.read_database_uri(READINGS, URL, partition_on="id", partition_num=4).sort("id")))
    step.run("list of queries", lambda: shown(pl.read_database_uri(
        ["SELECT id, name FROM item WHERE id <= 500", "SELECT id, name FROM item WHERE id > 500"], URL).sort("id")))
    engine = sa.create_engine(URL)
    step.run("connection", lambda: shown(pl.read_database(ITEMS, engine)))
    step.run("batches", lambda: [len(part) for part in pl.read_database(READINGS, engine.connect().execution_options(stream_results=True),
                                                                         iter_batches=True, batch_size=9000)])
    step.run("parameters", lambda: shown(pl.read_database("SELECT id, name FROM item WHERE id = :id", engine,
                                                           execute_options={"parameters": {"id": 7}})))
    frame = pl.DataFrame({"id": [1]})
    step.run("write: sqlalchemy", lambda: frame.write_database("made_anew", URL), write=True)
    step.run("write: adbc", lambda: frame.write_database("made_anew", URL, engine="adbc"), write=True)


def classed(work):
    """The code alone, where a message has more than its first line in the first line."""
    try:
        return shown(work())
    except Exception as error:
        raise RuntimeError(str(error).splitlines()[0].split(" DETAIL")[0]) from None


def connectorx():
    import connectorx as cx

    step = Steps("connectorx", version("connectorx"))
    for protocol in ("binary", "csv", "cursor"):
        step.run(f"{protocol}: query", lambda: shown(cx.read_sql(URL, ITEMS, protocol=protocol)))
        step.run(f"{protocol}: readings", lambda: shown(cx.read_sql(URL, READINGS, protocol=protocol, partition_on="id", partition_num=3)
                                                        .sort_values("id")))
        step.run(f"{protocol}: types", lambda: shown(cx.read_sql(
            URL, "SELECT a_bool, a_int2, a_int4, a_int8, a_float4, a_float8, a_text, a_date, a_timestamp, a_uuid, a_jsonb FROM every_type"
                 " WHERE a_date = '2024-02-29'", protocol=protocol)))
    step.run("simple: query", lambda: shown(cx.read_sql(URL, "SELECT id, name, price FROM item ORDER BY id", protocol="simple")))
    for kind in ("arrow", "polars", "pandas"):
        step.run(f"as {kind}", lambda: shown(cx.read_sql(URL, ITEMS, return_type=kind)))
    step.run("meta", lambda: shown(cx.get_meta(URL, ITEMS)))
    # They run side by side: which comes first is chance.
    step.run("several queries", lambda: shown(cx.read_sql(
        URL, ["SELECT id FROM item WHERE id < 3", "SELECT id FROM item WHERE id > 998"]).sort_values("id", ignore_index=True)))
    step.run("partition sql", lambda: cx.partition_sql(URL, READINGS, partition_on="id", partition_num=3))
    step.run("pre-execution", lambda: shown(cx.read_sql(
        URL, "SELECT id FROM item WHERE id < 3 ORDER BY id", pre_execution_query="SET enable_seqscan = off")))
    for what, text in ERRORS.items():
        step.run(f"error: {what}", lambda: classed(lambda: cx.read_sql(URL, text)))
    for what, text in WRITES.items():
        step.run(f"write: {what}", lambda: shown(cx.read_sql(URL, text)), write=True)


def adbc():
    import adbc_driver_manager
    import adbc_driver_postgresql
    from adbc_driver_postgresql import dbapi

    step = Steps("ADBC", version("adbc-driver-postgresql"))
    connection = dbapi.connect(URL)

    def recover():
        nonlocal connection
        connection.close()
        connection = dbapi.connect(URL)

    step.recover = recover

    def fetched(text, parameters=None):
        with connection.cursor() as cursor:
            cursor.execute(text, parameters)
            got = shown(cursor.fetch_arrow_table())
        connection.rollback()
        return got

    step.run("info", lambda: {str(key): value for key, value in connection.adbc_get_info().items() if "driver" not in str(key)})
    step.run("query", lambda: fetched(ITEMS))
    step.run("readings", lambda: fetched(READINGS))
    step.run("types", lambda: fetched("SELECT * FROM every_type WHERE a_date = '2024-02-29' OR a_bool IS NULL"))
    step.run("parameters", lambda: fetched("SELECT id, name, $2::text AS t FROM item WHERE id < $1 ORDER BY id", (4, "x")))
    step.run("composite and array", lambda: fetched("SELECT home, tags, notes, ref, seen_from FROM shop.customer ORDER BY id"))
    step.run("table types", lambda: connection.adbc_get_table_types())
    for depth in ("catalogs", "db_schemas", "tables", "all"):
        step.run(f"objects: {depth}", lambda: connection.adbc_get_objects(depth=depth).read_all().to_pylist())
    step.run("objects filtered", lambda: connection.adbc_get_objects(
        catalog_filter="matrix", db_schema_filter="shop", table_name_filter="c%", table_types_filter=["table", "view"], column_name_filter="n%").read_all().to_pylist())
    for schema, table in ((None, "item"), ("shop", "customer"), ("Mixed Schema", "Mixed Table")):
        step.run(f"table schema: {table}", lambda: str(connection.adbc_get_table_schema(table, db_schema_filter=schema)))

    def batches():
        with connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**{"adbc.postgresql.batch_size_hint_bytes": "65536"})
            cursor.execute(READINGS)
            return sum(batch.num_rows for batch in cursor.fetch_record_batch())

    step.run("batches", batches)

    def without_copy():
        with connection.cursor() as cursor:
            cursor.adbc_statement.set_options(**{"adbc.postgresql.use_copy": "false"})
            cursor.execute("SHOW TimeZone")
            return cursor.fetchall()

    step.run("without copy", without_copy)

    def prepared():
        with connection.cursor() as cursor:
            schema = cursor.adbc_prepare("SELECT $1::int + 1")
            cursor.executemany("SELECT $1::int + 1", [(1,), (2,)])
            return str(schema)

    step.run("prepared", prepared)
    step.run("schema of a query", lambda: str(connection.cursor().adbc_execute_schema(ITEMS)))

    def autocommit():
        with dbapi.connect(URL, autocommit=True) as other, other.cursor() as cursor:
            cursor.execute("SELECT 1, 'x'")
            return cursor.fetchall()

    step.run("autocommit", autocommit)

    def isolation():
        with dbapi.connect(URL, conn_kwargs={"adbc.connection.autocommit": "false"}) as other:
            with other.cursor() as cursor:
                cursor.execute("SET search_path = shop")
                cursor.execute("SELECT count(*) FROM customer")
                return [cursor.fetchall(), other.adbc_current_catalog]

    step.run("session settings", isolation)
    for what, text in ERRORS.items():
        step.run(f"error: {what}", lambda: fetched(text))
    for what, text in WRITES.items():
        step.run(f"write: {what}", lambda: fetched(text), write=True)

    def ingest(mode):
        import pyarrow
        with connection.cursor() as cursor:
            cursor.adbc_ingest("made_anew", pyarrow.table({"id": [1]}), mode=mode)

    for mode in ("create", "append", "replace", "create_append"):
        step.run(f"write: ingest {mode}", lambda: ingest(mode), write=True)
    step.run("usable at the end", lambda: fetched("SELECT count(*) FROM item"))


def ibis():
    import ibis as ib
    from ibis import _

    step = Steps("ibis", ib.__version__)
    connection = ib.connect(URL)

    def recover():
        nonlocal connection
        connection = ib.connect(URL)

    step.recover = recover
    step.run("on connect", lambda: [connection.version.split(".")[0].split()[0], connection.current_database, connection.current_catalog])
    step.run("lists", lambda: [connection.list_tables(), connection.list_tables(database="shop"), connection.list_catalogs(), connection.list_databases()])
    step.run("schemas", lambda: {name: str(connection.table(name, database=schema).schema()) for schema, name in (
        ("public", "item"), ("shop", "customer"), ("shop", "reading"), ("shop", "purchase"), ("Mixed Schema", "Mixed Table"),
        ("shop", "customer_total"), ("shop", "sensor_day"), ("shop", "event"))})
    step.run("filter and order", lambda: shown(connection.table("item").filter(_.id < 9).order_by("id").select("id", "name", "price").execute()))
    step.run("group", lambda: shown(connection.table("reading", database="shop").group_by(_.sensor % 5).agg(n=_.count(), mean=_.value.mean())
                                    .order_by("n", "mean").execute()))
    step.run("join", lambda: shown(connection.table("customer", database="shop").join(connection.table("purchase", database="shop"),
                                   [("id", "customer_id")]).group_by("name").agg(n=_.count()).order_by("name").limit(5).execute()))
    step.run("window", lambda: shown(connection.table("purchase", database="shop").select("customer_id", "number", r=_.number.sum().over(
        ib.window(group_by="customer_id", order_by="number"))).order_by("customer_id", "number").limit(9).execute()))
    step.run("arrow", lambda: shown(connection.table("reading", database="shop").order_by("id").to_pyarrow()))
    step.run("batches", lambda: sum(batch.num_rows for batch in connection.table("reading", database="shop").to_pyarrow_batches(chunk_size=5000)))
    step.run("raw sql", lambda: raw(connection, "SELECT count(*) FROM item"))
    step.run("describe", lambda: shown(connection.table("part").describe().execute()))
    step.run("head and count", lambda: [connection.table("item").count().execute(), shown(connection.table("item").order_by("id").head(2).execute())])
    step.run("compile", lambda: str(ib.to_sql(connection.table("item").filter(_.price > 3), dialect="postgres")))
    for what, text in ERRORS.items():
        step.run(f"error: {what}", lambda: raw(connection, text))
    for what, text in WRITES.items():
        step.run(f"write: {what}", lambda: raw(connection, text), write=True)
    # It learns the columns of a text from a temporary view, which no read-only session lets it make.
    step.run("write: sql by a temporary view", lambda: connection.sql("SELECT id FROM item").execute(), write=True)
    step.run("write: create table", lambda: connection.create_table("made_anew", schema=ib.schema({"id": "int"})), write=True)
    step.run("write: create view", lambda: connection.create_view("made_anew", connection.table("item")), write=True)
    step.run("write: memtable", lambda: ib.memtable({"a": [1]}).join(connection.table("item"), [("a", "id")]).execute(), write=True)
    step.run("usable at the end", lambda: connection.table("item").count().execute())


def raw(connection, text):
    with connection.raw_sql(text) as cursor:
        return cursor.fetchall()


{"pandas": pandas, "polars": polars, "connectorx": connectorx, "adbc": adbc, "ibis": ibis}[sys.argv[1]]()
