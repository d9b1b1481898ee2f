//! What each function does by itself, before anything that it runs is looked at.

use crate::catalog::{
    Catalog, Function, FunctionId, FunctionKind, Language, SchemaKind, TypeId, Volatility,
};
use crate::gate::extensions::{self, ExtensionVerdict};
use crate::gate::functions::{self, FunctionVerdict, Why};
use crate::policy::{ArgumentType, Policy, ValueRule};

use super::Reason;

/// What is thought of a function before anything that it runs is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It was looked at by a person: built in and allowed, or named by the policy.
    Known,
    /// Part of the server's machinery, and callable only from there. A statement that names it is
    /// refused; an aggregate that is made of it is not.
    Machinery,
    /// It is what its owner says, if all that it is seen to run is clean.
    Trusted,
    /// It is what it is seen to run, whatever its owner says, and no stand-in for a built-in of its
    /// name.
    Followed,
    /// It has an effect, or nobody vouches for it.
    Unclean(Reason),
}

/// The standings of all functions.
pub(super) struct Standings(Vec<Standing>);

impl Standings {
    pub(super) fn of(catalog: &Catalog, policy: &Policy) -> Self {
        let functions = catalog.functions();
        Self(
            functions
                .map(|(_, function)| standing(catalog, policy, function))
                .collect(),
        )
    }

    /// The same where no word of an owner's or a policy's counts: everything that a function runs
    /// is followed, whatever is thought of it.
    pub(super) fn opened(&self, catalog: &Catalog) -> Self {
        let functions = catalog.functions().zip(&self.0);
        let opened = functions.map(|((_, function), standing)| match standing {
            Standing::Machinery => Standing::Machinery,
            standing if is_built_in(catalog, function) => *standing,
            Standing::Known | Standing::Trusted | Standing::Followed | Standing::Unclean(_) => {
                Standing::Trusted
            }
        });
        Self(opened.collect())
    }

    pub(super) fn of_function(&self, id: FunctionId) -> Standing {
        let unknown = Standing::Unclean(Reason::Unknown);
        self.0.get(id.place()).copied().unwrap_or(unknown)
    }
}

/// Whether a function came with the server, so that the table of built-ins speaks about it.
pub(super) fn is_built_in(catalog: &Catalog, function: &Function) -> bool {
    let schema = catalog.schema(function.schema).kind;
    let of_server = matches!(schema, SchemaKind::Catalog | SchemaKind::InformationSchema);
    function.oid.is_built_in() && of_server
}

fn standing(catalog: &Catalog, policy: &Policy, function: &Function) -> Standing {
    if is_built_in(catalog, function) {
        return standing_of_built_in(catalog, policy, function);
    }
    let schema = catalog.schema(function.schema);
    let schema_name = catalog.names().text(schema.name);
    let name = catalog.names().text(function.name);
    if schema.kind == SchemaKind::Temporary {
        return Standing::Unclean(Reason::TemporarySchema);
    }
    if policy.allows_signature(schema_name, name, &argument_types(catalog, function)) {
        return Standing::Known;
    }
    match extensions::verdict_under(catalog, policy, function) {
        Some(ExtensionVerdict::Allowed { .. }) => return Standing::Known,
        Some(ExtensionVerdict::Followed) => return Standing::Followed,
        Some(ExtensionVerdict::Effects { why: Why::Internal }) => return Standing::Machinery,
        Some(ExtensionVerdict::Effects { why }) => return Standing::Unclean(Reason::BuiltIn(why)),
        Some(ExtensionVerdict::RunsSql) => return Standing::Unclean(Reason::RunsSql),
        Some(ExtensionVerdict::RunsLiteral) => return Standing::Unclean(Reason::RunsLiteral),
        None => {}
    }
    let reason = match known_effect(name, function) {
        Some(reason) => reason,
        None if is_inside_an_extension(catalog, function) => return Standing::Machinery,
        None if matches!(function.kind, FunctionKind::Procedure) => Reason::Procedure,
        None if function.volatility == Volatility::Volatile => Reason::Volatile,
        None if function.security_definer => Reason::SecurityDefiner,
        None if changes_settings(catalog, policy, function) => Reason::ChangesSettings,
        None if function.body.as_ref().is_some_and(|body| body.writes) => Reason::Writes,
        None if !policy.trusts_schema(schema_name) => Reason::SchemaNotTrusted,
        None => return Standing::Trusted,
    };
    Standing::Unclean(reason)
}

fn standing_of_built_in(catalog: &Catalog, policy: &Policy, function: &Function) -> Standing {
    let schema = catalog.schema(function.schema);
    let schema = catalog.names().text(schema.name);
    let name = catalog.names().text(function.name);
    let reason = match functions::verdict(Some(schema), name, function.arguments.len()) {
        FunctionVerdict::Allowed if is_replaced(name, function) => Reason::Volatile,
        FunctionVerdict::Allowed => return Standing::Known,
        FunctionVerdict::Effects { why: Why::Internal } if takes_internal(catalog, function) => {
            return Standing::Machinery;
        }
        FunctionVerdict::Effects { why }
            if why.is_allowed_by(policy) && !is_replaced(name, function) =>
        {
            return Standing::Known;
        }
        FunctionVerdict::Effects { why } => Reason::BuiltIn(why),
        FunctionVerdict::RunsSql => Reason::RunsSql,
        FunctionVerdict::SetConfig => Reason::ChangesSettings,
        FunctionVerdict::Housekeeping => Reason::BuiltIn(Why::AdvisoryLock),
        FunctionVerdict::Unknown => Reason::Unknown,
    };
    Standing::Unclean(reason)
}

