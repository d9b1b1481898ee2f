//! `copy`: every COPY except one that sends rows to the client.
//!
//! # Sees
//! COPY … FROM, COPY to a file or program, and formats that are no built-ins.
//!
//! # Why
//! COPY reaches files and programs of the server and writes rows.
//!
//! # Before
//! - `COPY orders FROM STDIN`
//! - `COPY (SELECT 1) TO '/tmp/out'`
//! - `COPY (SELECT 1) TO PROGRAM 'cat'`
//! - `COPY orders TO '/tmp/out'`
//!
//! # After
//! - `COPY orders TO STDOUT`
//! - `COPY orders (id) TO STDOUT WITH (FORMAT csv, HEADER true)`
//! - `COPY (SELECT * FROM orders) TO STDOUT`
//!
//! # When not
//! What a query does that is copied is judged by the rules for it. COPY of a relation is judged as
//! the SELECT of its columns, all of them where none are named.
//!
//! Which relations COPY sends the rows of, and which of their columns:
//! <https://www.postgresql.org/docs/current/sql-copy.html>

use crate::context::JudgeContext;
use crate::effects::graph::InheritanceReach;
use crate::effects::lookup;
use crate::effects::resolve_effects::CheckSubject;
use crate::rules::{RuleResult, node_unknown};
use crate::{Refusal, Rule, command_label, judge};
use catalog::{Relation, RelationKind};
use ground::sqlstate::{self, SqlState};
use resolve::{KnownParameters, UsedObject};
use sql::tree::{self, Node, SyntaxTree, nodes};

pub(crate) fn check(node: Node<'_>) -> RuleResult {
    let Node::CopyStmt(copy) = node else {
        return Err(node_unknown::refusal(node));
    };
    if copy.is_from {
        let name = copy
            .relation()
            .map(command_label::relation)
            .unwrap_or_default();
        return Err(Refusal::new(
            Rule::Copy,
            &format!("COPY {name} FROM is not allowed: this connection only reads"),
            "Leave it out; rows have to be written through another connection.",
        ));
    }
    if copy.is_program || copy.filename().is_some() {
        let message = "COPY TO a file or program of the server is not allowed: it reaches beyond the database";
        return Err(refusal(sqlstate::INSUFFICIENT_PRIVILEGE, message));
    }
    if !copy.options().iter().all(is_built_in) {
        let message = "COPY in this FORMAT is not allowed: it is no built-in";
        return Err(refusal(sqlstate::INSUFFICIENT_PRIVILEGE, message));
    }
    if copy.relation().is_some() != matches!(copy.query(), Node::None) {
        return Err(unread());
    }
    Ok(())
}

/// COPY of a relation, judged as the query that it is. Where names stand in that is of no use to
/// the client.
///
/// Relations that PostgreSQL does not copy (views, foreign tables, before version 19 partitioned
/// tables) are judged like all others: distributed engines copy them as the query.
pub(crate) fn check_relation(copy: &nodes::CopyStmt, context: &mut JudgeContext<'_>) -> RuleResult {
    let text = query(copy, InheritanceReach::WithChildren).ok_or_else(unread)?;
    let text = match reach(&text, context)? {
        InheritanceReach::Only => query(copy, InheritanceReach::Only).ok_or_else(unread)?,
        InheritanceReach::WithChildren => text,
    };
    let tree = tree::parse(&text).map_err(|_| unread())?;
    let mut inner = context.of(&text);
    let judged = judge::judge(only(&tree)?, &mut inner);
    context.adopt(inner);
    judged.map_err(|mut refusal| {
        refusal.position = None;
        refusal
    })
}

/// The queries that COPY of a relation may be planned as.
pub(crate) fn planned(copy: &nodes::CopyStmt) -> Vec<String> {
    let reaches = [InheritanceReach::Only, InheritanceReach::WithChildren];
    let queries = reaches.into_iter().map(|reach| query(copy, reach));
    queries.flatten().collect()
}

/// The columns of a COPY of a relation as a SELECT has them; none where something else than a
/// column is named.
pub(crate) fn columns(copy: &nodes::CopyStmt) -> Option<String> {
    let columns = copy
        .attlist()
        .iter()
        .map(|name| name.as_str().map(in_quotes));
    let named: Option<Vec<String>> = columns.collect();
    named.map(|named| match named.is_empty() {
        true => "*".to_owned(),
        false => named.join(", "),
    })
}

