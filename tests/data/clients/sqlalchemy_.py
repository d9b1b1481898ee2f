"""SQLAlchemy over psycopg 3, psycopg 2 and asyncpg: set-up queries, the inspector, pools."""

import asyncio
import os

import sqlalchemy
from sqlalchemy import MetaData, Table, inspect, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.orm import Session

PLACE = "{PGUSER}:{PGPASSWORD}@{PGHOST}:{PGPORT}/{PGDATABASE}".format(**os.environ)


def look(connection):
    found = inspect(connection)
    for name in sorted(found.get_table_names()):
        print(name, [str(column["type"]) for column in found.get_columns(name)][:5])
        print(found.get_pk_constraint(name), found.get_foreign_keys(name), found.get_indexes(name))
        print(found.get_unique_constraints(name), found.get_check_constraints(name), found.get_table_comment(name))
    print(found.get_schema_names(), found.get_view_names(), found.get_materialized_view_names())
    print(found.get_view_definition("item_view"), found.get_sequence_names(), found.get_enums())
    print(found.default_schema_name, found.has_table("item"), found.get_domains())


def work(engine):
    with engine.connect() as connection:
        look(connection)
        item = Table("item", MetaData(), autoload_with=connection)
        print(connection.execute(select(item.c.id, item.c.name).where(item.c.id.in_([1, 2, 3])).order_by(item.c.id)).all())
        streamed = select(item.c.id).execution_options(stream_results=True, yield_per=50)
        rows = connection.execute(streamed)
        print(sum(row[0] for row in rows))
        connection.rollback()
        try:
            connection.execute(item.delete())
        except DBAPIError as error:
            print(sqlstate(error))
        connection.rollback()
        with connection.begin_nested():
            print(connection.execute(text("SELECT 'in a savepoint'")).scalar())
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        print(connection.execute(text("SELECT 1")).scalar())
    with engine.connect().execution_options(isolation_level="SERIALIZABLE") as connection:
        print(connection.execute(text("SHOW transaction_isolation")).scalar())
    with Session(engine) as session:
        print(session.execute(text("SELECT count(*) FROM item")).scalar())


def sqlstate(error):
    for name in ("sqlstate", "pgcode"):
        if getattr(error.orig, name, None):
            return getattr(error.orig, name)
    return None


async def work_async(url, options):
    engine = create_async_engine(url, connect_args=options)
    async with engine.connect() as connection:
        await connection.run_sync(look)
        print((await connection.execute(text("SELECT count(*) FROM item"))).scalar())
    await engine.dispose()


def main():
    for driver in ("psycopg", "psycopg2"):
        engine = sqlalchemy.create_engine(f"postgresql+{driver}://{PLACE}", pool_pre_ping=True, pool_size=2)
        work(engine)
        engine.dispose()
        # Once it has been READ ONLY, a pooled connection is made READ WRITE again.
        engine = sqlalchemy.create_engine(f"postgresql+{driver}://{PLACE}", pool_size=1)
        for is_read_only in (True, False):
            options = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": is_read_only}
            with engine.connect().execution_options(**options) as connection:
                print(connection.execute(text("SHOW transaction_isolation")).scalar())
        with engine.connect() as connection:
            print(connection.execute(text("SELECT count(*) FROM item")).scalar())
    options = {"server_settings": {"options": os.environ["PGOPTIONS"]}} if os.environ.get("PGOPTIONS") else {}
    asyncio.run(work_async(f"postgresql+asyncpg://{PLACE}", options))
    print("done")


main()
