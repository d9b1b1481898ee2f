"""Apache Superset: a database, its tables and columns, SQL Lab, charts and Stop, all through its REST API.

Its own metadata are a copy of the SQLite file that `install` has made. The application runs in this process.
"""

import contextlib
import importlib.metadata
import json
import logging
import os
import shutil
import sys
import threading
import time
import urllib.parse
from pathlib import Path

from steps import URL, Steps

CONFIGURATION = """
import logging
SECRET_KEY = "x" * 42
SQLALCHEMY_DATABASE_URI = "sqlite:///{folder}/superset.db?timeout=60"
DATA_DIR = "{folder}"
WTF_CSRF_ENABLED = False
TALISMAN_ENABLED = False
RATELIMIT_ENABLED = False
SUPERSET_LOG_VIEW = False
LOG_LEVEL = logging.CRITICAL
FEATURE_FLAGS = {{"ESTIMATE_QUERY_COST": True, "ENABLE_TEMPLATE_PROCESSING": True}}
"""
LONG = "SELECT count(*) FROM shop.reading a, shop.reading b WHERE a.value + b.value < 0"
# What differs from run to run, wherever it stands in an answer.
CHANGING = {"changed_on", "created_on", "uuid", "cache_key", "cached_dttm", "timestamp"}


class Failed(Exception):
    """What Superset says in place of an answer."""


class Superset:
    """The application and a user who has logged in."""

    def __init__(self, application):
        self.application = application
        said = application.test_client().post("/api/v1/security/login", json={
            "username": "admin", "password": "admin", "provider": "db", "refresh": True})
        self.datasets = {}
        self.headers = {"Authorization": f"Bearer {said.json['access_token']}"}

    def ask(self, method, path, body=None, raw=False):
        # A client of its own, so that two threads can ask at once.
        client = self.application.test_client()
        said = client.open(path, method=method, json=body, headers=self.headers)
        if raw:
            return said.status_code, said.get_data(as_text=True)
        if said.status_code >= 400 or said.json is None:
            raise Failed(complaint(said))
        return said.json

    def sql(self, text, schema="shop", **more):
        body = {"database_id": self.database, "sql": text, "schema": schema, "runAsync": False, "queryLimit": 1000,
                "client_id": f"c{time.monotonic_ns() % 10**9}"} | more
        return self.ask("POST", "/api/v1/sqllab/execute/", body)


def complaint(said):
    """The words for people in an answer that is an error."""
    try:
        found = said.get_json()
    except Exception:
        found = None
    if not isinstance(found, dict):
        return f"{said.status_code} {said.get_data(as_text=True)[:200]}"
    words = [error.get("message", "") for error in found.get("errors", []) if isinstance(error, dict)]
    return f"{said.status_code} {'; '.join(words) or found.get('message') or found.get('error') or found}"


def settled(value):
    """Without what changes from run to run."""
    if isinstance(value, dict):
        return {key: settled(item) for key, item in value.items() if key not in CHANGING}
    if isinstance(value, list):
        # Lists of names come from sets.
        return sorted(value) if all(isinstance(item, str) for item in value) else [settled(item) for item in value]
    if isinstance(value, str):
        return value.replace(os.environ["PGPORT"], "PORT")
    return value


def start():
    folder = Path.cwd()
    template = Path(sys.prefix) / "metadata"
    shutil.copy(template / "superset.db", folder / "superset.db")
    (folder / "superset_config.py").write_text(CONFIGURATION.format(folder=folder), encoding="utf-8")
    os.environ["SUPERSET_CONFIG_PATH"] = str(folder / "superset_config.py")
    logging.disable(logging.CRITICAL)
    from superset.app import create_app

    # It says on standard output where its settings are.
    with contextlib.redirect_stdout(sys.stderr):
        application = create_app()
    logging.disable(logging.CRITICAL)
    return Superset(application)


def rows(answer):
    """What SQL Lab shows of a result."""
    return {"columns": [(column["column_name"], column.get("type"), column.get("is_dttm")) for column in answer["columns"]],
            "rows": answer["data"], "status": answer["status"]}


def lab(name, text, **more):
    step.run(f"SQL Lab {name}", lambda: rows(superset.sql(text, **more)))


def get(name, path):
    step.run(name, lambda: settled(superset.ask("GET", path.format(d=superset.database))))


def register():
    said = superset.ask("POST", "/api/v1/database/", {
        "database_name": "matrix", "sqlalchemy_uri": URL.replace("postgresql://", "postgresql+psycopg2://"),
        "expose_in_sqllab": True, "allow_dml": True, "allow_ctas": True, "allow_cvas": True, "allow_file_upload": True,
        "extra": json.dumps({"schemas_allowed_for_file_upload": ["shop"], "cost_estimate_enabled": True, "version": "15.0"}),
    })
    superset.database = said["id"]
    return sorted(said["result"])


