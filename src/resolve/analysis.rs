//! The state of one analysis.

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::{
    BodyArguments, ColumnSource, InferredType, KnownParameters, LookupContext, MissingName,
    NotedCoercions, ObjectUse, ParameterOccurrences, QueryOutput, Resolution, Scope, ScopeColumn,
    ScopeId, ScopeView, SqlName, TooDeep, TypeMismatch, TypeMismatchKind, UsedObject, VisibleItems,
};
use catalog::{Catalog, Oid, RelationId, SearchPath};
use ground::limits::{RESOLVE_DEPTH_MAX, RESOLVE_WORK_MAX};
use sql::tree::list::NodeList;
use sql::tree::{self, Node, nodes};

/// The state of one analysis: what has been found so far.
pub struct Analysis<'a> {
    /// The snapshot.
    pub(crate) catalog: &'a Catalog,
    /// Where unqualified names are looked up.
    pub(crate) path: &'a SearchPath,
    parameters: GivenTypes,
    /// Of the function whose body it is.
    pub(crate) arguments: Option<&'a BodyArguments<'a>>,
    pub(crate) occurrences: ParameterOccurrences,
    pub(crate) noted: NotedCoercions,
    /// Types of expressions, where somebody asks for them.
    pub(crate) typed: Option<super::expression::node_types::TypesByNode>,
    uses: Vec<ObjectUse<'a>>,
    misfits: Vec<TypeMismatch>,
    pub(crate) first_absent: Option<MissingName<'a>>,
    scopes: Vec<ScopeView<'a>>,
    marks: Vec<(usize, ScopeId)>,
    missing_columns: Vec<(usize, VisibleItems<'a>)>,
    current: Option<ScopeId>,
    depth: usize,
    work: usize,
    tables: HashMap<RelationId, Arc<[ScopeColumn<'a>]>, RandomState>,
    first_names: HashMap<*const nodes::SelectStmt, SqlName<'a>, RandomState>,
}

impl<'a> Analysis<'a> {
    pub(crate) fn new(lookup: &LookupContext<'a>) -> Self {
        Self {
            catalog: lookup.catalog,
            path: lookup.path,
            parameters: parameters(lookup.parameters),
            arguments: match lookup.parameters {
                KnownParameters::Arguments(arguments) => Some(arguments),
                KnownParameters::Given(_) | KnownParameters::Unclear => None,
            },
            occurrences: ParameterOccurrences::default(),
            noted: NotedCoercions::default(),
            typed: None,
            uses: Vec::new(),
            misfits: Vec::new(),
            first_absent: None,
            scopes: Vec::new(),
            marks: Vec::new(),
            missing_columns: Vec::new(),
            current: None,
            depth: 0,
            work: 0,
            tables: HashMap::default(),
            first_names: HashMap::default(),
        }
    }

    /// Notes a use in the query that is being analysed.
    pub fn note(&mut self, found: ObjectUse<'a>) {
        if let (Some(at), Some(current)) = (found.at, self.current) {
            self.marks.push((at, current));
        }
        self.uses.push(found);
    }

    /// Notes what can be referred to where a column is missing.
    pub(crate) fn note_visible(&mut self, location: i32, scope: &Scope<'_, 'a>) {
        if let Ok(at) = usize::try_from(location) {
            self.missing_columns.push((at, scope.visible_items()));
        }
    }

    /// Notes that the server will refuse what stands at a node's `location`.
    pub(crate) fn note_mismatch(&mut self, location: i32, kind: TypeMismatchKind) {
        let at = usize::try_from(location).ok();
        self.misfits.push(TypeMismatch { at, kind });
    }

    /// Notes what is used at a node's `location`.
    pub fn note_at(&mut self, location: i32, what: UsedObject<'a>) {
        let at = usize::try_from(location).ok();
        self.note(ObjectUse { at, what });
    }

    /// Does what takes the analysis one level deeper into the text. Everything that may call itself
    /// again goes through here.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn deeper<T>(
        &mut self,
        inside: impl FnOnce(&mut Self) -> Result<T, TooDeep>,
    ) -> Result<T, TooDeep> {
        if self.depth >= RESOLVE_DEPTH_MAX {
            return Err(TooDeep);
        }
        self.depth += 1;
        let result = inside(self);
        self.depth -= 1;
        result
    }

    /// Counts what takes time or memory out of proportion to the text: columns looked at, copied or
    /// made.
    pub(crate) fn charge_work(&mut self, work: usize) -> Result<(), TooDeep> {
        self.work = self.work.saturating_add(work);
        if self.work > RESOLVE_WORK_MAX {
            return Err(TooDeep);
        }
        Ok(())
    }

    /// Begins a query: what is noted from now on stands in it.
    pub(crate) fn enter(
        &mut self,
        select: &'a nodes::SelectStmt,
        outer: Option<&Scope<'_, 'a>>,
    ) -> EnteredQuery {
        let id = ScopeId(self.scopes.len());
        self.scopes.push(ScopeView {
            outer: outer.and_then(|outer| outer.id),
            outer_items: outer.map_or(VisibleItems::Nothing, Scope::visible_items),
            items: Vec::new(),
            tables: Vec::new(),
            query: std::ptr::from_ref(select).addr(),
        });
        let before = self.current.replace(id);
        EnteredQuery { id, before }
    }

    /// Ends a query.
    pub(crate) fn leave(&mut self, entered: EnteredQuery, scope: Scope<'_, 'a>) {
        if let Some(view) = self.scopes.get_mut(entered.id.place()) {
            view.items = scope.items;
            view.tables = scope.tables.into_iter().map(|table| table.name).collect();
        }
        self.current = entered.before;
    }

    /// The columns of a relation under their own names.
    pub(crate) fn columns_of_relation(&mut self, id: RelationId) -> Arc<[ScopeColumn<'a>]> {
        let catalog = self.catalog;
        let columns = self.tables.entry(id).or_insert_with(|| {
            let columns = catalog.columns_of(id).iter().map(|column| ScopeColumn {
                origin: Some((id, column.number)),
                via: ColumnSource::Relation,
                ..ScopeColumn::computed(
                    catalog.names().text(column.name).into(),
                    InferredType::Known(column.type_id),
                )
            });
            columns.collect()
        });
        Arc::clone(columns)
    }

    /// A type that came with the server.
    pub(crate) fn built_in(&self, oid: Oid) -> InferredType {
        let known = self.catalog.index().type_of_oid(oid);
        known.map_or(InferredType::Unclear, InferredType::Known)
    }

    /// Remembers what the first column of a query is called: a sub-select in an expression gives
    /// its name to the column that the expression makes.
    pub(crate) fn remember_first_name(&mut self, select: &'a nodes::SelectStmt, name: SqlName<'a>) {
        self.first_names.insert(select, name);
    }

    /// The name of the first column of a query that has been analysed.
    pub(crate) fn first_name(&self, select: &'a nodes::SelectStmt) -> Option<SqlName<'a>> {
        self.first_names.get(&std::ptr::from_ref(select)).cloned()
    }

    /// Looks through a node that nothing else here knows: its meaning is noted as unclear, and what
    /// is under it is analysed as far as it can be.
    ///
    /// # Errors
    /// The text nests deeper than the analysis goes.
    pub fn anything(&mut self, node: Node<'a>, scope: &Scope<'_, 'a>) -> Result<(), TooDeep> {
        self.note(ObjectUse {
            at: None,
            what: UsedObject::Unclear,
        });
        let mut waiting = vec![node];
        while let Some(next) = waiting.pop() {
            match next {
                Node::SelectStmt(select) => {
                    self.query(select, Some(scope))?;
                }
                Node::ColumnRef(reference) => {
                    self.column(reference, scope)?;
                }
                other => {
                    // What the tree does not know either is noted as unclear already.
                    let _unknown = tree::children(other, &mut waiting);
                }
            }
        }
        Ok(())
    }

    /// The query that a statement carries: EXPLAIN, DECLARE, COPY, or PREPARE, whose types of
    /// parameters are taken over.
    pub(crate) fn carried(&mut self, node: Node<'a>) -> Node<'a> {
        match node {
            Node::ExplainStmt(explain) => explain.query(),
            Node::DeclareCursorStmt(declare) => declare.query(),
            Node::CopyStmt(copy) if !matches!(copy.query(), Node::None) => copy.query(),
            Node::PrepareStmt(prepare) => {
                let types = prepare.argtypes().iter();
                self.parameters =
                    GivenTypes::These(types.map(|name| self.type_name(name)).collect());
                prepare.query()
            }
            other => other,
        }
    }

    /// The type of a parameter: the one that the client gave, one that the server is to find, or
    /// unclear where it is not known whether the client gave one.
    pub fn parameter(&self, number: u32) -> InferredType {
        let place = usize::try_from(number).unwrap_or(usize::MAX);
        match &self.parameters {
            GivenTypes::Unclear => InferredType::Unclear,
            GivenTypes::These(types) => {
                let given = place.checked_sub(1).and_then(|at| types.get(at));
                given.cloned().unwrap_or(InferredType::Parameter(number))
            }
        }
    }

    pub(crate) fn end(self, output: QueryOutput<'a>) -> Resolution<'a> {
        let mut marks = self.marks;
        marks.sort_by_key(|(at, _)| *at);
        Resolution {
            uses: self.uses,
            scopes: self.scopes,
            output,
            mismatches: self.misfits,
            literal_types: self.noted.into_literal_types(),
            missing_name: self.first_absent,
            marks,
            missing_columns: self.missing_columns,
        }
    }
}

/// The types of parameters, by number; the server is to find those beyond the list.
enum GivenTypes {
    These(Vec<InferredType>),
    Unclear,
}

/// The types of parameters; those that the server is to find have none.
fn parameters(given: KnownParameters<'_>) -> GivenTypes {
    let given = match given {
        KnownParameters::Given(given) => given,
        KnownParameters::Arguments(arguments) => {
            return GivenTypes::These(arguments.types().collect());
        }
        KnownParameters::Unclear => return GivenTypes::Unclear,
    };
    let numbered = (1..).zip(given);
    let types = numbered.map(|(number, given)| match given {
        Some(id) => InferredType::Known(*id),
        None => InferredType::Parameter(number),
    });
    GivenTypes::These(types.collect())
}

/// A query that is being analysed.
pub(crate) struct EnteredQuery {
    pub id: ScopeId,
    before: Option<ScopeId>,
}

/// The names in a list.
pub(crate) fn strings(list: &NodeList) -> Vec<&str> {
    list.iter().filter_map(Node::as_str).collect()
}

/// The SELECT that a node is, if it is one.
pub(crate) fn as_select(node: Node<'_>) -> Option<&nodes::SelectStmt> {
    match node {
        Node::SelectStmt(select) => Some(select),
        _ => None,
    }
}
