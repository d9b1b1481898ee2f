"""dlt: its sql_database source reads tables, with reflection, incremental loads and every backend, into DuckDB's place: JSON files."""

import os
import warnings

os.environ.update({"RUNTIME__DLTHUB_TELEMETRY": "false", "RUNTIME__LOG_LEVEL": "CRITICAL", "DLT_DATA_DIR": os.path.join(os.environ["HOME"], "dlt")})
warnings.simplefilter("ignore")

import dlt  # noqa: E402
import sqlalchemy as sa  # noqa: E402
from dlt.sources.sql_database import sql_database, sql_table  # noqa: E402

from steps import URL, Steps  # noqa: E402

step = Steps("dlt", dlt.__version__)


def shown(resource):
    rows = []
    for part in resource:
        rows += part.to_pylist() if hasattr(part, "to_pylist") else part if isinstance(part, list) else [part]
    return [len(rows), sorted(rows, key=str)[:5]]


step.run("source of shop", lambda: sorted(sql_database(URL, schema="shop", include_views=True).resources))
step.run("source of public", lambda: sorted(sql_database(URL, schema="public", table_names=["item", "part"], defer_table_reflect=True).resources))
for table in ("customer", "purchase", "product", "purchase_line", "event", "customer_total"):
    step.run(f"table {table}", lambda: shown(sql_table(URL, table=table, schema="shop")))
for backend in ("sqlalchemy", "pyarrow", "pandas"):
    step.run(f"backend {backend}", lambda: [len(list(sql_table(URL, table="reading", schema="shop", backend=backend, chunk_size=9000)))])
for level in ("minimal", "full", "full_with_precision"):
    step.run(f"reflection {level}", lambda: {name: str(column.get("data_type")) for name, column in sql_table(
        URL, table="customer", schema="shop", reflection_level=level, defer_table_reflect=False).compute_table_schema()["columns"].items()})
step.run("keys", lambda: sorted(sql_table(URL, table="purchase_line", schema="shop", reflection_level="full", resolve_foreign_keys=True)
                                .compute_table_schema().get("references"), key=str))
step.run("incremental", lambda: shown(sql_table(URL, table="reading", schema="shop", incremental=dlt.sources.incremental("id", initial_value=49990))))
step.run("columns and query", lambda: shown(sql_table(URL, table="item", included_columns=["id", "name"],
                                                       query_adapter_callback=lambda query, table: query.where(table.c.id < 9))))
step.run("quoted names", lambda: shown(sql_table(URL, table="Mixed Table", schema="Mixed Schema")))


def loaded():
    pipeline = dlt.pipeline("matrix", destination=dlt.destinations.filesystem(bucket_url=os.path.abspath("out")), dataset_name="shop")
    source = sql_database(URL, schema="shop", table_names=["purchase_line", "event"])
    info = pipeline.run(source, loader_file_format="jsonl")
    return [info.has_failed_jobs, {name: count for name, count in sorted(pipeline.last_trace.last_normalize_info.row_counts.items())
                                   if not name.startswith("_")}]


step.run("pipeline", loaded)
engine = sa.create_engine(URL.replace("://", "+psycopg2://"))
step.run("engine of one's own", lambda: shown(sql_table(engine, table="part", chunk_size=700)))


def write():
    pipeline = dlt.pipeline("writes", destination=dlt.destinations.postgres(URL), dataset_name="made_anew")
    pipeline.run([{"id": 1}], table_name="made")


step.run("write: destination", write, write=True)
