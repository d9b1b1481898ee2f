//! `type_effects`: types whose constraints or support functions may do more than read.
//!
//! # Sees
//! A value of a domain whose CHECK runs something that may do more than read; of a type whose
//! input, output or comparison functions do; of an array, range or row of such.
//!
//! # Why
//! A cast to a domain runs its checks, whatever it is a cast of.
//!
//! # Before
//! - `SELECT 'x'::shop.checked` (shop)
//!
//! # After
//! - `SELECT 'x'::text` (shop)
//!
//! # When not
//! Domains whose checks only compute pass. Functions that make values of a type that a row has
//! (`jsonb_populate_record`) are looked at only in a database where some type has effects; of
//! those that a string names the type of (`pg_input_is_valid`) the string has to be a literal. So
//! are those that read a text as the name of a type (`to_regtype`) where one of the functions that
//! read modifiers, `'t(5)'`, has effects.

use crate::context::JudgeContext;
use crate::effects::graph::{EffectDescription, support_functions};
use crate::effects::{suspect_names, type_names};
use crate::rules::{CalledName, RuleResult, catalog_missing, temp_schema};
use crate::{Refusal, Rule};
use sql::tree::{ConstValue, Node, nodes};

pub(crate) fn refusal(told: &EffectDescription) -> Box<Refusal> {
    told.refusal(Rule::TypeEffects, "a type of the statement")
}

/// A function whose argument names a type, and does so in a way that cannot be read here.
fn unread(called: CalledName<'_>) -> Box<Refusal> {
    Refusal::new(
        Rule::TypeEffects,
        &format!("function {called} is not allowed: the type that it is given cannot be told"),
        "Write the name of the type as a literal, and one whose checks only compute.",
    )
    .about(format_args!("function {called}"))
}

/// Functions that make values of a type which an argument names.
pub(crate) fn check_call(
    called: CalledName<'_>,
    call: &nodes::FuncCall,
    context: &JudgeContext<'_>,
) -> RuleResult {
    let Some(effect_graph) = context.effect_graph() else {
        return match called.name {
            "pg_input_is_valid" | "pg_input_error_info" => {
                catalog_missing::check_unknown_function(called, context)
            }
            _ => Ok(()),
        };
    };
    let arguments = call.args();
    if support_functions::reads_type_names(called.name)
        && type_names::may_have_effects(effect_graph)
        && !names_a_type(called.name)
    {
        let is_clean = |node| type_names::is_clean_literal(node, effect_graph);
        let all_clean = arguments.iter().all(is_clean);
        return if all_clean {
            Ok(())
        } else {
            Err(unread(called))
        };
    }
    let clean = match called.name {
        // What is only known while the statement runs may name a type of another session.
        "pg_input_is_valid" | "pg_input_error_info" => match (arguments.get(1), arguments.len()) {
            (Some(Node::A_Const(constant)), 2) => match constant.val() {
                Some(ConstValue::String(written)) => {
                    !temp_schema::may_be_named_in(written)
                        && (!effect_graph.making_any_type_has_effects()
                            || suspect_names::all_types_clean(written, effect_graph))
                }
                _ => false,
            },
            _ => false,
        },
        _ if !effect_graph.making_any_type_has_effects() => true,
        // The type's name is looked at where it stands.
        name if names_a_type(name) => matches!(arguments.get(0), Some(Node::TypeCast(_))),
        _ => true,
    };
    if clean { Ok(()) } else { Err(unread(called)) }
}

/// Whether a built-in makes values of a type that one of its arguments names or has.
pub(crate) fn names_a_type(name: &str) -> bool {
    matches!(
        name,
        "pg_input_is_valid"
            | "pg_input_error_info"
            | "json_populate_record"
            | "json_populate_recordset"
            | "jsonb_populate_record"
            | "jsonb_populate_recordset"
            | "jsonb_populate_record_valid"
    )
}
