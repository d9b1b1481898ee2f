//! The sections `relations` and `columns` of a policy file.

use std::collections::BTreeSet;

use super::super::access::{AccessLists, ColumnPattern, Glob, RelationPattern, ThroughViews};
use super::super::overlay::{ColumnMask, MaskedColumns, RowFilter};
use super::super::signature::parts;
use super::super::yaml::section::{
    PlacedProblems, YamlSection, chosen, join, map, placed, report, word,
};
use super::super::yaml::tree::{YamlTree, YamlValue};
use super::settings::SettingsSection;
use super::{lists, model_sql, models};
use ground::limits::{MASKS_AND_FILTERS_MAX, NAME_BYTES_MAX};

/// Reads both sections, and `rows`. What values a condition may read is a matter of the settings,
/// where those are known.
pub(super) fn read(
    top: &mut YamlSection,
    settings: Option<&SettingsSection>,
    problems: &mut PlacedProblems,
) -> Option<AccessLists> {
    let everything = AccessLists::default();
    let relations = top.optional("relations", everything, problems, relations);
    let columns = top.optional("columns", ColumnsSection::default(), problems, columns);
    let rows = top.optional("rows", Vec::new(), problems, |tree, path, problems| {
        rows(tree, path, settings, problems)
    });
    let columns = columns?;
    Some(AccessLists {
        columns_allowed: columns.allowed,
        columns_denied: columns.denied,
        columns_masked: columns.masked,
        rows: rows?,
        ..relations?
    })
}

fn relations(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<AccessLists> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let allow = section.optional("allow", None, problems, |tree, path, problems| {
        if lists::is_any(&tree, path, "relations such as shop.*", problems)? {
            return Some(None);
        }
        let list = placed(tree, path, problems, relation)?;
        let list = list.into_iter().map(|(_, pattern)| pattern).collect();
        Some(Some(lists::in_order(list)))
    });
    let deny = section.optional("deny", Vec::new(), problems, |tree, path, problems| {
        placed(tree, path, problems, relation)
    });
    let absent = ThroughViews::Own;
    let views = section.optional("through_views", absent, problems, |tree, path, problems| {
        chosen(tree, path, THROUGH_VIEWS, problems)
    });
    let is_new_meant = section.has("new");
    let known = known(&mut section, path, problems);
    section.close(problems);
    let (allowed, denied) = (allow?, deny?);
    let both = allowed.as_deref().unwrap_or_default();
    let denied = lists::without_contradictions(both, denied, &join(path, "deny"), problems);
    Some(AccessLists {
        relations_allowed: allowed,
        relations_known: known?,
        is_new_meant,
        relations_denied: denied,
        through_views: views?,
        ..AccessLists::default()
    })
}

