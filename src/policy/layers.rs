//! A policy and those that it extends, a text each, and the one tree that they come to.
//!
//! Keys replace, lists add. What is about the file and not about what it lets through (`name`,
//! `tests`) is never taken over; what means something only as a whole (a model, a rule for the
//! values of a setting, `match`) is replaced as a whole.

use std::fmt;

use super::yaml::section::join;
use super::yaml::tree;
use super::yaml::tree::{YamlEntry, YamlPlace, YamlTree, YamlValue};
use super::{PolicyProblem, schema};
use ground::limits::POLICY_LAYERS_MAX;
use ground::limits::knowledge::KNOWLEDGE_FILES_MAX;

/// The texts that a policy is made of: its own, what that extends, and so on.
#[derive(Clone)]
pub struct PolicyLayers {
    all: Vec<PolicyLayer>,
}

#[derive(Clone)]
struct PolicyLayer {
    kind: LayerKind,
    origin: String,
    tree: YamlTree,
    replaces: Vec<String>,
}

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LayerKind {
    Policy,
    /// Records of knowledge that a policy names, as a policy that has nothing else.
    Knowledge,
}

/// A text that another one extends.
pub(super) struct ExtendedText {
    /// What to call it in problems.
    pub(super) origin: String,
    /// What tells it from every other one, by whatever path it was named.
    pub(super) identity: String,
    /// It.
    pub(super) text: String,
}

impl PolicyLayers {
    /// A text with everything that it extends. `find` is asked for what a text of this origin
    /// calls so, or says why there is no such thing. An empty origin is not shown.
    ///
    /// # Errors
    /// What is wrong with them before they are read as a policy, each place with its origin.
    pub(super) fn read(
        own: ExtendedText,
        mut find: impl FnMut(&str, &str) -> Result<ExtendedText, String>,
    ) -> Result<Self, Vec<PolicyProblem>> {
        let mut identities: Vec<String> = Vec::new();
        let mut layers = Self { all: Vec::new() };
        let mut next = own;
        loop {
            let wanted = layers.add(&next.origin, &next.text)?;
            identities.push(next.identity);
            layers.add_knowledge(&next.origin, &mut find)?;
            let Some((place, word)) = wanted else {
                return Ok(layers);
            };
            let wrong = |what: String| vec![layers.problem(place, "extends", what)];
            if identities.len() >= POLICY_LAYERS_MAX {
                let most = POLICY_LAYERS_MAX - 1;
                return Err(wrong(format!(
                    "at most {most} policies are extended one by another"
                )));
            }
            next = find(&word, &next.origin).map_err(wrong)?;
            if identities.contains(&next.identity) {
                return Err(wrong(format!("{word} extends itself in the end")));
            }
        }
    }

    /// The tree of all of them together.
    pub fn merged(&self) -> YamlTree {
        self.merged_from(0)
    }

    /// The tree of one of them and all that it extends.
    pub fn merged_from(&self, layer: usize) -> YamlTree {
        let above = self.all.get(layer..).unwrap_or_default();
        let mut all = above.iter().rev();
        let Some(last) = all.next() else {
            return YamlTree::word("");
        };
        all.fold(last.tree.clone(), |base, own| {
            merge(base, own.tree.clone(), "", &own.replaces)
        })
    }

    /// What the policies among them are called, the policy's own first.
    pub fn policies(&self) -> impl Iterator<Item = &str> {
        let policies = self.all.iter();
        let policies = policies.filter(|layer| layer.kind == LayerKind::Policy);
        policies.map(|layer| layer.origin.as_str())
    }

    /// What they are called, the policy's own first; the files of knowledge that a policy names
    /// stand behind it.
    pub fn origins(&self) -> impl ExactSizeIterator<Item = &str> {
        self.all.iter().map(|layer| layer.origin.as_str())
    }

    /// A place as a person finds it: with the name of the text, where it is not the policy's own.
    pub fn shown(&self, place: YamlPlace, path: &str) -> String {
        match (place.layer(), self.all.get(place.layer())) {
            (0, _) | (_, None) => place.of(path),
            (_, Some(layer)) => format!("{}:{}", layer.origin, place.of(path)),
        }
    }

    /// A problem with the name of the text that it is in.
    pub(super) fn named(&self, place: YamlPlace, problem: PolicyProblem) -> PolicyProblem {
        let origin = self.all.get(place.layer());
        let origin = origin.map_or("", |layer| layer.origin.as_str());
        in_origin(origin, problem)
    }

    fn problem(&self, place: YamlPlace, path: &str, what: String) -> PolicyProblem {
        let at = place.of(path);
        self.named(place, PolicyProblem { place: at, what })
    }