/// The columns that options name, as a list that goes on. What the server says of them tells
/// whether they are there.
fn optional_columns(copy: &nodes::CopyStmt) -> Option<String> {
    let mut columns = String::new();
    for option in copy.options() {
        if let Node::NodeList(list) = option.arg() {
            for name in list.iter() {
                columns.push_str(", ");
                columns.push_str(&in_quotes(name.as_str()?));
            }
        }
    }
    Some(columns)
}

/// A name as the parser gave it, in quotes.
pub(crate) fn in_quotes(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The query that a COPY of a relation is.
fn query(copy: &nodes::CopyStmt, reach: InheritanceReach) -> Option<String> {
    let table = copy.relation()?;
    let parts = [table.catalogname(), table.schemaname(), table.relname()];
    let name: Vec<String> = parts.into_iter().flatten().map(in_quotes).collect();
    let only = match reach {
        InheritanceReach::Only => "ONLY ",
        InheritanceReach::WithChildren => "",
    };
    Some(format!(
        "SELECT {}{} FROM {only}{}",
        columns(copy)?,
        optional_columns(copy)?,
        name.join(".")
    ))
}

/// Whose rows are read: those of the relation alone where all that its name may stand for is a
/// table of which that is known. A server reads row policies by a query of its own, of which some
/// versions leave ONLY out.
fn reach(text: &str, context: &JudgeContext<'_>) -> Result<InheritanceReach, Box<Refusal>> {
    let Some(effect_graph) = context.effect_graph() else {
        return Ok(InheritanceReach::WithChildren);
    };
    let elsewhere = lookup::may_be_read_otherwise(effect_graph, context) || !text.is_ascii();
    let (Some(paths), false) = (lookup::paths(effect_graph, context), elsewhere) else {
        return Ok(InheritanceReach::WithChildren);
    };
    let tree = tree::parse(text).map_err(|_| unread())?;
    let select = CheckSubject::Statement(only(&tree)?);
    for path in &paths {
        let Ok(resolution) = lookup::resolve(select, effect_graph, path, KnownParameters::Unclear)
        else {
            return Ok(InheritanceReach::WithChildren);
        };
        let mut tables = resolution.uses.iter().filter_map(|used| match &used.what {
            UsedObject::Relation { id, .. } => Some(effect_graph.catalog().relation(*id)),
            _ => None,
        });
        let is_read_alone =
            |table: &Relation| table.kind == RelationKind::Table && table.policies.is_empty();
        match (tables.next(), tables.next()) {
            (Some(table), None) if is_read_alone(table) => {}
            _ => return Ok(InheritanceReach::WithChildren),
        }
    }
    Ok(InheritanceReach::Only)
}

fn only(tree: &SyntaxTree) -> Result<Node<'_>, Box<Refusal>> {
    let mut statements = tree.statements();
    match (statements.next(), statements.next()) {
        (Some(statement), None) => Ok(statement.node),
        _ => Err(unread()),
    }
}

/// Whether an option is any but FORMAT, or a format that is no extension's.
fn is_built_in(option: &nodes::DefElem) -> bool {
    let names_format = option
        .defname()
        .is_some_and(|name| name.eq_ignore_ascii_case("format"));
    let format = option.arg().as_str().unwrap_or_default();
    !names_format || ["text", "csv", "binary"].contains(&format.to_ascii_lowercase().as_str())
}

fn unread() -> Box<Refusal> {
    let message = "COPY of this form is not allowed: it is not known here";
    refusal(sqlstate::FEATURE_NOT_SUPPORTED, message)
}

fn refusal(sqlstate: SqlState, message: &str) -> Box<Refusal> {
    Refusal::new(
        Rule::Copy,
        message,
        "Use COPY … TO STDOUT; psql's \\copy … TO file sends that.",
    )
    .with_sqlstate(sqlstate)
}

#[cfg(test)]
mod tests {
    use crate::Rule;
    use crate::rules::check::{
        agent_with, check, check_blind, check_denies, check_hides, check_in, check_shop, gate,
        session_of,
    };
    use catalog::fixture::CatalogFixture;

