//! The semantic models of a project, and its metrics: joins, columns that are calculated, and
//! measures over a relation.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::dbt_tests::ColumnJoin;
use super::left_out::LeftOut;
use super::manifest::{DbtManifest, ProjectRelations, depends_on, list_of, text_of};
use super::sql_piece;
use crate::catalog::quote::quoted;
use crate::limits::knowledge::KNOWLEDGE_RECORDS_MAX;
use crate::policy::metric::MetricGrain;

/// A semantic model over one relation.
struct SemanticModel<'m> {
    id: &'m str,
    node: &'m Value,
    /// The place of its relation.
    relation: usize,
    /// Its dimensions that can group rows, each with its expression.
    groups: BTreeMap<String, String>,
}

/// What semantic models and metrics say.
#[derive(Debug, Default)]
pub(super) struct ImportedSemantics {
    /// Joins by entities, from a foreign one to a primary one.
    pub(super) joins: Vec<ColumnJoin>,
    /// Dimensions that are no bare columns.
    pub(super) dimensions: Vec<CalculatedDimension>,
    /// Metrics.
    pub(super) metrics: Vec<ImportedMetric>,
}

/// A dimension that is calculated from columns of its relation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CalculatedDimension {
    /// The place of the relation.
    pub(super) relation: usize,
    /// Its name.
    pub(super) name: String,
    /// Its expression.
    pub(super) expression: String,
    /// What it is, in words.
    pub(super) about: String,
}

/// A metric over one relation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ImportedMetric {
    /// Its id in the manifest.
    pub(super) id: String,
    /// Its name.
    pub(super) name: String,
    /// The place of the relation.
    pub(super) relation: usize,
    /// The aggregate.
    pub(super) measure: String,
    /// By what it can be grouped, each with its expression.
    pub(super) dimensions: BTreeMap<String, String>,
    /// The column of its time, with the grain that this has.
    pub(super) time: Option<(String, String)>,
    /// Conditions on rows.
    pub(super) filters: Vec<String>,
    /// What it is, in words.
    pub(super) note: String,
}

/// How a measure is made.
struct MeasureForm<'m> {
    aggregate: &'m str,
    expression: String,
    /// The name of its time among the dimensions.
    time: &'m str,
    model: &'m SemanticModel<'m>,
}

impl ImportedSemantics {
    /// Reads all of them.
    pub(super) fn of(
        manifest: &DbtManifest,
        relations: &ProjectRelations,
        left_out: &mut LeftOut,
    ) -> Self {
        let mut models = Vec::new();
        for (id, node) in &manifest.semantic_models {
            match place_of(node, relations) {
                Some(relation) => models.push(SemanticModel::of(id, node, relation)),
                None => left_out.add(id, "it is over a relation that is left out"),
            }
        }
        let mut found = Self {
            joins: joins(&models, left_out),
            ..Self::default()
        };
        for model in &models {
            found.dimensions.extend(model.calculated(left_out));
        }
        found.dimensions.sort();
        let parts = MetricParts::of(&models);
        for (id, node) in manifest.metrics.iter().take(KNOWLEDGE_RECORDS_MAX) {
            let metric = match node.get("calculation_method") {
                Some(_) => old_metric(id, node, relations),
                None => metric(id, node, &parts, left_out),
            };
            match metric {
                Ok(metric) => found.metrics.push(metric),
                Err(why) => left_out.add(id, &why),
            }
        }
        for (id, _) in manifest.metrics.iter().skip(KNOWLEDGE_RECORDS_MAX) {
            left_out.add(id, "there are more metrics than a policy holds");
        }
        found
    }
}

/// What metrics are made of, by name.
struct MetricParts<'m> {
    models: HashMap<&'m str, &'m SemanticModel<'m>>,
    measures: HashMap<&'m str, (&'m SemanticModel<'m>, &'m Value)>,
}

impl<'m> MetricParts<'m> {
    fn of(models: &'m [SemanticModel<'m>]) -> Self {
        let measures = models.iter().flat_map(|model| {
            let measures = list_of(model.node, "measures").iter();
            measures.map(move |measure| (text_of(measure, "name"), (model, measure)))
        });
        Self {
            models: models
                .iter()
                .map(|model| (text_of(model.node, "name"), model))
                .collect(),
            measures: measures.collect(),
        }
    }
}

impl<'m> SemanticModel<'m> {
    fn of(id: &'m str, node: &'m Value, relation: usize) -> Self {
        let dimensions = list_of(node, "dimensions").iter().take(DIMENSIONS_MAX);
        let groups = dimensions.filter_map(|dimension| {
            let written = Self::written(dimension);
            let expression = sql_piece::expression(&written).ok()?.to_owned();
            Some((text_of(dimension, "name").to_owned(), expression))
        });
        Self {
            id,
            node,
            relation,
            groups: groups.collect(),
        }
    }

