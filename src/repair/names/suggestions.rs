//! Words about a name that does not exist: what is there, as far as the client may see it.

use super::context::{MissingColumn, NameRepairContext, VisibleItem, spelled};
use super::name_repair::{NameAdvice, NameFix};
use super::similarity::{NameWords, Similarity};
use crate::NameGate;
use crate::recoverers::undefined_column::quoted_literal;
use catalog::type_oid::{JSON, JSONB};
use catalog::{RelationId, quote::quoted};
use ground::edit_distance::with_swaps;
use ground::limits::NAMES_RELATIONS_MAX;
use resolve::{InferredType, ScopeColumn};
use sql::tree::Node;

/// A column that does not exist.
pub(crate) fn column(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
    failed: &[NameGate],
) -> NameFix {
    let whole = match missing.qualifier {
        Some(qualifier) => spelled(Some(qualifier), missing.name),
        None => quoted(missing.name).into_owned(),
    };
    let (owners, owned) = owners(name_context, missing, all);
    let mut names = near_columns(name_context, missing, all);
    names.truncate(NEAREST_MAX - owned);
    let listed = match names.is_empty() && owners.is_empty() {
        true => listed_columns(name_context, missing, all),
        false => String::new(),
    };
    let mut advice = match names.is_empty() {
        true => format!(
            "There is no column {whole}{}{listed}.",
            places(name_context, missing, all)
        ),
        false => format!("There is no column {whole}; {}.", nearest(&names)),
    };
    for sentence in owners {
        advice.push_str(&sentence);
    }
    if owned == 0 && names.len() < NEAREST_MAX {
        let beside = elsewhere(name_context, missing.name, all);
        if let Some(first) = beside.first() {
            advice.push_str(&format!(" One join away there is {first}."));
        }
    }
    advice.push_str(&json_key(name_context, missing, all, &names).unwrap_or_default());
    if names.is_empty() && quoted_literal::is_value(name_context, missing) {
        advice.push_str(" A text is written in single quotes.");
    }
    NameFix::Advised(NameAdvice {
        advice,
        failed: failed.to_vec(),
        absent: true,
    })
}

