//! A relation that does not exist: another schema has it, or it is spelled otherwise.

use super::hint::hint;
use crate::catalog::quote::quoted;
use crate::catalog::{RelationId, RelationKind, SchemaId, SchemaKind};
use crate::limits::{NAMES_MISSING_MAX, NAMES_RELATIONS_MAX};
use crate::repair::names::context::Ground;
use crate::repair::names::gates::{Existing, Judged, Wanted, judge};
use crate::repair::names::name_repair::{Fix, Mend, With, together};
use crate::repair::names::reference_scopes::Frame;
use crate::repair::names::similarity::{Kinship, Likeness, Words};
use crate::repair::recoverers::undefined_column::strategies;
use crate::repair::{Answer, Confidence, NameGate};
use crate::resolve::What;
use crate::sql::edit::Edit;
use crate::sql::tree::{Node, nodes};

/// A relation in FROM that does not exist, or is written with a database before it.
pub(in crate::repair) struct Absent<'g> {
    /// As it is written.
    pub table: &'g nodes::RangeVar,
    /// The query that it stands in.
    pub frame: &'g Frame<'g>,
    /// Where it begins.
    pub at: usize,
    /// Its name.
    pub name: &'g str,
}

/// Something that a name in FROM may have meant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::repair) enum Target<'g> {
    /// A relation.
    Relation(RelationId),
    /// A query of WITH.
    Common(&'g str),
}

/// Mends every relation that does not exist; where all do, every column.
pub(in crate::repair) fn all(ground: &Ground<'_>) -> Answer {
    let absent = absent(ground);
    if absent.is_empty() {
        return strategies::all(ground);
    }
    let position = ground.scene.failure.position;
    if position.is_some_and(|at| absent.iter().all(|one| one.at != at)) {
        // The server means a name before a column: those are mended when the relations are.
        return match ground.missing() {
            Some(missing) if missing.iter().any(|one| Some(one.place.at) == position) => {
                strategies::all(ground)
            }
            _ => Answer::Silent,
        };
    }
    if absent.len() > NAMES_MISSING_MAX {
        return Answer::Silent;
    }
    let fixes = absent.iter().map(|one| of_one(ground, one)).collect();
    together(ground.scene.text, fixes)
}

fn absent<'g>(ground: &'g Ground<'_>) -> Vec<Absent<'g>> {
    let missing: Vec<usize> = ground
        .resolution
        .uses
        .iter()
        .filter(|used| matches!(used.what, What::MissingRelation { .. }))
        .filter_map(|used| used.at)
        .collect();
    let mut found = Vec::new();
    for frame in &ground.places.frames {
        for table in frame.entries.iter().filter_map(|entry| entry.table) {
            if let (Ok(at), Some(name)) = (usize::try_from(table.location), table.relname())
                && (missing.contains(&at) || table.catalogname().is_some())
            {
                found.push(Absent {
                    table,
                    frame,
                    at,
                    name,
                });
            }
        }
    }
    found
}

fn of_one(ground: &Ground<'_>, absent: &Absent<'_>) -> Fix {
    if let Some(fix) = two_words(ground, absent) {
        return fix;
    }
    let (target, confidence) = match found(ground, absent) {
        Ok(found) => found,
        Err(failed) => return hint(ground, absent, failed),
    };
    rewritten(ground, absent, target, confidence)
        .unwrap_or_else(|| hint(ground, absent, Vec::new()))
}