    /// The expression of a dimension, an entity or a measure: its own name where it has none.
    fn written(part: &'m Value) -> String {
        match part.get("expr") {
            Some(Value::String(written)) if !written.trim().is_empty() => written.clone(),
            Some(Value::Number(number)) => number.to_string(),
            _ => text_of(part, "name").to_owned(),
        }
    }

    /// Its dimensions that are no bare columns.
    fn calculated(&self, left_out: &mut LeftOut) -> Vec<CalculatedDimension> {
        let mut found = Vec::new();
        for dimension in list_of(self.node, "dimensions") {
            let written = Self::written(dimension);
            if sql_piece::bare_column(&written).is_some() {
                continue;
            }
            let name = text_of(dimension, "name");
            match sql_piece::expression(&written) {
                Ok(expression) => found.push(CalculatedDimension {
                    relation: self.relation,
                    name: name.to_owned(),
                    expression: expression.to_owned(),
                    about: text_of(dimension, "description").to_owned(),
                }),
                Err(why) => left_out.add(&format!("{}, dimension {name}", self.id), &why),
            }
        }
        found
    }

    /// The column of a dimension of time, with its grain.
    fn time(&self, name: &str) -> Option<(String, String)> {
        let mut dimensions = list_of(self.node, "dimensions").iter();
        let dimension = dimensions.find(|dimension| text_of(dimension, "name") == name)?;
        let column = sql_piece::bare_column(&Self::written(dimension))?;
        let parameters = dimension.get("type_params")?;
        let grain = text_of(parameters, "time_granularity");
        let is_known = MetricGrain::named(grain).is_some();
        is_known.then(|| (column, grain.to_owned()))
    }
}

/// The place of the relation that something is made from.
fn place_of(node: &Value, relations: &ProjectRelations) -> Option<usize> {
    let by_id = match depends_on(node).as_slice() {
        [only] => relations.of_id(only),
        _ => None,
    };
    let relation = node.get("node_relation").unwrap_or(&Value::Null);
    let (schema, name) = (text_of(relation, "schema_name"), text_of(relation, "alias"));
    by_id.or_else(|| relations.named(schema, name))
}

/// Joins from foreign entities to the primary or unique ones of the same name.
fn joins(models: &[SemanticModel<'_>], left_out: &mut LeftOut) -> Vec<ColumnJoin> {
    let mut foreign = Vec::new();
    let mut primary: BTreeMap<&str, Vec<(usize, String)>> = BTreeMap::new();
    for model in models {
        for entity in list_of(model.node, "entities") {
            let name = text_of(entity, "name");
            let Some(column) = sql_piece::bare_column(&SemanticModel::written(entity)) else {
                let what = format!("{}, entity {name}", model.id);
                left_out.add(&what, "it is an expression, and joins are by columns");
                continue;
            };
            match text_of(entity, "type") {
                "foreign" => foreign.push((name, (model.relation, column))),
                "primary" | "unique" => {
                    primary
                        .entry(name)
                        .or_default()
                        .push((model.relation, column));
                }
                _ => {}
            }
        }
    }
    let joins = foreign.into_iter().flat_map(|(name, from)| {
        let others = primary.get(name).into_iter().flatten();
        let own = from.clone();
        let others = others.filter(move |to| **to != from);
        others.map(move |to| ColumnJoin {
            from: own.clone(),
            to: to.clone(),
        })
    });
    joins.take(KNOWLEDGE_RECORDS_MAX).collect()
}

/// A metric that is a measure, with or without conditions.
fn metric(
    id: &str,
    node: &Value,
    parts: &MetricParts<'_>,
    left_out: &mut LeftOut,
) -> Result<ImportedMetric, String> {
    match text_of(node, "type") {
        "simple" => {}
        "" => return Err("it does not say what it is".into()),
        kind => return Err(format!("a policy has no metrics of the type {kind}")),
    }
    let parameters = node.get("type_params").unwrap_or(&Value::Null);
    let input = parameters.get("measure").unwrap_or(&Value::Null);
    for fills in [input, parameters] {
        let fills_gaps = fills.get("join_to_timespine") == Some(&Value::Bool(true))
            || fills
                .get("fill_nulls_with")
                .is_some_and(|with| !with.is_null());
        if fills_gaps {
            return Err("it fills the gaps of its time, which a policy cannot".into());
        }
    }
    let form = measure(parameters, input, parts)?;
    let mut filters = conditions(node.get("filter"))?;
    filters.extend(conditions(input.get("filter"))?);
    let time = form.model.time(form.time);
    if time.is_none() && !form.time.is_empty() {
        left_out.add(
            &format!("{id}, its time {}", form.time),
            "it is no bare column with a grain that a policy has",
        );
    }
    let mut dimensions = form.model.groups.clone();
    if time.is_some() {
        dimensions.remove(form.time);
    }
    Ok(ImportedMetric {
        id: id.to_owned(),
        name: text_of(node, "name").to_owned(),
        relation: form.model.relation,
        measure: aggregate(form.aggregate, &form.expression)?,
        dimensions,
        time,
        filters,
        note: words_about(node),
    })
}

/// What a metric aggregates: a measure of a semantic model, or what newer versions write in the
/// metric itself.
fn measure<'m>(
    parameters: &'m Value,
    input: &Value,
    parts: &MetricParts<'m>,
) -> Result<MeasureForm<'m>, String> {
    let own = parameters
        .get("metric_aggregation_params")
        .filter(|own| own.is_object());
    let found = match own {
        Some(own) => parts
            .models
            .get(text_of(own, "semantic_model"))
            .map(|model| (*model, own)),
        None => parts.measures.get(text_of(input, "name")).copied(),
    };
    let (model, part) = found.ok_or("its measure is one that is left out")?;
    if part
        .get("non_additive_dimension")
        .is_some_and(|other| !other.is_null())
    {
        return Err(
            "its measure takes one row of many, by a dimension that is not additive".into(),
        );
    }
    let aggregate = text_of(part, "agg");
    let written = match own {
        Some(_) if text_of(parameters, "expr").is_empty() => SemanticModel::written(part),
        Some(_) => text_of(parameters, "expr").to_owned(),
        None => SemanticModel::written(part),
    };
    let expression =
        sql_piece::expression(&written).map_err(|why| format!("its measure: {why}"))?;
    let defaults = model.node.get("defaults").unwrap_or(&Value::Null);
    let times = [
        text_of(part, "agg_time_dimension"),
        text_of(defaults, "agg_time_dimension"),
    ];
    Ok(MeasureForm {
        aggregate,
        expression: expression.to_owned(),
        time: times
            .into_iter()
            .find(|time| !time.is_empty())
            .unwrap_or_default(),
        model,
    })
}

