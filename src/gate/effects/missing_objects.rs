//! Refusals of statements that name what is not there. Such a statement fails wherever it is sent:
//! it is refused as any other, and nothing of it goes upstream, but the client is told what the
//! server's own analysis would have told it first, in the server's words. The snapshot may be
//! older than the database: it is never a reason to let a statement run.
//!
//! Where the policy may hide what is named, the refusal stays what it is.

use std::fmt::Write as _;

use super::resolve_effects::CheckSubject;
use super::{lookup, refusal};
use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::{Refusal, Rule, access};
use catalog::{Catalog, SearchPath, TypeId, quoted};
use ground::sqlstate::{self, SqlState};
use resolve::{
    InferredType, JoinArm, MissingName, MissingObject, ObjectUse, Resolution, SqlName, UsedObject,
};

/// The refusal of a use, told as one of the missing name that stands behind it, if there is one.
pub(super) fn explained(
    refused: Box<Refusal>,
    used: &ObjectUse<'_>,
    resolution: &Resolution<'_>,
    (path, effect_graph): (&SearchPath, &EffectGraph),
    context: &JudgeContext<'_>,
) -> Box<Refusal> {
    let may_be_guessed = matches!(
        used.what,
        UsedObject::Functions { .. } | UsedObject::Operators { .. } | UsedObject::Unclear
    );
    match first(resolution, refused.rule, (path, effect_graph), context) {
        Some(told) if may_be_guessed => told,
        _ => refused,
    }
}

/// A refusal that tells of the first name that stands for nothing, if there is one.
pub(crate) fn first(
    resolution: &Resolution<'_>,
    rule: Rule,
    (path, effect_graph): (&SearchPath, &EffectGraph),
    context: &JudgeContext<'_>,
) -> Option<Box<Refusal>> {
    let absent = resolution.missing_name.as_ref()?;
    if context.trusts(absent.at) || is_out_of_reach(absent, effect_graph, context) {
        return None;
    }
    let catalog = effect_graph.catalog();
    let told = MissingNameError::of(absent, catalog, path);
    let mut refusal = Refusal::new(rule, &told.message, told.hint)
        .with_sqlstate(told.sqlstate)
        .about(format_args!("{}", told.about));
    refusal.position = refusal::position(absent.at, context);
    Some(refusal)
}

/// What a statement is refused for, or what the server would have said of it before it came to
/// that.
pub(crate) fn or_refused(
    refused: Box<Refusal>,
    subject: CheckSubject<'_>,
    context: &mut JudgeContext<'_>,
) -> Box<Refusal> {
    let Some(effect_graph) = context.effect_graph().filter(|_| gives_way(refused.rule)) else {
        return refused;
    };
    if lookup::may_be_read_otherwise(effect_graph, context) {
        return refused;
    }
    let Some(paths) = lookup::paths(effect_graph, context) else {
        return refused;
    };
    let given = lookup::parameters(effect_graph, context);
    let parameters = lookup::types(given.as_deref(), context);
    let mut told = None;
    for path in &paths {
        let found = lookup::resolve(subject, effect_graph, path, parameters).ok();
        let found =
            found.and_then(|found| first(&found, refused.rule, (path, effect_graph), context));
        match found {
            Some(found) => told.get_or_insert(found),
            None => return refused,
        };
    }
    match told {
        Some(told) if access::hides_nothing_of(subject, effect_graph, context) => told,
        _ => refused,
    }
}

/// Whether a rule is about something that the server would come to only after it has found what
/// all names stand for. What the policy hides comes first.
fn gives_way(rule: Rule) -> bool {
    matches!(
        rule,
        Rule::FunctionEffects
            | Rule::SqlInString
            | Rule::SetConfig
            | Rule::UnknownFunction
            | Rule::HiddenFunction
            | Rule::FunctionPath
            | Rule::OverloadedBuiltin
            | Rule::OperatorEffects
            | Rule::CastEffects
            | Rule::TypeEffects
            | Rule::ViewEffects
            | Rule::RowPolicyEffects
            | Rule::ForeignTable
    )
}

