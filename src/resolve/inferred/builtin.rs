//! The numbers of the server's own types that the rules of typing speak of. They are the same on
//! every server (`pg_type.dat`).

use catalog::Oid;

/// The category of types that hold text.
pub(crate) const CATEGORY_STRING: u8 = b'S';

/// A pseudo-type whose place a real type takes, the same one for all of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PolymorphicType {
    Element,
    NonArray,
    Enum,
    Array,
    Range,
    Multirange,
    Compatible,
    CompatibleNonArray,
    CompatibleArray,
    CompatibleRange,
    CompatibleMultirange,
}

impl PolymorphicType {
    /// The polymorphic type of a number, if it is one.
    pub(crate) fn of(oid: Oid) -> Option<Self> {
        Some(match oid.0 {
            2283 => Self::Element,
            2776 => Self::NonArray,
            3500 => Self::Enum,
            2277 => Self::Array,
            3831 => Self::Range,
            4537 => Self::Multirange,
            5077 => Self::Compatible,
            5079 => Self::CompatibleNonArray,
            5078 => Self::CompatibleArray,
            5080 => Self::CompatibleRange,
            4538 => Self::CompatibleMultirange,
            _ => return None,
        })
    }

    /// Whether it belongs to the family whose members need only a type in common.
    pub(crate) fn is_compatible(self) -> bool {
        matches!(
            self,
            Self::Compatible
                | Self::CompatibleNonArray
                | Self::CompatibleArray
                | Self::CompatibleRange
                | Self::CompatibleMultirange
        )
    }
}
