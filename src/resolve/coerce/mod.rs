//! Which types Postgres makes into which: domains and their base types, arrays and their elements,
//! the casts that are listed, those through text, and rows.
//!
//! <https://www.postgresql.org/docs/current/typeconv.html>

pub(super) mod common_type;
pub(super) mod noted;
pub(super) mod polymorphic;

use std::collections::HashSet;

use super::inferred::ActualType;
use super::inferred::builtin;
use super::inferred::builtin::PolymorphicType;
use catalog::{
    CastContext, CastId, CastMethod, Catalog, Oid, RelationId, RelationKind, SearchPath, Type,
    TypeId, TypeKind, type_oid,
};
use ground::limits::DOMAINS_NESTED_MAX;

/// Questions about types, answered from a snapshot and a search_path.
#[derive(Clone, Copy)]
pub(crate) struct TypeRules<'a> {
    pub(super) catalog: &'a Catalog,
    pub(super) path: &'a SearchPath,
}

/// Whether a value can take the type that its place asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoercionFit {
    /// It can.
    Fits,
    /// It cannot.
    Not,
    /// The snapshot does not say.
    Unsure,
}

/// How one type becomes another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoercionPath {
    /// By calling it so.
    Relabel,
    /// By a listed cast with a function.
    Function(CastId),
    /// Through text.
    Text,
    /// Element by element.
    Elements,
    /// Not at all.
    None,
}

impl<'a> TypeRules<'a> {
    /// The type of the server's number.
    pub(super) fn builtin(self, oid: Oid) -> Option<TypeId> {
        self.catalog.index().type_of_oid(oid)
    }