def dataset(table, schema="shop", **more):
    """A dataset, its columns as they were read from the database."""
    body = {"database": superset.database, "schema": schema, "table_name": table} | more
    number = superset.ask("POST", "/api/v1/dataset/", body)["id"]
    superset.datasets[table] = number
    superset.ask("PUT", f"/api/v1/dataset/{number}/refresh")
    found = superset.ask("GET", f"/api/v1/dataset/{number}")["result"]
    return [[column[key] for key in ("column_name", "type", "is_dttm", "type_generic", "description")]
            for column in sorted(found["columns"], key=lambda column: column["column_name"])]


def chart(table, kind="full", **query):
    body = {"datasource": {"id": superset.datasets[table], "type": "table"}, "force": True, "result_format": "json",
            "result_type": kind, "queries": [query]}
    found = superset.ask("POST", "/api/v1/chart/data", body)["result"][0]
    return {key: found.get(key) for key in ("data", "colnames", "coltypes", "rowcount", "query", "error", "status")}


def by_time(table, **query):
    """The points of a chart, which come in no order."""
    found = chart(table, **query)
    return found | {"data": sorted(found["data"], key=json.dumps)}


def saved_chart():
    """A chart that is stored, and drawn by its number."""
    table = superset.datasets["purchase"]
    query = {"columns": ["state"], "metrics": ["count"], "orderby": [["count", False]], "row_limit": 10}
    context = {"datasource": {"id": table, "type": "table"}, "queries": [query], "result_format": "json",
               "result_type": "full"}
    number = superset.ask("POST", "/api/v1/chart/", {
        "slice_name": "states", "viz_type": "table", "datasource_id": table, "datasource_type": "table",
        "params": json.dumps({"viz_type": "table", "groupby": ["state"]}), "query_context": json.dumps(context)})["id"]
    found = superset.ask("GET", f"/api/v1/chart/{number}/data/?force=true")["result"][0]
    return sorted((row["state"], row["count"]) for row in found["data"])


def stop():
    """Stops a query that runs, as the button of SQL Lab does, and asks what became of it."""
    client, said = "cstopped", {}

    def run():
        try:
            said["answer"] = superset.sql(LONG, client_id=client)["status"]
        except Failed:
            said["answer"] = "an error"

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    began = wait_for(lambda: status(client) == "running")
    # The pid of its session is stored just after that.
    time.sleep(2)
    answer = superset.ask("POST", "/api/v1/query/stop", {"client_id": client})
    thread.join(25)
    return {"began": began, "answer": answer, "query": said.get("answer", "it still runs"), "status": status(client)}


def status(client):
    """How far a query is, from Superset's own metadata."""
    from superset import db
    from superset.models.sql_lab import Query

    with superset.application.app_context():
        found = db.session.query(Query.status).filter_by(client_id=client).one_or_none()
        db.session.remove()
    return found and found[0]


def wait_for(probe):
    for _ in range(150):
        if probe():
            return True
        time.sleep(0.1)
    return False


def export():
    """The CSV of a query that SQL Lab has run."""
    superset.sql("SELECT id, name, email, home, tags FROM customer WHERE id <= 5 ORDER BY id", client_id="cexported")
    return superset.ask("GET", "/api/v1/sqllab/export/cexported/", raw=True)


superset = start()
step = Steps("Apache Superset", importlib.metadata.version("apache_superset"))
step.run("test connection", lambda: superset.ask("POST", "/api/v1/database/test_connection/", {
    "sqlalchemy_uri": URL, "database_name": "trial"}))
step(register)
get("catalogs", "/api/v1/database/{d}/catalogs/")
get("schemas", "/api/v1/database/{d}/schemas/?q=(force:!t)")
for schema in ("shop", "public", "other", "Mixed Schema"):
    quoted = urllib.parse.quote(schema)
    get(f"tables of {schema}", f"/api/v1/database/{{d}}/tables/?q=(force:!t,schema_name:'{quoted}')")
for schema, table in (("shop", "customer"), ("shop", "purchase_line"), ("shop", "reading"), ("shop", "product"),
                      ("shop", "customer_total"), ("shop", "sensor_day"), ("shop", "event"), ("public", "every_type"),
                      ("Mixed Schema", "Mixed Table")):
    query = urllib.parse.urlencode({"name": table, "schema": schema})
    get(f"metadata of {table}", f"/api/v1/database/{{d}}/table_metadata/?{query}")
    get(f"extra metadata of {table}", f"/api/v1/database/{{d}}/table_metadata/extra/?{query}")
get("select star", "/api/v1/database/{d}/select_star/customer/shop/")
get("function names", "/api/v1/database/{d}/function_names/")
step.run("sync permissions", lambda: superset.ask("POST", f"/api/v1/database/{superset.database}/sync_permissions/"))
step.run("estimate", lambda: superset.ask("POST", "/api/v1/sqllab/estimate/", {
    "database_id": superset.database, "sql": "SELECT id FROM customer", "schema": "shop", "template_params": {}}))