/// `FROM invoice lines`, where there is a relation of this name.
fn two_words(ground: &Ground<'_>, absent: &Absent<'_>) -> Option<Fix> {
    let table = absent.table;
    let alias = table.alias()?.aliasname()?;
    let count = 1 + usize::from(table.schemaname().is_some());
    let parts = ground.parts(absent.at, count)?;
    let both = crate::repair::names::unquoted_blank::with_alias(ground, parts.last()?)?;
    let named = format!("{} {alias}", absent.name);
    let path = ground.database.path.schemas();
    let schema_of = |id: RelationId| ground.catalog().relation(id).schema;
    let mut same = relations(ground).into_iter().filter(|id| {
        let likeness = Likeness::of(&named, ground.name_of(*id), &[]);
        path.contains(&schema_of(*id)) && likeness.kinship <= Kinship::Joints
    });
    let relation = same.next().filter(|_| same.next().is_none())?;
    let is_used = ground.places.refs.iter().any(|place| {
        let fields = place.reference.fields();
        fields.len() > 1 && fields.iter().next().and_then(Node::as_str) == Some(alias)
    });
    if is_used || table.schemaname().is_some() {
        return Some(Fix::told(format!(
            "{named} may be the relation {}: a name with a blank stands in double quotes.",
            ground.catalog().relation_name(relation)
        )));
    }
    let right = quoted(ground.name_of(relation)).into_owned();
    let change = format!("{} is one name, {right}", ground.text(&both));
    let sure = match ground.name_of(relation).contains(' ') {
        true => Confidence::Exact,
        false => Confidence::Likely,
    };
    Some(Fix::text(sure, both, right, change))
}

/// What is meant, the surest way first.
fn found<'g>(
    ground: &'g Ground<'_>,
    absent: &Absent<'g>,
) -> Result<(Target<'g>, Confidence), Vec<NameGate>> {
    let relations = relations(ground);
    let path = ground.database.path.schemas();
    let schema_of = |id: RelationId| ground.catalog().relation(id).schema;
    let named = |id: &RelationId| ground.name_of(*id) == absent.name;
    let schema = absent.table.schemaname().and_then(|name| {
        let catalog = ground.catalog();
        catalog.index().schema(catalog.names().find(name)?)
    });
    let in_place = |id: &RelationId| match absent.table.schemaname() {
        Some(_) => Some(schema_of(*id)) == schema,
        None => path.contains(&schema_of(*id)),
    };
    let folded = absent.name.to_lowercase();
    let in_case: Vec<RelationId> = relations
        .iter()
        .copied()
        .filter(|id| in_place(id) && ground.name_of(*id).to_lowercase() == folded)
        .collect();
    let is_foreign = absent.table.catalogname().is_some();
    if let [only] = in_case.as_slice() {
        let confidence = match is_foreign {
            true => Confidence::Likely,
            false => Confidence::Exact,
        };
        return Ok((Target::Relation(*only), confidence));
    }
    let commons = commons(ground, absent);
    if absent.table.schemaname().is_none() {
        let mut same = commons
            .iter()
            .filter(|common| common.to_lowercase() == folded);
        if let (Some(common), None) = (same.next(), same.next()) {
            return Ok((Target::Common(common), Confidence::Exact));
        }
    }
    if let Some(whole) = in_one_pair_of_quotes(ground, absent, &relations) {
        return Ok((Target::Relation(whole), Confidence::Exact));
    }
    let elsewhere: Vec<RelationId> = relations.iter().copied().filter(named).collect();
    if absent.table.schemaname().is_none() && !elsewhere.is_empty() {
        // What the path leads to is nearer than what another schema has.
        let near: Vec<RelationId> = relations.iter().copied().filter(&in_place).collect();
        if let Ok(found) = misspelt(ground, absent, &near, &commons, in_place) {
            return Ok(found);
        }
    }
    let mut led_to = elsewhere
        .iter()
        .filter(|id| path.contains(&schema_of(**id)));
    match (elsewhere.as_slice(), led_to.next(), led_to.next()) {
        ([], _, _) => {}
        ([only], _, _) if has_all(ground, absent, *only) => {
            return Ok((Target::Relation(*only), Confidence::Likely));
        }
        ([_, _, ..], Some(only), None) => {
            return Ok((Target::Relation(*only), Confidence::Likely));
        }
        _ => return Err(vec![NameGate::OneRelation]),
    }
    let wide: Vec<RelationId> = match schema {
        Some(_) => relations.into_iter().filter(|id| in_place(id)).collect(),
        None => relations,
    };
    misspelt(ground, absent, &wide, &commons, in_place)
}