/// What was there when the policy was written, where new relations are refused: one key tells the
/// other's meaning, so either both are there or none is.
fn known(
    section: &mut YamlSection,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Option<Vec<(String, String)>>> {
    let place = section.place();
    let refuses = section.optional("new", false, problems, |tree, path, problems| {
        chosen(tree, path, NEW, problems)
    })?;
    let known = section.optional("known", None, problems, |tree, path, problems| {
        let list = placed(tree, path, problems, known_relation)?;
        Some(Some(lists::in_order(
            list.into_iter().map(|(_, one)| one).collect(),
        )))
    })?;
    let what = match (refuses, &known) {
        (true, None) => {
            "new: refuse wants to know which relations are old: write known: [], and `pgsieve \
             policy known FILE --upstream URL` prints what belongs there"
        }
        (false, Some(known)) if !known.is_empty() => {
            "which relations are known means nothing without new: refuse"
        }
        (true, Some(_)) => return Some(known),
        (false, _) => return Some(None),
    };
    report(problems, place, &join(path, "known"), what);
    None
}

fn known_relation(word: &str) -> Result<(String, String), String> {
    match split(word)?.as_slice() {
        [schema, name] if !schema.contains('*') && !name.contains('*') => {
            Ok((schema.clone(), name.clone()))
        }
        _ => Err("one relation is named here by schema and name, such as shop.orders".into()),
    }
}

/// What the section `columns` says.
#[derive(Default)]
struct ColumnsSection {
    allowed: Vec<ColumnPattern>,
    denied: Vec<ColumnPattern>,
    masked: Vec<MaskedColumns>,
}

fn columns(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<ColumnsSection> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let allow = section.optional("allow", Vec::new(), problems, |tree, path, problems| {
        let list = placed(tree, path, problems, column)?;
        let list = list.into_iter().map(|(_, pattern)| pattern).collect();
        Some(lists::in_order(list))
    });
    let deny = section.optional("deny", Vec::new(), problems, |tree, path, problems| {
        placed(tree, path, problems, denied_column)
    });
    let masked = section.optional("mask", Vec::new(), problems, masked);
    section.close(problems);
    let (allowed, denied) = (allow?, deny?);
    let denied = lists::without_contradictions(&allowed, denied, &join(path, "deny"), problems);
    Some(ColumnsSection {
        allowed,
        denied,
        masked: masked?,
    })
}

/// `columns.mask`.
fn masked(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Vec<MaskedColumns>> {
    let place = tree.place;
    let entries = map(tree, path, problems)?;
    if entries.len() > MASKS_AND_FILTERS_MAX {
        report(
            problems,
            place,
            path,
            &format!("at most {MASKS_AND_FILTERS_MAX} masks are held"),
        );
        return None;
    }
    let (mut found, mut sound) = (Vec::<MaskedColumns>::new(), true);
    for entry in entries {
        let path = join(path, &entry.key);
        let pattern = masked_column(&entry.key);
        let mask = match entry.tree.value {
            YamlValue::Nothing => Ok(ColumnMask::Null),
            YamlValue::Word(word) => ColumnMask::read(&word),
            YamlValue::List(_) | YamlValue::Map(_) => {
                Err("a mask is wanted, such as partial".into())
            }
        };
        match (pattern, mask) {
            (Ok(pattern), Ok(_)) if found.iter().any(|own| own.pattern == pattern) => {
                let what = "this pattern is there already; quotes make no difference";
                report(problems, entry.place, &path, what);
            }
            (Ok(pattern), Ok(mask)) => {
                found.push(MaskedColumns { pattern, mask });
                continue;
            }
            (Err(what), _) => report(problems, entry.place, &path, &what),
            (_, Err(what)) => report(problems, entry.tree.place, &path, &what),
        }
        sound = false;
    }
    found.sort();
    sound.then_some(found)
}

/// A column with its relation, or a column of any relation.
fn masked_column(key: &str) -> Result<ColumnPattern, String> {
    match split(key)?.as_slice() {
        [name] => Ok(ColumnPattern {
            relation: RelationPattern {
                schema: Glob::new("*"),
                name: Glob::new("*"),
            },
            column: glob(name)?,
        }),
        _ => {
            let pattern = denied_column(key)?;
            of_users(&pattern.relation)?;
            Ok(pattern)
        }
    }
}

/// Nothing is laid over what is the server's own.
fn of_users(pattern: &RelationPattern) -> Result<(), String> {
    match pattern.schema.exact() {
        Some(schema) if schema.starts_with("pg_") || schema == "information_schema" => {
            Err(format!(
                "{schema} is a schema of the server: its relations are read as they are, or denied"
            ))
        }
        Some(_) | None => Ok(()),
    }
}

/// The section `rows`.
fn rows(
    tree: YamlTree,
    path: &str,
    settings: Option<&SettingsSection>,
    problems: &mut PlacedProblems,
) -> Option<Vec<RowFilter>> {
    let place = tree.place;
    let entries = map(tree, path, problems)?;
    if entries.len() > MASKS_AND_FILTERS_MAX {
        report(
            problems,
            place,
            path,
            &format!("at most {MASKS_AND_FILTERS_MAX} conditions are held"),
        );
        return None;
    }
    let (mut found, mut sound) = (Vec::new(), true);
    let mut named = BTreeSet::new();
    for entry in entries {
        let path = join(path, &entry.key);
        let pattern = relation(&entry.key);
        let pattern = pattern.and_then(|pattern| of_users(&pattern).map(|()| pattern));
        if let Err(what) = &pattern {
            report(problems, entry.place, &path, what);
        }
        let condition = word(entry.tree, &path, problems).and_then(|(place, sql)| {
            match model_sql::condition(&sql) {
                Ok(pieces) => {
                    models::check_values(&pieces, settings, place, &path, problems);
                    Some(pieces)
                }
                Err(wrong) => {
                    report(problems, place, &path, &wrong.to_string());
                    None
                }
            }
        });
        let (Ok(pattern), Some(pieces)) = (pattern, condition) else {
            sound = false;
            continue;
        };
        if !named.insert(pattern.clone()) {
            let what = "this pattern is there already; quotes make no difference";
            report(problems, entry.place, &path, what);
        }
        found.push(RowFilter { pattern, pieces });
    }
    found.sort_by(|one, other| one.pattern.cmp(&other.pattern));
    sound.then_some(found)
}

pub(super) fn relation(word: &str) -> Result<RelationPattern, String> {
    match split(word)?.as_slice() {
        [schema, name] => Ok(RelationPattern {
            schema: glob(schema)?,
            name: glob(name)?,
        }),
        [name] => Err(format!(
            "a relation stands here with its schema, such as shop.{name}, or *.{name} for every \
             schema"
        )),
        [_, _, _] => Err("this names a column; columns stand in columns.allow and \
             columns.deny"
            .into()),
        _ => Err(RELATION_WANTED.into()),
    }
}

pub(super) fn column(word: &str) -> Result<ColumnPattern, String> {
    match split(word)?.as_slice() {
        [schema, name, column] => Ok(ColumnPattern {
            relation: RelationPattern {
                schema: glob(schema)?,
                name: glob(name)?,
            },
            column: glob(column)?,
        }),
        [name, column] => Err(format!(
            "a column stands here with its schema and relation, such as shop.{name}.{column}, or \
             *.{name}.{column} for every schema"
        )),
        [column] => Err(format!(
            "a column stands here with its schema and relation, such as shop.customers.{column}, \
             or *.*.{column} for every relation"
        )),
        _ => Err(COLUMN_WANTED.into()),
    }
}

fn denied_column(word: &str) -> Result<ColumnPattern, String> {
    let pattern = column(word)?;
    match pattern.column.exact() {
        Some(name) if SYSTEM_COLUMNS.contains(&name) => Err(format!(
            "{name} is a column of the server that every table has; it holds nothing of the \
             table's and cannot be denied"
        )),
        _ => Ok(pattern),
    }
}

/// The parts of a pattern. Only a name without quotes can be cut short by a space.
fn split(word: &str) -> Result<Vec<String>, String> {
    parts(word).ok_or_else(|| RELATION_WANTED.into())
}

fn glob(part: &str) -> Result<Glob, String> {
    if part.len() > NAME_BYTES_MAX && !part.contains('*') {
        return Err(format!(
            "a name of the server is at most {NAME_BYTES_MAX} bytes long: nothing has this one"
        ));
    }
    Ok(Glob::new(part))
}

const NEW: &[(&str, bool)] = &[("allow", false), ("refuse", true)];

const THROUGH_VIEWS: &[(&str, ThroughViews)] =
    &[("own", ThroughViews::Own), ("check", ThroughViews::Check)];

const RELATION_WANTED: &str = "a pattern of names is wanted, such as shop.orders or shop.tmp_*; \
    only * is a wildcard, and a name with anything but letters, digits, _, $ and - in it stands in \
    double quotes";

const COLUMN_WANTED: &str = "a column with its schema and relation is wanted, such as \
    shop.customers.email; a name with a dot in it stands in double quotes";

/// The columns of the server in every table.
pub(super) const SYSTEM_COLUMNS: &[&str] = &["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"];

#[cfg(test)]
mod tests {
    use super::super::super::ThroughViews;
    use super::super::super::tests::{policy_with, said_of, version_with};

    #[test]
    fn without_lists_nothing_is_hidden() {
        for section in ["", "allow: any", "deny: []", "through_views: check"] {
            let policy = policy_with("relations", section);
            assert!(!policy.hides(), "{section}");
        }
        assert!(!policy_with("columns", "allow: [], deny: []").hides());
    }

    #[test]
    fn relations_are_named_by_patterns() {
        let policy = policy_with(
            "relations",
            "allow: [shop.*, 'public.\"a.b\"'], deny: [shop.secret_*], through_views: check",
        );
        let access = policy.access();
        assert!(policy.hides());
        let allowed = access.relations_allowed.as_deref().unwrap();
        let allows = |schema, name| allowed.iter().any(|pattern| pattern.names(schema, name));
        assert!(allows("shop", "orders") && allows("public", "a.b"));
        assert!(!allows("public", "orders") && !allows("Shop", "orders"));
        let denies = |name| access.relations_denied[0].names("shop", name);
        assert!(denies("secret_1") && !denies("orders"));
        assert_eq!(access.through_views, ThroughViews::Check);
    }

    #[test]
    fn an_empty_list_allows_nothing() {
        let policy = policy_with("relations", "allow: []");
        assert!(policy.hides());
        assert_eq!(policy.access().relations_allowed.as_deref(), Some(&[][..]));
    }

    #[test]
    fn new_relations_are_kept_out_of_wildcards_alone() {
        for (allow, known, readable, not) in [
            ("any", "[a.b]", &["a.b"][..], &["a.c", "b.b"][..]),
            ("['a.*']", "[a.b]", &["a.b"], &["a.c", "b.b"]),
            (
                "['a.*', c.d]",
                "[a.b, b.b]",
                &["a.b", "c.d"],
                &["a.c", "b.b", "c.e"],
            ),
            ("['a.*', a.c]", "[]", &["a.c"], &["a.b"]),
            ("[]", "[a.b]", &[], &["a.b"]),
            ("any", "['\"A\".\"b c\"']", &["A.b c"], &["a.b c", "A.b"]),
        ] {
            let section = format!("allow: {allow}, new: refuse, known: {known}");
            let policy = policy_with("relations", &section);
            assert!(policy.hides());
            let allows = |name: &&str| {
                let (schema, name) = name.split_once('.').unwrap();
                policy.access().allows(schema, name)
            };
            assert!(readable.iter().all(allows), "{section}");
            assert!(!not.iter().any(allows), "{section}");
        }
        let same = version_with("relations", "allow: [a.b]");
        assert_eq!(version_with("relations", "allow: [a.b], new: allow"), same);
        assert_ne!(
            version_with("relations", "allow: [a.b], new: refuse, known: []"),
            same
        );
    }

    #[test]
    fn columns_are_named_by_patterns() {
        let policy = policy_with(
            "columns",
            "allow: [shop.customers.id], deny: [\"*.*.ssn\", 'a.\"b c\".\"d.e\"']",
        );
        let access = policy.access();
        assert!(policy.hides());
        let names = |pattern: &super::ColumnPattern, relation: (&str, &str), column| {
            pattern.relation.names(relation.0, relation.1) && pattern.column.matches(column)
        };
        let customers = ("shop", "customers");
        assert!(names(&access.columns_allowed[0], customers, "id"));
        assert!(!names(&access.columns_allowed[0], customers, "email"));
        let denies = |relation, column| {
            let mut denied = access.columns_denied.iter();
            denied.any(|pattern| names(pattern, relation, column))
        };
        assert!(denies(customers, "ssn") && denies(("a", "b c"), "d.e"));
        assert!(!denies(customers, "id") && !denies(("a", "b"), "d.e"));
    }

    #[test]
    fn what_is_wrong_with_patterns_is_said() {
        let long = "x".repeat(64);
        for (section, keys, wanted) in [
            (
                "relations",
                "deny: [orders]",
                "such as shop.orders, or *.orders",
            ),
            (
                "relations",
                "deny: [a.b.c]",
                "columns stand in columns.allow and columns.deny",
            ),
            (
                "relations",
                "deny: [a.b.c.d]",
                "a pattern of names is wanted",
            ),
            ("relations", "deny: [\"a.b c\"]", "stands in double quotes"),
            ("relations", "deny: [a.]", "a pattern of names is wanted"),
            ("relations", "deny: [\"a.b%\"]", "only * is a wildcard"),
            ("relations", "deny: [\"a.b?\"]", "only * is a wildcard"),
            ("relations", "allow: all", "any, or a list of relations"),
            (
                "relations",
                "allow: [a.b], deny: [a.b]",
                "relations.deny: a.b is also allowed",
            ),
            (
                "relations",
                &format!("deny: [a.{long}]"),
                "at most 63 bytes",
            ),
            (
                "relations",
                "new: refuse",
                "relations.known: new: refuse wants to know",
            ),
            (
                "relations",
                "known: [a.b]",
                "means nothing without new: refuse",
            ),
            (
                "relations",
                "new: allow, known: [a.b]",
                "means nothing without new: refuse",
            ),
            (
                "relations",
                "new: refuse, known: ['a.*']",
                "one relation is named here",
            ),
            ("relations", "new: refuse, known: any", "a list is wanted"),
            ("relations", "new: 1", "one of allow, refuse is wanted"),
            (
                "relations",
                "through_views: yes",
                "one of own, check is wanted",
            ),
            ("columns", "deny: [email]", "*.*.email for every relation"),
            (
                "columns",
                "deny: [customers.email]",
                "such as shop.customers.email",
            ),
            ("columns", "deny: [a.b.ctid]", "cannot be denied"),
            ("columns", "allow: any", "a list is wanted here"),
            (
                "columns",
                "allow: [a.b.c], deny: [a.b.c]",
                "a.b.c is also allowed",
            ),
        ] {
            let found = said_of(section, keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }

    #[test]
    fn masks_and_conditions_are_named_by_patterns() {
        let policy = policy_with(
            "columns",
            "mask: {hr.pay.amount: null, '*.*.email': partial, phone: last(4)}",
        );
        let masked = &policy.access().columns_masked;
        let told: Vec<String> = masked
            .iter()
            .map(|own| format!("{} {}", own.pattern, own.mask))
            .collect();
        assert_eq!(
            told,
            [
                "*.*.email partial",
                "*.*.phone last(4)",
                "hr.pay.amount null"
            ]
        );
        assert!(policy.hides() && policy.has_models());
        let policy = policy_with("rows", "'shop.*': \"a = :user\", shop.b: (c > 1)");
        assert!(policy.hides() && policy.has_models());
        assert_eq!(policy.session_values().len(), 1);
        let version = |keys| version_with("columns", keys);
        assert_ne!(version("mask: {a: null}"), version("mask: {a: partial}"));
        assert_ne!(
            version_with("rows", "a.b: c = 1"),
            version_with("rows", "a.b: c = 2")
        );
    }

    #[test]
    fn what_is_wrong_with_masks_and_conditions_is_said() {
        for (section, keys, wanted) in [
            (
                "columns",
                "mask: {a: hidden}",
                "columns.mask.a: one of null, partial, last(4) and hash",
            ),
            ("columns", "mask: {a: last(0)}", "at most 16 letters"),
            ("columns", "mask: {a: last(17)}", "at most 16 letters"),
            ("columns", "mask: {a: last(-1)}", "at most 16 letters"),
            ("columns", "mask: {a: [null]}", "a mask is wanted"),
            ("columns", "mask: {a.b: null}", "such as shop.a.b"),
            ("columns", "mask: {a.b.ctid: null}", "cannot be denied"),
            (
                "columns",
                "mask: {a: null, '\"a\"': null}",
                "quotes make no difference",
            ),
            (
                "columns",
                "mask: {a: null, '*.*.a': partial}",
                "quotes make no difference",
            ),
            ("columns", "mask: [a]", "a map of keys is wanted"),
            (
                "columns",
                "mask: {pg_catalog.pg_roles.rolname: null}",
                "a schema of the server",
            ),
            (
                "rows",
                "pg_catalog.pg_class: true",
                "a schema of the server",
            ),
            ("rows", "a: b = 1", "such as shop.a"),
            ("rows", "a.b: ''", "rows.a.b: "),
            (
                "rows",
                "a.b: 'c = 1) OR (true'",
                "rows.a.b: Postgres does not read this",
            ),
            (
                "rows",
                "a.b: 'c = 1 GROUP BY c'",
                "rows.a.b: Postgres does not read this",
            ),
            ("rows", "a.b: 'c = 1 -- x'", "comments are not carried"),
            ("rows", "a.b: 'c = $1'", "$1 and its kin"),
            (
                "rows",
                "a.b: 'c = :tenant'",
                ":tenant is no value of a session",
            ),
            (
                "rows",
                "a.b: 'c = :app.x'",
                ":app.x is a setting that no client may set",
            ),
            ("rows", "a.b: 'c = 1; DROP TABLE t'", "without a semicolon"),
            (
                "rows",
                "a.b: 'c', '\"a\".b': 'd'",
                "quotes make no difference",
            ),
            ("rows", "a.b: [c]", "a single word"),
        ] {
            let found = said_of(section, keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }
}
