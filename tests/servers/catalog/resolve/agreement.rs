//! The same names and types as the server's own Describe.

use pgsieve::catalog::{Catalog, TypeKind};
use pgsieve::resolve::{self, InferredType, KnownParameters, LookupContext};
use pgsieve::sql::tree::{self, Node, nodes};

use super::support::{Database, VERSIONS, statements};

#[tokio::test]
async fn the_corpora() {
    for version in VERSIONS {
        let Some(database) = Database::of_corpora(version).await else {
            continue;
        };
        let texts = CORPORA.iter().flat_map(|corpus| statements(corpus));
        compare(&database, version, texts.collect()).await;
    }
}

#[tokio::test]
async fn the_sample_shop() {
    for version in VERSIONS {
        let Some(database) = Database::of_shop(version).await else {
            continue;
        };
        compare(&database, version, statements(SHOP)).await;
    }
}

/// What became of the columns of all statements.
#[derive(Default)]
struct Count {
    statements: usize,
    refused: Vec<String>,
    columns: usize,
    unclear: Vec<String>,
    wrong: Vec<String>,
}

async fn compare(database: &Database, version: u32, texts: Vec<String>) {
    let mut count = Count::default();
    for text in &texts {
        one(database, text, &mut count).await;
    }
    let unclear = count.unclear.len();
    let refused = count.refused.len();
    eprintln!(
        "PostgreSQL {version}: {} statements ({refused} refused by the server), {} columns, {unclear} unclear",
        count.statements, count.columns,
    );
    if std::env::var_os("PGSIEVE_SHOW").is_some() {
        count
            .unclear
            .iter()
            .for_each(|line| eprintln!("unclear {line}"));
        count
            .refused
            .iter()
            .for_each(|line| eprintln!("refused {line}"));
    }
    let wrong = count.wrong.len();
    assert_eq!(wrong, 0, "{version}:\n{}", count.wrong.join("\n"));
    assert!(count.statements > texts.len() / 2);
    assert!(unclear * 100 <= count.columns * UNCLEAR_PERCENT_MAX);
}

async fn one(database: &Database, text: &str, count: &mut Count) {
    let Ok(parsed) = tree::parse(text) else {
        return;
    };
    let mut of_text = parsed.statements();
    let (Some(statement), None) = (of_text.next(), of_text.next()) else {
        return;
    };
    // What writes is described by no columns, or as something that the analysis does not follow.
    match statement.node {
        Node::SelectStmt(select) if !writes(select) => {}
        _ => return,
    }
    let Ok(described) = database.client.prepare(text).await else {
        count.refused.push(text.to_owned());
        return;
    };
    count.statements += 1;
    let catalog = &database.catalog;
    let path = catalog.search_path(database.path, catalog.role_named("postgres"));
    let lookup = LookupContext {
        catalog,
        path: &path,
        parameters: KnownParameters::Given(&[]),
    };
    let Ok(resolution) = resolve::statement(statement.node, &lookup) else {
        count.wrong.push(format!("too deep: {text}"));
        return;
    };
    let found = &resolution.output.columns;
    let said = described.columns();
    count.columns += said.len();
    if found.len() != said.len() {
        let line = format!("{} columns instead of {}: {text}", found.len(), said.len());
        match resolution.output.completeness {
            resolve::ColumnCompleteness::Open => count.unclear.push(line),
            resolve::ColumnCompleteness::Complete => count.wrong.push(line),
        }
        return;
    }
    for (found, said) in found.iter().zip(said) {
        if found.name.as_str() != said.name() {
            let (one, other) = (found.name.as_str(), said.name());
            count
                .wrong
                .push(format!("called {one} instead of {other}: {text}"));
        }
        match oid(catalog, &found.inferred) {
            None => count.unclear.push(format!("{}: {text}", said.name())),
            Some(oid) if oid == said.type_().oid() => {}
            Some(oid) => {
                let (name, said) = (said.name(), said.type_());
                count
                    .wrong
                    .push(format!("{name} is of {oid} instead of {said}: {text}"));
            }
        }
    }
}

/// Whether a query makes a table, or has a statement that writes in a WITH.
fn writes(select: &nodes::SelectStmt) -> bool {
    let mut waiting = vec![Node::SelectStmt(select)];
    while let Some(node) = waiting.pop() {
        if matches!(node, Node::IntoClause(_)) || tree::children(node, &mut waiting).is_err() {
            return true;
        }
    }
    false
}

/// What the server calls a type when it describes a column: domains go by what is below them.
fn oid(catalog: &Catalog, inferred: &InferredType) -> Option<u32> {
    match inferred {
        InferredType::Known(id) => match &catalog.data_type(*id).kind {
            TypeKind::Domain { base, .. } => oid(catalog, &InferredType::Known(*base)),
            _ => Some(catalog.data_type(*id).oid.0),
        },
        InferredType::Row(_) => Some(RECORD),
        InferredType::Literal | InferredType::Parameter(_) => Some(TEXT),
        InferredType::Unclear => None,
    }
}

const CORPORA: [&str; 6] = [
    include_str!("../../../data/corpus/reads.sql"),
    include_str!("../../../data/corpus/clients.sql"),
    include_str!("../../../data/corpus/psql.sql"),
    include_str!("../../../data/corpus/catalogs.sql"),
    include_str!("../../../data/corpus/tricks.sql"),
    include_str!("../../../data/schemas/resolve/scopes.sql"),
];

const SHOP: &str = include_str!("../../../data/schemas/resolve/shop.sql");

/// Of a hundred columns: what may stay unclear.
const UNCLEAR_PERCENT_MAX: usize = 5;

const RECORD: u32 = 2249;

const TEXT: u32 = 25;