    /// Adds a text; what it extends, with the place where it says so.
    fn add(
        &mut self,
        origin: &str,
        text: &str,
    ) -> Result<Option<(YamlPlace, String)>, Vec<PolicyProblem>> {
        let layer = self.all.len();
        let tree = tree::read(text).map_err(|problem| vec![in_origin(origin, problem)])?;
        let tree = tree.in_layer(layer);
        let is_no_policy = other_file(&tree);
        self.all.push(PolicyLayer {
            kind: LayerKind::Policy,
            origin: origin.to_owned(),
            tree,
            replaces: Vec::new(),
        });
        let Some(PolicyLayer { tree, .. }) = self.all.last() else {
            return Ok(None);
        };
        if let Some(what) = is_no_policy {
            return Err(vec![self.problem(tree.place, "", what)]);
        }
        let extended = word_of(tree, "extends");
        let (replaces, wrong) = replaced(tree, extended.is_some());
        let extended = match extended {
            Some(Ok(extended)) => Some(extended),
            Some(Err(place)) => {
                let what = "one policy is wanted: the name of a built-in one, or a file";
                return Err(vec![self.problem(place, "extends", what.to_owned())]);
            }
            None => None,
        };
        if !wrong.is_empty() {
            let wrong = wrong.into_iter();
            let wrong = wrong.map(|(place, what)| self.problem(place, "replace", what));
            return Err(wrong.collect());
        }
        if let Some(own) = self.all.last_mut() {
            own.replaces = replaces;
        }
        Ok(extended)
    }
}

impl PolicyLayers {
    /// Adds the files of knowledge that the policy added last names. A record of the policy takes
    /// the place of one of its files, and one of a later file that of an earlier one.
    fn add_knowledge(
        &mut self,
        origin: &str,
        find: &mut impl FnMut(&str, &str) -> Result<ExtendedText, String>,
    ) -> Result<(), Vec<PolicyProblem>> {
        let Some(own) = self.all.last_mut() else {
            return Ok(());
        };
        let named = knowledge_files::take(&mut own.tree);
        let (place, path) = (own.tree.place, knowledge_files::PATH);
        let named = named.map_err(|place| {
            let what = "a list of files, or a map of records, is wanted here".to_owned();
            vec![self.problem(place, path, what)]
        })?;
        if named.len() > KNOWLEDGE_FILES_MAX {
            let what = format!("at most {KNOWLEDGE_FILES_MAX} files of knowledge are read");
            return Err(vec![self.problem(place, path, what)]);
        }
        for (place, word) in named.into_iter().rev() {
            let found =
                find(&word, origin).map_err(|what| vec![self.problem(place, path, what)])?;
            let read = tree::read(&found.text);
            let read = read.map_err(|problem| vec![in_origin(&found.origin, problem)])?;
            self.all.push(PolicyLayer {
                kind: LayerKind::Knowledge,
                origin: found.origin,
                tree: knowledge_files::as_policy(read.in_layer(self.all.len())),
                replaces: Vec::new(),
            });
        }
        Ok(())
    }
}

impl fmt::Debug for PolicyLayers {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.origins()).finish()
    }
}

fn in_origin(origin: &str, problem: PolicyProblem) -> PolicyProblem {
    match origin {
        "" => problem,
        origin => PolicyProblem {
            place: format!("{origin}:{}", problem.place),
            what: problem.what,
        },
    }
}

/// Whether a value means something only as a whole, so that it replaces one and is never laid over
/// it.
pub fn is_whole(path: &str) -> bool {
    parent_of_whole(path).is_some() || matches!(path, "match" | "statements.with_hold")
}

/// The map that such a value stands in under a name, with dots or without.
pub fn parent_of_whole(path: &str) -> Option<&'static str> {
    WHOLE_VALUES.iter().copied().find(|map| {
        path.strip_prefix(map)
            .is_some_and(|rest| rest.starts_with('.'))
    })
}

/// Maps whose values mean something only as a whole.
const WHOLE_VALUES: &[&str] = &[
    "models",
    "rows",
    "settings.allow",
    "columns.mask",
    "knowledge.term",
    "knowledge.quirk",
    "knowledge.correction",
    "knowledge.relationship",
    "knowledge.metric",
    "knowledge.example",
    "knowledge.clarify",
    "knowledge.style",
];

/// What is said where a text is no policy at all.
fn other_file(tree: &YamlTree) -> Option<String> {
    let entries = match &tree.value {
        YamlValue::Nothing => {
            return Some(
                "the file is empty: `pgsieve policy schema` prints every key of a policy".into(),
            );
        }
        YamlValue::Word(_) | YamlValue::List(_) => return None,
        YamlValue::Map(entries) => entries,
    };
    let has = |keys: &[&str]| {
        entries
            .iter()
            .any(|entry| keys.contains(&entry.key.as_str()))
    };
    let is_other =
        has(schema::SETTINGS_KEYS) && !has(&["name", "timeouts", "statements", "settings"]);
    is_other.then(|| {
        "this is a settings file, not a policy: give it to --config, and a policy file here".into()
    })
}