/// Whether the name is looked up in a schema that the role may not use: the server does not say
/// what is there.
fn is_out_of_reach(
    absent: &MissingName<'_>,
    effect_graph: &EffectGraph,
    context: &JudgeContext<'_>,
) -> bool {
    let schema = match &absent.what {
        MissingObject::Relation { schema, .. }
        | MissingObject::Function { schema, .. }
        | MissingObject::Operator { schema, .. }
        | MissingObject::Type { schema, .. } => schema.as_ref(),
        MissingObject::Column { .. }
        | MissingObject::JoinColumn { .. }
        | MissingObject::FromEntry { .. } => None,
    };
    let catalog = effect_graph.catalog();
    let named = schema.and_then(|schema| catalog.names().find(schema.as_str()));
    let known = named.and_then(|name| catalog.index().schema(name));
    known.is_some_and(|id| !catalog.may_use_schema(catalog.role_named(context.role()), id))
}

/// What is said of a name that stands for nothing.
struct MissingNameError {
    sqlstate: SqlState,
    message: String,
    about: String,
    hint: &'static str,
}

impl MissingNameError {
    fn of(absent: &MissingName<'_>, catalog: &Catalog, path: &SearchPath) -> Self {
        match &absent.what {
            MissingObject::Relation { schema, name } => {
                let written = dotted(schema.as_ref(), name);
                Self {
                    sqlstate: sqlstate::UNDEFINED_TABLE,
                    message: format!("relation \"{written}\" does not exist"),
                    about: format!("relation {written}"),
                    hint: RELATIONS,
                }
            }
            MissingObject::Column { qualifier, name } => {
                let written = dotted(qualifier.as_ref(), name);
                let message = match qualifier {
                    Some(_) => format!("column {written} does not exist"),
                    None => format!("column \"{written}\" does not exist"),
                };
                Self {
                    sqlstate: sqlstate::UNDEFINED_COLUMN,
                    message,
                    about: format!("column {written}"),
                    hint: COLUMNS,
                }
            }
            MissingObject::JoinColumn { name, side } => Self::of_joined(name.as_str(), *side),
            MissingObject::FromEntry { name, elsewhere } => {
                Self::of_entry(name.as_str(), *elsewhere)
            }
            MissingObject::Function { schema, .. }
            | MissingObject::Operator { schema, .. }
            | MissingObject::Type { schema, .. }
                if schema.as_ref().is_some_and(|own| is_unknown(own, catalog)) =>
            {
                Self::of_schema(schema.as_ref().map_or("", SqlName::as_str))
            }
            MissingObject::Function {
                schema,
                name,
                arguments,
            } => Self::of_function(&dotted(schema.as_ref(), name), arguments, catalog, path),
            MissingObject::Operator {
                schema,
                name,
                sides,
            } => Self::of_operator(&dotted(schema.as_ref(), name), sides, catalog, path),
            MissingObject::Type {
                schema,
                name,
                is_array,
            } => {
                let brackets = if *is_array { "[]" } else { "" };
                let written = dotted(schema.as_ref(), name);
                Self {
                    sqlstate: sqlstate::UNDEFINED_OBJECT,
                    message: format!("type \"{written}{brackets}\" does not exist"),
                    about: format!("type {written}"),
                    hint: TYPES,
                }
            }
        }
    }

    fn of_joined(name: &str, side: JoinArm) -> Self {
        let side = word(side);
        Self {
            sqlstate: sqlstate::UNDEFINED_COLUMN,
            message: format!(
                "column \"{name}\" specified in USING clause does not exist in {side} table"
            ),
            about: format!("column {name}"),
            hint: COLUMNS,
        }
    }

    fn of_entry(name: &str, elsewhere: bool) -> Self {
        let start = match elsewhere {
            true => "invalid reference to",
            false => "missing",
        };
        Self {
            sqlstate: sqlstate::UNDEFINED_TABLE,
            message: format!("{start} FROM-clause entry for table \"{name}\""),
            about: format!("relation {name}"),
            hint: ENTRIES,
        }
    }

    fn of_schema(schema: &str) -> Self {
        Self {
            sqlstate: sqlstate::INVALID_SCHEMA_NAME,
            message: format!("schema \"{schema}\" does not exist"),
            about: format!("schema {schema}"),
            hint: SCHEMAS,
        }
    }

