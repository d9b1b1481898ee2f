//! Metrics that can be read: each name in FROM that stands for one, and the text with the SELECT
//! that computes it in its place, grouped by the dimensions that the statement names.
//!
//! * [`named_dimensions`]: which those are
//!
//! A metric gives no right. The text with it is judged from its beginning, as if the client had
//! sent it: models, masks and lists of the policy hold for what the metric is computed of. Without
//! a catalog no name stands for a metric, and a relation or model of the same name is what is read.

mod named_dimensions;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::effects::lookup;
use crate::models::FromNameMeaning;
use crate::models::from_names::{self, FromName};
use crate::models::name_span::NonBlankTokens;
use crate::rules::{copy, model};
use crate::settings::tracked::TrackedState;
use crate::settings::transaction_end::TransactionEndKind;
use crate::{ClampedText, OffsetMap, Refusal};
use catalog::SearchPath;
use ground::limits;
use named_dimensions::{NamedDimensions, StatementWithMetrics};
use policy::metric::{KnownMetric, MetricRelation};
use policy::{PolicyRule, SessionValue};
use resolve::{KnownParameters, LookupContext, ObjectUse, UsedObject};
use sql::edit::{self, TextEdit};
use sql::node_access::place;
use sql::tree::{Node, SyntaxTree};

/// A text with metrics in it.
pub(crate) struct ExpandedText {
    /// What is judged next.
    pub(crate) clamp: ClampedText,
    /// The metrics in it: each with the SELECT that computes it by all of its dimensions. Where
    /// that may not run the metric is nobody's to read here, and nothing of it is told.
    pub(crate) bodies: Vec<(MetricRelation, String)>,
}

/// The text with the metrics in it that it names; none where it names none.
///
/// # Errors
/// By which dimensions one is to be grouped cannot be told.
pub(crate) fn expanded(
    tree: &SyntaxTree,
    context: &mut JudgeContext<'_>,
) -> Result<Option<ExpandedText>, Box<Refusal>> {
    let mut metrics = context.policy.knowledge().readable_metrics();
    if metrics.next().is_none() {
        return Ok(None);
    }
    match found(tree, context) {
        Ok(found) if found.edits.is_empty() => Ok(None),
        Ok(FoundMetrics { edits, bodies }) => {
            let clamp = with_edits(context.text, edits)?;
            Ok(Some(ExpandedText { clamp, bodies }))
        }
        Err(refused) => {
            context.enforce_or_observe(PolicyRule::Model, refused)?;
            Ok(None)
        }
    }
}

fn with_edits(text: &str, edits: Vec<TextEdit>) -> Result<ClampedText, Box<Refusal>> {
    let bytes = edits.iter().map(|edit| edit.replacement.len());
    if bytes.sum::<usize>() > limits::MODEL_BYTES_MAX {
        return Err(model::too_much());
    }
    let offsets = OffsetMap::of(text, &edits);
    let text = edit::apply(text, edits).map_err(|_| model::too_much())?;
    Ok(ClampedText {
        text,
        notice: None,
        offsets,
        signal: None,
        listens: Vec::new(),
        is_lowered: false,
    })
}

/// What a text names, and where.
#[derive(Default)]
struct FoundMetrics {
    edits: Vec<TextEdit>,
    bodies: Vec<(MetricRelation, String)>,
}

fn found(tree: &SyntaxTree, context: &JudgeContext<'_>) -> Result<FoundMetrics, Box<Refusal>> {
    let mut found = FoundMetrics::default();
    let Some(effect_graph) = context.effect_graph() else {
        return Ok(found);
    };
    if lookup::may_be_read_otherwise(effect_graph, context) {
        return Ok(found);
    }
    let mut search = MetricSearch {
        context,
        effect_graph,
        paths: lookup::paths(effect_graph, context),
        written: None,
    };
    for statement in tree.statements() {
        search.statement(statement.node, &mut found)?;
        if TransactionEndKind::of(statement.node).is_some()
            || from_names::moves_names(statement.node)
        {
            search.paths = None;
        }
    }
    Ok(found)
}

/// The search for the metrics of one text.
struct MetricSearch<'s, 'j> {
    context: &'s JudgeContext<'j>,
    effect_graph: &'s EffectGraph,
    /// Where names are looked up; none where that is not known.
    paths: Option<Vec<SearchPath>>,
    written: Option<NonBlankTokens<'s>>,
}