/// A key that has one word, or where it has something else.
fn word_of(tree: &YamlTree, key: &str) -> Option<Result<(YamlPlace, String), YamlPlace>> {
    let found = tree.below(&[key])?;
    Some(match &found.value {
        YamlValue::Word(word) if !word.is_empty() => Ok((found.place, word.clone())),
        YamlValue::Nothing | YamlValue::Word(_) | YamlValue::List(_) | YamlValue::Map(_) => {
            Err(found.place)
        }
    })
}

/// The key `replace`, and what is wrong with it.
fn replaced(tree: &YamlTree, extends: bool) -> (Vec<String>, Vec<(YamlPlace, String)>) {
    let (mut paths, mut wrong) = (Vec::new(), Vec::new());
    let Some(found) = tree.below(&["replace"]) else {
        return (paths, wrong);
    };
    let YamlValue::List(list) = &found.value else {
        let what = "a list is wanted here, as [relations.allow]";
        return (paths, vec![(found.place, what.to_owned())]);
    };
    if !extends {
        let what = "there is nothing to replace: the policy extends no other one";
        return (paths, vec![(found.place, what.to_owned())]);
    }
    for item in list {
        let YamlValue::Word(path) = &item.value else {
            wrong.push((item.place, "the path of a key is wanted".to_owned()));
            continue;
        };
        let keys: Vec<&str> = path.split('.').collect();
        match tree.below(&keys).map(|tree| &tree.value) {
            Some(YamlValue::List(_) | YamlValue::Map(_)) => paths.push(path.clone()),
            Some(YamlValue::Nothing | YamlValue::Word(_)) => wrong.push((
                item.place,
                format!("{path} is no list and no map: what stands here replaces by itself"),
            )),
            None => {
                let last = keys.last().copied().unwrap_or_default();
                let what = format!(
                    "{path} is not in this file: write what takes its place, such as {last}: []"
                );
                wrong.push((item.place, what));
            }
        }
    }
    (paths, wrong)
}

/// A tree over another one.
fn merge(base: YamlTree, own: YamlTree, path: &str, replaced: &[String]) -> YamlTree {
    let is_replaced = is_whole(path) || replaced.iter().any(|one| one == path);
    let place = own.place;
    let value = match (base.value, own.value) {
        (_, value) if is_replaced => value,
        (YamlValue::List(base), YamlValue::List(own)) => YamlValue::List(merge_lists(base, own)),
        (YamlValue::Map(base), YamlValue::Map(own)) => {
            YamlValue::Map(merge_entries(base, own, path, replaced))
        }
        (_, value) => value,
    };
    YamlTree { value, place }
}

/// One list behind another one, what stands in both once.
fn merge_lists(mut base: Vec<YamlTree>, own: Vec<YamlTree>) -> Vec<YamlTree> {
    let word = |tree: &YamlTree| match &tree.value {
        YamlValue::Word(word) => Some(word.clone()),
        YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => None,
    };
    let known: Vec<Option<String>> = base.iter().map(word).collect();
    let new = own.into_iter().filter(|item| {
        let own = word(item);
        own.is_none() || !known.contains(&own)
    });
    base.extend(new);
    base
}

fn merge_entries(
    base: Vec<YamlEntry>,
    own: Vec<YamlEntry>,
    path: &str,
    replaced: &[String],
) -> Vec<YamlEntry> {
    let mut all: Vec<YamlEntry> = base
        .into_iter()
        .filter(|entry| !path.is_empty() || !OF_ONE_FILE.contains(&entry.key.as_str()))
        .collect();
    // Names of settings are the same in upper and lower case.
    let is_same = |one: &str, other: &str| match path {
        "settings.allow" => one.eq_ignore_ascii_case(other),
        _ => one == other,
    };
    for entry in own {
        let known = all.iter().position(|known| is_same(&known.key, &entry.key));
        let Some(at) = known else {
            all.push(entry);
            continue;
        };
        let below = join(path, &entry.key);
        let YamlEntry { key, place, tree } = entry;
        let known = all.remove(at);
        let tree = merge(known.tree, tree, &below, replaced);
        all.insert(at, YamlEntry { key, place, tree });
    }
    all
}

/// Keys that hold for the file that they stand in.
const OF_ONE_FILE: &[&str] = &["name", "tests", "extends", "replace"];

mod knowledge_files;
#[cfg(test)]
mod tests;
pub mod widening;
