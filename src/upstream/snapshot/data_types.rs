//! Types, with the functions of users that run when values of them are made and used.

use std::collections::HashMap;

use super::catalog_query::{CatalogQuery, CatalogReader, acl};
use super::error::{CatalogPart, LoadError};
use super::functions::sorted;
use crate::catalog::catalog_rows::{CastRow, TypeRow};

/// What is read of types, before it is put together.
pub struct TypeRows {
    types: Vec<TypeFunctions>,
    ranges: Vec<RangeTypeRow>,
    checks: Vec<(u32, String)>,
    comparing: Vec<(u32, u32)>,
}

/// A type and the functions that `pg_type` names, of which those of the server are left out later.
struct TypeFunctions {
    row: TypeRow,
    makers: Vec<u32>,
    users: Vec<u32>,
}

struct RangeTypeRow {
    range: u32,
    subtype: u32,
    multirange: u32,
    functions: Vec<u32>,
}

/// Reads them.
///
/// May be cancelled: the connection reads the answers away.
///
/// # Errors
/// The same as of [`CatalogQuery::run`].
pub async fn read(reader: CatalogReader<'_>, major: u16) -> Result<TypeRows, LoadError> {
    let (types, ranges, checks, comparing) = tokio::try_join!(
        types(major).run(reader),
        ranges(major).run(reader),
        checks().run(reader),
        comparing().run(reader),
    )?;
    Ok(TypeRows {
        types,
        ranges,
        checks,
        comparing,
    })
}

impl TypeRows {
    /// Puts them together, by oid. Those of temporary tables stay, though their tables are not
    /// read: functions of the same session may take them.
    pub fn join(self, casts: &[CastRow]) -> Vec<TypeRow> {
        let Self {
            types,
            ranges,
            checks,
            comparing,
        } = self;
        let mut compared_by = lists(comparing);
        add_binary_casts(&mut compared_by, casts);
        // A default class for any element is one for every type that has none of its own.
        let of_any = |oid: &u32| ANY_ELEMENT.contains(oid);
        let compared_by_any: Vec<u32> = compared_by
            .iter()
            .filter(|(oid, _)| of_any(oid))
            .flat_map(|(_, functions)| functions.iter().copied())
            .collect();
        let mut checks = lists(checks);
        let mut range_of: HashMap<u32, u32> = HashMap::new();
        for range in ranges {
            range_of.insert(range.range, range.subtype);
            range_of.insert(range.multirange, range.range);
            compared_by
                .entry(range.range)
                .or_default()
                .extend(range.functions);
        }
        let mut rows: Vec<TypeRow> = types
            .into_iter()
            .map(|TypeFunctions { row, makers, users }| {
                let mut users = of_users(users);
                users.extend(compared_by.remove(&row.oid).unwrap_or_default());
                users.extend(compared_by_any.iter().copied());
                TypeRow {
                    makers: of_users(makers),
                    users: sorted(users),
                    checks: checks.remove(&row.oid).unwrap_or_default(),
                    range_of: range_of.get(&row.oid).copied().unwrap_or_default(),
                    ..row
                }
            })
            .collect();
        rows.sort_unstable_by_key(|row| row.oid);
        rows
    }
}

/// A value of a type without operator classes is compared as a value of a type that it is taken for
/// without a function, and unasked: IsBinaryCoercible in parser/parse_coerce.c.
fn add_binary_casts(compared_by: &mut HashMap<u32, Vec<u32>>, casts: &[CastRow]) {
    let is_unasked = |cast: &&CastRow| cast.method == b'b' && cast.context == b'i';
    let mut more = Vec::new();
    for cast in casts.iter().filter(is_unasked) {
        for function in compared_by.get(&cast.target).into_iter().flatten() {
            more.push((cast.source, *function));
        }
    }
    for (source, function) in more {
        compared_by.entry(source).or_default().push(function);
    }
}

/// Those that did not come with the server, whose own are known to do what they should.
fn of_users(oids: Vec<u32>) -> Vec<u32> {
    let mut oids = sorted(oids);
    oids.retain(|oid| *oid >= FIRST_OF_USERS);
    oids
}

fn lists<T>(pairs: Vec<(u32, T)>) -> HashMap<u32, Vec<T>> {
    let mut lists: HashMap<u32, Vec<T>> = HashMap::new();
    for (key, value) in pairs {
        lists.entry(key).or_default().push(value);
    }
    lists
}

