//! Functions in FROM: which columns they bring.
//!
//! <https://www.postgresql.org/docs/current/queries-table-expressions.html#QUERIES-TABLEFUNCTIONS>

use super::alias;
use crate::catalog::{Function, FunctionId, NameId, Oid, TypeKind};
use crate::resolve::analysis::strings;
use crate::resolve::function::Called;
use crate::resolve::query::{BIGINT, COPY_COST};
use crate::resolve::scope::RowOf;
use crate::resolve::{
    Analysis, Completeness, Form, Inferred, Item, Name, Scope, ScopeColumn, TooDeep, What,
};
use crate::sql::tree::list::CastNodeList;
use crate::sql::tree::{Node, nodes};

/// What one function brings.
struct Brought<'a> {
    columns: Vec<ScopeColumn<'a>>,
    completeness: Completeness,
    row: RowOf,
}

/// How the column of a function is called that returns no row and names no column.
#[derive(Clone)]
struct Naming<'a> {
    name: Name<'a>,
}

impl<'a> Analysis<'a> {
    /// What a function in FROM, or ROWS FROM (…), brings into scope.
    pub(in crate::resolve) fn function_in_from(
        &mut self,
        range: &'a nodes::RangeFunction,
        scope: &Scope<'_, 'a>,
    ) -> Result<Item<'a>, TooDeep> {
        let (given, aliases) = alias(range.alias());
        let mut own_name = None;
        let mut brought = Vec::new();
        for pair in range.functions() {
            let Node::NodeList(pair) = pair else {
                self.anything(pair, scope)?;
                brought.push(Brought::unknown());
                continue;
            };
            let function = pair.get(0).unwrap_or(Node::None);
            let name = self.output_name(function);
            own_name.get_or_insert(name.clone());
            let single = range.functions().len() == 1;
            let naming = Naming {
                name: given.clone().filter(|_| single).unwrap_or(name),
            };
            let columns = match pair.get(1) {
                Some(Node::NodeList(list)) => self.definitions(list.iter())?,
                _ => self.definitions_of(range.coldeflist())?,
            };
            self.one_function(function, columns, &naming, scope, &mut brought)?;
        }
        let item = self.together(brought, range.ordinality)?;
        Ok(Item {
            name: given.or(own_name),
            visibility: crate::resolve::Visibility::Both,
            ..item
        }
        .renamed(&aliases))
    }

    fn one_function(
        &mut self,
        function: Node<'a>,
        defined: Vec<ScopeColumn<'a>>,
        naming: &Naming<'a>,
        scope: &Scope<'_, 'a>,
        brought: &mut Vec<Brought<'a>>,
    ) -> Result<(), TooDeep> {
        let made = match function {
            Node::FuncCall(call) if is_unnest_of_several(call) => {
                // Each argument is unnested by itself, by the server's own function, whatever
                // `unnest` means on the search_path.
                for argument in call.args() {
                    let array = self.expression(argument, scope)?;
                    let inferred = self.unnested(&array, call.location);
                    brought.push(self.of_value(inferred, naming)?);
                }
                return Ok(());
            }
            Node::FuncCall(call) => {
                let called = self.call(call, Form::From, scope)?;
                self.of_call(&called, naming)?
            }
            other => {
                let inferred = self.expression(other, scope)?;
                self.of_value(inferred, naming)?
            }
        };
        if defined.is_empty() {
            brought.push(made);
            return Ok(());
        }
        brought.push(Brought {
            columns: defined,
            completeness: Completeness::Complete,
            row: RowOf::Columns,
        });
        Ok(())
    }

    /// What a call brings, as the functions that it may be declare it.
    fn of_call(&mut self, called: &Called, naming: &Naming<'a>) -> Result<Brought<'a>, TooDeep> {
        let catalog = self.catalog;
        let mut declared = called.candidates.iter().map(|id| catalog.function(*id));
        let Some(first) = declared.next() else {
            return self.of_value(called.inferred.clone(), naming);
        };
        if matches!(called.inferred, Inferred::Row(_)) {
            return self.of_value(called.inferred.clone(), naming);
        }
        let returns_row = |function: &Function| function.out_columns.len() > 1;
        if returns_row(first) {
            return Ok(Brought::unknown());
        }
        // Several candidates bring one column of one name, if none of them returns rows.
        let name = |function: &Function| function.out_columns.first().and_then(|(name, _)| *name);
        let may_be_row = |id: &FunctionId| {
            let function = catalog.function(*id);
            returns_row(function)
                || name(function) != name(first)
                || self.relation_of_type(function.returns).is_some()
                || matches!(catalog.data_type(function.returns).kind, TypeKind::Pseudo)
        };
        if called.candidates.len() > 1
            && called.inferred == Inferred::Unclear
            && called.candidates.iter().any(may_be_row)
        {
            return Ok(Brought::unknown());
        }
        let own = |name: NameId| Name::from(catalog.names().text(name));
        let naming = Naming {
            name: name(first).map_or_else(|| naming.name.clone(), own),
        };
        if called.inferred == Inferred::Unclear && called.candidates.len() == 1 {
            let returns = Inferred::Known(first.returns);
            if !matches!(catalog.data_type(first.returns).kind, TypeKind::Pseudo) {
                return self.of_value(returns, &naming);
            }
            return Ok(Brought::unknown());
        }
        if called.inferred == Inferred::Unclear {
            return Ok(Brought::value(Inferred::Unclear, naming.name));
        }
        self.of_value(called.inferred.clone(), &naming)
    }

    /// What a value in FROM brings: the fields of a row, or itself.
    fn of_value(
        &mut self,
        inferred: Inferred,
        naming: &Naming<'a>,
    ) -> Result<Brought<'a>, TooDeep> {
        if inferred == Inferred::Unclear || inferred == self.built_in(RECORD) {
            return Ok(Brought::unknown());
        }
        let Some(fields) = self.fields(&inferred) else {
            let settled = self.settled(inferred, crate::resolve::query::NO_PLACE);
            return Ok(Brought::value(settled, naming.name.clone()));
        };
        self.charge(fields.len().saturating_mul(COPY_COST))?;
        let columns = fields.into_iter().map(|field| {
            ScopeColumn::computed(Name::from(String::from(field.name)), field.inferred)
        });
        Ok(Brought {
            columns: columns.collect(),
            completeness: Completeness::Complete,
            row: match inferred {
                Inferred::Known(id) => RowOf::Composite(id),
                _ => RowOf::Columns,
            },
        })
    }

    /// The element that `unnest` returns of an array.
    fn unnested(&mut self, array: &Inferred, location: i32) -> Inferred {
        let what = match self.catalog.index().function_of_oid(UNNEST) {
            Some(unnest) => What::Functions {
                candidates: vec![unnest],
                form: Form::From,
            },
            None => What::Unclear,
        };
        self.note_at(location, what);
        let Inferred::Known(id) = array else {
            self.note_at(location, What::Unclear);
            return Inferred::Unclear;
        };
        let array = self.catalog.data_type(*id);
        match array.element {
            Some(element) if array.is_array => Inferred::Known(element),
            _ => {
                self.note_at(location, What::Unclear);
                Inferred::Unclear
            }
        }
    }

    /// The columns of a column definition list: `AS t(a int, b text)`.
    fn definitions_of(
        &mut self,
        list: &'a CastNodeList<nodes::ColumnDef>,
    ) -> Result<Vec<ScopeColumn<'a>>, TooDeep> {
        self.definitions(list.iter().map(Node::ColumnDef))
    }

    fn definitions(
        &mut self,
        list: impl Iterator<Item = Node<'a>>,
    ) -> Result<Vec<ScopeColumn<'a>>, TooDeep> {
        let mut columns = Vec::new();
        for node in list {
            let Node::ColumnDef(column) = node else {
                self.anything(node, &Scope::empty())?;
                continue;
            };
            let name = Name::from(column.colname().unwrap_or_default());
            let inferred = match column.type_name() {
                Some(name) => self.type_name(name),
                None => Inferred::Unclear,
            };
            columns.push(ScopeColumn::computed(name, inferred));
        }
        Ok(columns)
    }

    /// What several functions bring side by side, and their number.
    fn together(
        &mut self,
        brought: Vec<Brought<'a>>,
        ordinality: bool,
    ) -> Result<Item<'a>, TooDeep> {
        let single = brought.len() == 1 && !ordinality;
        let mut columns = Vec::new();
        let mut completeness = Completeness::Complete;
        let mut row = RowOf::Columns;
        for one in brought {
            columns.extend(one.columns);
            completeness = completeness.and(one.completeness);
            row = one.row;
        }
        if ordinality {
            let number = self.built_in(BIGINT);
            columns.push(ScopeColumn::computed("ordinality".into(), number));
        }
        Ok(Item {
            completeness,
            row: match single {
                true => row,
                false => RowOf::Columns,
            },
            ..Item::of_columns(None, columns.into())
        })
    }
}

impl<'a> Brought<'a> {
    fn unknown() -> Self {
        Self {
            columns: Vec::new(),
            completeness: Completeness::Open,
            row: RowOf::Unclear,
        }
    }

    fn value(inferred: Inferred, name: Name<'a>) -> Self {
        Self {
            columns: vec![ScopeColumn::computed(name, inferred.clone())],
            completeness: Completeness::Complete,
            row: RowOf::Value(inferred),
        }
    }
}

/// Whether a call is `unnest(a, b, …)`, which Postgres takes apart before it looks for functions.
fn is_unnest_of_several(call: &nodes::FuncCall) -> bool {
    strings(call.funcname()) == ["unnest"]
        && call.args().len() > 1
        && is_plain(call.agg_order().is_empty(), call)
}

fn is_plain(unordered: bool, call: &nodes::FuncCall) -> bool {
    let marks = call.agg_star || call.agg_distinct || call.agg_within_group || call.func_variadic;
    unordered && !marks && call.over().is_none() && matches!(call.agg_filter(), Node::None)
}

/// `unnest(anyarray)`.
const UNNEST: Oid = Oid(2331);

/// `record`.
const RECORD: Oid = Oid(2249);