/// An aggregate in SQL.
fn aggregate(name: &str, expression: &str) -> Result<String, String> {
    Ok(match name {
        "sum" | "min" | "max" | "count" => format!("{name}({expression})"),
        "average" => format!("avg({expression})"),
        "count_distinct" => format!("count(DISTINCT {expression})"),
        "sum_boolean" => format!("sum(CASE WHEN {expression} THEN 1 ELSE 0 END)"),
        "median" => format!("percentile_cont(0.5) WITHIN GROUP (ORDER BY {expression})"),
        other => return Err(format!("the aggregate {other} has no exact form here")),
    })
}

/// The conditions of a filter, which newer versions keep in a list.
fn conditions(filter: Option<&Value>) -> Result<Vec<String>, String> {
    let Some(filter) = filter.filter(|filter| !filter.is_null()) else {
        return Ok(Vec::new());
    };
    let all = match filter.get("where_filters") {
        Some(_) => list_of(filter, "where_filters"),
        None => std::slice::from_ref(filter),
    };
    let conditions = all.iter().map(|one| {
        let written = one
            .as_str()
            .unwrap_or_else(|| text_of(one, "where_sql_template"));
        let condition = sql_piece::expression(written);
        condition
            .map(str::to_owned)
            .map_err(|why| format!("its filter: {why}"))
    });
    conditions.collect()
}

/// A metric as it was written before there were semantic models.
fn old_metric(
    id: &str,
    node: &Value,
    relations: &ProjectRelations,
) -> Result<ImportedMetric, String> {
    let relation = place_of(node, relations).ok_or("it is over a relation that is left out")?;
    if node.get("window").is_some_and(|window| !window.is_null()) {
        return Err("it is over a window of time".into());
    }
    let written = sql_piece::expression(text_of(node, "expression"))?;
    let mut dimensions = BTreeMap::new();
    for name in list_of(node, "dimensions").iter().filter_map(Value::as_str) {
        let column = sql_piece::bare_column(name);
        let column = column.ok_or("a dimension of it is no bare column")?;
        dimensions.insert(name.to_owned(), quoted(&column).into_owned());
    }
    let filters = list_of(node, "filters").iter().map(|filter| {
        let parts = ["field", "operator", "value"].map(|key| text_of(filter, key));
        let condition = parts.join(" ");
        let condition = sql_piece::expression(&condition).map(str::to_owned);
        condition.map_err(|why| format!("its filter: {why}"))
    });
    Ok(ImportedMetric {
        id: id.to_owned(),
        name: text_of(node, "name").to_owned(),
        relation,
        measure: aggregate(text_of(node, "calculation_method"), written)?,
        dimensions,
        // Of its grains none is the one that it is kept by.
        time: None,
        filters: filters.collect::<Result<Vec<String>, String>>()?,
        note: words_about(node),
    })
}

/// Dimensions of one semantic model that are offered with each of its metrics.
const DIMENSIONS_MAX: usize = 100;

/// What a metric is, in words.
fn words_about(node: &Value) -> String {
    let mut words = ["description", "label"]
        .into_iter()
        .map(|key| text_of(node, key));
    let words = words.find(|words| !words.trim().is_empty() && *words != text_of(node, "name"));
    words.unwrap_or_default().to_owned()
}
