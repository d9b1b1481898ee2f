//! Why something is not clean, and how that is told.

use crate::Rule;
use crate::functions::BuiltinEffect;
use catalog::{
    CastId, Catalog, FunctionId, OperatorId, RelationId, RelationKind, RoleId, TypeId, quoted,
};

use super::description::{EffectClause, EffectDescription, is_written};
use super::nodes::GraphNode;
use super::own_effects;

/// Why one thing is not clean: the thing, the last one of the chain of what it runs, and what that
/// one does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EffectCause {
    object: CatalogObject,
    site: EffectSite,
    source: CatalogObject,
    reason: EffectReason,
}

/// Something that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogObject {
    /// A function, an aggregate or a procedure.
    Function(FunctionId),
    /// An operator.
    Operator(OperatorId),
    /// A cast.
    Cast(CastId),
    /// A type.
    Type(TypeId),
    /// A table, a view or whatever else can be read from.
    Relation(RelationId),
}

/// What a thing does, or why it must be taken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EffectReason {
    /// What the table of built-ins says of it.
    BuiltIn(BuiltinEffect),
    /// It runs SQL that it is given as text.
    RunsSql,
    /// The same, and that can be judged where it is a literal.
    RunsLiteral,
    /// A built-in that the table does not have.
    Unknown,
    /// Its owner says so.
    Volatile,
    /// It runs with the rights of its owner.
    SecurityDefiner,
    /// It can only be called by CALL.
    Procedure,
    /// The policy neither names it nor trusts its schema.
    SchemaNotTrusted,
    /// Any session can make things there.
    TemporarySchema,
    /// Called by its name, it may stand in for a built-in.
    NameOfBuiltIn,
    /// It has a SET clause for something that clients may not set.
    ChangesSettings,
    /// The policy names neither the foreign table nor its server.
    Foreign,
    /// A query of it locks rows, or is no SELECT.
    Writes,
    /// An operator that is announced, and has no function.
    Unfinished,
    /// It runs something that the snapshot does not have.
    Missing,
    /// Its names are looked up where the session looks, and nobody says where that is.
    PathDependent,
    /// The same where that is not where sessions begin, and its body is not read here.
    Opaque,
    /// The same where its body is read, and this rule refuses it.
    Refused(Rule),
}

/// Where in a thing it is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EffectSite {
    Itself,
    RowPolicy,
    VirtualColumn,
    Planned,
    Column,
    Child,
    Check,
}

impl EffectCause {
    pub(crate) fn own(of: CatalogObject, why: EffectReason) -> Self {
        Self {
            object: of,
            site: EffectSite::Itself,
            source: of,
            reason: why,
        }
    }

    /// The same, seen from something that runs it.
    pub(crate) fn reached_from(self, of: CatalogObject, through: EffectSite) -> Self {
        Self {
            object: of,
            // The table and its children: the way in is that of the inner one.
            site: if self.object == of {
                self.site
            } else {
                through
            },
            ..self
        }
    }

    /// Whether it does that itself, and nothing that it runs.
    pub(crate) fn is_own(&self) -> bool {
        self.object == self.source
    }

    /// What the last one of the chain does.
    pub fn reason(&self) -> EffectReason {
        self.reason
    }

    /// Whether it is a table that is clean but for the type of one of its columns.
    pub fn is_of_a_column(&self) -> bool {
        matches!(self.object, CatalogObject::Relation(_)) && self.site == EffectSite::Column
    }

    /// What a client of a role is told of it, that sent this text.
    pub(crate) fn describe(
        &self,
        catalog: &Catalog,
        role: Option<RoleId>,
        text: &str,
    ) -> EffectDescription {
        let full = self.object.name(catalog);
        let is_seen = self.object.is_seen(catalog, role);
        let what = match is_seen {
            true => Some(full.clone()),
            false => self.object.as_written(catalog, text),
        };
        let because = match self.source.is_seen(catalog, role) {
            true if is_seen && self.object == self.source => EffectClause::Does(self.reason.text()),
            true if is_seen => EffectClause::Runs {
                what: {
                    let done = format!("{} {}", self.source.verb(), self.source.bare_name(catalog));
                    match self.column(catalog, role) {
                        Some(column) => format!("{done}{}", column.trim_end_matches(',')),
                        None => done,
                    }
                },
                which: self.reason.text(),
            },
            true | false => EffectClause::Unnamed,
        };
        EffectDescription {
            what,
            because,
            sentence: self.sentence(catalog, role),
            about: Some(full),
            hint: self.reason.hint(),
        }
    }

    /// The column of a table whose type runs it, where one does by itself and the role may see
    /// the type.
    fn column(&self, catalog: &Catalog, role: Option<RoleId>) -> Option<String> {
        let (CatalogObject::Relation(id), CatalogObject::Function(last)) =
            (self.object, self.source)
        else {
            return None;
        };
        if self.site != EffectSite::Column {
            return None;
        }
        let mut columns = catalog.columns_of(id).iter();
        let column = columns.find(|column| {
            let users = &catalog.data_type(column.type_id).users;
            users.contains(&last)
        })?;
        catalog.sees_type(role, column.type_id).then(|| {
            let name = quoted(catalog.names().text(column.name));
            let type_name = catalog.type_name(column.type_id);
            format!(", for its column {name} of type {type_name},")
        })
    }

