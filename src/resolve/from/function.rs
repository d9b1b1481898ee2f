//! Functions in FROM: which columns they bring.
//!
//! <https://www.postgresql.org/docs/current/queries-table-expressions.html#QUERIES-TABLEFUNCTIONS>

use super::alias;
use crate::analysis::strings;
use crate::function::ResolvedCall;
use crate::query::COPY_COST;
use crate::scope::RowType;
use crate::{
    Analysis, CallForm, ColumnCompleteness, InferredType, Scope, ScopeColumn, ScopeItem, SqlName,
    TooDeep, UsedObject,
};
use catalog::{Function, FunctionId, NameId, Oid, TypeKind, type_oid};
use sql::tree::list::CastNodeList;
use sql::tree::{Node, nodes};

/// What one function brings.
struct FunctionColumns<'a> {
    columns: Vec<ScopeColumn<'a>>,
    completeness: ColumnCompleteness,
    row: RowType,
}

/// How the column of a function is called that returns no row and names no column.
#[derive(Clone)]
struct ScalarColumnName<'a> {
    name: SqlName<'a>,
}

impl<'a> Analysis<'a> {
    /// What a function in FROM, or ROWS FROM (…), brings into scope.
    pub(crate) fn function_in_from(
        &mut self,
        range: &'a nodes::RangeFunction,
        scope: &Scope<'_, 'a>,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        let (given, aliases) = alias(range.alias());
        let mut own_name = None;
        let mut brought = Vec::new();
        for pair in range.functions() {
            let Node::NodeList(pair) = pair else {
                self.anything(pair, scope)?;
                brought.push(FunctionColumns::unknown());
                continue;
            };
            let function = pair.get(0).unwrap_or(Node::None);
            let name = self.output_name(function);
            own_name.get_or_insert(name.clone());
            let single = range.functions().len() == 1;
            let naming = ScalarColumnName {
                name: given.clone().filter(|_| single).unwrap_or(name),
            };
            let columns = match pair.get(1) {
                Some(Node::NodeList(list)) => self.definitions(list.iter())?,
                _ => self.definitions_of(range.coldeflist())?,
            };
            self.one_function(function, columns, &naming, scope, &mut brought)?;
        }
        let item = self.together(brought, range.ordinality)?;
        Ok(ScopeItem {
            name: given.or(own_name),
            visibility: crate::ColumnVisibility::Both,
            ..item
        }
        .renamed(&aliases))
    }

    fn one_function(
        &mut self,
        function: Node<'a>,
        defined: Vec<ScopeColumn<'a>>,
        naming: &ScalarColumnName<'a>,
        scope: &Scope<'_, 'a>,
        brought: &mut Vec<FunctionColumns<'a>>,
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
                let called = self.call(call, CallForm::From, scope)?;
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
        brought.push(FunctionColumns {
            columns: defined,
            completeness: ColumnCompleteness::Complete,
            row: RowType::Columns,
        });
        Ok(())
    }

    /// What a call brings, as the functions that it may be declare it.
    fn of_call(
        &mut self,
        called: &ResolvedCall,
        naming: &ScalarColumnName<'a>,
    ) -> Result<FunctionColumns<'a>, TooDeep> {
        let catalog = self.catalog;
        let mut declared = called.candidates.iter().map(|id| catalog.function(*id));
        let Some(first) = declared.next() else {
            return self.of_value(called.inferred.clone(), naming);
        };
        if matches!(called.inferred, InferredType::Row(_)) {
            return self.of_value(called.inferred.clone(), naming);
        }
        let returns_row = |function: &Function| function.out_columns.len() > 1;
        if returns_row(first) {
            return Ok(FunctionColumns::unknown());
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
            && called.inferred == InferredType::Unclear
            && called.candidates.iter().any(may_be_row)
        {
            return Ok(FunctionColumns::unknown());
        }
        let own = |name: NameId| SqlName::from(catalog.names().text(name));
        let naming = ScalarColumnName {
            name: name(first).map_or_else(|| naming.name.clone(), own),
        };
        if called.inferred == InferredType::Unclear && called.candidates.len() == 1 {
            let returns = InferredType::Known(first.returns);
            if !matches!(catalog.data_type(first.returns).kind, TypeKind::Pseudo) {
                return self.of_value(returns, &naming);
            }
            return Ok(FunctionColumns::unknown());
        }
        if called.inferred == InferredType::Unclear {
            return Ok(FunctionColumns::value(InferredType::Unclear, naming.name));
        }
        self.of_value(called.inferred.clone(), &naming)
    }