    #[test]
    fn nothing_but_rows_to_the_client_is_copied() {
        check(
            Rule::Copy,
            &[
                "COPY t FROM STDIN",
                "COPY t FROM '/etc/passwd'",
                "COPY t FROM PROGRAM 'id'",
                "COPY t TO '/tmp/x'",
                "COPY t (a) TO '/tmp/x'",
                "COPY t TO PROGRAM 'sh'",
                "COPY (SELECT 1) TO PROGRAM 'sh'",
                "COPY BINARY t FROM STDIN",
                "COPY BINARY t TO '/tmp/x'",
                "COPY (SELECT 1) TO STDOUT (FORMAT other)",
                "COPY t TO STDOUT (FORMAT \"CSV \")",
                "COPY t TO STDOUT (FORMAT csv, FORMAT parquet)",
                "COPY t TO STDOUT (\"FORMAT\" other)",
            ],
            &[
                "COPY (SELECT 1) TO STDOUT CSV HEADER",
                "COPY (VALUES (1)) TO STDOUT (FORMAT binary)",
                "COPY (TABLE t) TO STDOUT",
                "COPY t TO STDOUT",
                "COPY t TO STDIN",
                "COPY BINARY t TO STDOUT",
                "COPY t TO STDOUT USING DELIMITERS ';' WITH NULL AS 'x'",
                "COPY public.t (a, \"B\") TO STDOUT WITH (FORMAT csv, HEADER, FORCE_QUOTE (a))",
                "COPY d.public.t TO STDOUT CSV HEADER FORCE QUOTE *",
                "COPY t (a) TO STDOUT (FORMAT csv, DELIMITER '|', ENCODING 'LATIN1', QUOTE '!')",
            ],
        );
    }

    /// The same table as the query that it is.
    #[test]
    fn a_relation_is_judged_as_the_query_that_it_is() {
        check(
            Rule::TempSchema,
            &["COPY pg_temp.t TO STDOUT", "COPY pg_temp_3.t (a) TO STDOUT"],
            &["COPY pg_catalog.pg_class TO STDOUT"],
        );
        check_blind(
            Rule::CatalogMissing,
            &["COPY orders TO STDOUT", "COPY pg_class_of_mine TO STDOUT"],
            &["COPY pg_class (relname) TO STDOUT"],
        );
        check_hides(
            Rule::RelationDenied,
            &[
                "COPY shop.secrets TO STDOUT",
                "COPY shop.secrets (id) TO STDOUT",
                "COPY BINARY shop.secrets TO STDOUT",
            ],
            &["COPY shop.orders TO STDOUT"],
        );
        check_hides(
            Rule::ColumnDenied,
            &[
                "COPY shop.people TO STDOUT",
                "COPY shop.people (id, secret) TO STDOUT",
                "COPY shop.people (id, \"secret\") TO STDOUT CSV",
                "COPY shop.people (id, U&\"secr\\0065t\") TO STDOUT",
                "COPY shop.people (id) TO STDOUT (FORMAT csv, FORCE_QUOTE (secret))",
                "COPY shop.people (id) TO STDOUT CSV FORCE QUOTE id, secret",
                "COPY shop.people (people) TO STDOUT",
            ],
            &[
                "COPY shop.people (id) TO STDOUT",
                "COPY shop.people (name, id) TO STDOUT (FORMAT csv, FORCE_QUOTE (name))",
            ],
        );
        check_denies(Rule::StatementDenied, &["COPY shop.orders TO STDOUT"], &[]);
    }

    #[test]
    fn only_the_rows_of_the_relation_itself_are_read() {
        let people = |major| {
            CatalogFixture::new(major)
                .schema("shop")
                .table("shop.open", "id int4")
                .table("shop.closed", "id int4")
                .child("shop.closed", "shop.open")
                .table("shop.guarded", "id int4")
                .policy("shop.guarded", "own", &["int4gt(int4, int4)"])
                .table("shop.hidden", "id int4")
                .child("shop.hidden", "shop.guarded")
        };
        let hides = || agent_with(&[], "\nrelations: {deny: [shop.closed, shop.hidden]}\n");
        let guarded = ["COPY shop.closed TO STDOUT", "COPY shop.guarded TO STDOUT"];
        for major in [13, 15, 18] {
            let names = session_of(people(major).build(), &hides());
            let open = ["COPY shop.open TO STDOUT", "COPY shop.open (id) TO STDOUT"];
            check_in(
                &gate(hides()),
                &names,
                Rule::RelationDenied,
                &guarded,
                &open,
            );
        }
    }

    /// A server that copies them copies what the query reads.
    #[test]
    fn what_no_server_copies_is_judged_as_well() {
        check_shop(
            Rule::RowPolicyEffects,
            &["COPY shop.tenants TO STDOUT"],
            &[
                "COPY shop.v_clean TO STDOUT",
                "COPY shop.v_clean (id) TO STDOUT CSV",
            ],
        );
        check_shop(Rule::ViewEffects, &["COPY shop.v_totals TO STDOUT"], &[]);
        check_shop(Rule::ForeignTable, &["COPY shop.remote TO STDOUT"], &[]);
    }
}
