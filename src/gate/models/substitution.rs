//! Models: the names in a text that stand for a SELECT, and the text with the SELECT in it.
//!
//! What a name stands for is found as the server finds it: queries of WITH first, then along the
//! search_path; every search_path that the session may have has to lead to the same. Where that
//! cannot be told the statement is refused: what a model covers is never read without it. What is
//! put in is not looked at for models again, so a model may read the relation that it covers.

use super::conditions::RowConditions;
use super::from_names;
use super::from_names::{FromName, StatementNames};
use super::insertion::{InsertionsTooLong, TextInsertions};
use super::name_span::NonBlankTokens;
use super::optimization_fence::{ENDS, ModelEvaluation};
use super::pushdown;
use super::pushdown::{PushedConditions, StatementParameters};
use super::{
    OverlaidRelations, SnapshotModels, leakproof, lock_table, name_meanings, qualified_columns,
    system_columns,
};
use crate::access;
use crate::catalog_view::guards;
use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::effects::lookup;
use crate::rules::{RuleResult, copy, explain_analyze, model};
use crate::settings::tracked::TrackedState;
use crate::settings::transaction_end::TransactionEndKind;
use crate::{CopiedConstant, Refusal, RewrittenText};
use catalog::SearchPath;
use ground::limits::MODEL_BYTES_MAX;
use policy::{PolicyRule, RuleMode};
use resolve::KnownParameters;
use sql::tree::{Node, SyntaxTree, nodes};

/// The text with its models in it; none where it names none.
pub(crate) fn of(
    tree: &SyntaxTree,
    context: &mut JudgeContext<'_>,
) -> Result<Option<RewrittenText>, Box<Refusal>> {
    if !context.policy.has_models() {
        return Ok(None);
    }
    let mut laid_over = Vec::new();
    let found = find(tree, context, &mut laid_over);
    match (context.policy.mode_of(PolicyRule::Model), found) {
        (_, Ok(None)) => Ok(None),
        (RuleMode::Enforce, Err(refused)) => Err(refused),
        // No list speaks of a model that was written; what is laid over a relation is none.
        (RuleMode::Enforce, Ok(found)) => {
            access::check_overlaid_relations(&laid_over, context).map(|()| found)
        }
        (RuleMode::Observe, found) => {
            let would = found.err().unwrap_or_else(model::observed);
            context.enforce_or_observe(PolicyRule::Model, would)?;
            Ok(None)
        }
    }
}

/// What was put in leaves no name that stands for a model.
pub(crate) fn check_none_left(tree: &SyntaxTree, context: &JudgeContext<'_>) -> RuleResult {
    match find(tree, context, &mut Vec::new()) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(model::not_resolved(None)),
        Err(refused) => Err(refused),
    }
}

fn find(
    tree: &SyntaxTree,
    context: &JudgeContext<'_>,
    laid_over: &mut OverlaidRelations,
) -> Result<Option<RewrittenText>, Box<Refusal>> {
    let Some(effect_graph) = context.effect_graph() else {
        return from_names::without_snapshot(tree).map(|()| None);
    };
    let found = put_all(tree, context, effect_graph, FenceUse::Kept, laid_over)?;
    Ok(found.map(|fenced| without_fences(tree, context, effect_graph).unwrap_or(fenced)))
}

/// The text with models that need no fence, where that is so for every search_path.
fn without_fences(
    tree: &SyntaxTree,
    context: &JudgeContext<'_>,
    effect_graph: &EffectGraph,
) -> Option<RewrittenText> {
    let mut statements = tree.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return None;
    };
    if !leakproof::may_be_leakproof(only.node) {
        return None;
    }
    let rewritten = put_all(
        tree,
        context,
        effect_graph,
        FenceUse::Dropped,
        &mut Vec::new(),
    )
    .ok()??;
    let types = lookup::parameters(effect_graph, context);
    let types = types
        .as_deref()
        .map_or(KnownParameters::Unclear, KnownParameters::Given);
    let paths = lookup::paths(effect_graph, context)?;
    let quiet = leakproof::is_leakproof_text(&rewritten, effect_graph.catalog(), &paths, types);
    quiet.then_some(rewritten)
}

