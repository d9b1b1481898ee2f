//! The walk finds what stands anywhere in a statement: every place an expression can take, every
//! field of every node that the grammar fills.

use std::collections::BTreeMap;

use pgsieve::sql::tree::{self, Node, children, kind_name};

/// Every statement holds `marker_fn()` wherever its construct lets an expression stand.
const PLACES: &[&str] = &[
    // The clauses of SELECT.
    "SELECT marker_fn()",
    "SELECT ALL marker_fn() AS x, 1 + marker_fn()",
    "SELECT DISTINCT marker_fn()",
    "SELECT DISTINCT ON (a, marker_fn()) a FROM t",
    "SELECT 1 WHERE marker_fn()",
    "SELECT 1 FROM t GROUP BY marker_fn()",
    "SELECT 1 FROM t GROUP BY DISTINCT ROLLUP (a, marker_fn()), CUBE (marker_fn(), b)",
    "SELECT 1 FROM t GROUP BY GROUPING SETS ((a, marker_fn()), ROLLUP (marker_fn()), ())",
    "SELECT GROUPING(a, marker_fn()) FROM t GROUP BY a",
    "SELECT 1 FROM t HAVING marker_fn()",
    "SELECT 1 FROM t ORDER BY marker_fn() DESC NULLS LAST, marker_fn() USING OPERATOR(s.<)",
    "SELECT 1 LIMIT marker_fn() OFFSET marker_fn()",
    "SELECT 1 ORDER BY 1 OFFSET marker_fn() ROWS FETCH FIRST (marker_fn()) ROWS WITH TIES",
    "VALUES (1, marker_fn()), (marker_fn(), 2) ORDER BY marker_fn() LIMIT marker_fn()",
    "SELECT 1 UNION ALL SELECT marker_fn() INTERSECT SELECT marker_fn() EXCEPT VALUES \
     (marker_fn())",
    "(SELECT marker_fn()) UNION (SELECT 1 ORDER BY marker_fn()) ORDER BY marker_fn()",
    "SELECT 1 FROM (SELECT marker_fn() FOR UPDATE OF t, u NOWAIT) x FOR SHARE",
    "SELECT marker_fn() INTO TEMP x FROM t",
    // FROM.
    "SELECT 1 FROM marker_fn()",
    "SELECT 1 FROM marker_fn(marker_fn()) WITH ORDINALITY AS f (a, b)",
    "SELECT 1 FROM marker_fn() AS f (a numeric(1, 2), b text COLLATE \"C\")",
    "SELECT 1 FROM ROWS FROM (marker_fn() AS (a int), generate_series(1, marker_fn())) AS r",
    "SELECT 1 FROM t, LATERAL marker_fn() x, LATERAL (SELECT marker_fn()) y",
    "SELECT 1 FROM t JOIN u ON marker_fn() LEFT JOIN (v CROSS JOIN marker_fn() z) ON marker_fn()",
    "SELECT 1 FROM t NATURAL JOIN marker_fn() JOIN w USING (a, b) AS j",
    "SELECT 1 FROM (t FULL JOIN marker_fn() u ON marker_fn()) AS j (a, b)",
    "SELECT 1 FROM t TABLESAMPLE s.bernoulli (marker_fn()) REPEATABLE (marker_fn())",
    "SELECT 1 FROM t TABLESAMPLE system (1, marker_fn())",
    "SELECT 1 FROM COALESCE(marker_fn(), 1) c, CAST(marker_fn() AS int) d",
    // WITH.
    "WITH a AS (SELECT marker_fn()), b (x, y) AS MATERIALIZED (VALUES (marker_fn())) TABLE a",
    "WITH RECURSIVE r AS (SELECT marker_fn() UNION ALL SELECT marker_fn() FROM r) SELECT 1 FROM r",
    "WITH RECURSIVE r AS (SELECT 1 AS a) SEARCH DEPTH FIRST BY a SET o SELECT marker_fn() FROM r",
    "WITH RECURSIVE r AS (SELECT 1 AS a UNION SELECT a FROM r) CYCLE a SET c TO t.ype '1' \
     DEFAULT t.ype '2' USING p SELECT marker_fn() FROM r",
    "SELECT (WITH a AS (SELECT marker_fn()) SELECT 1 FROM a)",
    // Windows and aggregates.
    "SELECT sum(marker_fn()) OVER (PARTITION BY marker_fn() ORDER BY marker_fn())",
    "SELECT sum(1) OVER (ROWS BETWEEN marker_fn() PRECEDING AND marker_fn() FOLLOWING EXCLUDE \
     TIES)",
    "SELECT sum(1) OVER w FROM t WINDOW w AS (PARTITION BY marker_fn() ORDER BY marker_fn() \
     RANGE marker_fn() PRECEDING), v AS (w GROUPS BETWEEN marker_fn() FOLLOWING AND marker_fn() \
     FOLLOWING)",
    "SELECT array_agg(DISTINCT marker_fn() ORDER BY marker_fn()) FILTER (WHERE marker_fn())",
    "SELECT percentile_cont(marker_fn()) WITHIN GROUP (ORDER BY marker_fn()) FILTER (WHERE \
     marker_fn())",
    "SELECT count(*) FILTER (WHERE marker_fn()) OVER (ORDER BY marker_fn())",
    "SELECT lag(1) OVER (w ORDER BY marker_fn()) FROM t WINDOW w AS (PARTITION BY marker_fn())",
    // Arguments.
    "SELECT f(marker_fn(), x => marker_fn(), y := marker_fn()), f(VARIADIC marker_fn())",
    "SELECT f(marker_fn(marker_fn(marker_fn())))",
    "SELECT s.marker_fn(), c.s.marker_fn()",
    "SELECT marker_fn() COLLATE \"C\", marker_fn() AT TIME ZONE marker_fn(), marker_fn() AT LOCAL",
    // Operators.
    "SELECT marker_fn() + marker_fn(), - marker_fn(), marker_fn() OPERATOR(s.+) marker_fn()",
    "SELECT NOT marker_fn() AND marker_fn() OR marker_fn()",
    "SELECT marker_fn() LIKE marker_fn() ESCAPE marker_fn(), a SIMILAR TO marker_fn()",
    "SELECT marker_fn() BETWEEN marker_fn() AND marker_fn(), a NOT BETWEEN SYMMETRIC marker_fn() \
     AND 1",
    "SELECT marker_fn() IN (1, marker_fn()), a NOT IN (SELECT marker_fn())",
    "SELECT marker_fn() = ANY (marker_fn()), a < ALL (ARRAY[marker_fn()]), a = SOME (SELECT \
     marker_fn())",
    "SELECT (marker_fn(), 1) = (SELECT marker_fn(), 2), ROW(marker_fn()) < ROW(marker_fn())",
    "SELECT (a, marker_fn()) OVERLAPS (b, marker_fn())",
    "SELECT marker_fn() IS NULL, marker_fn() IS NOT TRUE, marker_fn() IS DISTINCT FROM marker_fn()",
    "SELECT marker_fn() IS DOCUMENT, marker_fn() IS NFC NORMALIZED, NULLIF(marker_fn(), \
     marker_fn())",
    "SELECT EXISTS (SELECT marker_fn()), ARRAY(SELECT marker_fn()), (SELECT marker_fn())",
    "SELECT marker_fn() LIKE ANY (SELECT marker_fn()), marker_fn() OPERATOR(s.=) ALL (SELECT 1)",
    // Forms of their own.
    "SELECT CASE marker_fn() WHEN marker_fn() THEN marker_fn() ELSE marker_fn() END",
    "SELECT CASE WHEN marker_fn() THEN 1 WHEN 2 THEN marker_fn() END",
    "SELECT COALESCE(1, marker_fn()), GREATEST(marker_fn(), 1), LEAST(1, marker_fn())",
    "SELECT ARRAY[1, marker_fn()], ARRAY[[marker_fn()], [1]], ROW(1, marker_fn()), (1, \
     marker_fn())",
    "SELECT marker_fn()::int, CAST(marker_fn() AS s.t(1)[3]), x::numeric(marker_fn()), \
     marker_fn()::t[]",
    "SELECT (marker_fn()).a, (marker_fn()).*, (marker_fn())[1], a[marker_fn()], a[marker_fn():2].b",
    "SELECT a[1:marker_fn()], a[:][marker_fn():marker_fn()], (a.b)[marker_fn()].c[marker_fn()]",
    "SELECT EXTRACT(year FROM marker_fn()), SUBSTRING(marker_fn() FROM marker_fn() FOR \
     marker_fn())",
    "SELECT SUBSTRING(marker_fn() SIMILAR marker_fn() ESCAPE marker_fn()), POSITION(a IN \
     marker_fn())",
    "SELECT OVERLAY(a PLACING marker_fn() FROM marker_fn()), TRIM(BOTH marker_fn() FROM \
     marker_fn())",
    "SELECT COLLATION FOR (marker_fn()), TREAT(marker_fn() AS t), NORMALIZE(marker_fn(), NFD)",
    "SELECT CURRENT_TIMESTAMP(3), CURRENT_USER, marker_fn(), SESSION_USER, MERGE_ACTION()",
    // XML.
    "SELECT XMLCONCAT(marker_fn(), 1), XMLFOREST(marker_fn() AS a, marker_fn())",
    "SELECT XMLELEMENT(NAME a, XMLATTRIBUTES(marker_fn() AS b), marker_fn())",
    "SELECT XMLPARSE(DOCUMENT marker_fn()), XMLPI(NAME a, marker_fn()), XMLEXISTS(marker_fn() \
     PASSING marker_fn())",
    "SELECT XMLROOT(marker_fn(), VERSION marker_fn()), XMLSERIALIZE(CONTENT marker_fn() AS t(1) \
     INDENT)",
    "SELECT 1 FROM XMLTABLE(XMLNAMESPACES(marker_fn() AS n, DEFAULT 'x'), marker_fn() PASSING \
     marker_fn() \
     COLUMNS a int PATH marker_fn() DEFAULT marker_fn() NOT NULL, o FOR ORDINALITY) AS x (p, q)",
    "SELECT 1 FROM t, LATERAL XMLTABLE('/r' PASSING BY REF marker_fn() COLUMNS a t(1))",
    // JSON.
    "SELECT JSON_OBJECT(marker_fn() : marker_fn() FORMAT JSON, 'b' VALUE marker_fn() ABSENT ON \
     NULL \
     WITH UNIQUE KEYS RETURNING s.t(1) FORMAT JSON ENCODING UTF8)",
    "SELECT JSON_ARRAY(marker_fn(), marker_fn() FORMAT JSON NULL ON NULL RETURNING t)",
    "SELECT JSON_ARRAY(SELECT marker_fn() FORMAT JSON RETURNING jsonb)",
    "SELECT JSON_OBJECTAGG(marker_fn() : marker_fn() RETURNING t) FILTER (WHERE marker_fn()) OVER \
     (ORDER BY marker_fn())",
    "SELECT JSON_ARRAYAGG(marker_fn() ORDER BY marker_fn() NULL ON NULL RETURNING t) FILTER (WHERE \
     marker_fn())",
    "SELECT JSON(marker_fn() FORMAT JSON WITH UNIQUE KEYS), JSON_SCALAR(marker_fn()), \
     JSON_SERIALIZE(marker_fn() RETURNING t(1))",
    "SELECT marker_fn() IS JSON OBJECT WITH UNIQUE KEYS, marker_fn() IS NOT JSON",
    "SELECT JSON_VALUE(marker_fn(), marker_fn() PASSING marker_fn() AS a, marker_fn() FORMAT \
     JSON AS b \
     RETURNING t(1) DEFAULT marker_fn() ON EMPTY DEFAULT marker_fn() ON ERROR)",
    "SELECT JSON_QUERY(marker_fn() FORMAT JSON, '$' PASSING marker_fn() AS a RETURNING t WITH \
     WRAPPER \
     DEFAULT marker_fn() ON EMPTY ERROR ON ERROR)",
    "SELECT JSON_EXISTS(marker_fn(), '$' PASSING marker_fn() AS a TRUE ON ERROR)",
    "SELECT 1 FROM JSON_TABLE(marker_fn(), '$' AS p PASSING marker_fn() AS a COLUMNS (o FOR \
     ORDINALITY, \
     c t(1) FORMAT JSON PATH '$.c' KEEP QUOTES DEFAULT marker_fn() ON EMPTY DEFAULT marker_fn() \
     ON ERROR, \
     e int EXISTS PATH '$.e' FALSE ON ERROR, NESTED PATH '$[*]' AS q COLUMNS (d int PATH '$.d' \
     DEFAULT marker_fn() ON ERROR)) EMPTY ON ERROR) AS j (x, y)",
    "SELECT 1 FROM t, LATERAL JSON_TABLE(jsonb_build_array(marker_fn()), '$' COLUMNS (a int))",
    // Statements that carry a query or values.
    "EXPLAIN (ANALYZE, FORMAT json, BUFFERS off) SELECT marker_fn()",
    "COPY (SELECT marker_fn()) TO STDOUT (FORMAT csv, FORCE_QUOTE (a, b), HEADER true)",
    "COPY t (a, b) FROM STDIN (FORMAT csv, FORCE_QUOTE *) WHERE marker_fn()",
    "PREPARE p (int, s.t(1)[]) AS SELECT marker_fn()",
    "EXECUTE p (marker_fn(), 1 + marker_fn())",
    "EXPLAIN EXECUTE p (marker_fn())",
    "EXPLAIN ANALYZE DECLARE c CURSOR FOR SELECT marker_fn()",
    "DECLARE c SCROLL CURSOR WITH HOLD FOR SELECT marker_fn()",
];

