//! The oids of the server's own types that are spoken of by number. They are the same on every
//! server (`pg_type.dat`).

use super::Oid;

/// Declares the oids by the names that the server gives its types.
macro_rules! types {
    ($($name:ident $oid:literal)+) => {
        $(
            #[doc = concat!("The oid of ", stringify!($name), ".")]
            pub const $name: Oid = Oid($oid);
        )+

        #[cfg(test)]
        const ALL: &[(&str, Oid)] = &[$((stringify!($name), $name)),+];
    };
}

types! {
    BOOL           16
    BYTEA          17
    CHAR           18
    NAME           19
    INT8           20
    INT2           21
    INT2VECTOR     22
    INT4           23
    TEXT           25
    OID            26
    OIDVECTOR      30
    JSON           114
    XML            142
    FLOAT4         700
    FLOAT8         701
    UNKNOWN        705
    INT2_ARRAY     1005
    OID_ARRAY      1028
    BPCHAR         1042
    VARCHAR        1043
    DATE           1082
    TIME           1083
    TIMESTAMP      1114
    TIMESTAMPTZ    1184
    INTERVAL       1186
    TIMETZ         1266
    BIT            1560
    NUMERIC        1700
    REGPROCEDURE   2202
    REGOPERATOR    2204
    REGTYPE        2206
    RECORD         2249
    ANY            2276
    ANYARRAY       2277
    INTERNAL       2281
    RECORD_ARRAY   2287
    UUID           2950
    JSONB          3802
    JSONPATH       4072
}

/// The types whose values are read as names that have names of types in them.
pub const NAMES_OF_OBJECTS: [Oid; 3] = [REGPROCEDURE, REGOPERATOR, REGTYPE];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_stands_once_in_order() {
        let in_order = ALL.windows(2).all(|pair| pair[0].1.0 < pair[1].1.0);
        assert!(in_order, "a number stands twice, or out of order");
    }
}
