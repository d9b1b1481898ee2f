"""psql, whose path is the argument: backslash commands, formats, cursors, \\copy, transactions, variables, \\bind.

One psql runs a chapter; marks on both of its streams tell which step said what.
"""

import re
import subprocess
import sys

from steps import Steps

PSQL = sys.argv[1]
MARK = "@@ "

# What every psql describes things with. A name stands for its own step.
DESCRIPTIONS = r"""
\d
\d+
\d shop.*
\d+ shop.*
\d "Mixed Schema".*
\d+ public.*
\dS pg_class
\d+ pg_catalog.pg_stats
\d no_such_table
\dt
\dt+ shop.*
\dtvmsiE+ *.*item*
\di+ shop.*
\ds+ shop.*
\dv+ shop.*
\dm+ *.*
\dE
\dP+ shop.*
\dPi+ *.*
\dPtn shop.*
\dn
\dn+
\dnS+
\df shop.*
\df+ shop.*
\dfa shop.*
\dfp shop.*
\dft shop.*
\dfn shop.with*
\dfw rank
\df * text text
\df+ pg_catalog.lower
\da+ shop.*
\daS max
\dT+ shop.*
\dTS+ int4
\dD+ shop.*
\dC+ integer
\dd
\dd shop.*
\ddp
\doS+ + integer integer
\dO
\dOS+ C
\dcS utf8*
\dL+
\dx
\dx+ citext
\dX
\dX+ shop.*
\dy
\dp
\dp shop.*
\z public.item
\des+
\deu+
\det+
\dew+
\dF+
\dFd+
\dFp+
\dFt+
\dA+
\dAc+ btree int4
\dAf+ gin
\dAo+ btree integer_ops
\dAp+ hash text_ops
\dRp+
\dRs+
\drds
\dconfig enable_*
\dconfig+ work_mem
\du
\du+ reader
\dg
\l matrix
\l+ template0
\db+
\dl
\lo_list
\sf shop.with_tax
\sf+ shop.customers_of
\sf shop.close_day
\sf shop.stamp
\sf no_such_function
\sv shop.customer_total
\sv+ shop.active_customer
\drg
\dconfig *path*
\encoding
"""

