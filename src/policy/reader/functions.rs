//! The sections `functions` and `foreign` of a policy file.

use super::super::signature::{FunctionSignature, dotted};
use super::super::yaml::section::{PlacedProblems, YamlSection, chosen, join, list, placed, words};
use super::super::yaml::tree::YamlTree;
use super::super::{ExtensionTrust, ForeignAccess, PlainChoice, TrustedSchemas};
use super::lists;

/// What the section `functions` says.
pub(super) struct FunctionsSection {
    pub(super) allowed: Vec<FunctionSignature>,
    pub(super) denied: Vec<FunctionSignature>,
    pub(super) trusted: TrustedSchemas,
    pub(super) any_search_path: Vec<FunctionSignature>,
    pub(super) extensions: ExtensionTrust,
    pub(super) transaction_ids: PlainChoice,
    pub(super) server_directories: PlainChoice,
}

/// Reads the section `functions`.
pub(super) fn read(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<FunctionsSection> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let allow = section.optional("allow", Vec::new(), problems, |tree, path, problems| {
        list(tree, path, problems, allowed).map(lists::in_order)
    });
    let deny = section.optional("deny", Vec::new(), problems, |tree, path, problems| {
        let read = |word: &str| FunctionSignature::read(word).map_err(str::to_owned);
        placed(tree, path, problems, read)
    });
    let nothing = TrustedSchemas::These(Vec::new());
    let trusted = section.optional("trusted_schemas", nothing, problems, trusted_schemas);
    let any_search_path = section.optional(
        "any_search_path",
        Vec::new(),
        problems,
        |tree, path, problems| {
            list(tree, path, problems, FunctionSignature::read).map(lists::in_order)
        },
    );
    let known = ExtensionTrust::Known;
    let extensions = section.optional("extensions", known, problems, |tree, path, problems| {
        chosen(tree, path, EXTENSIONS, problems)
    });
    let refuse = PlainChoice::Refuse;
    let mut choice = |key| {
        section.optional(key, refuse, problems, |tree, path, problems| {
            chosen(tree, path, CHOICE, problems)
        })
    };
    let (ids, directories) = (choice("transaction_ids"), choice("server_directories"));
    section.close(problems);
    let (allowed, denied) = (allow?, deny?);
    let denied = lists::without_contradictions(&allowed, denied, &join(path, "deny"), problems);
    Some(FunctionsSection {
        allowed,
        denied,
        trusted: trusted?,
        any_search_path: any_search_path?,
        extensions: extensions?,
        transaction_ids: ids?,
        server_directories: directories?,
    })
}

/// Reads the section `foreign`.
pub(super) fn foreign(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<ForeignAccess> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let tables = section.optional("tables", Vec::new(), problems, |tree, path, problems| {
        list(tree, path, problems, table).map(lists::in_order)
    });
    let servers = section.optional("servers", Vec::new(), problems, names);
    section.close(problems);
    Some(ForeignAccess {
        tables: tables?,
        servers: servers?,
    })
}

/// An entry of `functions.allow`.
fn allowed(word: &str) -> Result<FunctionSignature, &'static str> {
    let signature = FunctionSignature::read(word)?;
    match NEVER.contains(&signature.name()) {
        true => Err(
            "no policy may allow this function: it works on files, or in another session, where no read-only \
             session stops it",
        ),
        false => Ok(signature),
    }
}

