//! Operator classes that no statement names: the statement shows an operator of the server, or
//! none, and an index, a partition, a sort or the planner has a function of a user run for it.

use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::gate::effects::judge::{Judge, Outcome};
use crate::gate::effects::servers::{Server, block_on, servers};
use crate::support::sql::connected;

#[test]
fn what_classes_of_operators_run_is_seen() {
    for server in servers() {
        block_on(async {
            let admin = connected(&server.shop.url).await;
            for family in FAMILIES {
                admin.batch_execute(family.schema).await.unwrap();
                check(family, &admin, server).await;
                admin.batch_execute(family.gone).await.unwrap();
            }
        });
    }
}

/// What is made, what it is run by and what not, and how it goes away again.
struct Family {
    schema: &'static str,
    statements: &'static [&'static str],
    harmless: &'static [&'static str],
    gone: &'static str,
}

async fn check(family: &Family, admin: &Client, server: &Server) {
    for statement in family.statements {
        let begin = "SELECT pg_advisory_unlock_all(); BEGIN; SET LOCAL enable_seqscan = off";
        admin.batch_execute(begin).await.unwrap();
        admin.batch_execute(statement).await.unwrap();
        let held = admin.query_one(HELD, &[]).await.unwrap();
        assert!(held.get::<_, i64>(0) > 0, "{statement} has no effect");
        admin.batch_execute("ROLLBACK").await.unwrap();
    }
    admin
        .batch_execute("SELECT pg_advisory_unlock_all()")
        .await
        .unwrap();
    let rows = snapshot::load(admin).await.unwrap();
    let catalog = Arc::new(Catalog::build(rows).unwrap());
    let judge = Judge::seeing(&catalog, &server.shop, "agent", server.major);
    for statement in family.statements {
        let outcome = judge.judge(statement);
        let refused = matches!(outcome, Outcome::Refused(..));
        assert!(refused, "{statement}: {outcome:?}");
    }
    for statement in family.harmless {
        let outcome = judge.judge(statement);
        assert_eq!(outcome, Outcome::Permitted, "{statement}");
    }
}

const FAMILIES: &[Family] = &[
    Family {
        schema: OWN_CLASS,
        statements: &[
            "SELECT id FROM indexed WHERE id = 5",
            "SELECT count(*) FROM indexed WHERE id > 490 AND id < 495",
            "SELECT id FROM indexed WHERE id IN (3, 4)",
            "SELECT id FROM split WHERE id = 5",
            "SELECT count(*) FROM split WHERE id IN (5, 6)",
        ],
        harmless: &["SELECT name FROM shop.customers WHERE name = 'Ada'"],
        gone: "DROP TABLE indexed, split; DROP OPERATOR FAMILY own_ops USING btree;
            DROP FUNCTION own_cmp",
    },
    Family {
        schema: WORDS,
        statements: &["SELECT count(*) FROM worded WHERE words @> '{5,6}'"],
        harmless: &["SELECT name FROM shop.customers WHERE name = 'Ada'"],
        gone: "DROP TABLE worded; DROP OPERATOR FAMILY words_ops USING gin; DROP FUNCTION own_cmp",
    },
    Family {
        schema: BLOCKS,
        statements: &["SELECT count(*) FROM blocks WHERE id =! 5"],
        harmless: &["SELECT name FROM shop.customers WHERE name = 'Ada'"],
        gone: "DROP TABLE blocks; DROP OPERATOR FAMILY block_ops USING brin;
            DROP OPERATOR <=! (integer, integer); DROP OPERATOR =! (integer, integer);
            DROP FUNCTION own_le, own_eq",
    },
    Family {
        schema: DERIVED,
        statements: &["SELECT count(*) FROM a, b WHERE a === b AND b === 1::smallint"],
        harmless: &["SELECT count(*) FROM a, b WHERE a = b AND b = 1"],
        gone: "DROP TABLE a, b; DROP OPERATOR FAMILY derived USING btree;
            DROP OPERATOR === (integer, bigint); DROP OPERATOR === (bigint, smallint);
            DROP OPERATOR ~== (integer, smallint); DROP FUNCTION same_84, same_82, same_42",
    },
    Family {
        schema: DOCUMENTS,
        statements: &[
            "SELECT DISTINCT xmlelement(name a, id) FROM generate_series(1, 2) AS id",
            "SELECT DISTINCT xmlcomment(id::text) FROM generate_series(1, 2) AS id",
            "SELECT xmlforest(id AS a) FROM generate_series(1, 2) AS id ORDER BY 1",
            "SELECT xmlforest(1 AS a) UNION SELECT xmlforest(2 AS a)",
            "SELECT array_agg(DISTINCT xmlforest(id)) FROM generate_series(1, 2) AS id",
            "SELECT array_position(ARRAY[xmlforest(1 AS a)], xmlforest(2 AS a))",
            "SELECT GREATEST(xmlparse(document '<a/>'), xmlpi(name a))",
        ],
        harmless: &[
            "SELECT 1",
            "SELECT DISTINCT name FROM shop.customers ORDER BY name",
        ],
        gone: "DROP OPERATOR FAMILY document_ops USING btree; DROP FUNCTION own_xml_cmp;
            DROP OPERATOR <# (xml, xml); DROP OPERATOR <=# (xml, xml); DROP OPERATOR =# (xml, xml);
            DROP OPERATOR >=# (xml, xml); DROP OPERATOR ># (xml, xml); DROP FUNCTION own_xml",
    },
];

/// B-tree: an index and a partition.
const OWN_CLASS: &str =
    "CREATE FUNCTION own_cmp(integer, integer) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN btint4cmp($1, $2); END';
