//! What each function does by itself, before anything that it runs is looked at.

use crate::extensions::{self, ExtensionVerdict};
use crate::functions::{self, BuiltinEffect, FunctionVerdict};
use catalog::{
    Catalog, Function, FunctionId, FunctionKind, FunctionLanguage, SchemaKind, TypeId, Volatility,
};
use policy::{CatalogArgument, Policy, ValueRule};

use super::EffectReason;

/// What is thought of a function before anything that it runs is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OwnEffect {
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
    Unclean(EffectReason),
}

/// The standings of all functions.
pub(super) struct OwnEffects(Vec<OwnEffect>);

impl OwnEffects {
    pub(super) fn of(catalog: &Catalog, policy: &Policy) -> Self {
        let functions = catalog.functions();
        Self(
            functions
                .map(|(_, function)| own_effect(catalog, policy, function))
                .collect(),
        )
    }

    /// The same where no word of an owner's or a policy's counts: everything that a function runs
    /// is followed, whatever is thought of it.
    pub(super) fn opened(&self, catalog: &Catalog) -> Self {
        let functions = catalog.functions().zip(&self.0);
        let opened = functions.map(|((_, function), standing)| match standing {
            OwnEffect::Machinery => OwnEffect::Machinery,
            standing if is_built_in(catalog, function) => *standing,
            OwnEffect::Known | OwnEffect::Trusted | OwnEffect::Followed | OwnEffect::Unclean(_) => {
                OwnEffect::Trusted
            }
        });
        Self(opened.collect())
    }

    pub(super) fn of_function(&self, id: FunctionId) -> OwnEffect {
        let unknown = OwnEffect::Unclean(EffectReason::Unknown);
        self.0.get(id.place()).copied().unwrap_or(unknown)
    }
}

/// Whether a function came with the server, so that the table of built-ins speaks about it.
pub(super) fn is_built_in(catalog: &Catalog, function: &Function) -> bool {
    let schema = catalog.schema(function.schema).kind;
    let of_server = matches!(schema, SchemaKind::Catalog | SchemaKind::InformationSchema);
    function.oid.is_built_in() && of_server
}

fn own_effect(catalog: &Catalog, policy: &Policy, function: &Function) -> OwnEffect {
    if is_built_in(catalog, function) {
        return standing_of_built_in(catalog, policy, function);
    }
    let schema = catalog.schema(function.schema);
    let schema_name = catalog.names().text(schema.name);
    let name = catalog.names().text(function.name);
    if schema.kind == SchemaKind::Temporary {
        return OwnEffect::Unclean(EffectReason::TemporarySchema);
    }
    if policy.allows_signature(schema_name, name, &argument_types(catalog, function)) {
        return OwnEffect::Known;
    }
    match extensions::verdict_under(catalog, policy, function) {
        Some(ExtensionVerdict::Allowed { .. }) => return OwnEffect::Known,
        Some(ExtensionVerdict::Followed) => return OwnEffect::Followed,
        Some(ExtensionVerdict::Effects {
            why: BuiltinEffect::Internal,
        }) => return OwnEffect::Machinery,
        Some(ExtensionVerdict::Effects { why }) => {
            return OwnEffect::Unclean(EffectReason::BuiltIn(why));
        }
        Some(ExtensionVerdict::RunsSql) => return OwnEffect::Unclean(EffectReason::RunsSql),
        Some(ExtensionVerdict::RunsLiteral) => {
            return OwnEffect::Unclean(EffectReason::RunsLiteral);
        }
        None => {}
    }
    let reason = match known_effect(name, function) {
        Some(reason) => reason,
        None if is_inside_an_extension(catalog, function) => return OwnEffect::Machinery,
        None if matches!(function.kind, FunctionKind::Procedure) => EffectReason::Procedure,
        None if function.volatility == Volatility::Volatile => EffectReason::Volatile,
        None if function.security_definer => EffectReason::SecurityDefiner,
        None if changes_settings(catalog, policy, function) => EffectReason::ChangesSettings,
        None if function.body.as_ref().is_some_and(|body| body.writes) => EffectReason::Writes,
        None if !policy.trusts_schema(schema_name) => EffectReason::SchemaNotTrusted,
        None => return OwnEffect::Trusted,
    };
    OwnEffect::Unclean(reason)
}