    /// One sentence about it, without a full stop: `view shop.v_totals calls pg_advisory_lock,
    /// which takes or releases advisory locks`. None when the role may not see what it names.
    pub fn sentence(&self, catalog: &Catalog, role: Option<RoleId>) -> Option<String> {
        if !self.object.is_seen(catalog, role) || !self.source.is_seen(catalog, role) {
            return None;
        }
        let of = self.object.name(catalog);
        let why = self.reason.text();
        if self.object == self.source {
            let place = self.site.text();
            return Some(format!("{of}{place} {why}"));
        }
        let place = self
            .column(catalog, role)
            .unwrap_or(self.site.text().to_owned());
        let (verb, last) = (self.source.verb(), self.source.bare_name(catalog));
        Some(format!("{of}{place} {verb} {last}, which {why}"))
    }
}

impl CatalogObject {
    pub(super) fn of(node: GraphNode) -> Self {
        match node {
            GraphNode::Function(id) => Self::Function(id),
            GraphNode::Operator(id) => Self::Operator(id),
            GraphNode::Cast(id) => Self::Cast(id),
            GraphNode::Making(id) | GraphNode::Using(id) | GraphNode::Target(id) => Self::Type(id),
            GraphNode::Relation(id) | GraphNode::Only(id) => Self::Relation(id),
        }
    }

    fn is_seen(self, catalog: &Catalog, role: Option<RoleId>) -> bool {
        match self {
            Self::Function(id) => catalog.sees_function(role, id),
            Self::Operator(id) => catalog.sees_operator(role, id),
            Self::Cast(id) => {
                let cast = catalog.cast(id);
                catalog.sees_type(role, cast.source) && catalog.sees_type(role, cast.target)
            }
            Self::Type(id) => catalog.sees_type(role, id),
            Self::Relation(id) => catalog.sees_relation(role, id),
        }
    }

    /// What it is and its name, where the role may not see it and the client wrote the name.
    fn as_written(self, catalog: &Catalog, text: &str) -> Option<String> {
        let (sort, name) = match self {
            Self::Function(id) => ("function", catalog.function(id).name),
            Self::Operator(id) => ("operator", catalog.operator(id).name),
            Self::Type(id) => ("type", catalog.data_type(id).name),
            Self::Relation(id) => ("relation", catalog.relation(id).name),
            Self::Cast(_) => return None,
        };
        let name = catalog.names().text(name);
        is_written(name, text).then(|| format!("{sort} {}", quoted(name)))
    }

    /// What it is and its name.
    fn name(self, catalog: &Catalog) -> String {
        let bare = self.bare_name(catalog);
        match self {
            Self::Function(_) => format!("function {bare}"),
            Self::Operator(_) => format!("operator {bare}"),
            Self::Cast(_) => format!("cast {bare}"),
            Self::Type(_) => format!("type {bare}"),
            Self::Relation(id) => {
                let kind = match catalog.relation(id).kind {
                    RelationKind::Table | RelationKind::PartitionedTable => "table",
                    RelationKind::View => "view",
                    RelationKind::MaterializedView => "materialized view",
                    RelationKind::ForeignTable => "foreign table",
                    RelationKind::Sequence => "sequence",
                    RelationKind::CompositeType => "type",
                };
                format!("{kind} {bare}")
            }
        }
    }

    fn bare_name(self, catalog: &Catalog) -> String {
        match self {
            Self::Function(id) => {
                let function = catalog.function(id);
                if own_effects::is_built_in(catalog, function) {
                    catalog.names().text(function.name).to_owned()
                } else {
                    catalog.function_signature(id)
                }
            }
            Self::Operator(id) => catalog.operator_signature(id),
            Self::Cast(id) => {
                let cast = catalog.cast(id);
                let (source, target) = (cast.source, cast.target);
                format!(
                    "({} AS {})",
                    catalog.type_name(source),
                    catalog.type_name(target)
                )
            }
            Self::Type(id) => catalog.type_name(id),
            Self::Relation(id) => catalog.relation_name(id),
        }
    }

    /// What one does with it.
    fn verb(self) -> &'static str {
        match self {
            Self::Function(_) => "calls",
            Self::Operator(_) | Self::Cast(_) | Self::Type(_) => "uses",
            Self::Relation(_) => "reads",
        }
    }
}

impl EffectReason {
    /// The end of the sentence "this thing …".
    pub fn text(self) -> &'static str {
        match self {
            Self::BuiltIn(why) => why.text(),
            Self::RunsSql => "runs SQL that it is given as text",
            Self::RunsLiteral => "runs a text that is not one literal SELECT",
            Self::Unknown => "is not among the built-in functions that are known here",
            Self::Volatile => "is VOLATILE",
            Self::SecurityDefiner => "is SECURITY DEFINER",
            Self::Procedure => "is a procedure",
            Self::SchemaNotTrusted => {
                "is neither named by the policy nor in a schema that it trusts"
            }
            Self::TemporarySchema => "is in a temporary schema",
            Self::NameOfBuiltIn => "has the name of a built-in function",
            Self::ChangesSettings => "changes settings",
            Self::Foreign => "is a foreign table that the policy does not name",
            Self::Writes => "does more than read",
            Self::Unfinished => "has no function yet",
            Self::Missing => "runs something that is new to the snapshot of the catalog",
            Self::PathDependent => {
                "has no search_path of its own, and what the session's is cannot be told"
            }
            Self::Opaque => {
                "has no search_path of its own, and what it does under this one cannot be told"
            }
            Self::Refused(_) => {
                "has no search_path of its own, and does what is refused under this one"
            }
        }
    }
}

impl EffectSite {
    fn text(self) -> &'static str {
        match self {
            Self::Itself => "",
            Self::RowPolicy => ", in a row policy,",
            Self::VirtualColumn => ", in a virtual column,",
            Self::Planned => ", in an index, a check, a partition key or statistics,",
            Self::Column => ", in a column of its type,",
            Self::Child => ", in a partition or child,",
            Self::Check => ", in a check,",
        }
    }
}
