//! Where unqualified names are looked up.
//!
//! <https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-PATH>

use super::{Catalog, RoleId, SchemaId, SchemaKind};
use ground::limits::NAME_BYTES_MAX;

/// A search_path against one snapshot: the schemas that exist and may be used, in the order in
/// which they are searched, pg_catalog in its implicit place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchPath {
    schemas: Box<[SchemaId]>,
}

impl SearchPath {
    /// The schemas, first searched first.
    pub fn schemas(&self) -> &[SchemaId] {
        &self.schemas
    }
}

impl Catalog {
    /// The path that these names make for a role, as the server makes it (recomputeNamespacePath in
    /// catalog/namespace.c): `$user` is the schema of the role's name; what does not exist, may not
    /// be used or came before is passed over; pg_catalog is first unless it is named. The session's
    /// own temporary schema is never in it: nothing is found there in a session that only reads.
    ///
    /// Without a role only what everybody may use counts, and `$user` is nothing: a path for
    /// finding names, not one to prove by what a text means.
    pub fn search_path<N: AsRef<str>>(&self, names: &[N], role: Option<RoleId>) -> SearchPath {
        let rights = self.rights_of(role);
        let mut schemas: Vec<SchemaId> = Vec::with_capacity(names.len() + 1);
        for name in names {
            let name = match (name.as_ref(), role) {
                ("$user", Some(role)) => Some(self.role(role).name),
                ("$user", None) | ("pg_temp", _) => None,
                (name, _) => self.names.find(name),
            };
            let schema = name.and_then(|name| self.index.schema(name));
            if let Some(schema) = schema
                && !schemas.contains(&schema)
                && rights.may_use_schema(schema)
            {
                schemas.push(schema);
            }
        }
        let is_catalog = |schema: &SchemaId| self.schema(*schema).kind == SchemaKind::Catalog;
        if !schemas.iter().any(is_catalog)
            && let Some((catalog, _)) = self.schemas().find(|(schema, _)| is_catalog(schema))
        {
            schemas.insert(0, catalog);
        }
        SearchPath {
            schemas: schemas.into(),
        }
    }
}

impl Catalog {
    /// The schemas of these names in their order, whoever may use them: for texts that are no
    /// client's.
    pub fn search_path_of_all<'n>(&self, names: impl Iterator<Item = &'n str>) -> SearchPath {
        let mut schemas: Vec<SchemaId> = Vec::new();
        let known = names.filter_map(|name| self.index.schema(self.names.find(name)?));
        for schema in known {
            if !schemas.contains(&schema) {
                schemas.push(schema);
            }
        }
        SearchPath {
            schemas: schemas.into(),
        }
    }
}

/// The names of a search_path setting, folded as Postgres folds them (SplitIdentifierString in
/// utils/adt/varlena.c); none where Postgres would not take it, or where the names depend on the
/// encoding of the database or on its version.
pub fn split(setting: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = setting.trim_start_matches(is_space);
    if rest.is_empty() {
        return Some(names);
    }
    loop {
        let name;
        (name, rest) = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => fold(rest)?,
        };
        names.push(cut(name));
        rest = rest.trim_start_matches(is_space);
        if rest.is_empty() {
            return Some(names);
        }
        rest = rest.strip_prefix(',')?.trim_start_matches(is_space);
    }
}

/// The name up to the closing quote, and what follows it.
fn unquote(mut rest: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        let Some(more) = after.strip_prefix('"') else {
            return Some((name, after));
        };
        name.push('"');
        rest = more;
    }
}

/// The name up to a comma or space, and what follows it.
fn fold(rest: &str) -> Option<(String, &str)> {
    let end = rest
        .find(|c: char| c == ',' || is_space(c))
        .unwrap_or(rest.len());
    let (name, after) = rest.split_at_checked(end)?;
    // A vertical tab is space from version 16 on, and a letter before.
    let depends = |c: char| c == '\u{b}' || !c.is_ascii() && c.is_uppercase();
    let depends = name.chars().any(depends);
    (!name.is_empty() && !depends).then(|| (name.to_ascii_lowercase(), after))
}

