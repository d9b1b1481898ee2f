//! The section `models` of a policy file.

use std::collections::{BTreeMap, BTreeSet};

use super::super::knowledge::PolicyKnowledge;
use super::super::model::{ModelPiece, PolicyModel, SessionValue};
use super::super::signature::parts;
use super::super::yaml::section::{PlacedProblems, YamlSection, chosen, join, map, report, word};
use super::super::yaml::tree::{YamlPlace, YamlTree, YamlValue};
use super::calculated::{ModelBasis, WrittenColumn};
use super::model_sql;
use super::settings::SettingsSection;
use ground::limits::{ABOUT_BYTES_MAX, MODELS_MAX, NAME_BYTES_MAX};

/// The sections that models lean on, where they are sound: whose settings may be values, and whose
/// relationships calculated columns may follow.
type KnownSections<'s> = (Option<&'s SettingsSection>, Option<&'s PolicyKnowledge>);

/// Reads the section of a policy.
pub(super) fn of_policy(
    top: &mut YamlSection,
    known: KnownSections<'_>,
    problems: &mut PlacedProblems,
) -> Option<Vec<PolicyModel>> {
    top.optional("models", Vec::new(), problems, |tree, path, problems| {
        read(tree, path, known, problems)
    })
}

fn read(
    tree: YamlTree,
    path: &str,
    known: KnownSections<'_>,
    problems: &mut PlacedProblems,
) -> Option<Vec<PolicyModel>> {
    let place = tree.place;
    let mut models: Vec<PolicyModel> = Vec::new();
    let mut sound = true;
    let entries = map(tree, path, problems)?;
    if entries.len() > MODELS_MAX {
        let what = format!("at most {MODELS_MAX} models are held");
        report(problems, place, path, &what);
        return None;
    }
    let mut named = BTreeSet::new();
    for entry in entries {
        let path = join(path, &entry.key);
        let name = name(&entry.key);
        if let Err(what) = &name {
            report(problems, entry.place, &path, what);
        }
        let name = name.ok();
        let Some(model) = model(entry.tree, &path, (name.clone(), known), problems) else {
            sound = false;
            continue;
        };
        if !named.insert(name) {
            let what = "there is a model of this name; quotes make no difference";
            report(problems, entry.place, &path, what);
        }
        models.push(model);
    }
    models.sort_by(|one, other| (&one.schema, &one.name).cmp(&(&other.schema, &other.name)));
    sound.then_some(models)
}

/// The schema and the name of a model.
fn name(key: &str) -> Result<(String, String), String> {
    let found = parts(key).unwrap_or_default();
    let [schema, name] = found.as_slice() else {
        return Err(NAME_WANTED.into());
    };
    if schema.contains('*') || name.contains('*') {
        return Err("a model has one name; patterns stand in relations and columns".into());
    }
    if schema.starts_with("pg_") || schema == "information_schema" {
        return Err(format!(
            "{schema} is a schema of the server; a model stands in one of yours"
        ));
    }
    if schema.len() > NAME_BYTES_MAX || name.len() > NAME_BYTES_MAX {
        return Err("Postgres cuts names at 63 bytes; write the name as it is kept".into());
    }
    Ok((schema.clone(), name.clone()))
}

fn model(
    tree: YamlTree,
    path: &str,
    (name, (settings, knowledge)): (Option<(String, String)>, KnownSections<'_>),
    problems: &mut PlacedProblems,
) -> Option<PolicyModel> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let pieces = section.required("sql", problems, |tree, path, problems| {
        let (place, sql) = word(tree, path, problems)?;
        match model_sql::pieces(&sql) {
            Ok(pieces) => {
                check_values(&pieces, settings, place, path, problems);
                Some(pieces)
            }
            Err(wrong) => {
                report(problems, place, path, &wrong.to_string());
                None
            }
        }
    });
    let is_new = section.optional("new", false, problems, |tree, path, problems| {
        chosen(tree, path, TRUTH, problems)
    });
    let about = section.optional("about", String::new(), problems, about);
    let no_columns = ModelColumns::default();
    let columns = section.optional("columns", no_columns, problems, columns);
    section.close(problems);
    let (columns, (schema, name)) = (columns?, name?);
    let basis = ModelBasis {
        schema: &schema,
        name: &name,
        pieces: pieces?,
        knowledge: knowledge?,
    };
    let place = columns.place;
    let (pieces, calculated) = basis.with_columns(columns.written, problems)?;
    if let Some(place) = place {
        let taken = pieces.get(..calculated.pieces).unwrap_or_default();
        check_values(taken, settings, place, &join(path, "columns"), problems);
    }
    Some(PolicyModel {
        is_new: is_new?,
        about: about?,
        columns: columns.words,
        pieces,
        calculated,
        schema,
        name,
    })
}

