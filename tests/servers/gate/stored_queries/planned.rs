//! What a server runs while it plans a read is seen: expressions of indexes, checks, partition keys
//! and statistics.

use pgsieve::policy::Policy;

use crate::catalog::snapshot::support::{Database, VERSIONS};
use crate::gate::stored_queries::seen;

#[tokio::test]
async fn what_is_run_while_a_read_is_planned_is_seen() {
    for version in VERSIONS {
        let Some(database) = Database::new(version).await else {
            continue;
        };
        let admin = database.admin().await;
        admin.batch_execute(TABLES).await.unwrap();
        let mut wanted = vec!["indexed", "keyed", "keyed_1", "limited", "partial"];
        if version >= 14 {
            admin.batch_execute(STATISTICS).await.unwrap();
            wanted.push("measured");
        }
        wanted.sort_unstable();
        let rows = seen::rows(&database).await;
        let found = seen::unclean_relations(&seen::effect_graph(&rows, &Policy::agent()), false);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, wanted, "{version}: {found:?}");
        // That they are run is why they count.
        admin
            .batch_execute("SET constraint_exclusion = on")
            .await
            .unwrap();
        for name in ["indexed", "partial", "limited"] {
            admin
                .batch_execute("SELECT set_config('app.ran', '', false)")
                .await
                .unwrap();
            let read = format!("SELECT * FROM {name} WHERE a = 1");
            admin.batch_execute(&read).await.unwrap();
            let ran = crate::support::sql::rows(&admin, "SELECT current_setting('app.ran')").await;
            assert_eq!(ran, [["yes"]], "{version}: {name}");
        }
    }
}

const TABLES: &str = "
CREATE FUNCTION silent(int) RETURNS int LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER AS
  $$ BEGIN PERFORM set_config('app.ran', 'yes', false); RETURN 1; END $$;
CREATE FUNCTION loud(int) RETURNS bool LANGUAGE plpgsql VOLATILE AS $$ BEGIN RETURN true; END $$;
CREATE TABLE indexed (a int);
CREATE INDEX ON indexed ((a + silent(1)));
CREATE TABLE partial (a int);
CREATE INDEX ON partial (a) WHERE a > silent(1);
CREATE TABLE limited (a int, CHECK (a > silent(1)));
CREATE TABLE keyed (a int) PARTITION BY LIST ((a + silent(1)));
CREATE TABLE keyed_1 PARTITION OF keyed FOR VALUES IN (1);
CREATE TABLE checked (a int, b text, CHECK (loud(a)), CHECK (length(b) > 1));
CREATE INDEX ON checked (lower(b)) WHERE a > 0;";

const STATISTICS: &str = "
CREATE TABLE measured (a int, b int);
CREATE STATISTICS measured_ab ON (a + silent(1)), b FROM measured;";
