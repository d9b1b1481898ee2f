//! What a policy changes of the one that it extends, and whether that lets more through.
//!
//! Said for the person who reads `pgsieve policy print`; nothing is judged by it. What cannot be
//! told, a key that is not known here too, counts as letting more through.

use std::collections::BTreeMap;

use super::{PolicyLayers, is_whole, parent_of_whole};
use crate::units;
use crate::units::BareBytes;
use crate::yaml::section::join;
use crate::yaml::tree::{YamlPlace, YamlTree, YamlValue};

/// All changes of a policy and of those that it extends.
#[derive(Default)]
pub struct LayerChanges {
    made: BTreeMap<(String, Option<String>), LayerChange>,
    taken: Vec<RemovedEntry>,
}

/// A key, or an entry of a list, that is not as in the policy below.
pub struct LayerChange {
    /// What stood there, and where.
    pub was: Option<(YamlValue, YamlPlace)>,
    /// Whether more is let through than by the policy below.
    pub is_wider: bool,
}

/// A key, or an entry of a list, that the policy below has.
pub struct RemovedEntry {
    /// The key, or that of the list.
    pub path: String,
    /// The entry.
    pub word: Option<String>,
    /// Where it stands.
    pub place: YamlPlace,
    /// Whether more is let through without it.
    pub is_wider: bool,
}

impl LayerChanges {
    /// Those that texts make, each of what is below it.
    pub fn of(layers: &PolicyLayers) -> Self {
        let mut changes = Self::default();
        for layer in (1..layers.origins().len()).rev() {
            let (before, after) = (layers.merged_from(layer), layers.merged_from(layer - 1));
            let hides = ["relations", "columns"];
            let step = BasePolicy {
                hides: hides.iter().any(|key| before.below(&[key]).is_some()),
                masks: before.below(&["columns", "mask"]).is_some(),
                filters: before.below(&["rows"]).is_some(),
                calculates: calculates(&before),
            };
            changes.compare(Some(&before), &after, "", &step);
        }
        changes
    }

    /// What became of a key, or of an entry of its list.
    pub fn at(&self, path: &str, word: Option<&str>) -> Option<&LayerChange> {
        self.made.get(&(path.to_owned(), word.map(str::to_owned)))
    }

    /// What is gone of a list or a map.
    pub fn removed_from<'c>(&'c self, path: &'c str) -> impl Iterator<Item = &'c RemovedEntry> {
        let is_of = move |taken: &&RemovedEntry| match &taken.word {
            Some(_) => taken.path == path,
            None => {
                let whole = parent_of_whole(&taken.path);
                let parent = taken.path.rsplit_once('.').map_or("", |(parent, _)| parent);
                whole.unwrap_or(parent) == path
            }
        };
        self.taken.iter().filter(is_of)
    }

    /// How many of them let more through.
    pub fn wider(&self) -> usize {
        let made = self.made.values().filter(|change| change.is_wider);
        made.count() + self.taken.iter().filter(|taken| taken.is_wider).count()
    }

    fn compare(
        &mut self,
        before: Option<&YamlTree>,
        after: &YamlTree,
        path: &str,
        step: &BasePolicy,
    ) {
        match (before.map(|tree| &tree.value), &after.value) {
            (Some(YamlValue::Map(_)) | None, YamlValue::Map(entries)) if !is_whole(path) => {
                for entry in entries {
                    let below = join(path, &entry.key);
                    if OF_THE_FILE.contains(&below.as_str()) {
                        continue;
                    }
                    let known = before.and_then(|tree| named(tree, &entry.key, path));
                    self.compare(known, &entry.tree, &below, step);
                }
                for entry in before.map(YamlTree::entries).unwrap_or_default() {
                    let below = join(path, &entry.key);
                    let is_gone = named(after, &entry.key, path).is_none();
                    if is_gone && !OF_THE_FILE.contains(&below.as_str()) {
                        let is_wider = step.is_wider(&below, Some(&entry.tree.value), None);
                        self.taken.push(RemovedEntry {
                            path: below,
                            word: None,
                            place: entry.place,
                            is_wider,
                        });
                    }
                }
            }
            (Some(YamlValue::List(old)), YamlValue::List(new)) if !is_whole(path) => {
                self.compare_lists(old, new, path);
            }
            (Some(old), new) if is_same(old, new) => {}
            (old, new) => {
                let change = LayerChange {
                    was: before.map(|tree| (tree.value.clone(), tree.place)),
                    is_wider: step.is_wider(path, old, Some(new)),
                };
                self.made.insert((path.to_owned(), None), change);
            }
        }
    }

