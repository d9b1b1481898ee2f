//! One model's SELECT, made so that nothing of a client's means anything in it.
//!
//! Its relations and functions are written with their schemas, by changes to its bytes. What cannot
//! be written so (operators, types, the built-ins' names) is looked up once more where a statement
//! uses it, and has to mean the same there ([`ModelBody::has_same_meaning`]).
//!
//! What keeps the planner out of it is in [`super::optimization_fence`].

use std::sync::{PoisonError, RwLock};

use super::calculated;
use super::from_names;
use super::name_span::NonBlankTokens;
use super::optimization_fence::{ModelEvaluation, OptimizationFence, needs_no_fence};
use crate::catalog_view::lists::ShownLists;
use catalog::quote::quoted;
use catalog::{
    Catalog, Column, GeneratedKind, RelationId, RelationKind, SchemaKind, SearchPath, search_path,
};
use ground::limits::MODEL_PATHS_KEPT_MAX;
use policy::PolicyModel;
use policy::SessionValue;
use policy::model::{ModelPiece, pieces_with};
use resolve::{
    self, CallForm, KnownParameters, LookupContext, ObjectUse, Resolution, ResultColumn, UsedObject,
};
use sql::edit::TextEdit;
use sql::tree::{self, Node, SetOperation, nodes};

