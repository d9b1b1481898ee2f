"""SQLAlchemy over the drivers that are named as arguments: the whole inspector, reflection, the ORM, streams, pools.

One program for 1.4 and 2: what only one has is left out in the other.
"""

import asyncio
import os
import sys
import warnings

import sqlalchemy as sa
from sqlalchemy import MetaData, Table, func, inspect, select, text
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.ext.automap import automap_base
from sqlalchemy.orm import Session, configure_mappers, selectinload
from sqlalchemy.pool import NullPool
from sqlalchemy.schema import CreateTable

from steps import ERRORS, WRITES, Steps

warnings.simplefilter("ignore")
PLACE = "{PGUSER}:{PGPASSWORD}@{PGHOST}:{PGPORT}/{PGDATABASE}".format(**os.environ)
SCHEMAS = ["public", "shop", "Mixed Schema", "pg_catalog", "information_schema"]
NEW = not sa.__version__.startswith("1.")
step = Steps("SQLAlchemy", sa.__version__)


def said(value):
    """Types and constructs as SQL, which says more than their reprs."""
    if isinstance(value, dict):
        return {str(key): said(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [said(item) for item in value]
    if isinstance(value, sa.types.TypeEngine):
        return repr(value)
    return value


def inspector_steps(driver, run):
    """`run` calls a function with a connection."""

    def look(name, function):
        step.run(f"{driver}: {name}", lambda: said(run(lambda connection: function(inspect(connection)))))

    look("schemas", lambda found: [found.default_schema_name, found.get_schema_names()])
    for schema in SCHEMAS:
        for kind in ("get_table_names", "get_view_names", "get_temp_table_names", "get_temp_view_names", "get_sequence_names",
                     "get_materialized_view_names", "get_enums", "get_domains", "get_foreign_table_names"):
            if not hasattr(sa.dialects.postgresql.base.PGInspector, kind) or (not NEW and "temp" in kind):
                continue
            scope = {} if "temp" in kind else {"schema": schema}
            if scope or schema == "public":
                look(f"{kind} of {schema}", lambda found: getattr(found, kind)(**scope))
        if schema in ("pg_catalog", "information_schema"):
            continue
        for kind in ("get_columns", "get_pk_constraint", "get_foreign_keys", "get_indexes", "get_unique_constraints",
                     "get_check_constraints", "get_table_comment", "get_table_options", "get_table_oid"):
            look(f"{kind} of {schema}", lambda found: {
                name: getattr(found, kind)(name, schema=schema) for name in found.get_table_names(schema=schema)
                if hasattr(found, kind)})
            if NEW and hasattr(sa.engine.Inspector, "get_multi" + kind[3:]):
                look(f"get_multi{kind[3:]} of {schema}", lambda found: sorted(
                    (str(key), said(value)) for key, value in getattr(found, "get_multi" + kind[3:])(
                        schema=schema, kind=sa.engine.reflection.ObjectKind.ANY).items()))
        look(f"view definitions of {schema}", lambda found: {
            name: [found.get_view_definition(name, schema=schema), found.get_columns(name, schema=schema)]
            for name in found.get_view_names(schema=schema)})
        look(f"sorted tables of {schema}", lambda found: [
            [name, sorted(map(str, keys))] for name, keys in found.get_sorted_table_and_fkc_names(schema=schema)])
    look("has", lambda found: [found.has_table("item"), found.has_table("nope"), found.has_table("customer", schema="shop"),
                               *([found.has_sequence("counter"), found.has_index("item", "item_name"), found.has_schema("shop")]
                                 if NEW else [])])


def definition(table, connection):
    """As DDL; as columns where it has a type that SQLAlchemy does not know."""
    try:
        return str(CreateTable(table).compile(connection))
    except sa.exc.CompileError:
        return [str(table), [[column.name, repr(column.type), column.nullable] for column in table.columns]]


def reflection_steps(driver, run):
    def reflect(connection):
        metadata = MetaData()
        for schema in ("public", "shop", "Mixed Schema"):
            metadata.reflect(connection, schema=schema, views=True)
        return [definition(table, connection) for table in metadata.sorted_tables]

    def one(connection):
        item = Table("item", MetaData(), autoload_with=connection)
        found = connection.execute(select(item).where(item.c.id.in_([1, 2, 3])).order_by(item.c.id))
        return [[list(found.keys())], [list(row) for row in found]]

    def expressions(connection):
        purchase = Table("purchase", MetaData(), schema="shop", autoload_with=connection)
        total = func.sum(purchase.c.total).over(partition_by=purchase.c.customer_id, order_by=purchase.c.number).label("running")
        cte = select(purchase.c.customer_id, purchase.c.state, total).cte("running")
        return [list(row) for row in connection.execute(select(cte).order_by(cte.c.running.desc(), cte.c.customer_id).limit(5))]

    step.run(f"{driver}: reflect everything", lambda: run(reflect))
    step.run(f"{driver}: reflect one", lambda: run(one))
    step.run(f"{driver}: expressions", lambda: run(expressions))
    step.run(f"{driver}: parameters", lambda: run(lambda connection: [
        list(row) for row in connection.execute(
            text("SELECT id, name FROM item WHERE id = ANY(:ids) AND name <> :name ORDER BY id"), {"ids": [1, 2, 3], "name": "it's"})]))
    step.run(f"{driver}: many parameters", lambda: run(lambda connection: [
        list(row) for row in connection.execute(
            text("SELECT id FROM item WHERE id IN :ids ORDER BY id").bindparams(sa.bindparam("ids", expanding=True)),
            {"ids": list(range(300))})]))
    step.run(f"{driver}: explain", lambda: run(lambda connection: [
        list(row) for row in connection.execute(text("EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id = 1"))]))
    for name, query in ERRORS.items():
        step.run(f"{driver}: error: {name}", lambda: run(lambda connection: connection.execute(text(query)).all()))
    for name, query in WRITES.items():
        step.run(f"{driver}: write: {name}", lambda: run(lambda connection: connection.execute(text(query)).all()), write=True)

    def insert(connection):
        item = Table("item", MetaData(), autoload_with=connection)
        connection.execute(item.insert(), [{"id": 0, "name": "x"}, {"id": -1, "name": "y"}])

    step.run(f"{driver}: write: insert of rows", lambda: run(insert), write=True)
    step.run(f"{driver}: write: create all", lambda: run(lambda connection: MetaData().create_all(connection) or Table(
        "made", MetaData(), sa.Column("id", sa.Integer)).create(connection)), write=True)


def orm(engine):
    base = automap_base()
    base.prepare(autoload_with=engine, schema="shop")
    configure_mappers()
    customer, purchase = base.classes.customer, base.classes.purchase
    with Session(engine) as session:
        found = session.scalars(select(customer).options(selectinload(customer.purchase_collection)).order_by(customer.id).limit(3)).all()
        got = [[one.name, one.notes, sorted(each.number for each in one.purchase_collection)] for one in found]
        lazy = session.get(customer, 7)
        got.append([lazy.name, len(lazy.purchase_collection)])
        with session.begin_nested():
            got.append(session.scalar(select(func.count()).select_from(purchase)))
        got.append(session.execute(select(purchase.state, func.count()).group_by(purchase.state).order_by(purchase.state)).all())
    return [got[:3], got[3], got[4], [list(row) for row in got[5]]]


def orm_write(engine):
    base = automap_base()
    base.prepare(autoload_with=engine, schema="shop")
    with Session(engine) as session:
        session.add(base.classes.product(sku="new", title="x", price=1))
        session.commit()


def sync_steps(driver):
    engine = sa.create_engine(f"postgresql+{driver}://{PLACE}", pool_pre_ping=True, pool_size=2, future=True)

    def run(function):
        with engine.connect() as connection:
            return function(connection)

    inspector_steps(driver, run)
    reflection_steps(driver, run)
    step.run(f"{driver}: orm", lambda: orm(engine))
    step.run(f"{driver}: write: orm", lambda: orm_write(engine), write=True)

    def stream(connection):
        rows = connection.execution_options(stream_results=True, yield_per=777).execute(text("SELECT id FROM shop.reading ORDER BY id"))
        return sum(row[0] for row in rows)

    step.run(f"{driver}: stream", lambda: run(stream))

    def partitions(connection):
        found = connection.execution_options(stream_results=True).execute(text("SELECT id FROM item ORDER BY id"))
        return [len(part) for part in found.partitions(300)]

    step.run(f"{driver}: partitions", lambda: run(partitions))
    for level in ("AUTOCOMMIT", "READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"):
        for read_only in (None, True, False):
            options = {"isolation_level": level} | ({} if read_only is None else {"postgresql_readonly": read_only})

            def with_options():
                with engine.connect().execution_options(**options) as connection:
                    return [connection.execute(text("SHOW transaction_isolation")).scalar(), connection.execute(text("SELECT 1")).scalar()]

            step.run(f"{driver}: {level} read only {read_only}", with_options)

    def nested(connection):
        got = []
        with connection.begin():
            with connection.begin_nested():
                got.append(connection.execute(text("SELECT 'inner'")).scalar())
            try:
                with connection.begin_nested():
                    connection.execute(text("SELECT 1/0"))
            except sa.exc.DBAPIError:
                got.append("rolled back")
            got.append(connection.execute(text("SELECT 'outer'")).scalar())
        return got

    step.run(f"{driver}: savepoints", lambda: run(nested))

    def pooled():
        made = sa.create_engine(f"postgresql+{driver}://{PLACE}", pool_size=1, max_overflow=0, future=True)
        got = []
        for n in range(3):
            with made.connect() as connection:
                connection.execute(text("SET application_name = 'borrowed'"))
                connection.commit()
                got.append(connection.execute(text("SELECT :n"), {"n": n}).scalar())
        with made.connect() as connection:
            connection.invalidate()
        with made.connect() as connection:
            got.append(connection.execute(text("SELECT 'anew'")).scalar())
        made.dispose()
        return got

    step.run(f"{driver}: pool", pooled)

    def unpooled():
        made = sa.create_engine(f"postgresql+{driver}://{PLACE}", poolclass=NullPool, isolation_level="REPEATABLE READ", future=True)
        with made.connect() as connection:
            return connection.execute(text("SHOW transaction_isolation")).scalar()

    step.run(f"{driver}: without a pool", unpooled)

    def translated(connection):
        other = connection.execution_options(schema_translate_map={None: "shop"})
        return other.execute(select(func.count()).select_from(Table("customer", MetaData()))).scalar()

    step.run(f"{driver}: schema translated", lambda: run(translated))

    def two_phase():
        with engine.connect() as connection:
            transaction = connection.begin_twophase()
            connection.execute(text("SELECT 1"))
            transaction.prepare()

    step.run(f"{driver}: write: two phases", two_phase, write=True)
    engine.dispose()


def async_steps(driver):
    loop = asyncio.new_event_loop()
    engine = create_async_engine(f"postgresql+{driver}://{PLACE}", pool_size=2)

    def run(function):
        async def work():
            async with engine.connect() as connection:
                return await connection.run_sync(function)

        return loop.run_until_complete(work())

    inspector_steps(driver, run)
    reflection_steps(driver, run)

    async def stream():
        async with engine.connect() as connection:
            found = await connection.stream(text("SELECT id FROM shop.reading ORDER BY id"))
            return sum([row[0] async for row in found])

    step.run(f"{driver}: stream", lambda: loop.run_until_complete(stream()))
    loop.run_until_complete(engine.dispose())


for name in sys.argv[1:]:
    if name in ("asyncpg", "psycopg_async"):
        async_steps(name)
    else:
        sync_steps(name)