    fn compare_lists(&mut self, old: &[YamlTree], new: &[YamlTree], path: &str) {
        let word = |tree: &YamlTree| match &tree.value {
            YamlValue::Word(word) => Some(word.clone()),
            YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => None,
        };
        let has = |list: &[YamlTree], item: &YamlTree| {
            list.iter().any(|other| is_same(&other.value, &item.value))
        };
        for item in new.iter().filter(|item| !has(old, item)) {
            let change = LayerChange {
                was: None,
                is_wider: !LISTS_THAT_REFUSE.contains(&path),
            };
            self.made.insert((path.to_owned(), word(item)), change);
        }
        for item in old.iter().filter(|item| !has(new, item)) {
            self.taken.push(RemovedEntry {
                path: path.to_owned(),
                word: word(item),
                place: item.place,
                is_wider: !LISTS_THAT_ALLOW.contains(&path),
            });
        }
    }
}

/// What the policy below is like.
struct BasePolicy {
    hides: bool,
    masks: bool,
    filters: bool,
    /// Whether models have calculated columns, which read along relationships.
    calculates: bool,
}

impl BasePolicy {
    /// Whether a key lets more through than before. None: it is left out.
    fn is_wider(&self, path: &str, before: Option<&YamlValue>, after: Option<&YamlValue>) -> bool {
        let section = path.split('.').next().unwrap_or_default();
        if path.starts_with("knowledge.relationship.") {
            return self.calculates && before.is_some();
        }
        if OF_NOTHING.contains(&path) || SECTIONS_OF_NOTHING.contains(&section) {
            return false;
        }
        if path.starts_with("settings.allow.") {
            return after.is_some();
        }
        match section {
            // A model is read whatever else is said of its name.
            "models" => self.hides || before.is_some() || is_new(after),
            "rows" => self.filters || before.is_some(),
            "columns" if path.starts_with("columns.mask") => self.masks || before.is_some(),
            "rules" => word(after) != Some("enforce"),
            "timeouts" => amount(before, "0") < amount(after, "0"),
            "limits" => amount(before, "off") < amount(after, "off"),
            _ => match ORDERED.iter().find(|(key, _, _)| *key == path) {
                Some((_, absent, words)) => {
                    let rank = |value| {
                        let own = word(value).unwrap_or(absent);
                        words.iter().position(|word| *word == own)
                    };
                    rank(before) < rank(after)
                }
                None => is_wider_list(path, before, after),
            },
        }
    }
}

/// The same of a list in place of a word or of nothing, and the other way round.
fn is_wider_list(path: &str, before: Option<&YamlValue>, after: Option<&YamlValue>) -> bool {
    let is_empty = |value: &YamlValue| matches!(value, YamlValue::List(list) if list.is_empty());
    match after {
        _ if LISTS_THAT_REFUSE.contains(&path) => before.is_some_and(|old| !is_empty(old)),
        Some(YamlValue::List(list)) => match before {
            // Without a list everything is let through.
            None => !LISTS_THAT_NARROW.contains(&path) && !list.is_empty(),
            Some(_) => word(before) != Some("any"),
        },
        Some(_) => word(after) != Some("refuse"),
        None => !LISTS_THAT_ALLOW.contains(&path) || LISTS_THAT_NARROW.contains(&path),
    }
}

fn word(value: Option<&YamlValue>) -> Option<&str> {
    match value {
        Some(YamlValue::Word(word)) => Some(word),
        _ => None,
    }
}

fn is_new(model: Option<&YamlValue>) -> bool {
    let Some(YamlValue::Map(entries)) = model else {
        return false;
    };
    let mut entries = entries.iter();
    entries.any(|entry| entry.key == "new" && entry.tree.is_word("true"))
}

/// Whether a column of a model has an expression.
fn calculates(policy: &YamlTree) -> bool {
    let models = policy.below(&["models"]);
    let mut models = models.map(YamlTree::entries).unwrap_or_default().iter();
    models.any(|model| {
        let columns = model.tree.below(&["columns"]);
        let mut columns = columns.map(YamlTree::entries).unwrap_or_default().iter();
        columns.any(|column| column.tree.below(&["expression"]).is_some())
    })
}

/// A number with or without a unit; infinite where it is left out or says that there is no bound.
fn amount(value: Option<&YamlValue>, unbounded: &str) -> f64 {
    let Some(word) = word(value).filter(|word| *word != unbounded) else {
        return f64::INFINITY;
    };
    let plain = word.parse::<f64>().ok();
    let span = || units::duration(word).ok().map(|span| span.as_secs_f64());
    let size = || {
        let bytes = units::bytes(word, BareBytes::Allowed).ok()?;
        bytes.to_string().parse::<f64>().ok()
    };
    plain.or_else(span).or_else(size).unwrap_or(f64::INFINITY)
}

