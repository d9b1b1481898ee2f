"""pg_dump and pg_dumpall, whose folder is the argument: in each format, with the switches that choose and shape."""

import os
import re
import subprocess
import sys
from pathlib import Path

from steps import Steps

FOLDER = Path(sys.argv[1])
SHAPES = {
    "shop": ["-n", "shop"],
    "schema only": ["-n", "shop", "-n", "Mixed Schema", "--schema-only"],
    "public without what is hidden": ["-n", "public", "-T", "guarded", "-T", "secret_table", "-T", "public.big"],
    "data only": ["-t", "shop.customer", "--data-only"],
    "inserts": ["-t", "shop.product", "--inserts"],
    "column inserts": ["-t", "shop.product", "--column-inserts", "--rows-per-insert=10"],
    "clean and create": ["-n", "shop", "--schema-only", "--clean", "--if-exists", "--create"],
    "quoted": ["-n", "shop", "--quote-all-identifiers", "--schema-only"],
    "no owners": ["-n", "shop", "--no-owner", "--no-privileges", "--no-comments"],
    "serializable": ["-t", "shop.purchase", "--serializable-deferrable"],
    "row security": ["-t", "public.guarded", "--enable-row-security"],
    "excluded data": ["-n", "shop", "--exclude-table-data=shop.reading"],
    "one section": ["-n", "shop", "--section=pre-data"],
    "partitions by their root": ["-t", "shop.event*", "--load-via-partition-root"],
    "lock wait": ["-t", "public.item", "--lock-wait-timeout=5s"],
}
version = re.search(r"\d+(\.\d+)*", subprocess.run([FOLDER / "pg_dump", "--version"], capture_output=True, text=True, check=True).stdout)[0]
step = Steps("pg_dump", version)


def run(program, *arguments):
    done = subprocess.run([FOLDER / program, *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        wrong = [line.partition("error: ")[2] for line in done.stderr.splitlines() if "error: " in line]
        raise RuntimeError(wrong[0] if wrong else done.stderr)
    return plain(done.stdout)


def plain(text):
    """A digest would hide what differs; whole dumps would drown it."""
    return [line for line in text.splitlines() if not line.startswith(("\\restrict", "\\unrestrict", "-- Started", "-- Completed"))]


def restored(*arguments):
    """What an archive holds, as the SQL that pg_restore makes of it."""
    return run("pg_restore", "-f", "-", *arguments)


for name, arguments in SHAPES.items():
    step.run(name, lambda: run("pg_dump", *arguments))
for format, target in (("custom", "a.dump"), ("directory", "folder"), ("tar", "a.tar")):
    step.run(f"format {format}", lambda: [run("pg_dump", "-n", "shop", "-F", format, "-f", target), restored(target)])
step.run("in parallel", lambda: [run("pg_dump", "-n", "shop", "-F", "directory", "-j", "3", "-f", "parallel"), restored("parallel")])
step.run("error: not granted", lambda: run("pg_dump", "-t", "public.secret_table"))
step.run("error: no such table", lambda: run("pg_dump", "-t", "no_such_table_at_all"))
step.run("all globals", lambda: run("pg_dumpall", "--globals-only", "--no-role-passwords", "-l", os.environ["PGDATABASE"]))
step.run("all roles", lambda: run("pg_dumpall", "--roles-only", "--no-role-passwords"))
step.run("all schemas of a database", lambda: run("pg_dumpall", "--schema-only", "--no-role-passwords", "--exclude-database=matrix",
                                                  "--exclude-database=template*"))
step.run("isready", lambda: subprocess.run([FOLDER / "pg_isready"], capture_output=True, check=False).returncode)
for name, program, arguments in (
    ("vacuumdb", "vacuumdb", []), ("reindexdb", "reindexdb", []), ("createdb", "createdb", ["made_anew"]), ("dropdb", "dropdb", ["matrix"]),
    ("createuser", "createuser", ["made_anew"]), ("clusterdb", "clusterdb", []), ("analyze", "vacuumdb", ["--analyze-only", "-t", "item"]),
):
    step.run(f"write: {name}", lambda: run(program, *arguments), write=True)