fn put_all(
    tree: &SyntaxTree,
    context: &JudgeContext<'_>,
    effect_graph: &EffectGraph,
    fences: FenceUse,
    laid_over: &mut OverlaidRelations,
) -> Result<Option<RewrittenText>, Box<Refusal>> {
    let mut search = ModelSearch {
        context,
        effect_graph,
        fences,
        written: None,
        paths: lookup::paths(effect_graph, context),
        told: TrackedState::AsStated,
        puts: TextInsertions::default(),
        laid_over: Vec::new(),
        tableoid: false,
    };
    let several = tree.statements().nth(1).is_some();
    for statement in tree.statements() {
        let put = search.statement(statement.node)?;
        let kept = matches!(
            statement.node,
            Node::PrepareStmt(_) | Node::DeclareCursorStmt(_) | Node::ExplainStmt(_)
        );
        if put == InsertionMade::Something && several && kept {
            return Err(model::form(
                "a PREPARE, DECLARE or EXPLAIN that reads a model is one of several statements",
                "Send it in a message of its own.",
            ));
        }
        search.pass(statement.node);
    }
    laid_over.append(&mut search.laid_over);
    search
        .puts
        .into_text(context.text)
        .map_err(|InsertionsTooLong| model::too_much())
}

/// Whether models are put in with what keeps the planner out of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FenceUse {
    Kept,
    Dropped,
}

/// Whether anything was put into a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InsertionMade {
    Nothing,
    Something,
}

/// The search for the models of one text.
struct ModelSearch<'s, 'j> {
    context: &'s JudgeContext<'j>,
    effect_graph: &'s EffectGraph,
    fences: FenceUse,
    written: Option<NonBlankTokens<'s>>,
    /// Where names are looked up; none where that is not known, nor what the session's values are.
    paths: Option<Vec<SearchPath>>,
    /// Which of the session's values hold.
    told: TrackedState,
    puts: TextInsertions,
    laid_over: OverlaidRelations,
    /// Whether the statement names `tableoid` of a catalog.
    tableoid: bool,
}