fn is_same(one: &YamlValue, other: &YamlValue) -> bool {
    match (one, other) {
        (YamlValue::Nothing, YamlValue::Nothing) => true,
        (YamlValue::Word(one), YamlValue::Word(other)) => one == other,
        (YamlValue::List(one), YamlValue::List(other)) => {
            let pairs = one.iter().zip(other);
            one.len() == other.len() && { pairs }.all(|(a, b)| is_same(&a.value, &b.value))
        }
        (YamlValue::Map(one), YamlValue::Map(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len()
                && pairs.all(|(a, b)| a.key == b.key && is_same(&a.tree.value, &b.tree.value))
        }
        _ => false,
    }
}

/// What a map has under a key; names of settings are the same in upper and lower case.
fn named<'t>(tree: &'t YamlTree, key: &str, path: &str) -> Option<&'t YamlTree> {
    let is_it = |own: &str| match path {
        "settings.allow" => own.eq_ignore_ascii_case(key),
        _ => own == key,
    };
    let mut entries = tree.entries().iter();
    entries
        .find(|entry| is_it(&entry.key))
        .map(|entry| &entry.tree)
}

/// What holds for one file.
const OF_THE_FILE: &[&str] = &["name", "tests", "extends", "replace"];

/// Keys that let neither more nor less through.
const OF_NOTHING: &[&str] = &[
    "priority",
    "observe_until",
    "statements.write_sqlstate",
    "limits.on_limit",
    "limits.plan_age_max",
];

/// Sections that let neither more nor less through.
const SECTIONS_OF_NOTHING: &[&str] = &["repair", "match", "knowledge"];

/// Words from the one that lets least through, and the one that holds where none is said.
#[rustfmt::skip]
const ORDERED: &[(&str, &str, &[&str])] = &[
    ("mode", "enforce", &["enforce", "observe"]),
    ("catalog", "required", &["required", "preferred"]),
    ("catalog_view", "open", &["policy", "open"]),
    ("targets", "any", &["standby", "primary", "prefer-standby", "any"]),
    ("relations.new", "allow", &["refuse", "allow"]),
    ("relations.through_views", "own", &["check", "own"]),
    ("statements.several", "housekeeping", &["housekeeping", "each"]),
    ("statements.explain_analyze", "refuse", &["refuse", "reads"]),
    ("statements.lock_access_share", "refuse", &["refuse", "allow"]),
    ("statements.snapshots", "refuse", &["refuse", "allow"]),
    ("statements.cancel_own", "refuse", &["refuse", "allow"]),
    ("statements.listen", "refuse", &["refuse", "ignore"]),
    ("settings.read_write", "lower", &["refuse", "lower"]),
    ("settings.on_refused_setting", "refuse", &["refuse", "ignore"]),
    ("functions.extensions", "known", &["named", "known"]),
    ("functions.transaction_ids", "refuse", &["refuse", "allow"]),
    ("functions.server_directories", "refuse", &["refuse", "allow"]),
];

/// Lists of what may be.
const LISTS_THAT_ALLOW: &[&str] = &[
    "relations.allow",
    "relations.known",
    "columns.allow",
    "functions.allow",
    "functions.any_search_path",
    "functions.trusted_schemas",
    "foreign.tables",
    "foreign.servers",
    "statements.allow",
];

/// Those of them without which everything may be.
const LISTS_THAT_NARROW: &[&str] = &[
    "relations.allow",
    "relations.known",
    "columns.allow",
    "statements.allow",
];