/// Whether a superuser has put something else in the place of a built-in: of those that are written
/// in SQL, none is VOLATILE but those named here.
fn is_replaced(name: &str, function: &Function) -> bool {
    match function.language {
        Language::Internal | Language::C => false,
        Language::Sql | Language::Other(_) => {
            function.volatility == Volatility::Volatile && !VOLATILE_IN_SQL.contains(&name)
        }
    }
}

/// Whether no statement can call a function: nothing in SQL is a value of the type `internal`.
fn takes_internal(catalog: &Catalog, function: &Function) -> bool {
    let mut arguments = function.arguments.iter();
    arguments.any(|id| catalog.data_type(*id).oid.0 == INTERNAL_TYPE)
}

/// Whether it is a part of an extension's compiled code that no statement can call. Such parts of
/// aggregates (PostGIS has many) are VOLATILE only because nobody has said otherwise.
fn is_inside_an_extension(catalog: &Catalog, function: &Function) -> bool {
    let compiled = matches!(function.language, Language::C);
    compiled && function.of_extension() && takes_internal(catalog, function)
}

/// What a function of an extension is known to do, although it says otherwise.
fn known_effect(name: &str, function: &Function) -> Option<Reason> {
    let mut known = NOT_WHAT_THEY_SAY.iter();
    let known = known.find(|(known, _)| function.of_extension() && *known == name);
    known.map(|(_, reason)| *reason)
}

/// Whether it sets anything for itself but its search_path and what clients may set to any value.
fn changes_settings(catalog: &Catalog, policy: &Policy, function: &Function) -> bool {
    function.settings.iter().any(|setting| {
        let name = catalog.names().text(*setting).to_ascii_lowercase();
        let open = match policy.setting(&name) {
            None
            | Some(
                ValueRule::OnlyOn
                | ValueRule::OnlyOff
                | ValueRule::OnlyUtf8
                | ValueRule::UpTo { .. },
            ) => false,
            Some(
                ValueRule::Any
                | ValueRule::Boolean
                | ValueRule::OneOf(_)
                | ValueRule::Integer { .. }
                | ValueRule::SearchPath
                | ValueRule::AtMost { .. },
            ) => true,
        };
        name != "search_path" && !open
    })
}

/// The types of the arguments of a function, as policies name them.
pub fn argument_types<'a>(catalog: &'a Catalog, function: &Function) -> Vec<ArgumentType<'a>> {
    let named = |id: &TypeId| {
        let own = catalog.data_type(*id);
        let element = own.element.filter(|_| own.is_array);
        let named = element.map_or(own, |element| catalog.data_type(element));
        ArgumentType {
            schema: catalog.names().text(catalog.schema(named.schema).name),
            name: catalog.names().text(named.name),
            is_array: element.is_some(),
        }
    };
    function.arguments.iter().map(named).collect()
}

/// Why a statement may not name what is part of the machinery.
pub(super) const MACHINERY: Why = Why::Internal;

/// Built-ins in SQL that are allowed and VOLATILE.
const VOLATILE_IN_SQL: &[&str] = &["pg_relation_size"];

/// The oid of the type `internal`.
const INTERNAL_TYPE: u32 = 2281;

/// Functions of extensions, beside those of the table of [`extensions`], that say they are STABLE
/// or IMMUTABLE and are not: they run a query or a part of one that they are given (tablefunc,
/// xml2, address_standardizer, PostGIS with its raster, topology and geocoder parts), that read a
/// relation whose name they are given, or that change how the session reads text (isn).
const NOT_WHAT_THEY_SAY: &[(&str, Reason)] = &[
    ("_st_mapalgebra", Reason::RunsSql),
    ("connectby", Reason::RunsSql),
    ("crosstab", Reason::RunsSql),
    ("crosstab2", Reason::RunsSql),
    ("crosstab3", Reason::RunsSql),
    ("crosstab4", Reason::RunsSql),
    ("debug_standardize_address", Reason::RunsSql),
    ("get_tract", Reason::RunsSql),
    ("getfacebypoint", Reason::RunsSql),
    ("getnodeedges", Reason::RunsSql),
    ("gettopogeomelementarray", Reason::RunsSql),
    ("gettopogeomelements", Reason::RunsSql),
    ("isn_weak", Reason::BuiltIn(Why::SessionState)),
    ("st_findextent", Reason::RunsSql),
    ("st_mapalgebra", Reason::RunsSql),
    ("st_mapalgebraexpr", Reason::RunsSql),
    ("st_mapalgebrafct", Reason::RunsSql),
    ("st_mapalgebrafctngb", Reason::RunsSql),
    ("st_retile", Reason::RunsSql),
    ("standardize_address", Reason::RunsSql),
    ("topologysummary", Reason::RunsSql),
    ("xpath_table", Reason::RunsSql),
];
