//! The numbers of the server's own types that the rules of typing speak of. They are the same on
//! every server (`pg_type.dat`).

use crate::catalog::Oid;

pub(super) const BOOL: Oid = Oid(16);
pub(super) const NAME: Oid = Oid(19);
pub(super) const INT8: Oid = Oid(20);
pub(super) const INT2VECTOR: Oid = Oid(22);
pub(super) const INT4: Oid = Oid(23);
pub(super) const TEXT: Oid = Oid(25);
pub(super) const OIDVECTOR: Oid = Oid(30);
pub(super) const JSON: Oid = Oid(114);
pub(super) const XML: Oid = Oid(142);
pub(super) const UNKNOWN: Oid = Oid(705);
pub(super) const DATE: Oid = Oid(1082);
pub(super) const TIME: Oid = Oid(1083);
pub(super) const TIMESTAMP: Oid = Oid(1114);
pub(super) const TIMESTAMPTZ: Oid = Oid(1184);
pub(super) const TIMETZ: Oid = Oid(1266);
pub(super) const BIT: Oid = Oid(1560);
pub(super) const NUMERIC: Oid = Oid(1700);
pub(super) const RECORD: Oid = Oid(2249);
pub(super) const RECORD_ARRAY: Oid = Oid(2287);
pub(super) const JSONB: Oid = Oid(3802);
pub(super) const JSONPATH: Oid = Oid(4072);

/// `"any"`: every type fits, none is asked for.
pub(super) const ANY: Oid = Oid(2276);
pub(super) const ANYARRAY: Oid = Oid(2277);

/// The category of types that hold text.
pub(super) const CATEGORY_STRING: u8 = b'S';

/// A pseudo-type whose place a real type takes, the same one for all of a family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Polymorphic {
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

impl Polymorphic {
    /// The polymorphic type of a number, if it is one.
    pub(super) fn of(oid: Oid) -> Option<Self> {
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
    pub(super) fn is_compatible(self) -> bool {
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
