"""SQLAlchemy's inspector over psycopg 3 and psycopg 2: everything that it says of the schema shop, one fact a line."""

import os

import sqlalchemy
from sqlalchemy import MetaData, inspect
from sqlalchemy.dialects.postgresql import DOMAIN, ENUM
from sqlalchemy.exc import NoSuchTableError

PLACE = "{PGUSER}:{PGPASSWORD}@{PGHOST}:{PGPORT}/{PGDATABASE}".format(**os.environ)


def facts(found):
    yield "schemas", found.get_schema_names()
    yield "tables", sorted(found.get_table_names("shop"))
    yield "views", sorted(found.get_view_names("shop"))
    yield "materialized views", found.get_materialized_view_names("shop")
    yield "sequences", found.get_sequence_names("shop")
    yield "enums", [(enum["name"], enum["labels"]) for enum in found.get_enums("shop")]
    yield "domains", sorted(domain["name"] for domain in found.get_domains("shop"))
    for name in sorted(found.get_view_names("shop")):
        yield f"definition of {name}", definition(found, name)
    for name in sorted(found.get_table_names("shop") + found.get_view_names("shop")):
        for column in found.get_columns(name, "shop"):
            facts = [written(column["type"]), column["nullable"], column["default"], column["comment"]]
            yield f"column {name}.{column['name']}", facts
    for name in sorted(found.get_table_names("shop")):
        yield f"key of {name}", found.get_pk_constraint(name, "shop")["constrained_columns"]
        for key in sorted(found.get_foreign_keys(name, "shop"), key=str):
            yield f"foreign key of {name}", (key["constrained_columns"], key["referred_table"], key["referred_columns"])
        for index in sorted(found.get_indexes(name, "shop"), key=lambda index: index["name"]):
            yield f"index of {name}", (index["name"], index["column_names"], index["unique"])
        for unique in found.get_unique_constraints(name, "shop"):
            yield f"unique of {name}", (unique["name"], unique["column_names"])
        for check in sorted(found.get_check_constraints(name, "shop"), key=str):
            yield f"check of {name}", (check["name"], check["sqltext"])
        yield f"comment of {name}", found.get_table_comment(name, "shop")["text"]


def definition(found, name):
    # A definition that is NULL is no table to the inspector.
    try:
        return " ".join(found.get_view_definition(name, "shop").split())
    except NoSuchTableError:
        return None


def written(of):
    if isinstance(of, (ENUM, DOMAIN)):
        return of.name
    return str(of)


def main():
    for driver in ("psycopg", "psycopg2"):
        engine = sqlalchemy.create_engine(f"postgresql+{driver}://{PLACE}")
        with engine.connect() as connection:
            for what, fact in facts(inspect(connection)):
                print(f"{driver}|{what}|{fact}")
            tables = MetaData()
            tables.reflect(connection, schema="shop", views=True)
            print(f"{driver}|reflected|{sorted(tables.tables)}")
        engine.dispose()


main()