# Chapters: a name, and steps of a name and lines each.
CHAPTERS = {
    "queries": [
        ("values", "SELECT 1 AS one, 'two' AS two, NULL AS three, true, 1.50, ARRAY[1, NULL], ROW(1, 'x');"),
        ("every type", r"\x on" + "\nTABLE every_type;\n" + r"\x off"),
        ("terminators", "SELECT 1 AS a \\g\nSELECT 1 AS a \\gx\nSELECT id FROM item WHERE id < 3 ORDER BY id \\g (format=csv)"),
        ("describe result", "SELECT id, name, price, made, tags, state FROM item \\gdesc\nSELECT $1::int + 1, $2::date \\gdesc"),
        ("describe missing", "\\set VERBOSITY terse\nSELECT no_such_column_at_all \\gdesc\n\\set VERBOSITY default"),
        ("variables", "SELECT 1 AS first, 'two words' AS second \\gset got_\n"
                      "\\echo :got_first :'got_second' :\"got_second\"\nSELECT name FROM item WHERE id = :got_first;"),
        ("gexec", "SELECT format('SELECT %s AS n', n) FROM generate_series(1, 3) n \\gexec\n"
                  "SELECT 'SELECT 1', 'SELECT 1/0', 'SELECT 2' \\gexec"),
        ("crosstab", "SELECT line, item_id % 3 AS mod, sum(amount) FROM part GROUP BY 1, 2 ORDER BY 1, 2 "
                     "\\crosstabview line mod sum"),
        ("if", "SELECT true AS yes \\gset\n\\if :yes\nSELECT 'then';\n\\else\nSELECT 'else';\n\\endif"),
        ("quoted names", 'SELECT "Id", "Upper Column", "select", "per%cent", "Ünïcode" FROM "Mixed Schema"."Mixed Table" '
                         'ORDER BY 1 LIMIT 3;'),
        ("dollar quotes", "SELECT $$it's$$, $tag$ $$ $tag$, E'\\n', U&'\\00fc', B'101', X'ff';"),
        ("comments", "SELECT 1 -- ; one\n + /* ; /* nested */ */ 2;"),
        ("explain", "EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id = 1;"),
        ("several on a line", "SELECT 1; SELECT 2;"),
        ("watch", "SELECT 1/0 \\watch 1"),
    ],
    "formats": [
        (name, f"\\pset format {name}\nTABLE \"Mixed Case\";")
        for name in ("csv", "html", "latex", "latex-longtable", "troff-ms", "asciidoc", "unaligned", "wrapped")
    ] + [("null and border", "\\pset format aligned\n\\pset null '(null)'\n\\pset border 2\nTABLE every_type;")],
    "copy": [
        ("query", r"\copy (SELECT id, name FROM item WHERE id < 4 ORDER BY id) to stdout"),
        ("query csv", r"\copy (SELECT id, name FROM item WHERE id < 4 ORDER BY id) to pstdout with (format csv, header)"),
        ("table", r"\copy shop.customer to pstdout"),
        ("columns", r'\copy "Mixed Case" ("Key") to pstdout with (format csv, header)'),
        ("partitions", r"\copy (TABLE shop.event) to pstdout"),
        ("server", "COPY shop.product (sku, title) TO STDOUT (FORMAT csv, FORCE_QUOTE *);"),
        ("error", r"\copy (SELECT 1/0) to stdout"),
        ("parted", "COPY parted_low TO STDOUT;"),
        ("missing", r"\copy no_such_table_at_all to stdout"),
    ],
    "transactions": [
        ("savepoint", "BEGIN;\nSELECT count(*) FROM item;\nSAVEPOINT a;\nSELECT 1/0;\nSELECT 'ignored';\n"
                      "ROLLBACK TO a;\nSELECT 'back';\nRELEASE a;\nCOMMIT;"),
        ("on_error_rollback", "\\set ON_ERROR_ROLLBACK on\nBEGIN;\nSELECT 1/0;\nSELECT 'still here';\nCOMMIT;\n"
                              "\\set ON_ERROR_ROLLBACK off"),
        ("autocommit off", "\\set AUTOCOMMIT off\nSELECT 'in a block';\nSELECT 1/0;\nROLLBACK;\n\\set AUTOCOMMIT on"),
        ("isolation", "BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE;\nSHOW transaction_isolation;\nEND;"),
        ("read write", "BEGIN READ WRITE;\nSELECT count(*) FROM item;\nCOMMIT AND CHAIN;\nROLLBACK;\n"
                       "START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE;\nSELECT 1;\nCOMMIT;"),
        ("failed block", "BEGIN;\nSELECT 1/0;\nCOMMIT;"),
        ("cursor", "BEGIN;\nDECLARE c SCROLL CURSOR FOR SELECT id FROM item ORDER BY id;\nFETCH 3 FROM c;\n"
                   "FETCH LAST FROM c;\nFETCH RELATIVE -5 FROM c;\nMOVE BACKWARD ALL IN c;\nFETCH c;\nCLOSE c;\nCOMMIT;"),
        ("fetch_count", "\\set FETCH_COUNT 7\nSELECT id FROM item WHERE id <= 20 ORDER BY id;\n"
                        "SELECT 100 / (15 - id) FROM item ORDER BY id;\n\\set FETCH_COUNT 0"),
        ("prepare", "PREPARE p(int) AS SELECT name FROM item WHERE id = $1;\nEXECUTE p(5);\nEXECUTE p('six');\nDEALLOCATE p;"),
    ],
    "settings": [
        ("application_name", "SET application_name = 'psql matrix';\nSHOW application_name;"),
        ("timezone", "SET TIME ZONE 'Asia/Tokyo';\nSELECT timestamptz '2024-01-01 00:00+00';\nRESET TIME ZONE;"),
        ("search_path", "SET search_path = shop, public;\n\\dt\nSELECT count(*) FROM customer;\nRESET search_path;"),
        ("local", "BEGIN;\nSET LOCAL extra_float_digits = 0;\nSELECT 1.0::float8 / 3;\nROLLBACK;"),
        ("planner", "SET enable_seqscan = off;\nSHOW enable_seqscan;\nRESET enable_seqscan;"),
        ("show all", "SELECT count(*) > 100 FROM pg_settings;\nSHOW server_version;\nSHOW is_superuser;"),
        ("reset", "RESET ALL;\nDISCARD ALL;\nSHOW TimeZone;"),
        ("reconnect", "\\c -\nSELECT current_database(), current_user, session_user;"),
        ("other database", "\\c postgres\nSELECT current_database();\n\\c matrix"),
    ],
    "errors": [
        (name, f"\\set VERBOSITY {verbosity}\n{text}\n\\echo :ERROR :SQLSTATE :ROW_COUNT :LAST_ERROR_MESSAGE")
        # A repair that was looked for adds a DETAIL to what is not there.
        for name, verbosity, text in (
            ("division", "verbose", "SELECT 1/0;"),
            ("missing column", "terse", "SELECT no_such_column_at_all FROM item;"),
            ("missing table", "terse", "SELECT * FROM no_such_table_at_all;"),
            ("missing function", "terse", "SELECT no_such_function_at_all(1);"),
            ("syntax", "terse", "WHERE BY GROUP;"),
            ("not granted", "sqlstate", "SELECT * FROM secret_table;"),
            ("execute not granted", "sqlstate", "SELECT shop.many(1, 2);"),
            ("raised", "verbose", "SELECT 'P0042' !!!> 'an error with every field';"),
            ("notice", "default", "SELECT 'notice' ~~~> 'a note', 'warning' ~~~> 'a warning';"),
            ("timeout", "terse", "SET statement_timeout = 50;\nSELECT count(*) FROM generate_series(1, 100000000);"),
        )
    ],
}

