//! The numbers of the server's own types that the rules of typing speak of. They are the same on
//! every server (`pg_type.dat`).

use crate::catalog::Oid;

pub(in crate::resolve) const BOOL: Oid = Oid(16);
pub(in crate::resolve) const NAME: Oid = Oid(19);
pub(in crate::resolve) const INT8: Oid = Oid(20);
pub(in crate::resolve) const INT2VECTOR: Oid = Oid(22);
pub(in crate::resolve) const INT4: Oid = Oid(23);
pub(in crate::resolve) const TEXT: Oid = Oid(25);
pub(in crate::resolve) const OIDVECTOR: Oid = Oid(30);
pub(in crate::resolve) const JSON: Oid = Oid(114);
pub(in crate::resolve) const XML: Oid = Oid(142);
pub(in crate::resolve) const UNKNOWN: Oid = Oid(705);
pub(in crate::resolve) const DATE: Oid = Oid(1082);
pub(in crate::resolve) const TIME: Oid = Oid(1083);
pub(in crate::resolve) const TIMESTAMP: Oid = Oid(1114);
pub(in crate::resolve) const TIMESTAMPTZ: Oid = Oid(1184);
pub(in crate::resolve) const TIMETZ: Oid = Oid(1266);
pub(in crate::resolve) const BIT: Oid = Oid(1560);
pub(in crate::resolve) const NUMERIC: Oid = Oid(1700);
pub(in crate::resolve) const RECORD: Oid = Oid(2249);
pub(in crate::resolve) const RECORD_ARRAY: Oid = Oid(2287);
pub(in crate::resolve) const JSONB: Oid = Oid(3802);
pub(in crate::resolve) const JSONPATH: Oid = Oid(4072);

/// `"any"`: every type fits, none is asked for.
pub(in crate::resolve) const ANY: Oid = Oid(2276);
pub(in crate::resolve) const ANYARRAY: Oid = Oid(2277);

/// The category of types that hold text.
pub(in crate::resolve) const CATEGORY_STRING: u8 = b'S';

/// A pseudo-type whose place a real type takes, the same one for all of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::resolve) enum PolymorphicType {
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
    pub(in crate::resolve) fn of(oid: Oid) -> Option<Self> {
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
    pub(in crate::resolve) fn is_compatible(self) -> bool {
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
