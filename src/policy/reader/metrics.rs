//! The records `knowledge.metric` of a policy.

use std::collections::BTreeSet;

use super::super::knowledge::{KnowledgeContent, KnowledgeRecord};
use super::super::metric::{KnownMetric, MetricDimension, MetricGrain, MetricRelation};
use super::super::signature::parts;
use super::super::yaml::section::{
    PlacedProblems, YamlSection, join, listed, map, report, word, words,
};
use super::super::yaml::tree::{YamlPlace, YamlTree};
use super::scalar_sql;
use super::told_text::text;
use ground::limits::NAME_BYTES_MAX;
use ground::limits::knowledge::METRIC_DIMENSIONS_MAX;

/// Reads one metric.
pub(super) fn read(
    section: &mut YamlSection,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<KnownMetric> {
    let place = section.place();
    let base = section.required("base", problems, relation);
    let measure = section.required("measure", problems, expression);
    let dimensions = section.optional("dimensions", Vec::new(), problems, dimensions);
    let time = section.optional("time", None, problems, |tree, path, problems| {
        column(tree, path, problems).map(Some)
    });
    let grains = section.optional("grain", Vec::new(), problems, grains);
    let filters = section.optional("filters", Vec::new(), problems, expressions);
    let note = section.optional("note", String::new(), problems, text);
    let readable_as = section.optional("as", None, problems, |tree, path, problems| {
        relation(tree, path, problems).map(Some)
    });
    let (base, (measure, mut columns)) = (base?, measure?);
    let (mut dimensions, time, grains) = (dimensions?, time?, grains?);
    let (filters, note, readable_as) = (filters?, note?, readable_as?);
    match &time {
        Some(time) => dimensions.extend(grains.iter().map(|grain| of_grain(*grain, time))),
        None if grains.is_empty() => {}
        None => {
            let what = "a grain is one of a time: name the column that says when";
            report(problems, place, &join(path, "time"), what);
            return None;
        }
    }
    columns.extend(dimensions.iter().flat_map(|(_, columns)| columns.clone()));
    columns.extend(filters.iter().flat_map(|(_, columns)| columns.clone()));
    columns.extend(time.clone());
    columns.sort();
    columns.dedup();
    let known = KnownMetric {
        base,
        measure,
        dimensions: dimensions.into_iter().map(|(one, _)| one).collect(),
        time,
        filters: filters.into_iter().map(|(one, _)| one).collect(),
        note,
        readable_as,
        columns,
    };
    is_named_apart(&known, (place, path), problems).then_some(known)
}

/// Whether each column that a metric has has a name of its own.
fn is_named_apart(
    known: &KnownMetric,
    (place, path): (YamlPlace, &str),
    problems: &mut PlacedProblems,
) -> bool {
    if known.dimensions.len() > METRIC_DIMENSIONS_MAX {
        let what = format!("at most {METRIC_DIMENSIONS_MAX} dimensions are held");
        report(problems, place, path, &what);
        return false;
    }
    let mut named = BTreeSet::from([known.figure()]);
    let mut names = known.dimensions.iter().map(|one| one.name.as_str());
    let twice = names.find(|name| !named.insert(name));
    if let Some(name) = twice {
        let what = format!("{name} is the name of two of the metric's columns");
        report(problems, place, &join(path, "dimensions"), &what);
    }
    twice.is_none()
}

/// Whether no two metrics are read under one name, and none is computed of another one.
pub(super) fn are_named_apart(
    records: &[KnowledgeRecord],
    path: &str,
    place: YamlPlace,
    problems: &mut PlacedProblems,
) -> bool {
    let metrics = || {
        records.iter().filter_map(|record| match &record.content {
            KnowledgeContent::Metric(known) => Some((record, known)),
            _ => None,
        })
    };
    let mut named = BTreeSet::new();
    for (record, known) in metrics() {
        let own = known.readable_as.as_ref();
        if let Some(own) = own.filter(|own| !named.insert(*own)) {
            let what = format!("two metrics are read as {own}");
            report(problems, place, &join(path, "metric"), &what);
            return false;
        }
        let is_base = |other: &MetricRelation| *other == known.base;
        let mut others = metrics().filter_map(|(_, other)| other.readable_as.as_ref());
        if others.any(is_base) {
            let what = format!(
                "{} is computed of {}, which is a metric: its base is a relation or a model",
                record.name, known.base
            );
            report(problems, place, &join(path, "metric"), &what);
            return false;
        }
    }
    true
}

/// `date_trunc('month', ordered_at)`, by the name of the part.
fn of_grain(grain: MetricGrain, time: &str) -> (MetricDimension, Vec<String>) {
    let column = time.replace('"', "\"\"");
    let dimension = MetricDimension {
        name: grain.name().to_owned(),
        expression: format!("date_trunc('{}', \"{column}\")", grain.name()),
    };
    (dimension, Vec::new())
}

/// `shop.orders`: one relation.
fn relation(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<MetricRelation> {
    let (place, word) = word(tree, path, problems)?;
    let found = parts(word.trim()).unwrap_or_default();
    let is_name =
        |name: &String| !name.is_empty() && !name.contains('*') && name.len() <= NAME_BYTES_MAX;
    match <[String; 2]>::try_from(found) {
        Ok(both) if both.iter().all(is_name) => {
            let [schema, name] = both;
            Some(MetricRelation { schema, name })
        }
        _ => {
            let what = "one name with its schema is wanted here, such as shop.orders";
            report(problems, place, path, what);
            None
        }
    }
}

/// The name of one column.
fn column(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<String> {
    let (place, word) = word(tree, path, problems)?;
    let found = parts(word.trim()).unwrap_or_default();
    match <[String; 1]>::try_from(found) {
        Ok([name]) if !name.is_empty() => Some(name),
        _ => {
            report(problems, place, path, "the name of a column is wanted here");
            None
        }
    }
}

fn grains(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Vec<MetricGrain>> {
    let place = tree.place;
    let mut grains = Vec::new();
    for word in words(listed(tree), path, problems)? {
        let known = MetricGrain::ALL.iter().find(|grain| grain.name() == word);
        let Some(grain) = known else {
            let known: Vec<&str> = MetricGrain::ALL.iter().map(|grain| grain.name()).collect();
            let what = format!("{word} is no grain; there are {}", known.join(", "));
            report(problems, place, path, &what);
            return None;
        };
        grains.push(*grain);
    }
    Some(grains)
}

type Expression = (String, Vec<String>);

/// One expression, with the columns that it names.
fn expression(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Expression> {
    let place = tree.place;
    let sql = text(tree, path, problems)?;
    match scalar_sql::columns(&sql) {
        Ok(columns) => Some((sql, columns)),
        Err(wrong) => {
            report(problems, place, path, &wrong.to_string());
            None
        }
    }
}

fn expressions(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Vec<Expression>> {
    let place = tree.place;
    let mut read = Vec::new();
    for (number, sql) in words(listed(tree), path, problems)?.into_iter().enumerate() {
        match scalar_sql::columns(&sql) {
            Ok(columns) => read.push((sql, columns)),
            Err(wrong) => {
                report(
                    problems,
                    place,
                    &format!("{path}[{number}]"),
                    &wrong.to_string(),
                );
                return None;
            }
        }
    }
    Some(read)
}

/// Expressions by the names of the dimensions that they are.
fn dimensions(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Vec<(MetricDimension, Vec<String>)>> {
    let mut read = Vec::new();
    let mut is_sound = true;
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        let name = entry.key;
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            let what = format!("a name of 1 to {NAME_BYTES_MAX} bytes is wanted here");
            report(problems, entry.place, &path, &what);
            is_sound = false;
        }
        match expression(entry.tree, &path, problems) {
            Some((expression, columns)) => {
                read.push((MetricDimension { name, expression }, columns));
            }
            None => is_sound = false,
        }
    }
    is_sound.then_some(read)
}

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of, version_with};
    use super::*;

    /// The metric of a policy that has one.
    fn metric(keys: &str) -> KnownMetric {
        let policy = policy_with("knowledge", &format!("metric: {{a: {{{keys}}}}}"));
        match &policy.knowledge().records[0].content {
            KnowledgeContent::Metric(known) => (**known).clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn it_is_a_select_grouped_by_what_is_wanted() {
        let known = metric(
            "base: shop.orders, measure: sum(total - refunded), time: ordered_at, \
             grain: [month, year], dimensions: {region: region, \"Big\": total > 100}, \
             filters: [\"status <> 'x'\", not deleted], as: shop.net, note: x",
        );
        let from = "FROM \"shop\".\"orders\" WHERE (status <> 'x') AND (not deleted)";
        assert_eq!(
            known.select(|_| false),
            format!("SELECT (sum(total - refunded)) AS \"net\" {from} HAVING true")
        );
        assert_eq!(
            known.select(|number| number % 2 == 0),
            format!(
                "SELECT (region) AS \"region\", (date_trunc('month', \"ordered_at\")) AS \
                 \"month\", (sum(total - refunded)) AS \"net\" {from} GROUP BY 1, 2"
            )
        );
        let columns = [
            "deleted",
            "ordered_at",
            "refunded",
            "region",
            "status",
            "total",
        ];
        assert_eq!(known.columns, columns);
        let plain = metric("base: 's.\"A b\"', measure: count(*)");
        let all = plain.select(|_| true);
        assert_eq!(
            all,
            "SELECT (count(*)) AS \"measure\" FROM \"s\".\"A b\" HAVING true"
        );
    }

    #[test]
    fn the_version_is_that_of_what_it_says() {
        let version = |keys: &str| version_with("knowledge", &format!("metric: {{{keys}}}"));
        let own = version("a: {base: s.t, measure: count(*)}");
        for other in [
            "a: {base: s.u, measure: count(*)}",
            "a: {base: s.t, measure: count(x)}",
            "a: {base: s.t, measure: count(*), as: s.c}",
            "a: {base: s.t, measure: count(*), filters: [x]}",
            "a: {base: s.t, measure: count(*), dimensions: {x: y}}",
            "a: {base: s.t, measure: count(*), time: x}",
            "a: {base: s.t, measure: count(*), users: [x]}",
        ] {
            assert_ne!(own, version(other), "{other}");
        }
    }

    #[test]
    fn what_is_wrong_with_it_is_said_with_its_place() {
        for (keys, wanted) in [
            (
                "a: {measure: count(*)}",
                "knowledge.metric.a.base: this key is missing",
            ),
            (
                "a: {base: s.t}",
                "knowledge.metric.a.measure: this key is missing",
            ),
            (
                "a: {base: t, measure: count(*)}",
                "one name with its schema",
            ),
            (
                "a: {base: s.*, measure: count(*)}",
                "one name with its schema",
            ),
            (
                "a: {base: s.t, measure: '1) AS x, (2'}",
                "knowledge.metric.a.measure: one SQL",
            ),
            (
                "a: {base: s.t, measure: '(SELECT 1)'}",
                "without a subquery",
            ),
            (
                "a: {base: s.t, measure: 'a -- b'}",
                "comments are not carried",
            ),
            (
                "a: {base: s.t, measure: count(*), dimensions: {x: 'a FROM b'}}",
                "knowledge.metric.a.dimensions.x: one SQL expression",
            ),
            (
                "a: {base: s.t, measure: count(*), filters: [a, 'b; c']}",
                "knowledge.metric.a.filters[1]: one SELECT without a semicolon",
            ),
            (
                "a: {base: s.t, measure: count(*), grain: day}",
                "a grain is one of a time",
            ),
            (
                "a: {base: s.t, measure: count(*), time: x, grain: decade}",
                "decade is no grain; there are minute, hour, day",
            ),
            (
                "a: {base: s.t, measure: count(*), time: x, grain: day, dimensions: {day: x}}",
                "day is the name of two",
            ),
            (
                "a: {base: s.t, measure: count(*), as: s.x, dimensions: {x: y}}",
                "x is the name of two",
            ),
            (
                "a: {base: s.t, measure: count(*), as: s.x}, b: {base: s.t, measure: 'sum(x)', as: s.x}",
                "two metrics are read as s.x",
            ),
            (
                "a: {base: s.t, measure: count(*), as: s.x}, b: {base: s.x, measure: count(*)}",
                "b is computed of s.x, which is a metric",
            ),
            (
                "a: {base: s.t, measure: count(*), about: s.t}",
                "unknown key",
            ),
        ] {
            let found = said_of("knowledge", &format!("metric: {{{keys}}}"));
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }
}