    /// What a value in FROM brings: the fields of a row, or itself.
    fn of_value(
        &mut self,
        inferred: InferredType,
        naming: &ScalarColumnName<'a>,
    ) -> Result<FunctionColumns<'a>, TooDeep> {
        if inferred == InferredType::Unclear || inferred == self.built_in(type_oid::RECORD) {
            return Ok(FunctionColumns::unknown());
        }
        let Some(fields) = self.fields(&inferred) else {
            let settled = self.text_if_untyped(inferred, crate::query::NO_PLACE);
            return Ok(FunctionColumns::value(settled, naming.name.clone()));
        };
        self.charge_work(fields.len().saturating_mul(COPY_COST))?;
        let columns = fields.into_iter().map(|field| {
            ScopeColumn::computed(SqlName::from(String::from(field.name)), field.inferred)
        });
        Ok(FunctionColumns {
            columns: columns.collect(),
            completeness: ColumnCompleteness::Complete,
            row: match inferred {
                InferredType::Known(id) => RowType::Composite(id),
                _ => RowType::Columns,
            },
        })
    }

    /// The element that `unnest` returns of an array.
    fn unnested(&mut self, array: &InferredType, location: i32) -> InferredType {
        let what = match self.catalog.index().function_of_oid(UNNEST) {
            Some(unnest) => UsedObject::Functions {
                candidates: vec![unnest],
                form: CallForm::From,
            },
            None => UsedObject::Unclear,
        };
        self.note_at(location, what);
        let InferredType::Known(id) = array else {
            self.note_at(location, UsedObject::Unclear);
            return InferredType::Unclear;
        };
        let array = self.catalog.data_type(*id);
        match array.element {
            Some(element) if array.is_array => InferredType::Known(element),
            _ => {
                self.note_at(location, UsedObject::Unclear);
                InferredType::Unclear
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
            let name = SqlName::from(column.colname().unwrap_or_default());
            let inferred = match column.type_name() {
                Some(name) => self.type_name(name),
                None => InferredType::Unclear,
            };
            columns.push(ScopeColumn::computed(name, inferred));
        }
        Ok(columns)
    }

    /// What several functions bring side by side, and their number.
    fn together(
        &mut self,
        brought: Vec<FunctionColumns<'a>>,
        ordinality: bool,
    ) -> Result<ScopeItem<'a>, TooDeep> {
        let single = brought.len() == 1 && !ordinality;
        let mut columns = Vec::new();
        let mut completeness = ColumnCompleteness::Complete;
        let mut row = RowType::Columns;
        for one in brought {
            columns.extend(one.columns);
            completeness = completeness.and(one.completeness);
            row = one.row;
        }
        if ordinality {
            let number = self.built_in(type_oid::INT8);
            columns.push(ScopeColumn::computed("ordinality".into(), number));
        }
        Ok(ScopeItem {
            completeness,
            row: match single {
                true => row,
                false => RowType::Columns,
            },
            ..ScopeItem::of_columns(None, columns.into())
        })
    }
}

impl<'a> FunctionColumns<'a> {
    fn unknown() -> Self {
        Self {
            columns: Vec::new(),
            completeness: ColumnCompleteness::Open,
            row: RowType::Unclear,
        }
    }

    fn value(inferred: InferredType, name: SqlName<'a>) -> Self {
        Self {
            columns: vec![ScopeColumn::computed(name, inferred.clone())],
            completeness: ColumnCompleteness::Complete,
            row: RowType::Value(inferred),
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
