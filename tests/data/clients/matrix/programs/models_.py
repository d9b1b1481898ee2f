"""LangChain's and LlamaIndex's SQLDatabase, whichever the argument names: what they show a model of a database."""

import asyncio
import sys
import warnings
from importlib.metadata import version

from steps import ERRORS, URL, WRITES, Steps

warnings.simplefilter("ignore")
SHOP = ["customer", "product", "purchase", "purchase_line", "employee", "event", "reading"]


def langchain():
    from langchain_community.tools.sql_database.tool import (
        InfoSQLDatabaseTool, ListSQLDatabaseTool, QuerySQLDatabaseTool,
    )
    from langchain_community.utilities import SQLDatabase

    step = Steps("LangChain", version("langchain-community"))
    step.run("connect", lambda: sorted(SQLDatabase.from_uri(URL).get_usable_table_names()))
    shop = SQLDatabase.from_uri(URL, schema="shop", view_support=True, sample_rows_in_table_info=3)
    public = SQLDatabase.from_uri(URL, include_tables=["item", "part", "Mixed Case"], indexes_in_table_info=True)
    step.run("dialect", lambda: shop.dialect)
    step.run("usable tables", lambda: sorted(shop.get_usable_table_names()))
    step.run("info of shop", lambda: shop.get_table_info(SHOP))
    step.run("info of public", public.get_table_info)
    step.run("info of what is not there, an error", lambda: shop.get_table_info(["nope"]))
    step.run("context", lambda: public.get_context()["table_info"][:2000])
    step.run("lazy", lambda: SQLDatabase.from_uri(URL, schema="shop", lazy_table_reflection=True).get_table_info(["customer"]))
    step.run("custom info", lambda: SQLDatabase.from_uri(URL, include_tables=["item"], custom_table_info={"item": "Things"}).get_table_info())
    for fetch in ("all", "one", "cursor"):
        step.run(f"run {fetch}", lambda: [list(row) for row in public.run("SELECT id, name FROM item WHERE id < 4 ORDER BY id", fetch=fetch)]
                 if fetch == "cursor" else public.run("SELECT id, name FROM item WHERE id < 4 ORDER BY id", fetch=fetch))
    step.run("run with columns", lambda: public.run("SELECT id, name FROM item WHERE id = :id", parameters={"id": 7}, include_columns=True))
    step.run("run in a schema", lambda: shop.run("SELECT count(*) FROM customer"))
    step.run("run without throwing", lambda: public.run_no_throw("SELECT no_such_column_at_all FROM item").splitlines()[0])
    step.run("tools", lambda: [ListSQLDatabaseTool(db=public).invoke(""), InfoSQLDatabaseTool(db=public).invoke("item, part"),
                               QuerySQLDatabaseTool(db=public).invoke("SELECT count(*) FROM item")])
    step.run("async tool", lambda: asyncio.run(QuerySQLDatabaseTool(db=public).ainvoke("SELECT count(*) FROM part")))
    for name, text in ERRORS.items():
        step.run(f"error: {name}", lambda: public.run(text))
    for name, text in WRITES.items():
        step.run(f"write: {name}", lambda: public.run(text), write=True)
    step.run("usable at the end", lambda: public.run("SELECT count(*) FROM item"))


def llamaindex():
    from llama_index.core import SQLDatabase

    step = Steps("LlamaIndex", version("llama-index-core"))
    shop = SQLDatabase.from_uri(URL, schema="shop", view_support=True, sample_rows_in_table_info=2)
    public = SQLDatabase.from_uri(URL, include_tables=["item", "part"], indexes_in_table_info=True)
    step.run("dialect", lambda: [shop.dialect, str(public.metadata_obj.schema)])
    step.run("usable tables", lambda: sorted(shop.get_usable_table_names()))
    step.run("columns", lambda: {name: [[column["name"], str(column["type"])] for column in public.get_table_columns(name)]
                                  for name in ("item", "part")})
    step.run("info of one", lambda: {name: shop.get_single_table_info(name) for name in SHOP})
    step.run("run", lambda: list(public.run_sql("SELECT id, name, price FROM item WHERE id < 5 ORDER BY id")))
    step.run("run in a schema", lambda: list(shop.run_sql("SELECT count(*) FROM customer")))
    for name, text in ERRORS.items():
        step.run(f"error: {name}", lambda: public.run_sql(text))
    for name, text in WRITES.items():
        step.run(f"write: {name}", lambda: public.run_sql(text), write=True)
    step.run("write: insert into table", lambda: public.insert_into_table("item", {"id": 0, "name": "x"}), write=True)
    step.run("usable at the end", lambda: list(public.run_sql("SELECT count(*) FROM item")))


{"langchain": langchain, "llamaindex": llamaindex}[sys.argv[1]]()