CREATE OPERATOR CLASS own_ops FOR TYPE integer USING btree AS
  OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
  FUNCTION 1 own_cmp(integer, integer);
CREATE TABLE indexed (id integer);
INSERT INTO indexed SELECT generate_series(1, 500);
CREATE INDEX indexed_own ON indexed (id own_ops);
CREATE TABLE split (id integer) PARTITION BY RANGE (id own_ops);
CREATE TABLE split_low PARTITION OF split FOR VALUES FROM (0) TO (10);
CREATE TABLE split_high PARTITION OF split FOR VALUES FROM (10) TO (20)";

/// GIN compares keys.
const WORDS: &str = "CREATE FUNCTION own_cmp(text, text) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN bttextcmp($1, $2); END';
CREATE OPERATOR CLASS words_ops FOR TYPE text[] USING gin AS
  OPERATOR 2 @>(anyarray, anyarray), FUNCTION 1 own_cmp(text, text),
  FUNCTION 2 ginarrayextract(anyarray, internal, internal),
  FUNCTION 3 ginqueryarrayextract(anyarray, internal, smallint, internal, internal, internal,
    internal),
  FUNCTION 4 ginarrayconsistent(internal, smallint, anyarray, integer, internal, internal,
    internal, internal),
  STORAGE text;
CREATE TABLE worded (words text[]);
INSERT INTO worded SELECT ARRAY[n::text, (n + 1)::text] FROM generate_series(1, 500) AS n;
CREATE INDEX ON worded USING gin (words words_ops);
ANALYZE worded";

/// BRIN asks other operators of the family than the one that is written.
const BLOCKS: &str = "CREATE FUNCTION own_le(integer, integer) RETURNS boolean LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN $1 <= $2; END';
CREATE FUNCTION own_eq(integer, integer) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN RETURN $1 = $2; END';
CREATE OPERATOR <=! (LEFTARG = integer, RIGHTARG = integer, FUNCTION = own_le);
CREATE OPERATOR =! (LEFTARG = integer, RIGHTARG = integer, FUNCTION = own_eq, RESTRICT = eqsel);
CREATE OPERATOR CLASS block_ops FOR TYPE integer USING brin AS
  OPERATOR 1 <, OPERATOR 2 <=!, OPERATOR 3 =!, OPERATOR 4 >=, OPERATOR 5 >,
  FUNCTION 1 brin_minmax_opcinfo(internal),
  FUNCTION 2 brin_minmax_add_value(internal, internal, internal, internal),
  FUNCTION 3 brin_minmax_consistent(internal, internal, internal),
  FUNCTION 4 brin_minmax_union(internal, internal, internal);
CREATE TABLE blocks (id integer);
INSERT INTO blocks SELECT generate_series(1, 5000);
CREATE INDEX ON blocks USING brin (id block_ops);
ANALYZE blocks";

/// From `a === b AND b === 1::smallint` the planner makes a comparison of `a` and 1.
const DERIVED: &str = "CREATE FUNCTION same_84(integer, bigint) RETURNS boolean LANGUAGE plpgsql
  IMMUTABLE AS 'BEGIN RETURN $1 = $2; END';
CREATE FUNCTION same_82(bigint, smallint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS
  'BEGIN RETURN $1 = $2; END';
CREATE FUNCTION same_42(integer, smallint) RETURNS boolean LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN $1 = $2; END';
CREATE OPERATOR === (LEFTARG = integer, RIGHTARG = bigint, FUNCTION = same_84, MERGES);
CREATE OPERATOR === (LEFTARG = bigint, RIGHTARG = smallint, FUNCTION = same_82, MERGES);
CREATE OPERATOR ~== (LEFTARG = integer, RIGHTARG = smallint, FUNCTION = same_42, MERGES);
CREATE OPERATOR FAMILY derived USING btree;
ALTER OPERATOR FAMILY derived USING btree ADD OPERATOR 3 ===(integer, bigint),
  OPERATOR 3 ===(bigint, smallint), OPERATOR 3 ~==(integer, smallint);
CREATE TABLE a (a integer);
CREATE TABLE b (b bigint);
INSERT INTO a VALUES (1);
INSERT INTO b VALUES (1)";

/// A type of the server that has no order of its own, and values of it that no name brings.
const DOCUMENTS: &str = "CREATE FUNCTION own_xml(xml, xml) RETURNS boolean LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN $1::text = $2::text; END';
CREATE FUNCTION own_xml_cmp(xml, xml) RETURNS integer LANGUAGE plpgsql AS
  'BEGIN PERFORM pg_advisory_lock(1); RETURN bttextcmp($1::text, $2::text); END';
CREATE OPERATOR <# (LEFTARG = xml, RIGHTARG = xml, FUNCTION = own_xml);
CREATE OPERATOR <=# (LEFTARG = xml, RIGHTARG = xml, FUNCTION = own_xml);
CREATE OPERATOR =# (LEFTARG = xml, RIGHTARG = xml, FUNCTION = own_xml);
CREATE OPERATOR >=# (LEFTARG = xml, RIGHTARG = xml, FUNCTION = own_xml);
CREATE OPERATOR ># (LEFTARG = xml, RIGHTARG = xml, FUNCTION = own_xml);
CREATE OPERATOR CLASS document_ops DEFAULT FOR TYPE xml USING btree AS
  OPERATOR 1 <#, OPERATOR 2 <=#, OPERATOR 3 =#, OPERATOR 4 >=#, OPERATOR 5 >#,
  FUNCTION 1 own_xml_cmp(xml, xml)";

const HELD: &str = "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database
 WHERE l.locktype = 'advisory' AND d.datname = current_database()";