/// Whether a relation has every column that the text takes from it: otherwise only the name is the
/// same, and another schema's relation is another thing.
fn has_all(ground: &Ground<'_>, absent: &Absent<'_>, relation: RelationId) -> bool {
    let catalog = ground.catalog();
    let called = (absent.table.alias()).and_then(|alias| alias.aliasname());
    let called = called.unwrap_or(absent.name);
    let is_alone = absent.frame.entries.len() == 1;
    let has = |name: &str| {
        let mut columns = catalog.columns_of(relation).iter();
        columns.any(|column| catalog.names().text(column.name) == name)
    };
    let results: Vec<&str> = (absent.frame.select.target_list().iter())
        .filter_map(|target| target.name())
        .collect();
    ground.places.refs.iter().all(|place| {
        let here = ground.places.frame(place.frame);
        let is_here = here.is_some_and(|frame| std::ptr::eq(frame, absent.frame));
        let fields = place.reference.fields();
        let names: Vec<&str> = fields.iter().filter_map(Node::as_str).collect();
        match names.as_slice() {
            [.., qualifier, name] if *qualifier == called => has(name),
            [name] if is_here && is_alone => has(name) || results.contains(name),
            _ => true,
        }
    })
}

/// `"public.orders"`: the quotes stand around both names where they should stand around each.
fn in_one_pair_of_quotes(
    ground: &Ground<'_>,
    absent: &Absent<'_>,
    relations: &[RelationId],
) -> Option<RelationId> {
    if absent.table.schemaname().is_some() {
        return None;
    }
    let (schema, name) = absent.name.split_once('.')?;
    let catalog = ground.catalog();
    let is_it = |id: &RelationId| {
        let own = catalog.schema(catalog.relation(*id).schema).name;
        ground.name_of(*id) == name && catalog.names().text(own) == schema
    };
    relations.iter().copied().find(is_it)
}

fn misspelt<'g>(
    ground: &'g Ground<'_>,
    absent: &Absent<'g>,
    relations: &[RelationId],
    commons: &[&'g str],
    in_place: impl Fn(&RelationId) -> bool,
) -> Result<(Target<'g>, Confidence), Vec<NameGate>> {
    let affixes = vec![Words::of(AFFIXES)];
    let mut targets: Vec<Target<'g>> = Vec::new();
    let mut candidates: Vec<Existing<'_>> = Vec::new();
    let mut add = |target: Target<'g>, name: &'g str, in_reach: bool| {
        targets.push(target);
        candidates.push(Existing {
            name,
            own: affixes.clone(),
            in_reach,
        });
    };
    if absent.table.schemaname().is_none() {
        for common in commons {
            add(Target::Common(common), common, true);
        }
    }
    for id in relations.iter().take(NAMES_RELATIONS_MAX) {
        let in_reach = in_place(id) || absent.table.schemaname().is_some();
        add(Target::Relation(*id), ground.name_of(*id), in_reach);
    }
    let wanted = Wanted {
        name: absent.name,
        bare: false,
        one_relation: true,
        cheaper_tried: true,
    };
    let too_many = relations.len() > NAMES_RELATIONS_MAX;
    match judge(&wanted, &candidates, too_many, ground.scene.settings) {
        Judged::Passed { place, kinship } if kinship <= Kinship::Own => match targets.get(place) {
            Some(target) => Ok((*target, Confidence::Likely)),
            None => Err(Vec::new()),
        },
        Judged::Passed { .. } => Err(vec![NameGate::Containment]),
        Judged::Failed { failed } => Err(failed),
    }
}

/// The relations that the client may read, without those of the system.
pub(in crate::repair) fn relations(ground: &Ground<'_>) -> Vec<RelationId> {
    let catalog = ground.catalog();
    let is_read = |kind: RelationKind| match kind {
        RelationKind::Table
        | RelationKind::PartitionedTable
        | RelationKind::View
        | RelationKind::MaterializedView
        | RelationKind::ForeignTable => true,
        RelationKind::Sequence | RelationKind::CompositeType => false,
    };
    catalog
        .relations()
        .filter(|(id, relation)| {
            is_read(relation.kind) && !is_system(ground, relation.schema) && ground.sees(*id)
        })
        .map(|(id, _)| id)
        .collect()
}