fn standing_of_built_in(catalog: &Catalog, policy: &Policy, function: &Function) -> OwnEffect {
    let schema = catalog.schema(function.schema);
    let schema = catalog.names().text(schema.name);
    let name = catalog.names().text(function.name);
    let reason = match functions::verdict(Some(schema), name, function.arguments.len()) {
        FunctionVerdict::Allowed if is_replaced(name, function) => EffectReason::Volatile,
        FunctionVerdict::Allowed => return OwnEffect::Known,
        FunctionVerdict::Effects {
            why: BuiltinEffect::Internal,
        } if takes_internal(catalog, function) => {
            return OwnEffect::Machinery;
        }
        FunctionVerdict::Effects { why }
            if why.is_allowed_by(policy) && !is_replaced(name, function) =>
        {
            return OwnEffect::Known;
        }
        FunctionVerdict::Effects { why } => EffectReason::BuiltIn(why),
        FunctionVerdict::RunsSql => EffectReason::RunsSql,
        FunctionVerdict::SetConfig => EffectReason::ChangesSettings,
        FunctionVerdict::Housekeeping => EffectReason::BuiltIn(BuiltinEffect::AdvisoryLock),
        FunctionVerdict::Unknown => EffectReason::Unknown,
    };
    OwnEffect::Unclean(reason)
}

/// Whether a superuser has put something else in the place of a built-in: of those that are written
/// in SQL, none is VOLATILE but those named here.
fn is_replaced(name: &str, function: &Function) -> bool {
    match function.language {
        FunctionLanguage::Internal | FunctionLanguage::C => false,
        FunctionLanguage::Sql | FunctionLanguage::Other(_) => {
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
    let compiled = matches!(function.language, FunctionLanguage::C);
    compiled && function.of_extension() && takes_internal(catalog, function)
}

/// What a function of an extension is known to do, although it says otherwise.
fn known_effect(name: &str, function: &Function) -> Option<EffectReason> {
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
pub fn argument_types<'a>(catalog: &'a Catalog, function: &Function) -> Vec<CatalogArgument<'a>> {
    let named = |id: &TypeId| {
        let own = catalog.data_type(*id);
        let element = own.element.filter(|_| own.is_array);
        let named = element.map_or(own, |element| catalog.data_type(element));
        CatalogArgument {
            schema: catalog.names().text(catalog.schema(named.schema).name),
            name: catalog.names().text(named.name),
            is_array: element.is_some(),
        }
    };
    function.arguments.iter().map(named).collect()
}

/// Why a statement may not name what is part of the machinery.
pub(super) const MACHINERY: BuiltinEffect = BuiltinEffect::Internal;

/// Built-ins in SQL that are allowed and VOLATILE.
const VOLATILE_IN_SQL: &[&str] = &["pg_relation_size"];

/// The oid of the type `internal`.
const INTERNAL_TYPE: u32 = 2281;

/// Functions of extensions, beside those of the table of [`extensions`], that say they are STABLE
/// or IMMUTABLE and are not: they run a query or a part of one that they are given (tablefunc,
/// xml2, address_standardizer, PostGIS with its raster, topology and geocoder parts), that read a
/// relation whose name they are given, or that change how the session reads text (isn).
#[rustfmt::skip]
const NOT_WHAT_THEY_SAY: &[(&str, EffectReason)] = &[
    ("_st_mapalgebra", EffectReason::RunsSql),
    ("connectby", EffectReason::RunsSql),
    ("crosstab", EffectReason::RunsSql),
    ("crosstab2", EffectReason::RunsSql),
    ("crosstab3", EffectReason::RunsSql),
    ("crosstab4", EffectReason::RunsSql),
    ("debug_standardize_address", EffectReason::RunsSql),
    ("detect_sentiment", EffectReason::BuiltIn(BuiltinEffect::ForeignServer)),
    ("get_tract", EffectReason::RunsSql),
    ("getfacebypoint", EffectReason::RunsSql),
    ("getnodeedges", EffectReason::RunsSql),
    ("gettopogeomelementarray", EffectReason::RunsSql),
    ("gettopogeomelements", EffectReason::RunsSql),
    ("invoke_endpoint", EffectReason::BuiltIn(BuiltinEffect::ForeignServer)),
    ("invoke_model", EffectReason::BuiltIn(BuiltinEffect::ForeignServer)),
    ("invoke_model_get_embeddings", EffectReason::BuiltIn(BuiltinEffect::ForeignServer)),
    ("isn_weak", EffectReason::BuiltIn(BuiltinEffect::SessionState)),
    ("master_run_on_worker", EffectReason::RunsSql),
    ("query_export_to_s3", EffectReason::BuiltIn(BuiltinEffect::ForeignServer)),
    ("st_findextent", EffectReason::RunsSql),
    ("st_mapalgebra", EffectReason::RunsSql),
    ("st_mapalgebraexpr", EffectReason::RunsSql),
    ("st_mapalgebrafct", EffectReason::RunsSql),
    ("st_mapalgebrafctngb", EffectReason::RunsSql),
    ("st_retile", EffectReason::RunsSql),
    ("standardize_address", EffectReason::RunsSql),
    ("table_import_from_s3", EffectReason::Writes),
    ("topologysummary", EffectReason::RunsSql),
    ("xpath_table", EffectReason::RunsSql),
];