impl<'s> ModelSearch<'s, '_> {
    fn models(&self) -> &'s SnapshotModels {
        self.effect_graph.models()
    }

    fn statement(&mut self, node: Node<'_>) -> Result<InsertionMade, Box<Refusal>> {
        let reads = match node {
            Node::CopyStmt(relation) if relation.relation().is_some() => {
                return self.copied(relation);
            }
            Node::SelectStmt(_)
            | Node::ExplainStmt(_)
            | Node::CopyStmt(_)
            | Node::PrepareStmt(_)
            | Node::DeclareCursorStmt(_)
            | Node::ExecuteStmt(_) => node,
            Node::LockStmt(lock) => {
                let paths = self.paths.as_deref();
                let catalog = self.effect_graph.catalog();
                lock_table::check(lock.relations().iter(), (self.models(), catalog), paths)?;
                return Ok(InsertionMade::Nothing);
            }
            // They read nothing, or are refused whatever they read.
            _ => return Ok(InsertionMade::Nothing),
        };
        let Ok(named) = from_names::of(reads) else {
            return Err(model::not_resolved(None));
        };
        let mut marked = named.tables.clone();
        marked.retain(|table| self.is_marked(table));
        let guarded = self.guard(node)?;
        if marked.is_empty() {
            return Ok(guarded);
        }
        if self.effect_graph.catalog().other_encoding() {
            return Err(model::not_resolved(None));
        }
        let mut found: Vec<(FromName<'_>, usize)> = Vec::new();
        let meanings = name_meanings::of(reads, &marked, self.effect_graph, self.paths.as_deref())?;
        for (table, meaning) in marked.iter().zip(meanings) {
            found.extend(meaning.place()?.map(|place| (*table, place)));
        }
        if found.is_empty() {
            return Ok(guarded);
        }
        if let Node::ExplainStmt(explain) = reads
            && (explain_analyze::runs(explain) || !matches!(explain.query(), Node::SelectStmt(_)))
        {
            return Err(model::explained());
        }
        let conditions = match self.fences {
            FenceUse::Kept => RowConditions::of(reads),
            FenceUse::Dropped => RowConditions::default(),
        };
        // Those of a PREPARE are of its own.
        let is_prepare = matches!(reads, Node::PrepareStmt(_));
        let types = lookup::parameters(self.effect_graph, self.context).filter(|_| !is_prepare);
        let given = StatementParameters {
            types: types.as_deref(),
            occur: &named.parameters,
        };
        let places = found.iter().map(|(_, place)| *place);
        self.tableoid = system_columns::needs_tableoid(reads, places, self.effect_graph)?;
        for (table, place) in &found {
            let inside = self.inside(table, *place, &conditions, given);
            self.put(table, *place, inside)?;
        }
        self.columns(&named, &found)?;
        Ok(InsertionMade::Something)
    }

    /// Where the catalogs show what the policy shows: calls and casts that make a number into a
    /// name do so for what is shown.
    fn guard(&mut self, node: Node<'_>) -> Result<InsertionMade, Box<Refusal>> {
        let Some(shown) = self.effect_graph.shown_catalog() else {
            return Ok(InsertionMade::Nothing);
        };
        let mut made = InsertionMade::Nothing;
        for edit in guards::of(node, self.context, &shown.lists) {
            made = InsertionMade::Something;
            self.puts
                .insert(edit.from, edit.instead)
                .map_err(|InsertionsTooLong| model::too_much())?;
        }
        Ok(made)
    }

    /// A statement is done: behind the end of a transaction what the session said of that holds,
    /// where nothing in the text was set.
    fn pass(&mut self, node: Node<'_>) {
        if TransactionEndKind::of(node).is_some() {
            self.told = TrackedState::AfterTransaction;
            let at_end = lookup::paths_at_end(self.effect_graph, self.context);
            self.paths = self.paths.take().and(at_end);
        } else if from_names::moves_names(node) {
            self.paths = None;
        }
    }

    /// Whether a name may mean something that models are about.
    fn is_marked(&self, table: &FromName<'_>) -> bool {
        let name = table.node.relname().unwrap_or_default();
        let trusted = usize::try_from(table.node.location)
            .is_ok_and(|at| self.context.trusted.iter().any(|span| span.contains(&at)));
        !trusted && self.models().may_mean_model(name)
    }

    /// Puts a model's SELECT where its name stands.
    fn put(
        &mut self,
        table: &FromName<'_>,
        place: usize,
        inside: Option<PushedConditions>,
    ) -> Result<(), Box<Refusal>> {
        table.check_form()?;
        let name = table.node.relname().unwrap_or_default();
        self.laid_over
            .extend(self.models().overlaid_relation(place, table.node));
        let inside = inside.unwrap_or_default();
        let body = self.body(place, Some(&*inside.text).filter(|text| !text.is_empty()))?;
        let written = self.written();
        let named = written.name_and_star(table.node);
        let mut span = named.ok_or_else(|| model::not_resolved(Some(name)))?;
        let alias = match table.node.alias() {
            Some(_) => String::new(),
            None => format!(" AS \"{}\"", name.replace('"', "\"\"")),
        };
        let (before, ends) = match self.tableoid {
            true => system_columns::with_tableoid(place, self.effect_graph),
            false => Default::default(),
        };
        let written = self.written();
        let rewritten = match written.table_before(&span) {
            Some(start) => {
                span.start = start;
                format!("SELECT * FROM {body}{alias}")
            }
            None => format!("{before}{body}{ends}{alias}"),
        };
        let catalog = self.effect_graph.catalog();
        let typed = inside.typed.into_iter();
        self.puts
            .types(typed.map(|(number, id)| (number, catalog.data_type(id).oid)));
        // What stands within a body ends it, and the alias follows.
        let behind = [&*inside.text, ENDS, ends, &*alias].map(str::len);
        let behind = behind.iter().sum();
        let before = rewritten.len().saturating_sub(behind);
        let moved = |at: usize| before.saturating_add(at);
        let copies = inside.copies.into_iter().map(|copied| CopiedConstant {
            to: moved(copied.to.start)..moved(copied.to.end),
            ..copied
        });
        self.puts
            .insert_with_copies(span, rewritten, copies.collect())
            .map_err(|InsertionsTooLong| model::too_much())
    }

    /// The conditions of the statement that are evaluated within a model.
    fn inside<'t>(
        &self,
        table: &FromName<'t>,
        place: usize,
        conditions: &RowConditions<'t>,
        given: StatementParameters<'_>,
    ) -> Option<PushedConditions> {
        if self.puts.bytes() > MODEL_BYTES_MAX / 2 {
            return None;
        }
        let own = self.models().get(place)?;
        let paths = self.paths.as_deref()?;
        pushdown::of(
            (own, table),
            conditions,
            given,
            (self.effect_graph.catalog(), paths),
        )
    }

    /// `shop.customers.id` is `customers.id` where `shop.customers` is a SELECT of that name.
    fn columns(
        &mut self,
        named: &StatementNames<'_>,
        found: &[(FromName<'_>, usize)],
    ) -> Result<(), Box<Refusal>> {
        let unaliased = found
            .iter()
            .filter(|(table, _)| table.node.alias().is_none());
        let names: Vec<(&str, &str)> = unaliased
            .filter_map(|(_, place)| self.models().get(*place))
            .map(|model| (&*model.schema, &*model.name))
            .collect();
        let own: Vec<&nodes::RangeVar> = found.iter().map(|(table, _)| table.node).collect();
        for (span, rewritten) in qualified_columns::of(named, &names, &own, self.written())? {
            self.puts
                .insert(span, rewritten)
                .map_err(|InsertionsTooLong| model::too_much())?;
        }
        Ok(())
    }

    /// The text of a model for this session.
    fn body(&self, place: usize, condition: Option<&str>) -> Result<String, Box<Refusal>> {
        let Some(model) = self.models().get(place) else {
            return Err(model::not_resolved(None));
        };
        let (schema, name) = (&*model.schema, &*model.name);
        let Ok(body) = &model.body else {
            return Err(model::unusable(schema, name));
        };
        let mut paths = self.paths.iter().flatten();
        if !paths.all(|path| body.has_same_meaning(self.effect_graph.catalog(), path)) {
            return Err(model::other_search_path(schema, name));
        }
        let within = match self.fences {
            FenceUse::Kept => ModelEvaluation::Fence(condition),
            FenceUse::Dropped if body.is_plain() => ModelEvaluation::Open,
            FenceUse::Dropped => return Err(model::not_resolved(None)),
        };
        let lists = model
            .is_catalog()
            .then(|| self.effect_graph.shown_catalog());
        let lists = lists.flatten().map(|shown| &shown.lists);
        body.text(within, |value| self.context.value(value, self.told), lists)
            .map_err(model::value)
    }

    /// COPY of a relation: that of a model is COPY of its SELECT.
    fn copied(&mut self, statement: &nodes::CopyStmt) -> Result<InsertionMade, Box<Refusal>> {
        let table = statement.relation();
        let name = table.and_then(nodes::RangeVar::relname);
        let (Some(table), Some(name)) = (table, name) else {
            return Err(model::not_resolved(None));
        };
        // What writes is refused whatever it names.
        if statement.is_from || !self.models().may_mean_model(name) {
            return Ok(InsertionMade::Nothing);
        }
        let catalog = self.effect_graph.catalog();
        let meaning = |path| self.models().meaning(table, catalog, path);
        let mut meanings = self.paths.iter().flatten().map(meaning);
        let first = meanings.next().filter(|_| !catalog.other_encoding());
        let agreed = first.filter(|first| meanings.all(|other| other == *first));
        let agreed = agreed.ok_or_else(|| model::not_resolved(Some(name)))?;
        let Some(place) = agreed.place()? else {
            return Ok(InsertionMade::Nothing);
        };
        self.laid_over
            .extend(self.models().overlaid_relation(place, table));
        let body = self.body(place, None)?;
        let span = self.written().name_and_columns(table);
        let parts = span.zip(copy::columns(statement));
        let (span, columns) = parts.ok_or_else(|| model::not_resolved(Some(name)))?;
        let name = copy::in_quotes(name);
        let put = self
            .puts
            .insert(span, format!("(SELECT {columns} FROM {body} AS {name})"));
        put.map(|()| InsertionMade::Something)
            .map_err(|InsertionsTooLong| model::too_much())
    }

    fn written(&mut self) -> &NonBlankTokens<'s> {
        let text = self.context.text;
        self.written.get_or_insert_with(|| NonBlankTokens::of(text))
    }
}