/// Lists of what may not be.
const LISTS_THAT_REFUSE: &[&str] = &[
    "relations.deny",
    "columns.deny",
    "functions.deny",
    "statements.deny",
    "settings.deny",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::tree;

    /// The changes that a text makes to a base, in the order of their paths; `+` in front of those
    /// that let more through.
    fn told(base: &str, own: &str) -> Vec<String> {
        let (base, own) = (
            format!("extends: agent\n{base}"),
            format!("extends: x\n{own}"),
        );
        let texts = [("own", own), ("x", base)];
        let named = |word: &str| {
            let found = texts.iter().find(|(name, _)| *name == word);
            let (name, text) = match found {
                Some((name, text)) => (*name, text.as_str()),
                None => ("agent", "mode: enforce"),
            };
            super::super::ExtendedText {
                origin: name.into(),
                identity: name.into(),
                text: text.into(),
            }
        };
        let layers = PolicyLayers::read(named("own"), |word, _| Ok(named(word))).unwrap();
        let before = PolicyLayers::read(named("x"), |word, _| Ok(named(word))).unwrap();
        let (changes, known) = (LayerChanges::of(&layers), LayerChanges::of(&before));
        let sign = |is_wider: bool| if is_wider { "+" } else { "" };
        let new = changes
            .made
            .iter()
            .filter(|(at, _)| !known.made.contains_key(*at));
        let mut told: Vec<String> = new
            .map(|((path, word), change)| {
                let word = word.as_deref().unwrap_or_default();
                format!("{}{path} {word}", sign(change.is_wider))
                    .trim()
                    .to_owned()
            })
            .collect();
        told.extend(changes.taken.iter().map(|taken| {
            let word = taken.word.as_deref().unwrap_or_default();
            format!("{}-{} {word}", sign(taken.is_wider), taken.path)
                .trim()
                .to_owned()
        }));
        told
    }

    #[test]
    fn what_lets_more_through_is_told_from_what_does_not() {
        for (base, own, wanted) in [
            ("", "catalog: preferred", &["+catalog"][..]),
            ("catalog: preferred", "", &[]),
            ("", "relations: {allow: [a.b]}", &["relations.allow"]),
            (
                "relations: {allow: [a.b]}",
                "relations: {allow: [a.c]}",
                &["+relations.allow a.c"],
            ),
            ("", "relations: {deny: [a.c]}", &["relations.deny"]),
            (
                "relations: {deny: [a.b]}",
                "relations: {deny: [a.c]}",
                &["relations.deny a.c"],
            ),
            (
                "relations: {deny: [a.b]}",
                "replace: [relations.deny]\nrelations: {deny: []}",
                &["+-relations.deny a.b"],
            ),
            (
                "relations: {allow: [a.b, a.c]}",
                "replace: [relations.allow]\nrelations: {allow: [a.b]}",
                &["-relations.allow a.c"],
            ),
            ("", "limits: {nesting: 3}", &["limits.nesting"]),
            (
                "",
                "timeouts: {lock_timeout: 2min}",
                &["timeouts.lock_timeout"],
            ),
            ("", "models: {a.b: {sql: SELECT 1}}", &["models.a.b"]),
            (
                "",
                "models: {a.b: {sql: SELECT 1, new: true}}",
                &["+models.a.b"],
            ),
            (
                "relations: {}",
                "models: {a.b: {sql: SELECT 1}}",
                &["+models.a.b"],
            ),
            (
                "models: {a.b: {sql: SELECT 1}}",
                "replace: [models]\nmodels: {}",
                &["+-models.a.b"],
            ),
            (
                "",
                "settings: {allow: {app.x: any}}",
                &["+settings.allow.app.x"],
            ),
            ("", "settings: {deny: [jit]}", &["settings.deny"]),
            ("", "functions: {allow: [f]}", &["+functions.allow"]),
            (
                "functions: {trusted_schemas: any}",
                "functions: {trusted_schemas: [a]}",
                &[],
            ),
            (
                "",
                "statements: {with_hold: allow, several: each}",
                &["+statements.several", "+statements.with_hold"],
            ),
            (
                "",
                "statements: {with_hold: refuse}",
                &["statements.with_hold"],
            ),
            (
                "",
                "rules: {nesting: enforce, relation_denied: observe}",
                &["rules.nesting", "+rules.relation_denied"],
            ),
            ("", "rules_of_later: 1", &["+rules_of_later"]),
            (
                "",
                "match: {user: a}\npriority: 3\nrepair: {mode: apply}",
                &["match", "priority", "repair.mode"],
            ),
        ] {
            assert_eq!(told(base, own), wanted, "{base}\n--\n{own}");
        }
        for (old, new, wanted) in [
            ("1s", "2s", true),
            ("2s", "1500ms", false),
            ("1s", "0", true),
            ("0", "1s", false),
        ] {
            let texts = [old, new].map(|span| YamlValue::Word(span.to_owned()));
            let step = BasePolicy {
                hides: false,
                masks: false,
                filters: false,
                calculates: false,
            };
            let key = "timeouts.statement_timeout";
            assert_eq!(step.is_wider(key, Some(&texts[0]), Some(&texts[1])), wanted);
        }
    }

    #[test]
    fn a_relationship_that_columns_are_calculated_along_may_let_more_through() {
        for (column, wanted) in [("x: words", false), ("x: {expression: r.x}", true)] {
            let text =
                format!("models: {{a.b: {{sql: SELECT c FROM a.b, columns: {{{column}}}}}}}");
            let step = BasePolicy {
                hides: false,
                masks: false,
                filters: false,
                calculates: calculates(&tree::read(&text).unwrap()),
            };
            let value = YamlValue::Word("as it was".to_owned());
            let key = "knowledge.relationship.r";
            assert_eq!(step.is_wider(key, Some(&value), Some(&value)), wanted);
            assert_eq!(step.is_wider(key, Some(&value), None), wanted);
            assert!(!step.is_wider(key, None, Some(&value)));
        }
    }
}