/// A name as long as names may be, whole characters only.
fn cut(mut name: String) -> String {
    if name.len() > NAME_BYTES_MAX {
        name.truncate(name.floor_char_boundary(NAME_BYTES_MAX));
    }
    name
}

/// What the scanners of all versions pass over (scanner_isspace).
fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::CatalogFixture;

    #[track_caller]
    fn check_split(setting: &str, wanted: Option<&[&str]>) {
        assert_eq!(
            split(setting).as_deref(),
            wanted
                .map(|names| {
                    names
                        .iter()
                        .map(|name| (*name).to_owned())
                        .collect::<Vec<String>>()
                })
                .as_deref(),
            "{setting}"
        );
    }

    #[test]
    fn settings_are_split_as_the_server_splits_them() {
        check_split("", Some(&[]));
        check_split(" \t\n", Some(&[]));
        check_split("\"$user\", public", Some(&["$user", "public"]));
        check_split("$user,PUBLIC", Some(&["$user", "public"]));
        check_split(" a , \"B c\"\t,\"d\"\"e\" ", Some(&["a", "B c", "d\"e"]));
        check_split("\"\"", Some(&[""]));
        check_split("a.b", Some(&["a.b"]));
        check_split("a\"b", Some(&["a\"b"]));
        check_split("größe", Some(&["größe"]));
        for bad in [
            "a,", ",a", "a,,b", "a b", "\"a", "\"a\"b", "\"a\" b", ",", "GRÖSSE",
        ] {
            check_split(bad, None);
        }
    }

    #[test]
    fn long_names_are_cut_at_a_character() {
        check_split(&"a".repeat(70), Some(&[&"a".repeat(63)]));
        check_split(
            &format!("\"{}é\"", "a".repeat(62)),
            Some(&[&"a".repeat(62)]),
        );
    }

    #[track_caller]
    fn check(catalog: &Catalog, setting: &str, role: Option<&str>, wanted: &[&str]) {
        let role = role.map(|name| catalog.role_named(name).unwrap());
        let path = catalog.search_path(&split(setting).unwrap(), role);
        let name = |schema: &SchemaId| catalog.names().text(catalog.schema(*schema).name);
        let found: Vec<&str> = path.schemas().iter().map(name).collect();
        assert_eq!(found, wanted, "{setting} for {role:?}");
    }

    #[test]
    fn a_path_has_what_the_role_may_use_in_its_order() {
        let catalog = CatalogFixture::new(15)
            .role("app")
            .role("other")
            .schema("app")
            .schema("shop")
            .schema("secret")
            .schema("pg_temp_3")
            .rights("schema secret", Some(&[("app", "u")]))
            .build();
        let usual = catalog.usual_search_path().to_owned();
        check(
            &catalog,
            &usual,
            Some("app"),
            &["pg_catalog", "app", "public"],
        );
        check(&catalog, &usual, Some("other"), &["pg_catalog", "public"]);
        check(&catalog, &usual, None, &["pg_catalog", "public"]);
        check(&catalog, "", Some("app"), &["pg_catalog"]);
        check(&catalog, "nowhere, lower", Some("app"), &["pg_catalog"]);
        check(
            &catalog,
            "public, pg_catalog",
            Some("app"),
            &["public", "pg_catalog"],
        );
        check(
            &catalog,
            "shop, SHOP, \"Shop\"",
            Some("app"),
            &["pg_catalog", "shop"],
        );
        check(
            &catalog,
            "app, \"$user\", shop",
            Some("app"),
            &["pg_catalog", "app", "shop"],
        );
        check(
            &catalog,
            "secret, shop",
            Some("app"),
            &["pg_catalog", "secret", "shop"],
        );
        check(
            &catalog,
            "secret, shop",
            Some("other"),
            &["pg_catalog", "shop"],
        );
        check(
            &catalog,
            "pg_temp, shop",
            Some("app"),
            &["pg_catalog", "shop"],
        );
    }
}