/// A setting that a client may not set would be one that nobody gives a value.
pub(super) fn check_values(
    pieces: &[ModelPiece],
    settings: Option<&SettingsSection>,
    place: YamlPlace,
    path: &str,
    problems: &mut PlacedProblems,
) {
    let Some(settings) = settings else { return };
    let values = pieces.iter().filter_map(|piece| match piece {
        ModelPiece::Value(SessionValue::Setting(name)) => Some(name),
        ModelPiece::Value(_) | ModelPiece::Sql(_) => None,
    });
    for name in values.collect::<BTreeSet<_>>() {
        if !settings.names(name) {
            let what = format!(
                ":{name} is a setting that no client may set; let it by settings.allow.{name}: any"
            );
            report(problems, place, path, &what);
        } else if settings.denied.iter().any(|denied| denied.matches(name)) {
            let what = format!(":{name} is a setting that settings.deny denies");
            report(problems, place, path, &what);
        }
    }
}

/// What a policy says of a model's columns.
#[derive(Default)]
struct ModelColumns {
    /// What they are, in words.
    words: BTreeMap<String, String>,
    /// Those that are calculated.
    written: Vec<WrittenColumn>,
    /// Where it says so.
    place: Option<YamlPlace>,
}

fn columns(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<ModelColumns> {
    let mut columns = ModelColumns {
        place: Some(tree.place),
        ..ModelColumns::default()
    };
    let mut named = BTreeSet::new();
    let mut sound = true;
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        if !named.insert(entry.key.clone()) {
            report(problems, entry.place, &path, "this column is named twice");
        }
        let read = column(entry.tree, &path, problems);
        sound &= read.is_some();
        let Some((words, written)) = read else {
            continue;
        };
        columns.written.extend(written.map(|written| WrittenColumn {
            name: entry.key.clone(),
            ..written
        }));
        if let Some(words) = words {
            columns.words.insert(entry.key, words);
        }
    }
    sound.then_some(columns)
}