/// What is put where a model's name stands.
pub(crate) struct ModelBody {
    pieces: Box<[ModelPiece]>,
    /// The same with a literal in each value's place.
    sample: Box<str>,
    /// Its columns; what a virtual column computes is not passed on unchanged.
    columns: Box<[ResultColumn<'static>]>,
    /// Whether all of them are columns of tables, or constants.
    plain: bool,
    /// Whether the planner is kept out of it.
    fence: OptimizationFence,
    /// What is used in it beside relations and columns, where the model's own schema comes first.
    meant: Box<[UsedObject<'static>]>,
    /// Where clients have looked names up so far, and whether it means the same there.
    compared: RwLock<Vec<(SearchPath, bool)>>,
}

impl ModelBody {
    /// The SELECT of a model, or why it cannot be used. `may_read` says which relations it may
    /// name.
    pub(crate) fn of(
        model: &PolicyModel,
        catalog: &Catalog,
        may_read: impl Fn(RelationId) -> bool,
    ) -> Result<Self, String> {
        if catalog.other_encoding() {
            return Err("the database keeps its names in another encoding than UTF-8".into());
        }
        let (text, values) = with_samples(&model.pieces);
        let parsed = tree::parse(&text).map_err(|_| "its sql is not one query of Postgres")?;
        let mut statements = parsed.statements();
        let (Some(only), None) = (statements.next(), statements.next()) else {
            return Err("its sql is not one query".into());
        };
        let Node::SelectStmt(select) = only.node else {
            return Err("its sql is no SELECT".into());
        };
        let path = own_path(model, catalog);
        let lookup = LookupContext {
            catalog,
            path: &path,
            parameters: KnownParameters::Unclear,
        };
        let resolution = resolve::statement(only.node, &lookup)
            .map_err(|_| "it nests deeper than its names are followed")?;
        resolution.uses.iter().try_for_each(is_found)?;
        let named = from_names::of(only.node).map_err(|_| "it holds what no read holds")?;
        if !named.parameters.is_empty() {
            return Err("it has a parameter ($1); a value of the session is written :name".into());
        }
        let written = NonBlankTokens::of(&text);
        let mut edits = Vec::new();
        for table in &named.tables {
            let at = usize::try_from(table.node.location).ok();
            match relation_at(&resolution, at) {
                Some(Some(id)) if may_read(id) => {
                    let span = written.name(table.node).ok_or(UNPLACED)?;
                    let replacement = qualified(id, catalog);
                    edits.push(TextEdit { span, replacement });
                }
                Some(Some(_)) => return Err("it reads what another model covers".into()),
                Some(None) => {}
                None => return Err(UNPLACED.into()),
            }
        }
        edits.extend(functions(&named.calls, &resolution, catalog));
        if !model.calculated.all.is_empty() {
            let taken = model.pieces.get(..model.calculated.pieces);
            let (taken, _) = with_samples(taken.unwrap_or_default());
            calculated::check_values(model, taken.len(), &resolution, catalog)?;
        }
        let fence = fence(model, select, &resolution, catalog);
        let pieces = pieces(&text, &model.pieces, &values, edits)?;
        let (bare, _) = with_samples(&pieces);
        let sample = fence.around(bare, None);
        let meant = meant(&sample, catalog, &path).ok_or("it does not resolve twice alike")?;
        let columns = columns(select, &resolution, catalog);
        Ok(Self {
            plain: model.calculated.all.is_empty() && is_plain(select, &columns),
            columns,
            fence,
            pieces: pieces.into(),
            sample: sample.into(),
            meant,
            compared: RwLock::default(),
        })
    }

    /// Its text with a literal in each value's place.
    pub(super) fn sample(&self) -> &str {
        &self.sample
    }

    /// Whether everything in it is the same where a client looks names up. `catalog` is the one
    /// that it was made for. Clients look names up in a few places: each is looked at once.
    pub(crate) fn has_same_meaning(&self, catalog: &Catalog, path: &SearchPath) -> bool {
        let compared = self.compared.read().unwrap_or_else(PoisonError::into_inner);
        let known = compared.iter().find(|(own, _)| own == path);
        if let Some((_, same)) = known {
            return *same;
        }
        drop(compared);
        let same = meant(&self.sample, catalog, path).is_some_and(|meant| meant == self.meant);
        let compared = self.compared.write();
        let mut compared = compared.unwrap_or_else(PoisonError::into_inner);
        if compared.len() >= MODEL_PATHS_KEPT_MAX {
            compared.clear();
        }
        compared.push((path.clone(), same));
        same
    }

    /// Whether one of its columns has this name.
    pub(super) fn has_column(&self, column: &str) -> bool {
        self.columns.iter().any(|own| own.name.as_str() == column)
    }

    /// The columns that a condition inside of its fence can be about; none where there is no
    /// fence, or they are not known in full.
    pub(crate) fn fenced(&self) -> Option<&[ResultColumn<'static>]> {
        (self.fence == OptimizationFence::Offset).then_some(&self.columns)
    }

    /// Whether its columns are those of tables as they are, or constants: nothing is evaluated for
    /// them.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Its text for a session, with a condition about it; the first value that is not known where
    /// there is one. The condition ends the text, but for `ENDS`.
    pub(crate) fn text<'v>(
        &self,
        within: ModelEvaluation<'_>,
        known: impl Fn(&SessionValue) -> Option<Option<&'v str>>,
        lists: Option<&ShownLists>,
    ) -> Result<String, &SessionValue> {
        let mut text = String::new();
        for piece in &self.pieces {
            match piece {
                ModelPiece::Sql(sql) => match lists {
                    Some(lists) => lists.fill(sql, &mut text),
                    None => text.push_str(sql),
                },
                ModelPiece::Value(value) => literal(known(value).ok_or(value)?, &mut text),
            }
        }
        Ok(match within {
            ModelEvaluation::Open => OptimizationFence::None.around(text, None),
            ModelEvaluation::Fence(condition) => self.fence.around(text, condition),
        })
    }
}

/// What keeps the planner out of a model. A calculated column leaves no row away, and what it reads
/// of other relations stands in a query of its own: the fence is that of the model's own SELECT.
fn fence(
    model: &PolicyModel,
    select: &nodes::SelectStmt,
    resolution: &Resolution<'_>,
    catalog: &Catalog,
) -> OptimizationFence {
    let own = calculated::own_select(model, select);
    let named = own.and_then(|own| from_names::of(Node::SelectStmt(own)).ok());
    match own.zip(named) {
        Some((own, named)) if needs_no_fence(own, &named, resolution, catalog) => {
            OptimizationFence::None
        }
        Some(_) | None => OptimizationFence::Offset,
    }
}

/// Whether each column of a SELECT is one of a table, or a constant.
fn is_plain(select: &nodes::SelectStmt, columns: &[ResultColumn<'_>]) -> bool {
    let targets = select.target_list();
    let is_constant = |node: Node<'_>| match node {
        Node::A_Const(_) => true,
        Node::TypeCast(cast) => matches!(cast.arg(), Node::A_Const(_)),
        _ => false,
    };
    let is_kept = |column: &ResultColumn<'_>| column.origin.is_some();
    // A star stands for other columns than itself.
    columns.iter().all(is_kept)
        || targets.len() == columns.len()
            && columns
                .iter()
                .zip(targets)
                .all(|(column, target)| is_kept(column) || is_constant(target.val()))
}

/// The columns of a model. What UNION gives comes from several relations, and what a view gives may
/// be computed.
fn columns(
    select: &nodes::SelectStmt,
    resolution: &Resolution<'_>,
    catalog: &Catalog,
) -> Box<[ResultColumn<'static>]> {
    let is_one = select.op == SetOperation::SETOP_NONE;
    let is_kept = |(id, number): &(RelationId, i16)| {
        let mut columns = catalog.columns_of(*id).iter();
        let is_it = |column: &Column| column.number == *number;
        let is_stored = matches!(
            catalog.relation(*id).kind,
            RelationKind::Table | RelationKind::PartitionedTable | RelationKind::MaterializedView
        );
        let is_read = |column: &Column| is_it(column) && column.generated != GeneratedKind::Virtual;
        is_one && is_stored && columns.any(is_read)
    };
    let columns = resolution.output.columns.iter();
    let owned = columns.map(|column| ResultColumn {
        name: column.name.as_str().to_owned().into(),
        inferred: column.inferred.clone(),
        origin: column.origin.filter(is_kept),
    });
    owned.collect()
}

/// A value as a literal. The spaces keep it apart from what stands beside it: a letter before a
/// quote would change how it is read.
fn literal(value: Option<&str>, text: &mut String) {
    let Some(value) = value else {
        text.push_str(" NULL ");
        return;
    };
    text.push_str(" '");
    for (at, part) in value.split('\'').enumerate() {
        if at > 0 {
            text.push_str("''");
        }
        text.push_str(part);
    }
    text.push_str("' ");
}

/// The text with a literal in each value's place, and where those stand.
fn with_samples(pieces: &[ModelPiece]) -> (String, Vec<std::ops::Range<usize>>) {
    let mut text = String::new();
    let mut values = Vec::new();
    for piece in pieces {
        match piece {
            ModelPiece::Sql(sql) => text.push_str(sql),
            ModelPiece::Value(_) => {
                let from = text.len();
                literal(Some(SAMPLE), &mut text);
                values.push(from..text.len());
            }
        }
    }
    (text, values)
}

/// The model's own schema, then the server's, then what the database looks names up in.
fn own_path(model: &PolicyModel, catalog: &Catalog) -> SearchPath {
    let usual = search_path::split(catalog.usual_search_path()).unwrap_or_default();
    let first = [model.schema.as_str(), "pg_catalog"];
    catalog.search_path_of_all(first.into_iter().chain(usual.iter().map(String::as_str)))
}

fn is_found(used: &ObjectUse<'_>) -> Result<(), String> {
    match &used.what {
        UsedObject::MissingRelation { name, .. } => {
            Err(format!("it reads {}, which does not exist", name.as_str()))
        }
        UsedObject::MissingColumn { name, .. } => Err(format!(
            "it reads a column {}, which does not exist",
            name.as_str()
        )),
        UsedObject::AmbiguousColumn { name, .. } => Err(format!(
            "its column {} may be of several relations",
            name.as_str()
        )),
        UsedObject::MissingFunction => Err("it calls a function that does not exist".into()),
        UsedObject::Unclear => Err("what it reads cannot be told".into()),
        UsedObject::Relation { .. }
        | UsedObject::CommonTable { .. }
        | UsedObject::Column { .. }
        | UsedObject::WholeRow { .. }
        | UsedObject::Functions { .. }
        | UsedObject::Operators { .. }
        | UsedObject::Cast { .. }
        | UsedObject::Coercion { .. }
        | UsedObject::Type { .. }
        | UsedObject::Compared { .. } => Ok(()),
    }
}

/// What the name at a place is: a relation, a query of WITH, or nothing that is known.
pub(super) fn relation_at(
    resolution: &Resolution<'_>,
    at: Option<usize>,
) -> Option<Option<RelationId>> {
    let mut uses = resolution
        .uses
        .iter()
        .filter(|used| used.at == at && at.is_some());
    uses.find_map(|used| match &used.what {
        UsedObject::Relation { id, .. } => Some(Some(*id)),
        UsedObject::CommonTable { .. } => Some(None),
        _ => None,
    })
}

fn qualified(id: RelationId, catalog: &Catalog) -> String {
    let relation = catalog.relation(id);
    let schema = catalog.names().text(catalog.schema(relation.schema).name);
    let name = catalog.names().text(relation.name);
    format!("{}.{}", quoted(schema), quoted(name))
}

/// The schemas of functions that are no built-ins, before their names.
fn functions(
    calls: &[&nodes::FuncCall],
    resolution: &Resolution<'_>,
    catalog: &Catalog,
) -> Vec<TextEdit> {
    let unqualified = calls.iter().filter(|call| call.funcname().len() == 1);
    let edits = unqualified.filter_map(|call| {
        let at = usize::try_from(call.location).ok()?;
        let mut uses = resolution.uses.iter().filter(|used| used.at == Some(at));
        let schema = uses.find_map(|used| match &used.what {
            UsedObject::Functions {
                candidates,
                form: CallForm::Call | CallForm::From,
            } => {
                let mut schemas = candidates.iter().map(|id| catalog.function(*id).schema);
                let first = schemas.next()?;
                schemas.all(|schema| schema == first).then_some(first)
            }
            _ => None,
        })?;
        let schema = catalog.schema(schema);
        (schema.kind != SchemaKind::Catalog).then(|| TextEdit {
            span: at..at,
            replacement: format!("{}.", quoted(catalog.names().text(schema.name))),
        })
    });
    edits.collect()
}

/// The pieces of the changed text. The end of the line ends whatever comment it may end in.
fn pieces(
    text: &str,
    own: &[ModelPiece],
    values: &[std::ops::Range<usize>],
    edits: Vec<TextEdit>,
) -> Result<Vec<ModelPiece>, String> {
    let of_values = own
        .iter()
        .filter(|piece| matches!(piece, ModelPiece::Value(_)));
    let changes = edits
        .into_iter()
        .map(|edit| (edit.span, ModelPiece::Sql(edit.replacement)))
        .chain(values.iter().cloned().zip(of_values.cloned()));
    let mut pieces = pieces_with(text, changes.collect()).ok_or(UNPLACED)?;
    if let Some(ModelPiece::Sql(rest)) = pieces.last_mut() {
        let end = rest.trim_end_matches(|c: char| c == ';' || c.is_ascii_whitespace());
        *rest = format!("{end}\n");
    }
    Ok(pieces)
}

/// What a text uses beside relations and columns; none where that cannot be told.
fn meant(text: &str, catalog: &Catalog, path: &SearchPath) -> Option<Box<[UsedObject<'static>]>> {
    let parsed = tree::parse(text).ok()?;
    let only = parsed.statements().next()?;
    let lookup = LookupContext {
        catalog,
        path,
        parameters: KnownParameters::Unclear,
    };
    let resolution = resolve::statement(only.node, &lookup).ok()?;
    let mut meant = Vec::with_capacity(resolution.uses.len());
    for used in &resolution.uses {
        is_found(used).ok()?;
        meant.push(match &used.what {
            UsedObject::Relation { id, only } => UsedObject::Relation {
                id: *id,
                only: *only,
            },
            UsedObject::Column {
                inferred,
                origin,
                via,
            } => UsedObject::Column {
                inferred: inferred.clone(),
                origin: *origin,
                via: *via,
            },
            UsedObject::Functions { candidates, form } => UsedObject::Functions {
                candidates: candidates.clone(),
                form: *form,
            },
            UsedObject::Operators { candidates, sides } => UsedObject::Operators {
                candidates: candidates.clone(),
                sides: sides.clone(),
            },
            UsedObject::Cast {
                source,
                target,
                candidates,
            } => UsedObject::Cast {
                source: source.clone(),
                target: *target,
                candidates: candidates.clone(),
            },
            UsedObject::Coercion { source, target } => UsedObject::Coercion {
                source: source.clone(),
                target: *target,
            },
            UsedObject::Type { id } => UsedObject::Type { id: *id },
            UsedObject::Compared { inferred } => UsedObject::Compared {
                inferred: inferred.clone(),
            },
            UsedObject::WholeRow { inferred, relation } => UsedObject::WholeRow {
                inferred: inferred.clone(),
                relation: *relation,
            },
            _ => continue,
        });
    }
    Some(meant.into())
}

/// What stands in a value's place while it is not known which one it is.
const SAMPLE: &str = "0";

const UNPLACED: &str = "a name in it cannot be placed";