/// Statements without a place for an expression.
const OTHERS: &[&str] = &[
    "SELECT",
    "TABLE ONLY a.b.c",
    "SELECT *, t.*, a.b.c, \"Q\", $1, 1, 1.5, 'a', B'01', X'1f', TRUE, NULL, INTERVAL '1' DAY",
    "SELECT date '2020-01-01', t(1) 'x', N'n', U&'\\0061', E'\\n', $$d$$, interval(3) 'p'",
    "SELECT 1 FROM t* AS a (b, c), ONLY u, ONLY (v) w",
    "SELECT 1 FOR NO KEY UPDATE SKIP LOCKED",
    "BEGIN ISOLATION LEVEL SERIALIZABLE, READ ONLY, DEFERRABLE",
    "COMMIT AND CHAIN",
    "ROLLBACK TO SAVEPOINT s",
    "SAVEPOINT s",
    "SET a.b TO 1, 'x', y, -2.5",
    "SET TIME ZONE INTERVAL '1' HOUR TO MINUTE",
    "SET TRANSACTION READ WRITE",
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED",
    "SET LOCAL x FROM CURRENT",
    "RESET ALL",
    "SHOW search_path",
    "DEALLOCATE ALL",
    "FETCH BACKWARD 5 IN c",
    "MOVE c",
    "CLOSE ALL",
    "DISCARD ALL",
    "UNLISTEN *",
];