/// What a column is, in words, and how it is calculated where it is.
fn column(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<(Option<String>, Option<WrittenColumn>)> {
    if !matches!(tree.value, YamlValue::Map(_)) {
        return about(tree, path, problems).map(|words| (Some(words), None));
    }
    let mut section = YamlSection::open(tree, path, problems)?;
    let words = section.optional("about", None, problems, |tree, path, problems| {
        about(tree, path, problems).map(Some)
    });
    let written = section.optional("expression", None, problems, |tree, path, problems| {
        let (place, expression) = word(tree, path, problems)?;
        Some(Some(WrittenColumn {
            name: String::new(),
            expression,
            place,
            path: path.to_owned(),
        }))
    });
    section.close(problems);
    Some((words?, written?))
}

/// Words, which are not too many to be read with others.
fn about(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<String> {
    let (place, words) = word(tree, path, problems)?;
    if words.len() > ABOUT_BYTES_MAX {
        let what = format!("at most {ABOUT_BYTES_MAX} bytes of words are wanted");
        report(problems, place, path, &what);
        return None;
    }
    Some(words)
}

const TRUTH: &[(&str, bool)] = &[("true", true), ("false", false)];

const NAME_WANTED: &str = "a model is named by schema and name, such as shop.customers; a name \
    with anything but letters, digits, _, $ and - in it stands in double quotes";

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of, version_with};
    use super::*;

    #[test]
    fn models_have_a_name_a_select_and_words() {
        let policy = policy_with(
            "models",
            "'shop.\"a.b\"': {sql: SELECT 1}, shop.customers: {sql: \"SELECT id FROM customers \
             WHERE u = :user\", about: Whoever buys, columns: {id: A number}}",
        );
        assert!(policy.hides());
        let [odd, customers] = policy.models() else {
            panic!("two models")
        };
        assert_eq!((odd.schema.as_str(), odd.name.as_str()), ("shop", "a.b"));
        assert_eq!(customers.about, "Whoever buys");
        assert_eq!(customers.columns["id"], "A number");
        assert_eq!(policy.session_values(), [&SessionValue::User]);
        assert!(policy_with("models", "").models().is_empty());
    }

    #[test]
    fn a_setting_in_a_model_has_to_be_one_that_clients_may_set() {
        let model = "shop.c: {sql: \"SELECT 1 WHERE a = :app.tenant\"}}\nsettings: {allow: ";
        let policy = policy_with("models", &format!("{model}{{App.Tenant: any}}"));
        let value = SessionValue::Setting("app.tenant".into());
        assert_eq!(policy.session_values(), [&value]);
        let found = said_of("models", &format!("{model}{{geqo: any}}"));
        assert!(
            found.contains("let it by settings.allow.app.tenant: any"),
            "{found}"
        );
        let found = said_of(
            "models",
            &format!("{model}{{app.tenant: any}}, deny: [app.*]"),
        );
        assert!(found.contains("that settings.deny denies"), "{found}");
    }

    #[test]
    fn what_is_wrong_with_models_is_said_with_its_place() {
        let long = "x".repeat(ABOUT_BYTES_MAX + 1);
        for (keys, wanted) in [
            (
                "customers: {sql: SELECT 1}",
                "customers: a model is named by schema and name",
            ),
            (
                "a.b.c: {sql: SELECT 1}",
                "a model is named by schema and name",
            ),
            ("\"a.*\": {sql: SELECT 1}", "a model has one name"),
            (
                "pg_catalog.x: {sql: SELECT 1}",
                "pg_catalog is a schema of the server",
            ),
            (
                &format!("a.{}: {{sql: SELECT 1}}", "b".repeat(64)),
                "cuts names at 63 bytes",
            ),
            (
                "a.b: {sql: SELECT 1}, '\"a\".b': {sql: SELECT 2}",
                "quotes make no difference",
            ),
            ("a.b: {about: x}", "models.a.b.sql: this key is missing"),
            (
                "a.b: {sql: SELECT FROM WHERE}",
                "models.a.b.sql: Postgres does not read this",
            ),
            (
                "a.b: {sql: SELECT 1, where: x}",
                "known here: sql, new, about, columns",
            ),
            (
                &format!("a.b: {{sql: SELECT 1, about: {long}}}"),
                "bytes of words",
            ),
            ("a.b: {sql: SELECT 1, new: yes}", "models.a.b.new: "),
            ("a.b: {sql: SELECT 1, new: [true]}", "models.a.b.new: "),
            (
                "a.b: {sql: SELECT 1, columns: [x]}",
                "columns: a map of keys is wanted",
            ),
        ] {
            let found = said_of("models", keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }

    #[test]
    fn the_order_of_models_means_nothing() {
        let (one, other) = ("a.b: {sql: SELECT 1}", "a.c: {sql: SELECT 2}");
        assert_eq!(
            version_with("models", &format!("{one}, {other}")),
            version_with("models", &format!("{other}, {one}"))
        );
        for meant in [", new: true", ", about: x"] {
            let other = one.replace('}', &format!("{meant}}}"));
            assert_ne!(version_with("models", one), version_with("models", &other));
        }
        assert_ne!(
            version_with("models", one),
            version_with("models", "a.b: {sql: SELECT 2}")
        );
    }
}
