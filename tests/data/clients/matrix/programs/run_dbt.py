"""dbt with dbt-postgres: debug, parse, compile with introspection, show, docs generate; what builds is refused.

No file here may have a name with dbt_ in front: dbt takes modules of such names for its plugins.
"""

import json
import os
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from steps import Steps

DBT = str(Path(sys.executable).with_name("dbt"))
FILES = {
    "dbt_project.yml": "name: matrix\nversion: '1.0.0'\nprofile: matrix\nmodel-paths: [models]\nseed-paths: [seeds]\nsnapshot-paths: [snapshots]\n"
                       "flags: {send_anonymous_usage_stats: false, use_colors: false}\n",
    "profiles.yml": "matrix:\n  target: dev\n  outputs:\n    dev:\n      type: postgres\n      host: '{{ env_var(\"PGHOST\") }}'\n"
                    "      port: '{{ env_var(\"PGPORT\") | as_number }}'\n      user: '{{ env_var(\"PGUSER\") }}'\n"
                    "      password: '{{ env_var(\"PGPASSWORD\") }}'\n      dbname: '{{ env_var(\"PGDATABASE\") }}'\n      schema: shop\n"
                    "      threads: 3\n      search_path: shop,public\n",
    "models/sources.yml": "version: 2\nsources:\n  - name: shop\n    tables:\n      - name: customer\n        columns:\n"
                          "          - name: id\n            data_tests: [unique, not_null]\n      - name: purchase\n      - name: reading\n",
    "models/totals.sql": "select customer_id, count(*) as n, sum(total) as total from {{ source('shop', 'purchase') }} group by 1\n",
    "models/introspective.sql": "{% set states = dbt_utils_free('status') %}\nselect {% for state in states %}'{{ state }}' as s{{ loop.index }}"
                                "{% if not loop.last %}, {% endif %}{% endfor %}\n",
    "macros/dbt_utils_free.sql": "{% macro dbt_utils_free(name) %}{% if execute %}{% set found = run_query(\"select e.enumlabel from pg_enum e "
                                 "join pg_type t on t.oid = e.enumtypid where t.typname = '\" ~ name ~ \"' order by e.enumsortorder\") %}"
                                 "{{ return(found.columns[0].values()) }}{% else %}{{ return([]) }}{% endif %}{% endmacro %}\n"
                                 "{% macro read() %}{% set found = run_query('select id, name from item where id < 4 order by id') %}"
                                 "{{ log(found.rows | map('join', ',') | join(';'), info=true) }}{% endmacro %}\n"
                                 "{% macro drop() %}{% do run_query('drop table item') %}{% endmacro %}\n"
                                 "{% macro columns() %}{% for column in adapter.get_columns_in_relation(source('shop', 'customer')) %}"
                                 "{{ log(column.name ~ ' ' ~ column.data_type, info=true) }}{% endfor %}{% endmacro %}\n",
    "seeds/seeded.csv": "id,name\n1,x\n",
    "snapshots/kept.sql": "{% snapshot kept %}{{ config(target_schema='shop', unique_key='id', strategy='check', check_cols='all') }}"
                          "select id, name from {{ source('shop', 'customer') }}{% endsnapshot %}\n",
}
for name, text in FILES.items():
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(text)

step = Steps("dbt (dbt-postgres)", f"{version('dbt-core')} ({version('dbt-postgres')})")


def dbt(*arguments):
    """What a command said, without times and counts of seconds."""
    done = subprocess.run(
        [DBT, "--no-version-check", "--no-use-colors", "--log-format", "json", *arguments, "--profiles-dir", "."], capture_output=True, text=True,
        env=os.environ | {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "NO_COLOR": "1"}, check=False)
    said = []
    for line in done.stdout.splitlines():
        try:
            info = json.loads(line)["info"]
        except ValueError:
            continue
        if info["level"] != "debug":
            said.append(re.sub(r"\d+(\.\d+)?s|\d\d:\d\d:\d\d", "…", info["msg"]))
    if done.returncode != 0:
        database = [line for text in said for line in text.splitlines() if re.search(r"Error|not allowed|denied|does not", line)]
        raise RuntimeError((database or said or [done.stderr])[-1])
    return said


def debug():
    return [line for text in dbt("debug") for line in text.splitlines() if re.search(r"connection|passed|OK", line)][-3:]


def compiled(name):
    dbt("compile", "--select", name)
    return Path(f"target/compiled/matrix/models/{name}.sql").read_text()


def catalog():
    dbt("docs", "generate", "--no-compile")
    found = json.loads(Path("target/catalog.json").read_text())
    return {kind: {name: [node["metadata"], sorted(node["columns"].items())] for name, node in sorted(found[kind].items())}
            for kind in ("nodes", "sources")} | {"errors": found["errors"]}


def shown(*arguments):
    return [text for text in dbt("show", "--output", "json", *arguments) if "{" in text]


step.run("debug", debug)
step.run("parse", lambda: len(dbt("parse")) > 0)
step.run("list", lambda: sorted(line for line in dbt("ls") if line.startswith(("matrix", "source"))))
step.run("compile", lambda: compiled("totals"))
step.run("compile with a query", lambda: compiled("introspective"))
step.run("compile inline", lambda: [text for text in dbt(
    "compile", "--inline", "select * from {{ source('shop', 'customer') }}") if "select" in text])
step.run("show", lambda: shown("--select", "totals", "--limit", "3"))
step.run("show inline", lambda: shown("--inline", "select id, name from item order by id", "--limit", "4"))
step.run("tests of a source", lambda: [line for line in dbt("test", "--select", "source:shop") if "PASS" in line][-1])
step.run("catalog", catalog)
step.run("run a macro", lambda: [text for text in dbt("run-operation", "read") if "item" in text])
step.run("columns of a relation", lambda: [text for text in dbt("run-operation", "columns") if " " in text and "Running" not in text])
step.run("error: missing column", lambda: dbt("show", "--inline", "select no_such_column_at_all from item"))
step.run("write: run", lambda: dbt("run", "--select", "totals"), write=True)
step.run("write: seed", lambda: dbt("seed"), write=True)
step.run("write: snapshot", lambda: dbt("snapshot"), write=True)
step.run("write: drop by a macro", lambda: dbt("run-operation", "drop"), write=True)