/// What to look at where nothing is called nearly as a column that does not exist: the columns of
/// the only relation that may be meant, or where they are listed.
fn listed_columns(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> String {
    let meant = all.iter().filter(|seen| match missing.qualifier {
        Some(qualifier) => seen.item.is_called(qualifier),
        None => true,
    });
    let columns = meant.flat_map(|seen| seen.item.columns.iter());
    let names: Vec<String> = columns
        .filter(|column| name_context.may_show_column(column))
        .map(|column| spelled(None, column.name.as_str()))
        .collect();
    match names.is_empty() || names.len() > LISTED_MAX {
        true => ": information_schema.columns lists the columns that there are".to_owned(),
        false => format!("; the columns there are {}", names.join(", ")),
    }
}

/// The columns that are called nearly as one that does not exist, nearest first: those of its own
/// query, and where none of them is near those of the queries around.
fn near_columns(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Vec<String> {
    let near = |is_own: bool| {
        let seen = all.iter().filter(|seen| (seen.level == 0) == is_own);
        let columns = seen.flat_map(|seen| {
            let columns = seen.item.columns.iter();
            columns.map(move |column| (seen, column))
        });
        let shown = columns.filter(|(_, column)| {
            name_context.may_show_column(column) && column.name.as_str() != missing.name
        });
        let found = shown.map(|(seen, column)| {
            let name = column.name.as_str();
            let near = nearness(missing.name, name, &name_context.own_words(seen.item));
            (near, spelled(seen.qualifier, name))
        });
        found.collect::<Vec<_>>()
    };
    let own = best(near(true));
    match own.is_empty() {
        true => best(near(false)),
        false => own,
    }
}

/// Where a column does not exist, for a sentence: in what FROM brings, as far as that is short.
fn places(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> String {
    let meant = all.iter().filter(|seen| match missing.qualifier {
        Some(qualifier) => seen.item.is_called(qualifier),
        None => true,
    });
    let mut names: Vec<String> = Vec::new();
    for seen in meant {
        let own = seen
            .item
            .name
            .as_ref()
            .map(|name| quoted(name.as_str()).into_owned());
        let relation = seen.item.relation.map(|id| name_context.called(id));
        if let Some(name) = relation.or(own)
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    match names.as_slice() {
        [] => String::new(),
        names if names.len() > NEAREST_MAX => " in what FROM brings".to_owned(),
        names => format!(" in {}", names.join(" or ")),
    }
}

/// Who has a column of just this name, each in a sentence: a query in FROM that does not pass it
/// on, or relations, nearest first, with the joins that lead there. How many there are.
fn owners(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> (Vec<String>, usize) {
    let catalog = name_context.catalog();
    let folded = missing.name.to_lowercase();
    let here: Vec<(RelationId, &str)> = all
        .iter()
        .filter_map(|seen| Some((seen.item.relation?, seen.qualifier?)))
        .collect();
    let mut found: Vec<(usize, String)> = Vec::new();
    for id in name_context
        .readable_relations()
        .into_iter()
        .take(NAMES_RELATIONS_MAX)
    {
        if all.iter().any(|seen| seen.item.relation == Some(id)) {
            continue;
        }
        let mut columns = catalog.columns_of(id).iter();
        let column = columns.find(|column| {
            let name = catalog.names().text(column.name);
            name.to_lowercase() == folded && name_context.may_show_column_of(id, column)
        });
        let Some(column) = column else { continue };
        let name = spelled(
            Some(name_context.name_of(id)),
            catalog.names().text(column.name),
        );
        let route = name_context.route(&here, id);
        let steps = route.as_ref().map_or(usize::MAX, Vec::len);
        let sentence = match route {
            Some(joins) => format!(" {name} is one: {}.", joins.join(" ")),
            None => format!(
                " {} has a column {}, and no foreign key leads there.",
                name_context.called(id),
                quoted(catalog.names().text(column.name))
            ),
        };
        found.push((steps, sentence));
    }
    found.sort_by_key(|(steps, _)| *steps);
    found.truncate(OWNERS_MAX);
    let count = found.len();
    let mut sentences: Vec<String> = found.into_iter().map(|(_, sentence)| sentence).collect();
    let query = query_without(missing, all);
    if let Some(query) = query.or_else(|| query_of_with(name_context, missing, all)) {
        sentences.insert(0, query);
    }
    (sentences, count)
}

/// What to do where the only thing in FROM that may be meant is a query of the statement.
fn query_without(missing: &MissingColumn<'_>, all: &[VisibleItem<'_>]) -> Option<String> {
    let mut meant = all.iter().filter(|seen| match missing.qualifier {
        Some(qualifier) => seen.item.is_called(qualifier),
        None => true,
    });
    let seen = meant.next().filter(|_| meant.next().is_none())?;
    let name = seen
        .item
        .name
        .as_ref()
        .filter(|_| seen.item.relation.is_none())?;
    Some(format!(
        " {} returns only what its SELECT list has: add {} there.",
        quoted(name.as_str()),
        quoted(missing.name)
    ))
}

/// A query of WITH that has a column of this name, and is not in FROM.
fn query_of_with(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
) -> Option<String> {
    let scopes = name_context.places.reference_scopes.iter();
    let mut queries = scopes
        .filter_map(|scope| scope.select.with_clause())
        .flat_map(|with| with.ctes().iter());
    let name = queries.find_map(|query| {
        let name = query.ctename()?;
        let Node::SelectStmt(select) = query.ctequery() else {
            return None;
        };
        let mut targets = select.target_list().iter();
        let has_it = targets.any(|target| target.name() == Some(missing.name));
        let is_here = all.iter().any(|seen| seen.item.is_called(name));
        (has_it && !is_here).then_some(name)
    })?;
    let (query, column) = (quoted(name), quoted(missing.name));
    Some(format!(
        " {column} is a column of the query {query} of WITH: bring {query} into FROM, as in CROSS JOIN \
         {query}, or write (SELECT {column} FROM {query})."
    ))
}

/// A name that may be a key of JSON.
fn json_key(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
    names: &[String],
) -> Option<String> {
    let key = format!("'{}'", missing.name.replace('\'', "''"));
    let context = name_context.context;
    let at = context.token_at(missing.place.at)?;
    let mut before = context.tokens.get(..at)?.iter().rev();
    let arrow = before
        .find(|token| !token.kind.is_blank())
        .map(|token| context.word(token));
    if let Some(arrow) = arrow.filter(|arrow| ["->", "->>"].contains(arrow)) {
        return Some(format!(" A key of JSON is a string: {arrow} {key}."));
    }
    if !names.is_empty() {
        return None;
    }
    let mut columns = all.iter().flat_map(|seen| seen.item.columns.iter());
    let json = columns.find(|column| is_json(name_context, column))?;
    let json = quoted(json.name.as_str());
    Some(format!(
        " If it is a key of the JSON in {json}, write {json} ->> {key}."
    ))
}

/// Whether a column holds JSON, and may be named.
fn is_json(name_context: &NameRepairContext<'_>, column: &ScopeColumn<'_>) -> bool {
    let catalog = name_context.catalog();
    let InferredType::Known(id) = column.inferred else {
        return false;
    };
    [JSON, JSONB].contains(&catalog.data_type(id).oid) && name_context.may_show_column(column)
}

/// A qualifier that names nothing.
pub(crate) fn entry(
    name_context: &NameRepairContext<'_>,
    missing: &MissingColumn<'_>,
    all: &[VisibleItem<'_>],
    failed: Vec<NameGate>,
) -> NameFix {
    let qualifier = missing.qualifier.unwrap_or_default();
    let name = quoted(qualifier);
    let catalog = name_context.catalog();
    let mut columns = all.iter().flat_map(|seen| seen.item.columns.iter());
    let json =
        columns.find(|column| column.name.as_str() == qualifier && is_json(name_context, column));
    let table = name_context
        .readable_relations()
        .into_iter()
        .find(|id| name_context.name_of(*id) == qualifier);
    let here: Vec<(RelationId, &str)> = all
        .iter()
        .filter_map(|seen| Some((seen.item.relation?, seen.qualifier?)))
        .collect();
    let there = entries(name_context, qualifier, all);
    let advice = match (table, there.is_empty()) {
        _ if json.is_some() => format!(
            "{name} is a column that holds JSON, and no relation: write {name} ->> '{}'.",
            missing.name.replace('\'', "''")
        ),
        _ if name_context.is_cte_name(qualifier) => format!(
            "{name} is a query of WITH, and has to stand in FROM where its columns are used: JOIN \
             {name} ON a column of it."
        ),
        (Some(table), _) => match name_context.route(&here, table) {
            Some(joins) => format!("{name} is not in FROM: add {}.", joins.join(" ")),
            None => format!(
                "{name} is not in FROM: join {} to use its columns.",
                catalog.relation_name(table)
            ),
        },
        (None, true) => format!(
            "{name} is not in FROM: write {} without it, or bring {name} into FROM.",
            quoted(missing.name)
        ),
        (None, false) => format!("{name} is not in FROM, which has {}.", there.join(", ")),
    };
    NameFix::Advised(NameAdvice {
        advice,
        failed,
        absent: true,
    })
}

/// What stands in FROM and may be meant by a qualifier, the nearest first.
fn entries(
    name_context: &NameRepairContext<'_>,
    qualifier: &str,
    all: &[VisibleItem<'_>],
) -> Vec<String> {
    let mut there: Vec<(f64, String)> = Vec::new();
    for seen in all {
        let Some(own) = seen.qualifier else { continue };
        let relation = seen.item.relation.map(|id| name_context.name_of(id));
        let near = nearness(qualifier, own, &[])
            .max(relation.map_or(0.0, |relation| nearness(qualifier, relation, &[])));
        let shown = match relation.filter(|relation| *relation != own) {
            Some(relation) => format!("{} (of {})", quoted(own), quoted(relation)),
            None => quoted(own).into_owned(),
        };
        there.push((near, shown));
    }
    there.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    there.truncate(NEAREST_MAX);
    there.into_iter().map(|(_, shown)| shown).collect()
}

/// The columns of nearly this name of the relations one step away.
fn elsewhere(
    name_context: &NameRepairContext<'_>,
    name: &str,
    all: &[VisibleItem<'_>],
) -> Vec<String> {
    let own: Vec<RelationId> = all.iter().filter_map(|seen| seen.item.relation).collect();
    let mut near: Vec<RelationId> = Vec::new();
    for relation in &own {
        near.extend(name_context.neighbours(*relation));
    }
    near.sort_unstable();
    near.dedup();
    let catalog = name_context.catalog();
    let like = |relation: &RelationId| {
        let words = [NameWords::of(name_context.name_of(*relation))];
        let columns = catalog.columns_of(*relation).iter();
        let seen = columns.filter(|column| name_context.may_show_column_of(*relation, column));
        let names = seen.map(|column| catalog.names().text(column.name));
        let best = names
            .map(|own| (Similarity::of(name, own, &words).score, own))
            .max_by(|(one, _), (other, _)| one.total_cmp(other));
        let (_, column) = best.filter(|(score, _)| *score >= SAME_MIN)?;
        Some(format!(
            "{} of {}",
            quoted(column),
            catalog.relation_name(*relation)
        ))
    };
    near.iter()
        .filter(|relation| !own.contains(relation))
        .filter_map(like)
        .take(NEAREST_MAX)
        .collect()
}

/// `the nearest is a`, `the nearest are a and b`.
pub(crate) fn nearest(names: &[String]) -> String {
    match names {
        [only] => format!("the nearest is {only}"),
        names => format!("the nearest are {}", names.join(", ")),
    }
}

/// How near a name is, for people: also by its letters.
pub(crate) fn nearness(wanted: &str, name: &str, own: &[NameWords]) -> f64 {
    let letters = |name: &str| -> Vec<char> { name.to_lowercase().chars().take(64).collect() };
    let (left, right) = (letters(wanted), letters(name));
    let count = |number: usize| u32::try_from(number).map_or(1.0, f64::from);
    let longer = count(left.len().max(right.len()).max(1));
    let by_letters = 1.0 - count(with_swaps(&left, &right)) / longer;
    Similarity::of(wanted, name, own)
        .score
        .max(0.9 * by_letters)
}

/// The nearest of all, nearest first.
pub(crate) fn best(mut found: Vec<(f64, String)>) -> Vec<String> {
    found.retain(|(near, _)| *near >= NEAR_MIN);
    found.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let least = found.first().map_or(0.0, |(near, _)| near - APART_MAX);
    let mut names: Vec<String> = Vec::new();
    for (_, name) in found.into_iter().filter(|(near, _)| *near >= least) {
        if names.len() < NEAREST_MAX && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// What is further away is not worth a word.
const NEAR_MIN: f64 = 0.45;

/// What is so much further away than the nearest is not meant beside it.
const APART_MAX: f64 = 0.3;

/// From here on a name is nearly the same.
const SAME_MIN: f64 = 0.9;

/// More names are not read.
pub(crate) const NEAREST_MAX: usize = 3;

/// Relations that have a column are named up to so many.
const OWNERS_MAX: usize = 2;

/// The columns of something, and all relations, are listed up to so many.
pub(crate) const LISTED_MAX: usize = 12;