    pub(super) fn data_type(self, id: TypeId) -> &'a Type {
        self.catalog.data_type(id)
    }

    pub(super) fn oid(self, id: TypeId) -> Oid {
        self.data_type(id).oid
    }

    pub(super) fn is(self, id: TypeId, oid: Oid) -> bool {
        self.oid(id) == oid
    }

    pub(super) fn polymorphic(self, id: TypeId) -> Option<PolymorphicType> {
        PolymorphicType::of(self.oid(id))
    }

    /// The type below a domain, and below the domain under that.
    pub(super) fn base(self, id: TypeId) -> TypeId {
        let mut found = id;
        for _ in 0..DOMAINS_NESTED_MAX {
            match self.data_type(found).kind {
                TypeKind::Domain { base, .. } => found = base,
                _ => break,
            }
        }
        found
    }

    /// The type of the elements, if it is an array.
    pub(super) fn element(self, id: TypeId) -> Option<TypeId> {
        let array = self.data_type(id);
        array.element.filter(|_| array.is_array)
    }

    /// The type of the elements of an array or of a domain over one.
    pub(super) fn base_element(self, id: TypeId) -> Option<TypeId> {
        self.element(self.base(id))
    }

    pub(super) fn array_of(self, id: TypeId) -> Option<TypeId> {
        self.data_type(id).array
    }

    pub(super) fn range_subtype(self, id: TypeId) -> Option<TypeId> {
        match self.data_type(id).kind {
            TypeKind::Range { subtype } => Some(subtype),
            _ => None,
        }
    }

    pub(super) fn multirange_range(self, id: TypeId) -> Option<TypeId> {
        match self.data_type(id).kind {
            TypeKind::Multirange { range } => Some(range),
            _ => None,
        }
    }

    pub(super) fn multirange_of(self, range: TypeId) -> Option<TypeId> {
        let mut types = self.catalog.data_types();
        types
            .find(|(_, found)| found.kind == TypeKind::Multirange { range })
            .map(|(id, _)| id)
    }

    pub(super) fn is_enum(self, id: TypeId) -> bool {
        matches!(self.data_type(id).kind, TypeKind::Enum)
    }

    /// The relation whose columns a value of the type has, domains looked through.
    pub(super) fn row_relation(self, id: TypeId) -> Option<RelationId> {
        match self.data_type(self.base(id)).kind {
            TypeKind::Composite(relation) => relation,
            _ => None,
        }
    }

    /// Whether it is a composite type or a domain over one.
    pub(super) fn is_composite(self, id: TypeId) -> bool {
        matches!(self.data_type(self.base(id)).kind, TypeKind::Composite(_))
    }

    /// Whether an argument can take a declared type unasked, polymorphic types taken alone.
    pub(super) fn fit(self, actual: ActualType, declared: TypeId) -> CoercionFit {
        if self.is(declared, type_oid::ANY) || self.polymorphic(declared).is_some() {
            return CoercionFit::Fits;
        }
        match actual {
            ActualType::Unknown => CoercionFit::Fits,
            ActualType::Unclear => CoercionFit::Unsure,
            ActualType::Type(source) => self.fit_of_types(source, declared),
        }
    }

    fn fit_of_types(self, source: TypeId, target: TypeId) -> CoercionFit {
        if source == target
            || self.pathway(source, target, CastContext::Implicit) != CoercionPath::None
        {
            return CoercionFit::Fits;
        }
        let is_record = |id| self.is(id, type_oid::RECORD);
        if is_record(source) && self.is_composite(target)
            || is_record(target) && self.is_composite(source)
        {
            return CoercionFit::Fits;
        }
        if self.is(target, type_oid::RECORD_ARRAY)
            && self
                .element(source)
                .is_some_and(|element| self.is_composite(element))
        {
            return CoercionFit::Fits;
        }
        self.inherits(source, target)
    }

    /// Whether rows of one table are rows of another that it inherits from. The snapshot does not
    /// say which tables are made OF a type: such a pair is told by its columns.
    fn inherits(self, source: TypeId, target: TypeId) -> CoercionFit {
        let TypeKind::Composite(Some(parent)) = self.data_type(target).kind else {
            return CoercionFit::Not;
        };
        let Some(child) = self.row_relation(source) else {
            return CoercionFit::Not;
        };
        let mut seen = HashSet::from([parent]);
        let mut waiting = vec![parent];
        while let Some(next) = waiting.pop() {
            if next == child {
                return CoercionFit::Fits;
            }
            let children = &self.catalog.relation(next).children;
            waiting.extend(children.iter().filter(|child| seen.insert(**child)));
        }
        let is_type = self.catalog.relation(parent).kind == RelationKind::CompositeType;
        if is_type && self.same_columns(child, parent) {
            return CoercionFit::Unsure;
        }
        CoercionFit::Not
    }

    fn same_columns(self, one: RelationId, other: RelationId) -> bool {
        let columns = |relation| {
            let columns = self.catalog.columns_of(relation).iter();
            columns.map(|column| (column.name, column.type_id))
        };
        columns(one).eq(columns(other))
    }

    /// How one type becomes another where casts of this context happen.
    pub(super) fn pathway(
        self,
        source: TypeId,
        target: TypeId,
        context: CastContext,
    ) -> CoercionPath {
        let mut source = self.base(source);
        let mut target = self.base(target);
        let mut elements = false;
        for _ in 0..DOMAINS_NESTED_MAX {
            if source == target {
                return if elements {
                    CoercionPath::Elements
                } else {
                    CoercionPath::Relabel
                };
            }
            if let Some(id) = self.catalog.index().cast(source, target) {
                let found = self.listed(id, context);
                let found_elements = elements && found != CoercionPath::None;
                return if found_elements {
                    CoercionPath::Elements
                } else {
                    found
                };
            }
            let vector =
                self.is(target, type_oid::INT2VECTOR) || self.is(target, type_oid::OIDVECTOR);
            let below = self.element(source).zip(self.element(target));
            match below.filter(|_| !vector) {
                Some((from, to)) => {
                    // The elements of arrays are no arrays, domains over arrays aside. Arrays that
                    // go through text do so only where their elements cannot be cast: neither is
                    // text, so nothing else is left for them.
                    source = self.base(from);
                    target = self.base(to);
                    elements = true;
                }
                None => {
                    let through_text = self.through_text(source, target, context);
                    return match through_text {
                        true if elements => CoercionPath::Elements,
                        true => CoercionPath::Text,
                        false => CoercionPath::None,
                    };
                }
            }
        }
        CoercionPath::None
    }

    fn listed(self, id: CastId, context: CastContext) -> CoercionPath {
        let cast = self.catalog.cast(id);
        if strength(cast.context) > strength(context) {
            return CoercionPath::None;
        }
        match cast.method {
            CastMethod::Function(_) => CoercionPath::Function(id),
            CastMethod::Binary => CoercionPath::Relabel,
            CastMethod::InOut => CoercionPath::Text,
        }
    }

    fn through_text(self, source: TypeId, target: TypeId, context: CastContext) -> bool {
        let is_text = |id| self.data_type(id).category == builtin::CATEGORY_STRING;
        match context {
            CastContext::Implicit => false,
            CastContext::Assignment => is_text(target),
            CastContext::Explicit => is_text(target) || is_text(source),
        }
    }
}

/// How much has to be written for a cast of this context.
fn strength(context: CastContext) -> u8 {
    match context {
        CastContext::Implicit => 0,
        CastContext::Assignment => 1,
        CastContext::Explicit => 2,
    }
}
