//! What the names of a statement mean in a database: relations, columns, functions, operators,
//! casts and types, against a catalog and a search_path, as Postgres's own analysis would find.
//!
//! It never guesses. Where Postgres's choice cannot be told, the type is [`InferredType::Unclear`]
//! and every candidate stays; what is not understood at all is noted as [`UsedObject::Unclear`].
//!
//! * [`analysis`]: the state of one analysis; everything below are methods of it;
//!   [`function::body_arguments`]: those of the function whose body is looked at; `missing_name`:
//!   what stands for nothing
//! * [`query`] and its parts: SELECT, VALUES, set operations, WITH, and the clauses;
//!   [`query::output`] and [`query::output_name`]: what they return, and the names of that
//! * [`from`] and its parts: what stands in FROM; [`scope`]: what is visible where;
//!   [`scope::view`]: what was, for later questions
//! * [`column`]: what a reference to a column means; [`column::field`]: what `(x).f` means;
//!   [`column::name`]: a name
//! * [`expression`] and its parts: what each kind of expression names, and its type ([`inferred`])
//! * [`expression::node_types`]: the types of all expressions, for who asks for them
//! * [`function`], `operator`, `type_name`: what a name means; `overload`: the choice between
//!   several; `coerce` and its parts, `common_type`: which type becomes which
//!
//! <https://www.postgresql.org/docs/current/typeconv.html>

pub mod analysis;
mod coerce;
pub mod column;
pub mod expression;
pub mod from;
pub mod function;
pub mod inferred;
mod missing_name;
mod operator;
mod overload;
pub mod query;
pub mod scope;
mod type_name;

#[cfg(test)]
mod tests;

use std::fmt;

use catalog::{CastId, Catalog, FunctionId, OperatorId, RelationId, SearchPath, TypeId};
use sql::tree::Node;

pub use self::analysis::Analysis;
pub use self::column::name::SqlName;
pub use self::function::ResolvedCall;
pub use self::function::body_arguments::BodyArguments;
pub use self::inferred::{InferredType, RowField};
pub use self::missing_name::{JoinArm, MissingName, MissingObject};
pub use self::query::output::{QueryOutput, ResultColumn};
pub use self::scope::view::{ColumnCandidate, ScopeView, ScopesOfQueries, VisibleItems};
pub use self::scope::{
    ColumnCompleteness, ColumnVisibility, Scope, ScopeColumn, ScopeId, ScopeItem,
};

use self::coerce::TypeRules;
use self::coerce::noted::NotedCoercions;
use self::inferred::parameters::ParameterOccurrences;

/// What names are looked up in.
#[derive(Clone, Copy)]
pub struct LookupContext<'a> {
    /// The snapshot.
    pub catalog: &'a Catalog,
    /// Where unqualified names are looked up.
    pub path: &'a SearchPath,
    /// The types that the client gave for parameters.
    pub parameters: KnownParameters<'a>,
}

/// The types that a client gave for parameters.
#[derive(Clone, Copy)]
pub enum KnownParameters<'a> {
    /// By number; none where it left that to the server, as it did with all beyond the list.
    Given(&'a [Option<TypeId>]),
    /// They are the arguments of a function whose body it is, which have names, too.
    Arguments(&'a BodyArguments<'a>),
    /// Nothing is known of them: their types are unclear.
    Unclear,
}

/// What a statement names, and what it returns.
pub struct Resolution<'a> {
    /// Every use of an object, in the order in which the analysis met them.
    pub uses: Vec<ObjectUse<'a>>,
    /// What was visible in each query, outermost first.
    pub scopes: Vec<ScopeView<'a>>,
    /// What it returns.
    pub output: QueryOutput<'a>,
    /// What the server will refuse, as far as types show.
    pub mismatches: Vec<TypeMismatch>,
    /// The types that texts without a type and parameters are taken for unasked.
    pub literal_types: Vec<TypeId>,
    /// The first name that stands for nothing, in the order in which the analysis met them.
    pub missing_name: Option<MissingName<'a>>,
    /// Where something was used, and in which scope, by place.
    pub(crate) marks: Vec<(usize, ScopeId)>,
    /// What could be referred to where a column is missing, by place.
    pub(crate) missing_columns: Vec<(usize, VisibleItems<'a>)>,
}

/// Types at a place that do not go together: the server refuses the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeMismatch {
    /// Where, in bytes from the beginning of the text, if the tree says.
    pub at: Option<usize>,
    /// What does not go together.
    pub kind: TypeMismatchKind,
}

/// What does not go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeMismatchKind {
    /// No operator of the symbol takes these sides.
    Operator,
    /// No function of the name takes these arguments.
    Function,
    /// These values have no type in common.
    CommonType,
    /// A condition is no boolean.
    Condition,
}

/// One use of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectUse<'a> {
    /// Where, in bytes from the beginning of the text, if the tree says.
    pub at: Option<usize>,
    /// What is used.
    pub what: UsedObject<'a>,
}

