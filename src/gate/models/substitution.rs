//! Models: the names in a text that stand for a SELECT, and the text with the SELECT in it.
//!
//! What a name stands for is found as the server finds it: queries of WITH first, then along the
//! search_path; every search_path that the session may have has to lead to the same. Where that
//! cannot be told the statement is refused: what a model covers is never read without it. What is
//! put in is not looked at for models again, so a model may read the relation that it covers.

use super::conditions::Conditions;
use super::from_names;
use super::from_names::{Named, Table};
use super::insertion::{Puts, TooMuch};
use super::name_span::Written;
use super::optimization_fence::{ENDS, Within};
use super::pushdown;
use super::pushdown::{Given, Inside};
use super::with_names::{IsCommon, Stands};
use super::{LaidOver, Meaning, Models, leakproof, lock_table, qualified_columns};
use crate::catalog::SearchPath;
use crate::gate::access;
use crate::gate::command_label;
use crate::gate::context::Case;
use crate::gate::effects::graph::Sight;
use crate::gate::effects::lookup;
use crate::gate::rules::{Found, copy, explain_analyze, model};
use crate::gate::settings::tracked::Told;
use crate::gate::settings::transaction_end::End;
use crate::gate::{Copied, Instead, Refusal};
use crate::limits::MODEL_BYTES_MAX;
use crate::policy::{Mode, PolicyRule};
use crate::resolve::{self, Lookup, Types};
use crate::sql::tree::{Node, Tree, nodes};

/// The text with its models in it; none where it names none.
pub(in crate::gate) fn of(
    tree: &Tree,
    case: &mut Case<'_>,
) -> Result<Option<Instead>, Box<Refusal>> {
    if !case.policy.has_models() {
        return Ok(None);
    }
    let mut laid_over = Vec::new();
    let found = find(tree, case, &mut laid_over);
    match (case.policy.mode_of(PolicyRule::Model), found) {
        (_, Ok(None)) => Ok(None),
        (Mode::Enforce, Err(refused)) => Err(refused),
        // No list speaks of a model that was written; what is laid over a relation is none.
        (Mode::Enforce, Ok(found)) => access::settle_relations(&laid_over, case).map(|()| found),
        (Mode::Observe, found) => {
            let would = found.err().unwrap_or_else(model::observed);
            case.under(PolicyRule::Model, would)?;
            Ok(None)
        }
    }
}

/// What was put in leaves no name that stands for a model.
pub(in crate::gate) fn leaves_none(tree: &Tree, case: &Case<'_>) -> Found {
    match find(tree, case, &mut Vec::new()) {
        Ok(None) => Ok(()),
        Ok(Some(_)) => Err(model::not_resolved(None)),
        Err(refused) => Err(refused),
    }
}

fn find(
    tree: &Tree,
    case: &Case<'_>,
    laid_over: &mut LaidOver,
) -> Result<Option<Instead>, Box<Refusal>> {
    let Some(sight) = case.sight() else {
        return from_names::without_snapshot(tree).map(|()| None);
    };
    let found = put_all(tree, case, sight, Fences::Kept, laid_over)?;
    let found = found.map(|fenced| without_fences(tree, case, sight).unwrap_or(fenced));
    Ok(found)
}

/// The text with models that need no fence, where that is so for every search_path.
fn without_fences(tree: &Tree, case: &Case<'_>, sight: &Sight) -> Option<Instead> {
    let mut statements = tree.statements();
    let (Some(only), None) = (statements.next(), statements.next()) else {
        return None;
    };
    if !leakproof::may_tell_nothing(only.node) {
        return None;
    }
    let instead = put_all(tree, case, sight, Fences::Dropped, &mut Vec::new()).ok()??;
    let types = lookup::parameters(sight, case);
    let types = types.as_deref().map_or(Types::Unclear, Types::Given);
    let paths = lookup::paths(sight, case)?;
    let quiet = leakproof::is_quiet(&instead, sight.catalog(), &paths, types);
    quiet.then_some(instead)
}

