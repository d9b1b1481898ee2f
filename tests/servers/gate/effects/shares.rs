//! How much one careless object costs: in a database with one operator, cast, domain or aggregate
//! that nobody has labelled, what does not use it still passes.

use std::sync::Arc;

use pgsieve::catalog::Catalog;
use pgsieve::demo::sample;
use pgsieve::upstream::snapshot;
use tokio_postgres::Client;

use crate::gate::effects::cases::{ANALYTICS, CATALOGS, CLIENTS, Case, PSQL, READS, cases};
use crate::gate::effects::judge::{Judge, Outcome, assert_none};
use crate::gate::effects::servers::{Database, Server, block_on, servers};
use crate::support::sql::connected;

#[test]
fn one_careless_object_costs_nothing_but_what_uses_it() {
    let mut wrong = Vec::new();
    for server in servers() {
        block_on(async {
            let shop = copy_of(&server.shop, server, "careless_shop").await;
            sample::load(&shop, sample::ROLE).await.unwrap();
            let analytics = cases("analytics", ANALYTICS, server.major);
            wrong.extend(measure(&shop, &server.shop, server, &analytics).await);
            let corpus = copy_of(&server.corpus, server, "careless_corpus").await;
            corpus.batch_execute(CORPUS_SCHEMA).await.unwrap();
            let reads: Vec<Case> = [
                ("reads", READS),
                ("clients", CLIENTS),
                ("catalogs", CATALOGS),
            ]
            .into_iter()
            .flat_map(|(file, corpus)| cases(file, corpus, server.major))
            .chain(cases("psql", PSQL, 15))
            .collect();
            wrong.extend(measure(&corpus, &server.corpus, server, &reads).await);
        });
    }
    assert_none(&wrong);
}

/// Something with an effect that its owner has not labelled, and how it goes away again.
struct Careless {
    name: &'static str,
    made: &'static str,
    gone: &'static str,
}

async fn copy_of(of: &Database, server: &Server, name: &str) -> Client {
    let admin = connected(&server.shop.url).await;
    let create = format!("CREATE DATABASE {name} TEMPLATE template0");
    admin.batch_execute(&create).await.unwrap();
    let (start, _) = of.url.rsplit_once('/').unwrap();
    connected(&format!("{start}/{name}")).await
}

/// What is refused with one of them and is not without.
async fn measure(client: &Client, like: &Database, server: &Server, all: &[Case]) -> Vec<String> {
    let mut wrong = Vec::new();
    let before = judge(client, like, server).await;
    let before: Vec<&Case> = all.iter().filter(|case| passes(&before, case)).collect();
    for careless in CARELESS {
        client.batch_execute(careless.made).await.unwrap();
        let judge = judge(client, like, server).await;
        let refused = before.iter().filter(|case| !passes(&judge, case));
        let refused: Vec<String> = refused
            .map(|case| {
                let outcome = judge.judge(&case.text);
                format!("    {} {outcome:?} {:.120}", case.place, case.text)
            })
            .collect();
        println!(
            "Postgres {}: {}: {} of {} refused",
            server.major,
            careless.name,
            refused.len(),
            before.len()
        );
        if refused.len() * 100 >= before.len() {
            let some: Vec<&str> = refused.iter().take(20).map(String::as_str).collect();
            wrong.push(format!(
                "{} on {}: {} of {}\n{}",
                careless.name,
                server.major,
                refused.len(),
                before.len(),
                some.join("\n")
            ));
        }
        client.batch_execute(careless.gone).await.unwrap();
    }
    wrong
}

async fn judge(client: &Client, like: &Database, server: &Server) -> Judge {
    let rows = snapshot::load(client).await.unwrap();
    let catalog = Arc::new(Catalog::build(rows).unwrap());
    Judge::seeing(&catalog, like, "bi", server.major)
}

fn passes(judge: &Judge, case: &Case) -> bool {
    matches!(
        judge.judge(&case.text),
        Outcome::Permitted | Outcome::Clamped
    )
}

/// None of the statements uses one.
const CARELESS: &[Careless] = &[
    Careless {
        name: "operator = (json, json)",
        made: "CREATE FUNCTION careless(json, json) RETURNS boolean LANGUAGE plpgsql AS
            'BEGIN RETURN $1::text = $2::text; END';
            CREATE OPERATOR = (LEFTARG = json, RIGHTARG = json, FUNCTION = careless)",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "operator = (integer, text)",
        made: "CREATE FUNCTION careless(integer, text) RETURNS boolean LANGUAGE plpgsql AS
            'BEGIN RETURN $1::text = $2; END';
            CREATE OPERATOR = (LEFTARG = integer, RIGHTARG = text, FUNCTION = careless)",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "operator + (text, text)",
        made: "CREATE FUNCTION careless(text, text) RETURNS text LANGUAGE plpgsql AS
            'BEGIN RETURN $1 || $2; END';
            CREATE OPERATOR + (LEFTARG = text, RIGHTARG = text, FUNCTION = careless)",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "operator < (point, point)",
        made: "CREATE FUNCTION careless(point, point) RETURNS boolean LANGUAGE plpgsql AS
            'BEGIN RETURN $1[0] < $2[0]; END';
            CREATE OPERATOR < (LEFTARG = point, RIGHTARG = point, FUNCTION = careless)",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "cast (point AS text)",
        made: "CREATE FUNCTION careless(point) RETURNS text LANGUAGE plpgsql AS
            'BEGIN RETURN $1[0]::text; END';
            CREATE CAST (point AS text) WITH FUNCTION careless(point) AS IMPLICIT",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "cast (varchar AS integer)",
        made: "CREATE FUNCTION careless(varchar) RETURNS integer LANGUAGE plpgsql AS
            'BEGIN RETURN $1::text::integer; END';
            CREATE CAST (varchar AS integer) WITH FUNCTION careless(varchar) AS ASSIGNMENT",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "cast (integer AS date)",
        made: "CREATE FUNCTION careless(integer) RETURNS date LANGUAGE plpgsql AS
            'BEGIN RETURN to_timestamp($1)::date; END';
            CREATE CAST (integer AS date) WITH FUNCTION careless(integer)",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "domain",
        made: "CREATE FUNCTION careless(text) RETURNS boolean LANGUAGE plpgsql AS
            'BEGIN RETURN $1 LIKE ''%@%''; END';
            CREATE DOMAIN mail AS text CHECK (careless(VALUE));
            CREATE TABLE writers (id integer, address mail)",
        gone: "DROP TABLE writers; DROP DOMAIN mail; DROP FUNCTION careless",
    },
    Careless {
        name: "aggregate first(anyelement)",
        made: "CREATE FUNCTION careless(anyelement, anyelement) RETURNS anyelement
            LANGUAGE plpgsql AS 'BEGIN RETURN $1; END';
            CREATE AGGREGATE first(anyelement) (SFUNC = careless, STYPE = anyelement)",
        gone: "DROP FUNCTION careless CASCADE",
    },
    Careless {
        name: "aggregate sum(text)",
        made: "CREATE FUNCTION careless(text, text) RETURNS text LANGUAGE plpgsql AS
            'BEGIN RETURN $1 || $2; END';
            CREATE AGGREGATE sum(text) (SFUNC = careless, STYPE = text)",
        gone: "DROP FUNCTION careless CASCADE",
    },
];

const CORPUS_SCHEMA: &str = include_str!("../../../data/corpus/schema.sql");