#[test]
fn a_call_is_found_wherever_an_expression_can_stand() {
    for text in PLACES {
        let expected = text.matches("marker_fn(").count();
        assert!(expected > 0, "{text}");
        let found = walk(text).into_iter().filter(is_marker).count();
        assert_eq!(found, expected, "{text}");
    }
}

/// `Debug` of the parser's nodes prints each field of each struct. What it prints and what the walk
/// finds must be the same nodes, kind by kind.
#[test]
fn the_walk_finds_every_node_that_a_full_print_shows() {
    for text in PLACES.iter().chain(OTHERS) {
        let mut walked: BTreeMap<String, usize> = BTreeMap::new();
        for kind in walk(text).into_iter().map(|(kind, _)| kind) {
            *walked.entry(kind).or_default() += 1;
        }
        // Names are looked through, not visited; lists print as brackets.
        walked.remove("NodeList");
        walked.remove("String");
        let mut printed = printed_kinds(text);
        printed.remove("String");
        assert_eq!(walked, printed, "{text}");
    }
}

#[test]
fn kinds_that_are_not_written_out_are_unknown() {
    for (text, kind) in [
        ("INSERT INTO t VALUES (1)", "InsertStmt"),
        ("UPDATE t SET a = 1", "UpdateStmt"),
        ("DELETE FROM t", "DeleteStmt"),
        (
            "MERGE INTO t USING u ON true WHEN MATCHED THEN DELETE",
            "MergeStmt",
        ),
        ("CREATE TABLE t (a int)", "CreateStmt"),
        ("DO $$ $$", "DoStmt"),
        ("CALL p()", "CallStmt"),
        ("LOCK t", "LockStmt"),
        (
            "WITH d AS (DELETE FROM t RETURNING *) SELECT 1",
            "DeleteStmt",
        ),
        (
            "EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1",
            "CreateTableAsStmt",
        ),
        ("PREPARE p AS UPDATE t SET a = 1", "UpdateStmt"),
    ] {
        assert_eq!(unknown_kind(text).as_deref(), Some(kind), "{text}");
    }
}