/// Since 14 a type says by its subscript handler that it is an array in the full sense, before by
/// its length.
fn types(major: u16) -> CatalogQuery<TypeFunctions> {
    let acl = acl("t.typacl");
    let (subscript, is_array) = if major >= 14 {
        (
            "t.typsubscript",
            "t.typsubscript = 'array_subscript_handler'::regproc",
        )
    } else {
        ("0::oid::regproc", "t.typlen = -1")
    };
    CatalogQuery {
        part: CatalogPart::Types,
        text: format!(
            "SELECT t.oid, t.typnamespace, t.typname, t.typtype, t.typcategory, t.typispreferred, \
               t.typrelid, t.typelem, t.typelem <> 0 AND {is_array}, t.typarray, t.typbasetype, \
               t.typtypmod, t.typnotnull, t.typowner, {acl}, \
               ARRAY[t.typinput, t.typreceive, t.typmodin]::oid[], \
               ARRAY[t.typoutput, t.typsend, t.typmodout, {subscript}]::oid[] \
             FROM pg_type t"
        ),
        decode: |fields| {
            let row = TypeRow {
                oid: fields.next()?,
                schema: fields.next()?,
                name: fields.text()?,
                kind: fields.letter()?,
                category: fields.letter()?,
                preferred: fields.next()?,
                relation: fields.next()?,
                element: fields.next()?,
                is_array: fields.next()?,
                array: fields.next()?,
                base: fields.next()?,
                base_modifier: fields.next()?,
                not_null: fields.next()?,
                owner: fields.next()?,
                acl: fields.acl()?,
                ..TypeRow::default()
            };
            Ok(TypeFunctions {
                row,
                makers: fields.oids()?,
                users: fields.oids()?,
            })
        },
    }
}

/// A range is ordered by the operator class that it names, not by its subtype's default one.
fn ranges(major: u16) -> CatalogQuery<RangeTypeRow> {
    let multirange = if major >= 14 {
        "r.rngmultitypid"
    } else {
        "0::oid"
    };
    CatalogQuery {
        part: CatalogPart::Types,
        text: format!(
            "SELECT r.rngtypid, r.rngsubtype, {multirange}, \
               ARRAY(SELECT f.function \
                 FROM unnest(ARRAY[r.rngcanonical, r.rngsubdiff]::oid[]) AS f(function) \
                 WHERE f.function >= 16384 \
                 UNION SELECT p.amproc::oid FROM pg_opclass o JOIN pg_amproc p \
                 ON p.amprocfamily = o.opcfamily AND (p.oid >= 16384 OR p.amproc::oid >= 16384) \
                 WHERE o.oid = r.rngsubopc ORDER BY 1) \
             FROM pg_range r"
        ),
        decode: |fields| {
            Ok(RangeTypeRow {
                range: fields.next()?,
                subtype: fields.next()?,
                multirange: fields.next()?,
                functions: fields.oids()?,
            })
        },
    }
}

fn checks() -> CatalogQuery<(u32, String)> {
    CatalogQuery {
        part: CatalogPart::Types,
        text: "SELECT contypid, conbin::text FROM pg_constraint \
               WHERE contypid <> 0 AND conbin IS NOT NULL ORDER BY contypid, conname"
            .into(),
        decode: |fields| Ok((fields.next()?, fields.tree()?)),
    }
}

/// What sorting, grouping and joining run for a type without being asked by name: all functions
/// that users have put into the families of its B-tree and hash classes and that take a value of
/// it, and those of the operators that stand for its operators the other way round or negated. Of
/// types that the server brings only the default classes count, since nobody meets the others by
/// accident.
fn comparing() -> CatalogQuery<(u32, u32)> {
    let classes = "FROM pg_opclass o JOIN pg_am m ON m.oid = o.opcmethod \
                   AND m.amname IN ('btree', 'hash')";
    let counts = "(o.opcdefault OR o.opcintype >= 16384)";
    CatalogQuery {
        part: CatalogPart::Types,
        text: format!(
            "SELECT o.opcintype, p.amproc::oid {classes} \
               JOIN pg_amproc p ON p.amprocfamily = o.opcfamily \
               AND o.opcintype IN (p.amproclefttype, p.amprocrighttype) \
               WHERE {counts} AND (p.oid >= 16384 OR p.amproc::oid >= 16384) \
             UNION SELECT o.opcintype, s.oprcode::oid {classes} \
               JOIN pg_amop a ON a.amopfamily = o.opcfamily \
               AND o.opcintype IN (a.amoplefttype, a.amoprighttype) \
               JOIN pg_operator p ON p.oid = a.amopopr \
               CROSS JOIN LATERAL unnest(ARRAY[p.oid, p.oprcom, p.oprnegate]) AS k(operator) \
               JOIN pg_operator s ON s.oid = k.operator \
               WHERE {counts} AND (s.oid >= 16384 OR s.oprcode::oid >= 16384) \
                 AND s.oprcode::oid <> 0"
        ),
        decode: |fields| Ok((fields.next()?, fields.next()?)),
    }
}

/// FirstNormalObjectId in access/transam.h.
const FIRST_OF_USERS: u32 = 16_384;

/// The pseudo-types that take a value of most types: any, anyelement, anynonarray, anycompatible,
/// anycompatiblenonarray.
const ANY_ELEMENT: [u32; 5] = [2276, 2283, 2776, 5077, 5079];
