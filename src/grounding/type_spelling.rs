//! Types as `format_type` spells them, with their modifiers.

use catalog::{Catalog, TypeId};

/// A type with its modifier: `numeric(10,2)`, `character varying(20)`, `timestamp(3) with time
/// zone`.
///
/// <https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-CATALOG>
pub fn spelled(catalog: &Catalog, data_type: TypeId, modifier: i32) -> String {
    let name = catalog.type_name(data_type);
    let Some(written) = written_modifier(&name, modifier) else {
        return name;
    };
    let (plain, brackets) = match name.strip_suffix("[]") {
        Some(plain) => (plain, "[]"),
        None => (name.as_str(), ""),
    };
    match plain.split_once(' ') {
        Some((first @ ("timestamp" | "time"), rest)) => {
            format!("{first}{written} {rest}{brackets}")
        }
        _ => format!("{plain}{written}{brackets}"),
    }
}

/// What is written behind a type; none where its modifier says nothing.
fn written_modifier(name: &str, modifier: i32) -> Option<String> {
    if modifier < 0 {
        return None;
    }
    match name.strip_suffix("[]").unwrap_or(name) {
        "character varying" | "character" => Some(format!("({})", modifier.checked_sub(HEADER)?)),
        "numeric" => {
            let both = modifier.checked_sub(HEADER)?;
            let (precision, scale) = ((both >> 16) & 0xffff, both & SCALE_BITS);
            let scale = (scale ^ SCALE_SIGN) - SCALE_SIGN;
            Some(format!("({precision},{scale})"))
        }
        "bit" | "bit varying" => Some(format!("({modifier})")),
        name if name.starts_with("time") && modifier <= SECOND_DIGITS_MAX => {
            Some(format!("({modifier})"))
        }
        _ => None,
    }
}

/// What a modifier of texts and numbers counts too many (VARHDRSZ in c.h).
const HEADER: i32 = 4;

/// The scale of a number in its modifier, eleven bits with a sign (utils/adt/numeric.c).
const SCALE_BITS: i32 = 0x7ff;

const SCALE_SIGN: i32 = 0x400;

/// Digits of a second (MAX_TIMESTAMP_PRECISION in datatype/timestamp.h).
const SECOND_DIGITS_MAX: i32 = 6;

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::fixture::CatalogFixture;

    #[test]
    fn types_are_spelled_as_the_server_spells_them() {
        let catalog = CatalogFixture::new(15)
            .schema("shop")
            .enumeration("shop.mood")
            .build();
        let spelled = |name, modifier| spelled(&catalog, catalog.type_called(name), modifier);
        let numeric = |precision: i32, scale: i32| ((precision << 16) | (scale & 0x7ff)) + 4;
        assert_eq!(spelled("numeric", numeric(10, 2)), "numeric(10,2)");
        assert_eq!(spelled("numeric", numeric(3, -2)), "numeric(3,-2)");
        assert_eq!(spelled("numeric", -1), "numeric");
        assert_eq!(spelled("varchar", 24), "character varying(20)");
        assert_eq!(spelled("varchar[]", 24), "character varying(20)[]");
        assert_eq!(spelled("bpchar", 7), "character(3)");
        assert_eq!(spelled("timestamptz", 3), "timestamp(3) with time zone");
        assert_eq!(spelled("time", 0), "time(0) without time zone");
        assert_eq!(spelled("varbit", 5), "bit varying(5)");
        assert_eq!(spelled("shop.mood", -1), "shop.mood");
        assert_eq!(spelled("int4", -1), "integer");
    }
}