#[test]
fn errors_say_nothing_of_the_text() {
    for text in [
        "SELECT 'canary' 'x",
        "SELECT canary canary canary",
        "DROP TABLE canary canary",
    ] {
        let error = tree::parse(text).expect_err(text);
        assert!(
            !format!("{error:?} {error} {error:#?}").contains("canary"),
            "{text}"
        );
        assert!(
            error.message_for_client().contains("canary") || text.contains('\''),
            "{text}"
        );
    }
    let tree = tree::parse("DELETE FROM canary WHERE a = 'canary'").expect("parses");
    let node = tree.statements().next().expect("one statement").node;
    let unknown = children(node, &mut Vec::new()).expect_err("not a read");
    assert_eq!(
        format!("{unknown:?}, {unknown}").matches("canary").count(),
        0
    );
    assert_eq!(unknown.kind(), "DeleteStmt");
}

#[test]
fn statements_know_their_place() {
    let spans = |text: &'static str| -> Vec<&str> {
        let tree = tree::parse(text).expect(text);
        tree.statements()
            .map(|statement| text[statement.span()].trim())
            .collect()
    };
    assert_eq!(spans(""), [""; 0]);
    assert_eq!(spans(" ; -- only\n ;"), [""; 0]);
    assert_eq!(spans("SELECT 'é;'; SELECT 2"), ["SELECT 'é;'", "SELECT 2"]);
    assert_eq!(spans("SELECT 1;;;SHOW a;"), ["SELECT 1", "SHOW a"]);
    assert_eq!(spans("SELECT $$;$$ ; ;"), ["SELECT $$;$$"]);
}

