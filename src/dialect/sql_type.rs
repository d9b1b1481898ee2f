//! The type of a value, as far as it matters what a foreign text means: the one list of types for
//! translations, and for foreign calls in a text that Postgres reads.

use catalog::type_oid;
use catalog::{Catalog, TypeId, TypeKind};
use ground::limits::DOMAINS_NESTED_MAX;

/// A type of Postgres's, or a group of them that dialects treat alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SqlType {
    /// NULL alone, in a translation.
    Null,
    /// A string without a type, or NULL, in a text that Postgres reads: it becomes what its place
    /// asks for. In a translation a string literal is [`SqlType::Text`].
    Literal,
    /// boolean.
    Bool,
    /// smallint, integer, bigint.
    Integer,
    /// numeric.
    Decimal,
    /// real, double precision.
    Float,
    /// text, varchar, char, name.
    Text,
    /// date.
    Date,
    /// time.
    Time,
    /// timestamp.
    Timestamp,
    /// timestamptz.
    TimestampTz,
    /// interval.
    Interval,
    /// json.
    Json,
    /// jsonb.
    Jsonb,
    /// bytea.
    Bytes,
    /// uuid.
    Uuid,
    /// An enumeration.
    Enum,
    /// Any array.
    Array,
    /// Any other type of Postgres's own.
    Other,
    /// Not known.
    Unclear,
}

impl SqlType {
    /// A number.
    pub fn is_number(self) -> bool {
        matches!(self, Self::Integer | Self::Decimal | Self::Float)
    }

    /// A date or a timestamp.
    pub fn is_temporal(self) -> bool {
        matches!(self, Self::Date | Self::Timestamp | Self::TimestampTz)
    }

    /// Whether both are dates or timestamps, and not of the same type.
    pub fn is_other_temporal(self, other: Self) -> bool {
        self != other && self.is_temporal() && other.is_temporal()
    }

    /// A type that no foreign dialect has an equal of.
    pub fn is_of_postgres_alone(self) -> bool {
        matches!(self, Self::Uuid | Self::Enum | Self::Other)
    }

    /// That of a type of the catalog; of a domain, that of its base.
    pub fn of(catalog: &Catalog, type_id: TypeId) -> Self {
        let mut id = type_id;
        for _ in 0..DOMAINS_NESTED_MAX {
            match catalog.data_type(id).kind {
                TypeKind::Domain { base, .. } => id = base,
                _ => break,
            }
        }
        let found = catalog.data_type(id);
        if found.is_array {
            return Self::Array;
        }
        match found.oid {
            type_oid::BOOL => Self::Bool,
            type_oid::BYTEA => Self::Bytes,
            type_oid::INT8 | type_oid::INT2 | type_oid::INT4 => Self::Integer,
            type_oid::FLOAT4 | type_oid::FLOAT8 => Self::Float,
            type_oid::NUMERIC => Self::Decimal,
            type_oid::CHAR
            | type_oid::NAME
            | type_oid::TEXT
            | type_oid::BPCHAR
            | type_oid::VARCHAR => Self::Text,
            type_oid::DATE => Self::Date,
            type_oid::TIME => Self::Time,
            type_oid::TIMESTAMP => Self::Timestamp,
            type_oid::TIMESTAMPTZ => Self::TimestampTz,
            type_oid::INTERVAL => Self::Interval,
            type_oid::JSON => Self::Json,
            type_oid::JSONB => Self::Jsonb,
            type_oid::UUID => Self::Uuid,
            _ if matches!(found.kind, TypeKind::Enum) => Self::Enum,
            _ => Self::Other,
        }
    }

    /// That of a type by the name that the server's messages have for it (`format_type`).
    pub fn named(name: &str) -> Self {
        match name {
            "boolean" => Self::Bool,
            "bytea" => Self::Bytes,
            "smallint" | "integer" | "bigint" | "oid" => Self::Integer,
            "numeric" => Self::Decimal,
            "real" | "double precision" => Self::Float,
            "\"char\"" | "text" | "character varying" | "character" | "name" => Self::Text,
            "unknown" => Self::Literal,
            "date" => Self::Date,
            "time without time zone" | "time with time zone" => Self::Time,
            "timestamp without time zone" => Self::Timestamp,
            "timestamp with time zone" => Self::TimestampTz,
            "interval" => Self::Interval,
            "json" => Self::Json,
            "jsonb" => Self::Jsonb,
            "uuid" => Self::Uuid,
            other if other.ends_with("[]") => Self::Array,
            _ => Self::Other,
        }
    }

    /// The type that values of both have in one column or CASE; unclear where Postgres would not
    /// have it or nobody knows.
    pub fn common(self, other: Self) -> Self {
        match (self, other) {
            (one, same) if one == same => one,
            (Self::Null | Self::Literal, known) | (known, Self::Null | Self::Literal) => known,
            (Self::Float, number) | (number, Self::Float) if number.is_number() => Self::Float,
            (Self::Decimal, number) | (number, Self::Decimal) if number.is_number() => {
                Self::Decimal
            }
            (Self::TimestampTz, moment) | (moment, Self::TimestampTz) if moment.is_temporal() => {
                Self::TimestampTz
            }
            (Self::Date, Self::Timestamp) | (Self::Timestamp, Self::Date) => Self::Timestamp,
            _ => Self::Unclear,
        }
    }
}