# What psql 16 and later have.
BINDS = [
    ("bind", "SELECT $1::int + $2::int AS sum \\bind 3 4 \\g"),
    ("bind text", "SELECT name FROM item WHERE id = $1 \\bind 7 \\g"),
    ("bind missing", "SELECT $1, $2 \\bind 1 \\g"),
]

# What psql 18 has: pipelines and named statements.
PIPELINES = [
    ("parse", "SELECT $1::int * 2 AS twice \\parse doubled\n\\bind_named doubled 21 \\g\n\\close doubled"),
    ("pipeline", "\\startpipeline\nSELECT $1::int \\bind 1 \\sendpipeline\nSELECT $1::text \\bind two \\sendpipeline\n"
                 "\\flushrequest\n\\getresults\n\\endpipeline"),
    ("pipeline error", "\\startpipeline\nSELECT 1 \\bind \\sendpipeline\nSELECT 1/0 \\bind \\sendpipeline\n"
                       "SELECT 2 \\bind \\sendpipeline\n\\syncpipeline\nSELECT 3 \\bind \\sendpipeline\n\\endpipeline"),
]

WRITES = {
    "insert": "INSERT INTO item (id, name) VALUES (0, 'x')",
    "update": "UPDATE shop.customer SET name = 'x'",
    "delete": "DELETE FROM item",
    "cte": "WITH gone AS (DELETE FROM item RETURNING id) SELECT * FROM gone",
    "create": "CREATE TABLE t (a int)",
    "temporary": "CREATE TEMP TABLE t AS SELECT 1",
    "nextval": "SELECT nextval('shop.invoice_number')",
    "for update": "SELECT * FROM item FOR UPDATE",
    "call": "CALL shop.close_day()",
    "do": "DO $$ BEGIN END $$",
    "copy in": "\\copy item from /dev/null",
    "read write": "BEGIN READ WRITE; INSERT INTO item (id, name) VALUES (0, 'x'); COMMIT",
    "lo_import": "\\lo_import /dev/null",
}


def main():
    said = subprocess.run([PSQL, "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"\d+(\.\d+)*", said)[0]
    step = Steps("psql", version)
    major = int(version.split(".")[0])
    chapters = {"describe": [(line, line) for line in DESCRIPTIONS.split("\n") if line]} | CHAPTERS
    if major >= 16:
        chapters["bind"] = BINDS
    if major >= 18:
        chapters["pipeline"] = PIPELINES
    for chapter, steps in chapters.items():
        answers = run_chapter(steps)
        for name, _ in steps:
            step.run(f"{chapter}: {name}", lambda: answers[name])
    step.run("list of databases", lambda: psql("-l"))
    step.run("one transaction", lambda: psql("-1", "-c", "SELECT 1", "-c", "SELECT 2"))
    step.run("exit status", lambda: subprocess.run([PSQL, "-X", "-c", "SELECT 1/0"], capture_output=True).returncode)
    for name, text in WRITES.items():
        step.run(f"write: {name}", lambda: psql("-v", "ON_ERROR_STOP=1", "-c", text), write=True)


def run_chapter(steps):
    """What each step of a chapter said on either stream."""
    lines = []
    for name, text in steps:
        lines += [f"\\echo '{MARK}{quoted(name)}'", f"\\warn '{MARK}{quoted(name)}'", text]
    done = subprocess.run([PSQL, "-X"], input="\n".join(lines) + "\n", capture_output=True, text=True, check=False)
    answers = {name: {} for name, _ in steps}
    for stream, text in (("out", done.stdout), ("err", done.stderr)):
        name = None
        for line in text.split("\n"):
            if line.startswith(MARK):
                name = line.removeprefix(MARK)
            elif name is not None:
                answers[name].setdefault(stream, []).append(line)
    return answers


def quoted(name):
    return name.replace("\\", "\\\\").replace("'", "\\'")


def psql(*arguments):
    done = subprocess.run([PSQL, "-X", *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout


main()