/// All nodes of a text, kind by kind, with whether each is a call of the marker.
fn walk(text: &str) -> Vec<(String, bool)> {
    let tree =
        tree::parse(text).unwrap_or_else(|error| panic!("{text}: {}", error.message_for_client()));
    let mut found = Vec::new();
    for statement in tree.statements() {
        let mut stack = vec![statement.node];
        while let Some(node) = stack.pop() {
            found.push((kind_name(node).to_string(), calls_marker(node)));
            children(node, &mut stack).unwrap_or_else(|unknown| panic!("{text}: {unknown}"));
        }
    }
    found
}

fn calls_marker(node: Node<'_>) -> bool {
    match node {
        Node::FuncCall(call) => {
            call.funcname()
                .iter()
                .next_back()
                .and_then(|name| name.as_str())
                == Some("marker_fn")
        }
        _ => false,
    }
}

fn is_marker((_, is_marker): &(String, bool)) -> bool {
    *is_marker
}

fn unknown_kind(text: &str) -> Option<String> {
    let tree = tree::parse(text).expect(text);
    let mut stack: Vec<_> = tree.statements().map(|statement| statement.node).collect();
    while let Some(node) = stack.pop() {
        if let Err(unknown) = children(node, &mut stack) {
            return Some(unknown.kind().to_owned());
        }
    }
    None
}

/// The kinds in the parser's own print of a text: what stands before " {", outside quotes.
fn printed_kinds(text: &str) -> BTreeMap<String, usize> {
    let tree = tree::parse(text).expect(text);
    let mut kinds = BTreeMap::new();
    for statement in tree.statements() {
        let print = format!("{:?}", statement.node);
        let bare: String = print.split('"').step_by(2).collect::<Vec<_>>().join("\"");
        for (at, _) in bare.match_indices(" {") {
            let kind = bare[..at]
                .rsplit(|c: char| !c.is_alphanumeric() && c != '_')
                .next();
            *kinds
                .entry(kind.unwrap_or_default().to_owned())
                .or_default() += 1;
        }
    }
    kinds
}