    fn of_function(
        written: &str,
        arguments: &[(Option<&str>, InferredType)],
        catalog: &Catalog,
        path: &SearchPath,
    ) -> Self {
        let mut list = Some(String::new());
        for (place, (name, inferred)) in arguments.iter().enumerate() {
            let shown = shown(inferred, catalog, path);
            list = list.zip(shown).map(|(mut list, shown)| {
                let comma = if place == 0 { "" } else { ", " };
                // Writing into a String cannot fail.
                let _ = match name {
                    Some(name) => write!(list, "{comma}{name} => {shown}"),
                    None => write!(list, "{comma}{shown}"),
                };
                list
            });
        }
        let message = match list {
            Some(list) => format!("function {written}({list}) does not exist"),
            None => format!("function {written} does not exist for these arguments"),
        };
        Self {
            sqlstate: sqlstate::UNDEFINED_FUNCTION,
            message,
            about: format!("function {written}"),
            hint: FUNCTIONS,
        }
    }

    fn of_operator(
        written: &str,
        sides: &[InferredType],
        catalog: &Catalog,
        path: &SearchPath,
    ) -> Self {
        let sides: Option<Vec<String>> = sides
            .iter()
            .map(|inferred| shown(inferred, catalog, path))
            .collect();
        let message = match sides.as_deref() {
            Some([left, right]) => format!("operator does not exist: {left} {written} {right}"),
            Some([right]) => format!("operator does not exist: {written} {right}"),
            _ => format!("operator does not exist: {written} for these operands"),
        };
        Self {
            sqlstate: sqlstate::UNDEFINED_FUNCTION,
            message,
            about: format!("operator {written}"),
            hint: OPERATORS,
        }
    }
}

/// A name that nothing in the database has, of which no types are known: how the server would
/// begin.
pub(crate) fn function(written: &str) -> (String, &'static str) {
    let message = format!("function {written} does not exist");
    (message, FUNCTIONS)
}

/// A type as the server shows it in this place: with its schema where the path does not lead there;
/// none where it is not known.
fn shown(inferred: &InferredType, catalog: &Catalog, path: &SearchPath) -> Option<String> {
    match inferred {
        InferredType::Known(id) => Some(type_name(*id, catalog, path)),
        InferredType::Literal | InferredType::Parameter(_) => Some("unknown".to_owned()),
        InferredType::Row(_) => Some("record".to_owned()),
        InferredType::Unclear => None,
    }
}

fn type_name(id: TypeId, catalog: &Catalog, path: &SearchPath) -> String {
    let full = catalog.type_name(id);
    let one = catalog.data_type(id);
    let element = one.element.filter(|_| one.is_array);
    let one = element.map_or(one, |element| catalog.data_type(element));
    let before = format!(
        "{}.",
        quoted(catalog.names().text(catalog.schema(one.schema).name))
    );
    let of_name = catalog.index().types(one.name);
    let mut along = path.schemas().iter();
    let found = along.find(|schema| {
        let mut of_name = of_name.iter();
        of_name.any(|other| catalog.data_type(*other).schema == **schema)
    });
    match full.strip_prefix(&before) {
        Some(bare) if found == Some(&one.schema) => bare.to_owned(),
        _ => full,
    }
}

fn is_unknown(schema: &SqlName<'_>, catalog: &Catalog) -> bool {
    let name = catalog.names().find(schema.as_str());
    name.and_then(|name| catalog.index().schema(name)).is_none()
}

fn dotted(before: Option<&SqlName<'_>>, name: &SqlName<'_>) -> String {
    match before {
        Some(before) => format!("{}.{}", before.as_str(), name.as_str()),
        None => name.as_str().to_owned(),
    }
}

fn word(side: JoinArm) -> &'static str {
    match side {
        JoinArm::Left => "left",
        JoinArm::Right => "right",
    }
}

const RELATIONS: &str =
    "Check the spelling and the schema; information_schema.tables lists what there is.";
const COLUMNS: &str = "Check the spelling; information_schema.columns lists what there is.";
const ENTRIES: &str = "Use the name or the alias that stands in FROM.";
const FUNCTIONS: &str =
    "Check the name and the types of the arguments; pg_proc lists what functions there are.";
const OPERATORS: &str = "Check the types on its sides; pg_operator lists what operators there are.";
const TYPES: &str = "Check the spelling and the schema; pg_type lists what types there are.";
const SCHEMAS: &str = "Check the spelling; information_schema.schemata lists what there is.";