fn trusted_schemas(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<TrustedSchemas> {
    if lists::is_any(&tree, path, "schemas", problems)? {
        return Some(TrustedSchemas::Any);
    }
    let list = list(tree, path, problems, |word| match word {
        "any" => Err("any stands alone, without a list"),
        word if word.contains('*') => Err("schemas are named one by one: * is no wildcard here"),
        word => Ok(word.to_owned()),
    });
    list.map(lists::in_order).map(TrustedSchemas::These)
}

/// Names in order, each once.
fn names(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Vec<String>> {
    words(tree, path, problems).map(lists::in_order)
}

fn table(word: &str) -> Result<(String, String), &'static str> {
    match dotted(word) {
        Ok(((Some(schema), name), "")) if !schema.contains('*') && !name.contains('*') => {
            Ok((schema, name))
        }
        Ok(_) | Err(_) => {
            Err("a table with its schema is wanted, such as shop.orders; * is no wildcard here")
        }
    }
}

const EXTENSIONS: &[(&str, ExtensionTrust)] = &[
    ("known", ExtensionTrust::Known),
    ("named", ExtensionTrust::Named),
];

const CHOICE: &[(&str, PlainChoice)] = &[
    ("refuse", PlainChoice::Refuse),
    ("allow", PlainChoice::Allow),
];

/// Functions of common extensions that write files, pages or statistics, or run SQL in another
/// session, where the read-only mode of this one means nothing. Whoever wants a read of theirs
/// wraps it in a function of another name, and has read that one's body.
const NEVER: &[&str] = &[
    "dblink",
    "dblink_connect",
    "dblink_connect_u",
    "dblink_exec",
    "dblink_fetch",
    "dblink_get_result",
    "dblink_open",
    "dblink_send_query",
    "heap_force_freeze",
    "heap_force_kill",
    "pg_background_launch",
    "pg_background_launch_v2",
    "pg_file_rename",
    "pg_file_sync",
    "pg_file_unlink",
    "pg_file_write",
    "pg_stat_statements_reset",
    "pg_truncate_visibility_map",
    "query_export_to_s3",
];

#[cfg(test)]
mod tests {
    use super::super::super::CatalogArgument;
    use super::super::super::tests::{policy_with, said_of};

    #[test]
    fn what_writes_in_another_session_cannot_be_allowed() {
        for name in [
            "dblink",
            "public.dblink_exec",
            "x.\"dblink\"(text, text)",
            "pg_file_write",
        ] {
            let said = said_of("functions", &format!("allow: ['{name}']"));
            assert!(
                said.contains("no read-only session stops it"),
                "{name}: {said}"
            );
        }
        policy_with("functions", "allow: [my_dblink, dblinks]");
        policy_with("functions", "deny: [dblink]");
    }

    #[test]
    fn functions_are_denied_by_name_and_by_types() {
        let policy = policy_with(
            "functions",
            "deny: [pg_catalog.random, \"shop.f(integer)\"]",
        );
        let int = CatalogArgument {
            schema: "pg_catalog",
            name: "int4",
            is_array: false,
        };
        assert!(policy.denies_functions());
        assert!(policy.denies_function("pg_catalog", "random", &[]));
        assert!(policy.denies_function("shop", "f", &[int]));
        assert!(!policy.denies_function("shop", "f", &[]));
        assert!(!policy.denies_function("shop", "random", &[]));
        assert!(!policy_with("functions", "deny: []").denies_functions());
    }

    #[test]
    fn functions_for_which_any_path_will_do_are_named_as_those_that_are_allowed() {
        let policy = policy_with("functions", "any_search_path: [\"shop.f(integer)\"]");
        let of = |name| CatalogArgument {
            schema: "pg_catalog",
            name,
            is_array: false,
        };
        assert!(policy.takes_any_search_path("shop", "f", &[of("int4")]));
        assert!(!policy.takes_any_search_path("shop", "f", &[of("text")]));
        // It says nothing of whether the function may be called.
        assert!(!policy.allows_signature("shop", "f", &[of("int4")]));
        let said = said_of("functions", "any_search_path: [shop.*]");
        assert!(said.contains("functions.any_search_path"), "{said}");
    }

    #[test]
    fn one_function_is_not_allowed_and_denied() {
        let found = said_of("functions", "deny: [shop.f, shop.g], allow: [shop.g]");
        assert!(
            found.contains("functions.deny: shop.g is also allowed"),
            "{found}"
        );
        let found = said_of("functions", "deny: [a b]");
        assert!(
            found.contains("functions.deny: a function is wanted"),
            "{found}"
        );
    }

    #[test]
    fn a_wildcard_that_would_name_nothing_is_a_mistake() {
        for (section, keys) in [
            ("functions", "allow: [shop.*]"),
            ("functions", "allow: [], deny: [\"*\"]"),
            ("functions", "allow: [], any_search_path: [shop.*]"),
            ("functions", "allow: [], trusted_schemas: [\"shop*\"]"),
            ("foreign", "tables: [shop.*]"),
        ] {
            let found = said_of(section, keys);
            assert!(found.contains("* is no wildcard here"), "{keys}: {found}");
        }
        let found = said_of("functions", "allow: [], trusted_schemas: [any]");
        assert!(found.contains("any stands alone"), "{found}");
    }
}