fn is_system(ground: &Ground<'_>, schema: SchemaId) -> bool {
    let schema = ground.catalog().schema(schema);
    let name = ground.catalog().names().text(schema.name);
    schema.kind == SchemaKind::Catalog || name == "information_schema" || name == "pg_toast"
}

/// The queries of WITH that can be named at a place in FROM.
pub(in crate::repair) fn commons<'g>(ground: &'g Ground<'_>, absent: &Absent<'g>) -> Vec<&'g str> {
    let mut names = Vec::new();
    let mut inner: Option<&Frame<'_>> = None;
    let mut next = Some(absent.frame);
    while let Some(frame) = next {
        for table in frame
            .select
            .with_clause()
            .into_iter()
            .flat_map(|with| with.ctes())
        {
            // Its own query cannot name it, nor one that comes before it.
            let is_own = match (table.ctequery(), inner) {
                (Node::SelectStmt(query), Some(inner)) => std::ptr::eq(query, inner.select),
                _ => false,
            };
            let before = usize::try_from(table.location).is_ok_and(|at| at < absent.at);
            names.extend(table.ctename().filter(|_| before && !is_own));
        }
        inner = Some(frame);
        next = frame.outer.and_then(|outer| ground.places.frame(outer));
    }
    names
}

/// The right name in FROM; where columns are qualified by the old one, it stays as an alias.
fn rewritten(
    ground: &Ground<'_>,
    absent: &Absent<'_>,
    target: Target<'_>,
    confidence: Confidence,
) -> Option<Fix> {
    let table = absent.table;
    let count =
        1 + usize::from(table.schemaname().is_some()) + usize::from(table.catalogname().is_some());
    let parts = ground.parts(absent.at, count)?;
    let span = parts.first()?.start..parts.last()?.end;
    let (mut right, name) = match target {
        Target::Common(name) => (quoted(name).into_owned(), name),
        Target::Relation(id) => (written(ground, id, table), ground.name_of(id)),
    };
    let change = format!("{right} stands for {}", ground.text(&span));
    let mut beside = Vec::new();
    let qualifies = |place: &crate::repair::names::reference_scopes::Place<'_>, parts: usize| {
        let fields = place.reference.fields();
        let mut names = fields.iter().filter_map(Node::as_str);
        fields.len() == parts && names.nth(parts.saturating_sub(2)) == Some(absent.name)
    };
    let refs = || ground.places.refs.iter();
    if table.alias().is_none() {
        if name != absent.name && refs().any(|place| qualifies(place, 2)) {
            right.push_str(" AS ");
            right.push_str(ground.text(parts.last()?));
        }
        for place in refs().filter(|place| qualifies(place, 3)) {
            // The schema is left out: the name alone says which one it is.
            let parts = ground.parts(place.at, 3)?;
            let [schema, own, _] = parts.as_slice() else {
                return None;
            };
            let span = schema.start..own.start;
            let replacement = String::new();
            beside.push(Edit { span, replacement });
        }
    }
    Some(Fix::Mended(Mend {
        confidence,
        span,
        with: With::Text(right),
        beside,
        change,
        renamed: None,
    }))
}

/// A relation as it is written: with its schema where one is written, or where the path does not
/// lead to it.
fn written(ground: &Ground<'_>, id: RelationId, table: &nodes::RangeVar) -> String {
    let catalog = ground.catalog();
    let name = ground.name_of(id);
    let mut path = ground.database.path.schemas().iter();
    let first = path.find_map(|schema| {
        let named = catalog.index().relations(catalog.relation(id).name);
        let mut here = named.iter().copied();
        here.find(|own| catalog.relation(*own).schema == *schema)
    });
    let is_bare =
        table.schemaname().is_none() && !table.relname().unwrap_or_default().contains('.');
    match is_bare && first == Some(id) {
        true => quoted(name).into_owned(),
        false => format!(
            "{}.{}",
            catalog.schema_name(catalog.relation(id).schema),
            quoted(name)
        ),
    }
}

/// What names of tables begin or end with in some databases and not in others.
const AFFIXES: &str = "tbl_tb_table_dim_fact_stg_raw_view_vw_dbo";
