//! Casts that are written.
//!
//! <https://www.postgresql.org/docs/current/sql-expressions.html#SQL-SYNTAX-TYPE-CASTS>

use crate::coerce::TypeRules;
use crate::inferred::InferredType;
use crate::{Analysis, Scope, TooDeep, UsedObject};
use catalog::{CastId, TypeId, TypeKind, type_oid};
use ground::limits::DOMAINS_NESTED_MAX;
use sql::tree::{Node, nodes};

impl<'a> Analysis<'a> {
    /// `x::t`, `CAST(x AS t)`, `t 'x'`.
    pub(crate) fn cast(
        &mut self,
        cast: &'a nodes::TypeCast,
        source: &InferredType,
    ) -> InferredType {
        let Some(name) = cast.type_name() else {
            self.note_at(cast.location, UsedObject::Unclear);
            return InferredType::Unclear;
        };
        let inferred = self.type_name(name);
        if let InferredType::Known(target) = inferred {
            let has_length = !name.typmods().is_empty() || name.typemod >= 0;
            if self.typing().is(target, type_oid::UNKNOWN) && *source == InferredType::Literal {
                return InferredType::Literal;
            }
            self.cast_to(source, target, has_length, cast.location);
        }
        inferred
    }

    /// A cast around ARRAY[…], which goes for its elements.
    pub(crate) fn array_cast(
        &mut self,
        cast: &'a nodes::TypeCast,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        let (Node::A_ArrayExpr(array), Some(name)) = (cast.arg(), cast.type_name()) else {
            return self.unknown(Node::TypeCast(cast), scope);
        };
        let type_rules = self.typing();
        let wanted = type_rules.type_written(name).map(|id| type_rules.base(id));
        let wanted = wanted.filter(|id| type_rules.element(*id).is_some());
        let source = self.array(array, wanted, scope)?;
        Ok(self.cast(cast, &source))
    }

    /// Notes a cast that is written.
    pub(crate) fn cast_to(
        &mut self,
        source: &InferredType,
        target: TypeId,
        has_length: bool,
        location: i32,
    ) {
        let type_rules = self.typing();
        self.note_type(target, location);
        self.note_type(type_rules.base(target), location);
        if let (InferredType::Row(fields), Some(relation)) =
            (source, type_rules.row_relation(target))
        {
            let columns = self.catalog.columns_of(relation);
            for (field, column) in fields.iter().zip(columns) {
                match &field.inferred {
                    InferredType::Row(_) => self.note_at(location, UsedObject::Unclear),
                    other => {
                        let candidates = type_rules.casts(other, column.type_id, true);
                        self.written_cast(other.clone(), column.type_id, candidates, location);
                    }
                }
            }
        }
        if *source == InferredType::Unclear && type_rules.row_relation(target).is_some() {
            self.note_at(location, UsedObject::Unclear);
        }
        let candidates = type_rules.casts(source, target, has_length);
        self.written_cast(source.clone(), target, candidates, location);
    }

    fn written_cast(
        &mut self,
        source: InferredType,
        target: TypeId,
        candidates: Vec<CastId>,
        location: i32,
    ) {
        self.note_type(target, location);
        self.note_at(
            location,
            UsedObject::Cast {
                source,
                target,
                candidates,
            },
        );
    }
}

impl TypeRules<'_> {
    /// The listed casts that may be run to make a value of one type a value of another: between the
    /// types below domains, between elements of arrays, and the one that makes a length hold.
    fn casts(self, source: &InferredType, target: TypeId, has_length: bool) -> Vec<CastId> {
        let mut found = Vec::new();
        let mut source = match source {
            InferredType::Known(id) => CastSource::Type(self.base(*id)),
            InferredType::Literal | InferredType::Parameter(_) => CastSource::Literal,
            InferredType::Row(_) | InferredType::Unclear => CastSource::Any,
        };
        let mut target = target;
        for _ in 0..DOMAINS_NESTED_MAX {
            let is_domain_of_length = self.has_modifier(target);
            target = self.base(target);
            found.extend(self.listed_casts(source, target));
            if has_length || is_domain_of_length {
                found.extend(self.catalog.index().cast(target, target));
            }
            let Some(element) = self.element(target) else {
                break;
            };
            source = match source {
                CastSource::Type(id) => match self.element(id) {
                    Some(element) => CastSource::Type(self.base(element)),
                    None => break,
                },
                other => other,
            };
            target = element;
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn listed_casts(self, source: CastSource, target: TypeId) -> Vec<CastId> {
        match source {
            CastSource::Literal => Vec::new(),
            CastSource::Type(id) => self.catalog.index().cast(id, target).into_iter().collect(),
            CastSource::Any => {
                let casts = self.catalog.casts();
                let to_target = casts.filter(|(_, cast)| cast.target == target);
                to_target.map(|(id, _)| id).collect()
            }
        }
    }

    /// Whether a type is a domain that says a length, or lies over one that does.
    fn has_modifier(self, id: TypeId) -> bool {
        let mut id = id;
        for _ in 0..DOMAINS_NESTED_MAX {
            let TypeKind::Domain {
                base,
                base_modifier,
                ..
            } = self.data_type(id).kind
            else {
                return false;
            };
            if base_modifier >= 0 {
                return true;
            }
            id = base;
        }
        true
    }
}

/// What a cast starts from.
#[derive(Clone, Copy)]
enum CastSource {
    Type(TypeId),
    Literal,
    Any,
}