fn put_all(
    tree: &Tree,
    case: &Case<'_>,
    sight: &Sight,
    fences: Fences,
    laid_over: &mut LaidOver,
) -> Result<Option<Instead>, Box<Refusal>> {
    let mut search = Search {
        case,
        sight,
        fences,
        written: None,
        paths: lookup::paths(sight, case),
        told: Told::Before,
        puts: Puts::default(),
        laid_over: Vec::new(),
    };
    let several = tree.statements().nth(1).is_some();
    for statement in tree.statements() {
        let put = search.statement(statement.node)?;
        let kept = matches!(
            statement.node,
            Node::PrepareStmt(_) | Node::DeclareCursorStmt(_) | Node::ExplainStmt(_)
        );
        if put == Put::Something && several && kept {
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
        .into_text(case.text)
        .map_err(|TooMuch| model::too_much())
}

/// Whether models are put in with what keeps the planner out of them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fences {
    Kept,
    Dropped,
}

/// Whether anything was put into a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Put {
    Nothing,
    Something,
}

/// The search for the models of one text.
struct Search<'s, 'j> {
    case: &'s Case<'j>,
    sight: &'s Sight,
    fences: Fences,
    written: Option<Written<'s>>,
    /// Where names are looked up; none where that is not known, nor what the session's values are.
    paths: Option<Vec<SearchPath>>,
    /// Which of the session's values hold.
    told: Told,
    puts: Puts,
    laid_over: LaidOver,
}