impl<'s> MetricSearch<'s, '_> {
    fn statement(&mut self, node: Node<'_>, found: &mut FoundMetrics) -> Result<(), Box<Refusal>> {
        let reads = matches!(
            node,
            Node::SelectStmt(_)
                | Node::ExplainStmt(_)
                | Node::CopyStmt(_)
                | Node::PrepareStmt(_)
                | Node::DeclareCursorStmt(_)
        );
        // What is of an unknown kind is refused by its own rule.
        let Some(named) = reads.then(|| from_names::of(node).ok()).flatten() else {
            return Ok(());
        };
        let mut marked = named.tables;
        marked.retain(|table| self.candidates(table).next().is_some());
        let with_metrics = self.meant(node, &marked);
        for (table, metric) in &with_metrics.metrics {
            self.check_columns(metric)?;
            let dimensions = NamedDimensions::of(&with_metrics, table.node, metric)?;
            self.put(table, metric, &dimensions, found)?;
            if let Some(name) = &metric.readable_as {
                let is_known = found.bodies.iter().any(|(known, _)| known == name);
                let body = (!is_known).then(|| (name.clone(), metric.select(|_| true)));
                found.bodies.extend(body);
            }
        }
        Ok(())
    }

    /// The metrics that a name may stand for: those of the schema that is written, or of any.
    fn candidates<'t>(
        &self,
        table: &FromName<'t>,
    ) -> impl Iterator<Item = &'s KnownMetric> + use<'s, 't> {
        let (schema, name) = (table.node.schemaname(), table.node.relname());
        let user = self
            .context
            .value(&SessionValue::User, TrackedState::AsStated);
        let metrics = self.context.policy.knowledge().metrics_for(user.flatten());
        let metrics: Vec<&KnownMetric> = metrics.collect();
        metrics.into_iter().filter(move |metric| {
            metric.readable_as.as_ref().is_some_and(|own| {
                Some(own.name.as_str()) == name && schema.is_none_or(|schema| own.schema == schema)
            })
        })
    }

    /// The statement with those of the names that stand for a metric, wherever names may be looked
    /// up.
    fn meant<'t>(&self, node: Node<'t>, marked: &[FromName<'t>]) -> StatementWithMetrics<'t, 's> {
        let nothing = StatementWithMetrics {
            node,
            metrics: Vec::new(),
            columns: HashSet::new(),
        };
        if marked.is_empty() {
            return nothing;
        }
        let catalog = self.effect_graph.catalog();
        let nowhere = [catalog.search_path::<&str>(&[], None)];
        let paths = self.paths.as_deref().unwrap_or(&nowhere);
        let mut agreed: Option<StatementWithMetrics<'t, 's>> = None;
        for path in paths {
            let own = self.on_path(path, node, marked);
            match &mut agreed {
                None => agreed = Some(own),
                Some(others) => {
                    others.metrics.retain(|(table, metric)| {
                        let is_same = |(own, known): &(FromName<'_>, &KnownMetric)| {
                            std::ptr::eq(own.node, table.node) && std::ptr::eq(*known, *metric)
                        };
                        own.metrics.iter().any(is_same)
                    });
                    others.columns.retain(|at| own.columns.contains(at));
                }
            }
        }
        agreed.unwrap_or(nothing)
    }

    fn on_path<'t>(
        &self,
        path: &SearchPath,
        node: Node<'t>,
        marked: &[FromName<'t>],
    ) -> StatementWithMetrics<'t, 's> {
        let lookup = LookupContext {
            catalog: self.effect_graph.catalog(),
            path,
            parameters: KnownParameters::Unclear,
        };
        let resolution = resolve::statement(node, &lookup).ok();
        let uses = || resolution.iter().flat_map(|resolution| &resolution.uses);
        let used_at = |at: Option<usize>| uses().filter(move |used| used.at == at);
        let is_missing = |table: &FromName<'_>| {
            let mut used = used_at(place(table.node.location)).map(|used| &used.what);
            let is_missing =
                |what: &UsedObject<'_>| matches!(what, UsedObject::MissingRelation { .. });
            let is_other = |what: &UsedObject<'_>| {
                matches!(
                    what,
                    UsedObject::Relation { .. } | UsedObject::CommonTable { .. }
                )
            };
            let all: Vec<_> = used.by_ref().collect();
            all.iter().any(|what| is_missing(what)) && !all.iter().any(|what| is_other(what))
        };
        let found = marked.iter().filter(|table| is_missing(table));
        let metrics = found.filter_map(|table| Some((*table, self.on_one_path(path, table)?)));
        let is_column = |used: &&ObjectUse<'_>| matches!(used.what, UsedObject::Column { .. });
        StatementWithMetrics {
            node,
            metrics: metrics.collect(),
            columns: uses()
                .filter(is_column)
                .filter_map(|used| used.at)
                .collect(),
        }
    }

    /// The metric that the first schema of a path has that has one of the name; models come first.
    fn on_one_path(&self, path: &SearchPath, table: &FromName<'_>) -> Option<&'s KnownMetric> {
        let catalog = self.effect_graph.catalog();
        let models = self.effect_graph.models();
        if models.meaning(table.node, catalog, path) != FromNameMeaning::Plain {
            return None;
        }
        if table.node.schemaname().is_some() {
            return self.candidates(table).next();
        }
        path.schemas().iter().find_map(|id| {
            let schema = catalog.names().text(catalog.schema(*id).name);
            self.candidates(table).find(|metric| {
                let own = metric.readable_as.as_ref();
                own.is_some_and(|own| own.schema == schema)
            })
        })
    }

    /// Whether what a metric is computed of has the columns that it names. The name of one that is
    /// gone could mean a column of the statement around it.
    fn check_columns(&self, metric: &KnownMetric) -> Result<(), Box<Refusal>> {
        let (base, catalog) = (&metric.base, self.effect_graph.catalog());
        let relation = catalog.relation_named(&base.schema, &base.name);
        let has_it = |name: &String| {
            let models = self.effect_graph.models();
            let of_model = models.has_column(&base.schema, &base.name, name);
            of_model.unwrap_or_else(|| {
                let columns = relation
                    .map(|id| catalog.columns_of(id))
                    .unwrap_or_default();
                let mut columns = columns.iter();
                columns.any(|column| catalog.names().text(column.name) == name)
            })
        };
        match (metric.columns.iter().all(has_it), &metric.readable_as) {
            (false, Some(own)) => Err(model::metric_unusable(&own.schema, &own.name)),
            _ => Ok(()),
        }
    }

    /// Puts a metric's SELECT where its name stands.
    fn put(
        &mut self,
        table: &FromName<'_>,
        metric: &KnownMetric,
        dimensions: &NamedDimensions<'_>,
        found: &mut FoundMetrics,
    ) -> Result<(), Box<Refusal>> {
        let name = table.node.relname().unwrap_or_default();
        if table.sampled || !table.node.inh {
            return Err(model::form(
                &format!("ONLY and TABLESAMPLE are not for the metric {name}"),
                "Leave them away: a metric is computed of all rows that count.",
            ));
        }
        let body = metric.select(|number| dimensions.has(number));
        let alias = match table.node.alias() {
            Some(_) => String::new(),
            None => format!(" AS {}", copy::in_quotes(name)),
        };
        let unclear = || model::metric_not_placed(name);
        let written = self.written();
        let mut span = written.name_and_star(table.node).ok_or_else(unclear)?;
        let replacement = match written.table_before(&span) {
            Some(start) => {
                span.start = start;
                format!("SELECT * FROM ({body}){alias}")
            }
            None => format!("({body}){alias}"),
        };
        found.edits.push(TextEdit { span, replacement });
        // `shop.net.region` is `net.region` where `shop.net` is a SELECT of that name.
        for column in dimensions.with_schema() {
            let parts = written.parts(column.location, column.fields().len());
            let parts = parts.ok_or_else(unclear)?;
            let [schema, table, ..] = parts.as_slice() else {
                return Err(unclear());
            };
            found.edits.push(TextEdit {
                span: schema.start..table.start,
                replacement: String::new(),
            });
        }
        Ok(())
    }

    fn written(&mut self) -> &NonBlankTokens<'s> {
        let text = self.context.text;
        self.written.get_or_insert_with(|| NonBlankTokens::of(text))
    }
}