/// What is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsedObject<'a> {
    /// A relation is read.
    Relation {
        /// Which.
        id: RelationId,
        /// Whether its children are left out (ONLY).
        only: bool,
    },
    /// A relation is named that the snapshot does not know.
    MissingRelation {
        /// The schema, if one is written.
        schema: Option<SqlName<'a>>,
        /// The name.
        name: SqlName<'a>,
    },
    /// A query of WITH is read.
    CommonTable {
        /// Its name.
        name: SqlName<'a>,
    },
    /// A column is read.
    Column {
        /// Its type.
        inferred: InferredType,
        /// The relation and the number of the column that it passes on unchanged, if any; system
        /// columns have negative numbers.
        origin: Option<(RelationId, i16)>,
        /// Where it is read.
        via: ColumnSource,
    },
    /// A row as a whole is read.
    WholeRow {
        /// Its type.
        inferred: InferredType,
        /// The relation whose row it is, if any.
        relation: Option<RelationId>,
    },
    /// A reference to a column that could mean several.
    AmbiguousColumn {
        /// The name of the relation, if one is written.
        qualifier: Option<SqlName<'a>>,
        /// The name of the column.
        name: SqlName<'a>,
    },
    /// A reference to a column that means none, nor a function.
    MissingColumn {
        /// The name of the relation, if one is written.
        qualifier: Option<SqlName<'a>>,
        /// The name of the column.
        name: SqlName<'a>,
    },
    /// A function is called: one of these.
    Functions {
        /// Those that it may be.
        candidates: Vec<FunctionId>,
        /// How it is written.
        form: CallForm,
    },
    /// A function is named that the snapshot does not know, or not with these arguments.
    MissingFunction,
    /// An operator is used: one of these.
    Operators {
        /// Those that it may be.
        candidates: Vec<OperatorId>,
        /// What it stands between.
        sides: Vec<InferredType>,
    },
    /// A cast that is written.
    Cast {
        /// From which type.
        source: InferredType,
        /// To which.
        target: TypeId,
        /// The casts that may be run for it; none for those through text.
        candidates: Vec<CastId>,
    },
    /// A cast that happens unasked.
    Coercion {
        /// From which type.
        source: InferredType,
        /// To which.
        target: TypeId,
    },
    /// A type that is named, or that a value is made of.
    Type {
        /// Which.
        id: TypeId,
    },
    /// A value of this type is compared, sorted or hashed (ORDER BY, GROUP BY, DISTINCT, UNION).
    Compared {
        /// Its type.
        inferred: InferredType,
    },
    /// Something whose meaning cannot be told: it may use any object of any name written there.
    Unclear,
}

/// Where a column is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColumnSource {
    /// In the relation that it is of, which stands in FROM.
    Relation,
    /// In what a query within the statement returns. Where that query read it is noted there.
    #[default]
    Query,
}

/// How a call of a function is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallForm {
    /// `f(x)`.
    Call,
    /// `x.f` or `(x).f`.
    Field,
    /// `f(x)` where f is a type: a cast, or a function of that name.
    TypeAsFunction,
    /// In FROM.
    From,
    /// The method of a TABLESAMPLE.
    Sample,
}

/// The text nests deeper, or multiplies into more, than the analysis follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooDeep;

/// Finds what a statement names: a query, or what carries one (EXPLAIN, DECLARE, PREPARE, COPY).
///
/// # Errors
/// The text nests deeper than the analysis goes.
pub fn statement<'a>(
    node: Node<'a>,
    lookup: &LookupContext<'a>,
) -> Result<Resolution<'a>, TooDeep> {
    let mut analysis = Analysis::new(lookup);
    analysis.count_parameters(node);
    let inner = analysis.carried(node);
    let shape = match inner {
        Node::SelectStmt(select) => analysis.query(select, None)?,
        other => {
            analysis.anything(other, &Scope::empty())?;
            QueryOutput::open()
        }
    };
    Ok(analysis.end(shape))
}

/// Finds what expressions name that stand in no query: the arguments of EXECUTE or CALL.
///
/// # Errors
/// The text nests deeper than the analysis goes.
pub fn expressions<'a>(
    nodes: impl IntoIterator<Item = Node<'a>>,
    lookup: &LookupContext<'a>,
) -> Result<Resolution<'a>, TooDeep> {
    let mut analysis = Analysis::new(lookup);
    let mut shape = QueryOutput::default();
    let nodes: Vec<Node<'a>> = nodes.into_iter().collect();
    for node in &nodes {
        analysis.count_parameters(*node);
    }
    for node in nodes {
        let inferred = analysis.expression(node, &Scope::empty())?;
        let name = analysis.output_name(node);
        shape.columns.push(ResultColumn::computed(name, inferred));
    }
    Ok(analysis.end(shape))
}

/// What stands in FROM with these columns, and a condition about it alone.
pub struct TableColumns<'a> {
    /// The name that qualifies its columns.
    pub name: &'a str,
    /// The relation whose schema can stand before that name.
    pub relation: Option<RelationId>,
    /// Its columns.
    pub columns: &'a [ResultColumn<'a>],
}

/// Finds what a condition names where nothing but one table is in sight.
///
/// # Errors
/// The text nests deeper than the analysis goes.
pub fn condition<'a>(
    node: Node<'a>,
    table: &TableColumns<'a>,
    lookup: &LookupContext<'a>,
) -> Result<Resolution<'a>, TooDeep> {
    let mut analysis = Analysis::new(lookup);
    analysis.count_parameters(node);
    let shape = QueryOutput {
        columns: table.columns.to_vec(),
        ..QueryOutput::default()
    };
    let columns = analysis.columns_of_shape(&shape, &[])?;
    let mut scope = Scope::empty();
    let schema = |id| lookup.catalog.relation(id).schema;
    scope.items.push(ScopeItem {
        relation: table.relation,
        schema: table.relation.map(schema),
        ..ScopeItem::of_columns(Some(table.name.into()), columns.into())
    });
    analysis.condition(node, &scope)?;
    Ok(analysis.end(QueryOutput::default()))
}

impl fmt::Debug for Resolution<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Resolution")
            .field("uses", &self.uses.len())
            .field("scopes", &self.scopes.len())
            .field("output", &self.output.columns.len())
            .finish()
    }
}

impl fmt::Display for TooDeep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the statement nests deeper than its names are followed")
    }
}

impl std::error::Error for TooDeep {}