lab("select", "SELECT id, name, email, home, notes, tags, active, ref, seen_from, born, made FROM customer ORDER BY id LIMIT 20")
lab("every type", "SELECT * FROM every_type WHERE a_bool", schema="public")
lab("join", "SELECT c.name, sum(p.total) AS total FROM customer c JOIN purchase p ON p.customer_id = c.id "
    "GROUP BY c.name ORDER BY total DESC LIMIT 7")
lab("limit", "SELECT id, value FROM reading ORDER BY id", queryLimit=100)
lab("statements", "SELECT 1 AS first; SELECT count(*) AS second FROM customer")
lab("template", "SELECT id FROM customer WHERE id < {{ bound }} ORDER BY id", templateParams='{"bound": 4}')
lab("EXPLAIN", "EXPLAIN SELECT id FROM customer WHERE id = 1")
lab("SHOW", "SHOW search_path")
lab("mixed names", 'SELECT "Id", "Upper Column", "per%cent" FROM "Mixed Table" ORDER BY 1', schema="Mixed Schema")
lab("error of a column", "SELECT nope FROM customer")
lab("error of a function", "SELECT nofunc(1)")
lab("error of syntax", "SELEC 1")
step(export)
for name, text in {"delete": "DELETE FROM customer WHERE id = 1", "insert": "INSERT INTO scratch VALUES (1, 'a')",
                   "create table": "CREATE TABLE shop.made (id int)"}.items():
    step.run(f"SQL Lab {name}", lambda text=text: rows(superset.sql(text)), write=True)
step.run("SQL Lab table as select", write=True, function=lambda: rows(superset.sql(
    "SELECT id FROM customer", select_as_cta=True, ctas_method="TABLE", tmp_table_name="made")))

for schema, table in (("shop", "customer"), ("shop", "purchase"), ("shop", "reading"), ("shop", "customer_total"),
                      ("public", "every_type"), ("Mixed Schema", "Mixed Table")):
    step.run(f"dataset {table}", lambda schema=schema, table=table: dataset(table, schema))
step.run("dataset of a query", lambda: dataset("towns", sql=(
    "SELECT (home).town AS town, count(*) AS customers, max(made) AS newest FROM shop.customer GROUP BY 1")))
step.run("samples", lambda: chart("customer", "samples", columns=[], row_limit=5)["rowcount"])
step.run("values of a column", lambda: sorted(superset.ask(
    "GET", f"/api/v1/datasource/table/{superset.datasets['purchase']}/column/state/values/")["result"]))
step.run("chart of rows", lambda: chart("customer", columns=["id", "name", "email"], orderby=[["id", True]], row_limit=5))
step.run("chart of a metric", lambda: chart(
    "purchase", columns=["state"], row_limit=10, orderby=[["state", True]],
    metrics=[{"expressionType": "SIMPLE", "column": {"column_name": "total"}, "aggregate": "SUM", "label": "total"}]))
for grain in ("P1D", "P1W", "P1M", "P1Y", "PT1H"):
    step.run(f"chart by {grain}", lambda grain=grain: by_time(
        "purchase", columns=[{"timeGrain": grain, "columnType": "BASE_AXIS", "sqlExpression": "placed", "label": "placed",
                              "expressionType": "SQL"}],
        metrics=["count"], row_limit=10000, granularity="placed", time_range="2024-01-01 : 2024-03-01"))
step.run("chart with filters", lambda: chart(
    "reading", columns=["sensor"], row_limit=5, orderby=[["sensor", True]],
    metrics=[{"expressionType": "SQL", "sqlExpression": "avg(value)", "label": "average"}],
    filters=[{"col": "sensor", "op": "IN", "val": [1, 2, 3]}, {"col": "note", "op": "LIKE", "val": "note 1%"},
             {"col": "value", "op": "IS NOT NULL"}]))
step.run("chart of a view", lambda: chart("customer_total", columns=["id", "name"], metrics=[], row_limit=4, orderby=[["id", True]]))
step.run("chart of a query", lambda: chart(
    "towns", columns=["town"], row_limit=10, orderby=[["town", True]],
    metrics=[{"expressionType": "SIMPLE", "column": {"column_name": "customers"}, "aggregate": "MAX", "label": "customers"}]))
step.run("chart of mixed names", lambda: chart("Mixed Table", columns=["Id", "Upper Column"], row_limit=3, orderby=[["Id", True]]))
step.run("chart with an error", lambda: chart(
    "customer", columns=["name"], metrics=[{"expressionType": "SQL", "sqlExpression": "sum(nope)", "label": "nope"}]))
step(saved_chart)
step(stop)
sys.stdout.flush()
# Superset's threads, a query that goes on among them, are not waited for.
os._exit(0)
