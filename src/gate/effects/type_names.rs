//! Names of types in texts: what is cast to regprocedure, regoperator or regtype. A modifier in
//! such a name runs the function that reads modifiers of its type; where one of those is not clean,
//! making a value of these types is not. Of many statements it can be told that they read none: a
//! modifier stands in parentheses, behind the name of its type.

use super::resolve_effects::CheckSubject;
use crate::effects::graph::EffectGraph;
use catalog::{CastId, CastMethod, TypeId, type_oid};
use resolve::InferredType;
use sql::tree::{self, ConstValue, Node};

/// What of a statement reads no modifier that runs what is not clean.
#[derive(Default)]
pub(super) struct HarmlessTypeNames {
    /// Whether none of its literals could, and it has no parameters.
    literals: bool,
    /// Whether the types are named where a cast is written and nowhere else.
    only_cast: bool,
}

impl HarmlessTypeNames {
    pub(super) fn of(subject: CheckSubject<'_>, effect_graph: &EffectGraph) -> Self {
        match subject {
            CheckSubject::Statement(node) if may_have_effects(effect_graph) => {
                read(node, effect_graph).unwrap_or_default()
            }
            CheckSubject::Statement(_) | CheckSubject::Arguments(_) | CheckSubject::Types => {
                Self::default()
            }
        }
    }

    /// Whether a cast to a type reads none.
    pub(super) fn cast(
        &self,
        source: &InferredType,
        target: TypeId,
        candidates: &[CastId],
        effect_graph: &EffectGraph,
    ) -> bool {
        is_a_name(target, effect_graph)
            && match source {
                InferredType::Literal => self.literals,
                InferredType::Known(_) => are_listed(candidates, effect_graph),
                InferredType::Parameter(_) | InferredType::Row(_) | InferredType::Unclear => false,
            }
    }

    /// Whether no value of a type is made of a modifier, but where a cast is written.
    pub(super) fn all_else(&self, target: TypeId, effect_graph: &EffectGraph) -> bool {
        self.literals && self.only_cast && is_a_name(target, effect_graph)
    }
}

/// Whether some name of a type may run what is not clean.
pub(crate) fn may_have_effects(effect_graph: &EffectGraph) -> bool {
    let index = effect_graph.catalog().index();
    let mut types = type_oid::NAMES_OF_OBJECTS
        .iter()
        .filter_map(|oid| index.type_of_oid(*oid));
    types.any(|id| effect_graph.making(id).is_some())
}

/// Whether it is a literal, and as the name of a type would run nothing that is not clean.
pub(crate) fn is_clean_literal(node: Node<'_>, effect_graph: &EffectGraph) -> bool {
    let Node::A_Const(constant) = node else {
        return false;
    };
    match constant.val() {
        Some(ConstValue::String(written)) => !names_type_with_effects(written, effect_graph),
        _ => true,
    }
}

/// Whether a modifier may stand in a text, behind the name of a type whose making is not clean.
fn names_type_with_effects(written: &str, effect_graph: &EffectGraph) -> bool {
    let (names, index) = (
        effect_graph.catalog().names(),
        effect_graph.catalog().index(),
    );
    let in_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let is_unclean = |word: &str| {
        let mut types = names.find(word).into_iter().flat_map(|id| index.types(id));
        types.any(|id| effect_graph.making(*id).is_some())
    };
    let mut words = written.split(|letter| !in_name(letter));
    written.contains('(')
        && (!written.is_ascii()
            || written.contains('"')
            || words.any(|word| is_unclean(&word.to_ascii_lowercase())))
}

/// Whether a cast runs one that is listed, and does not go through text.
fn are_listed(candidates: &[CastId], effect_graph: &EffectGraph) -> bool {
    let through_text = |id: &CastId| effect_graph.catalog().cast(*id).method == CastMethod::InOut;
    !candidates.is_empty() && !candidates.iter().any(through_text)
}

/// Looks at all literals, parameters and names of types. What is not known in every field was
/// refused by the walk.
fn read(statement: Node<'_>, effect_graph: &EffectGraph) -> Option<HarmlessTypeNames> {
    let mut spared = HarmlessTypeNames {
        literals: true,
        only_cast: true,
    };
    let mut waiting = vec![statement];
    while let Some(node) = waiting.pop() {
        match node {
            Node::TypeCast(cast) => {
                waiting.push(cast.arg());
                continue;
            }
            Node::A_Const(_) => spared.literals &= is_clean_literal(node, effect_graph),
            Node::ParamRef(_) => spared.literals = false,
            Node::TypeName(name) => {
                let last = name.names().iter().next_back();
                let last = last.and_then(|part| part.sval()).unwrap_or_default();
                spared.only_cast &= !SPELLED.contains(&last);
            }
            _ => {}
        }
        tree::children(node, &mut waiting).ok()?;
    }
    Some(spared)
}

fn is_a_name(target: TypeId, effect_graph: &EffectGraph) -> bool {
    type_oid::NAMES_OF_OBJECTS.contains(&effect_graph.catalog().data_type(target).oid)
}

/// The same as they are written.
const SPELLED: [&str; 3] = ["regprocedure", "regoperator", "regtype"];