impl<'s> Search<'s, '_> {
    fn models(&self) -> &'s Models {
        self.sight.models()
    }

    fn statement(&mut self, node: Node<'_>) -> Result<Put, Box<Refusal>> {
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
                let catalog = self.sight.catalog();
                lock_table::look(lock.relations().iter(), (self.models(), catalog), paths)?;
                return Ok(Put::Nothing);
            }
            // They read nothing, or are refused whatever they read.
            _ => return Ok(Put::Nothing),
        };
        let Ok(named) = from_names::of(reads) else {
            return Err(model::not_resolved(None));
        };
        let mut marked = named.tables.clone();
        marked.retain(|table| self.is_marked(table));
        if marked.is_empty() {
            return Ok(Put::Nothing);
        }
        if self.sight.catalog().other_encoding() {
            return Err(model::not_resolved(None));
        }
        let mut found: Vec<(Table<'_>, usize)> = Vec::new();
        let meanings = self.meanings(reads, &marked)?;
        for (table, meaning) in marked.iter().zip(meanings) {
            found.extend(meaning.place()?.map(|place| (*table, place)));
        }
        if found.is_empty() {
            return Ok(Put::Nothing);
        }
        if let Node::ExplainStmt(explain) = reads
            && (explain_analyze::runs(explain) || !matches!(explain.query(), Node::SelectStmt(_)))
        {
            return Err(model::explained());
        }
        let conditions = match self.fences {
            Fences::Kept => Conditions::of(reads),
            Fences::Dropped => Conditions::default(),
        };
        // Those of a PREPARE are of its own.
        let is_prepare = matches!(reads, Node::PrepareStmt(_));
        let types = lookup::parameters(self.sight, self.case).filter(|_| !is_prepare);
        let given = Given {
            types: types.as_deref(),
            occur: &named.parameters,
        };
        for (table, place) in &found {
            let inside = self.inside(table, *place, &conditions, given);
            self.put(table, *place, inside)?;
        }
        self.columns(&named, &found)?;
        Ok(Put::Something)
    }

    /// A statement is done: behind the end of a transaction what the session said of that holds,
    /// where nothing in the text was set.
    fn pass(&mut self, node: Node<'_>) {
        if End::of(node).is_some() {
            self.told = Told::Ended;
            let at_end = lookup::paths_at_end(self.sight, self.case);
            self.paths = self.paths.take().and(at_end);
        } else if from_names::moves_names(node) {
            self.paths = None;
        }
    }

    /// Whether a name may mean something that models are about.
    fn is_marked(&self, table: &Table<'_>) -> bool {
        let name = table.node.relname().unwrap_or_default();
        let trusted = usize::try_from(table.node.location)
            .is_ok_and(|at| self.case.trusted.iter().any(|span| span.contains(&at)));
        !trusted && self.models().may_be(name)
    }

    /// What each name means, in their order.
    fn meanings(&self, node: Node<'_>, marked: &[Table<'_>]) -> Result<Vec<Meaning>, Box<Refusal>> {
        let nowhere = [self.sight.catalog().search_path::<&str>(&[], None)];
        let known = self.paths.is_some();
        let paths = self.paths.as_deref().unwrap_or(&nowhere);
        let mut agreed: Option<Vec<Meaning>> = None;
        for path in paths {
            let own = self.meanings_on(path, node, marked, known)?;
            match &agreed {
                None => agreed = Some(own),
                Some(others) if *others == own => {}
                Some(_) => return Err(model::not_resolved(None)),
            }
        }
        agreed.ok_or_else(|| model::not_resolved(None))
    }

    fn meanings_on(
        &self,
        path: &SearchPath,
        node: Node<'_>,
        marked: &[Table<'_>],
        known: bool,
    ) -> Result<Vec<Meaning>, Box<Refusal>> {
        let catalog = self.sight.catalog();
        let lookup = Lookup {
            catalog,
            path,
            parameters: Types::Unclear,
        };
        if matches!(node, Node::ExecuteStmt(_)) {
            return Err(model::not_resolved(None));
        }
        let resolution =
            resolve::statement(node, &lookup).map_err(|_| model::not_resolved(None))?;
        let stands = Stands::of(&resolution);
        let meaning = |table: &Table<'_>| match stands.at(table) {
            Some(IsCommon::Common) => Ok(Meaning::Plain),
            Some(IsCommon::Relation) if known => {
                Ok(self.models().meaning(table.node, catalog, path))
            }
            Some(IsCommon::Relation) | None => Err(model::not_resolved(table.node.relname())),
        };
        marked.iter().map(meaning).collect()
    }

    /// Puts a model's SELECT where its name stands.
    fn put(
        &mut self,
        table: &Table<'_>,
        place: usize,
        inside: Option<Inside>,
    ) -> Result<(), Box<Refusal>> {
        let shown = command_label::relation(table.node);
        if table.sampled {
            return Err(model::form(
                &format!("TABLESAMPLE of the model {shown} is not carried"),
                "SELECT from it with LIMIT, or WHERE random() < 0.1.",
            ));
        }
        if !table.node.inh {
            return Err(model::form(
                &format!("ONLY {shown} is not carried: it is a model"),
                "Leave ONLY away: a model has no children.",
            ));
        }
        let name = table.node.relname().unwrap_or_default();
        self.laid_over
            .extend(self.models().laid_over(place, table.node));
        let inside = inside.unwrap_or_default();
        let body = self.body(place, Some(&*inside.text).filter(|text| !text.is_empty()))?;
        let written = self.written();
        let named = written.name_and_star(table.node);
        let mut span = named.ok_or_else(|| model::not_resolved(Some(name)))?;
        let alias = match table.node.alias() {
            Some(_) => String::new(),
            None => format!(" AS \"{}\"", name.replace('"', "\"\"")),
        };
        let instead = match written.table_before(&span) {
            Some(start) => {
                span.start = start;
                format!("SELECT * FROM {body}{alias}")
            }
            None => format!("{body}{alias}"),
        };
        let catalog = self.sight.catalog();
        let typed = inside.typed.into_iter();
        self.puts
            .types(typed.map(|(number, id)| (number, catalog.data_type(id).oid)));
        // What stands within a body ends it, and the alias follows.
        let behind = [&*inside.text, ENDS, &*alias].map(str::len).iter().sum();
        let before = instead.len().saturating_sub(behind);
        let moved = |at: usize| before.saturating_add(at);
        let copies = inside.copies.into_iter().map(|copied| Copied {
            to: moved(copied.to.start)..moved(copied.to.end),
            ..copied
        });
        self.puts
            .put_with(span, instead, copies.collect())
            .map_err(|TooMuch| model::too_much())
    }

    /// The conditions of the statement that are evaluated within a model.
    fn inside<'t>(
        &self,
        table: &Table<'t>,
        place: usize,
        conditions: &Conditions<'t>,
        given: Given<'_>,
    ) -> Option<Inside> {
        if self.puts.bytes() > MODEL_BYTES_MAX / 2 {
            return None;
        }
        let own = self.models().get(place)?;
        let paths = self.paths.as_deref()?;
        pushdown::of(
            (own, table),
            conditions,
            given,
            (self.sight.catalog(), paths),
        )
    }

    /// `shop.customers.id` is `customers.id` where `shop.customers` is a SELECT of that name.
    fn columns(
        &mut self,
        named: &Named<'_>,
        found: &[(Table<'_>, usize)],
    ) -> Result<(), Box<Refusal>> {
        let unaliased = found
            .iter()
            .filter(|(table, _)| table.node.alias().is_none());
        let names: Vec<(&str, &str)> = unaliased
            .filter_map(|(_, place)| self.models().get(*place))
            .map(|model| (&*model.schema, &*model.name))
            .collect();
        let own: Vec<&nodes::RangeVar> = found.iter().map(|(table, _)| table.node).collect();
        for (span, instead) in qualified_columns::of(named, &names, &own, self.written())? {
            self.puts
                .put(span, instead)
                .map_err(|TooMuch| model::too_much())?;
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
        if !paths.all(|path| body.means_the_same(self.sight.catalog(), path)) {
            return Err(model::elsewhere(schema, name));
        }
        let within = match self.fences {
            Fences::Kept => Within::Fence(condition),
            Fences::Dropped if body.is_plain() => Within::Open,
            Fences::Dropped => return Err(model::not_resolved(None)),
        };
        body.text(within, |value| self.case.value(value, self.told))
            .map_err(model::value)
    }

    /// COPY of a relation: that of a model is COPY of its SELECT.
    fn copied(&mut self, statement: &nodes::CopyStmt) -> Result<Put, Box<Refusal>> {
        let table = statement.relation();
        let name = table.and_then(nodes::RangeVar::relname);
        let (Some(table), Some(name)) = (table, name) else {
            return Err(model::not_resolved(None));
        };
        // What writes is refused whatever it names.
        if statement.is_from || !self.models().may_be(name) {
            return Ok(Put::Nothing);
        }
        let catalog = self.sight.catalog();
        let meaning = |path| self.models().meaning(table, catalog, path);
        let mut meanings = self.paths.iter().flatten().map(meaning);
        let first = meanings.next().filter(|_| !catalog.other_encoding());
        let agreed = first.filter(|first| meanings.all(|other| other == *first));
        let agreed = agreed.ok_or_else(|| model::not_resolved(Some(name)))?;
        let Some(place) = agreed.place()? else {
            return Ok(Put::Nothing);
        };
        self.laid_over.extend(self.models().laid_over(place, table));
        let body = self.body(place, None)?;
        let span = self.written().name_and_columns(table);
        let parts = span.zip(copy::columns(statement));
        let (span, columns) = parts.ok_or_else(|| model::not_resolved(Some(name)))?;
        let name = copy::in_quotes(name);
        let put = self
            .puts
            .put(span, format!("(SELECT {columns} FROM {body} AS {name})"));
        put.map(|()| Put::Something)
            .map_err(|TooMuch| model::too_much())
    }

    fn written(&mut self) -> &Written<'s> {
        let text = self.case.text;
        self.written.get_or_insert_with(|| Written::of(text))
    }
}
