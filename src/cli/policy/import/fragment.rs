//! The fragment of a policy that a project comes to: records of knowledge, and models.
//!
//! Each entry is read back before it is kept: as YAML it has to be what was meant, and as a part of
//! a policy it has to be sound.

use std::collections::{BTreeMap, BTreeSet};

use super::dbt_tests::{ColumnJoin, TestedFacts};
use super::left_out::LeftOut;
use super::manifest::{DbtManifest, ProjectRelations};
use super::semantics::{CalculatedDimension, ImportedMetric, ImportedSemantics};
use crate::catalog::quote::quoted;
use crate::cli::policy::rewrite::{YamlWriter, flow};
use crate::limits::knowledge::KNOWLEDGE_RECORDS_MAX;
use crate::limits::{ABOUT_BYTES_MAX, MODELS_MAX};
use crate::policy::access::Glob;
use crate::policy::yaml::tree::{self, YamlEntry, YamlTree, YamlValue};
use crate::policy::{Policy, PolicyProblem};

/// What a manifest says, as far as it can be carried over.
#[derive(Debug)]
pub(super) struct ImportedProject {
    /// Its relations.
    pub(super) relations: ProjectRelations,
    /// What its tests say.
    pub(super) facts: TestedFacts,
    /// What its semantic models say.
    pub(super) semantics: ImportedSemantics,
}

/// A record of knowledge or a model.
struct FragmentEntry {
    /// The section that it stands in, and its name there.
    section: &'static str,
    name: String,
    tree: YamlTree,
}

impl ImportedProject {
    /// Reads a manifest.
    ///
    /// # Errors
    /// The text is no manifest of a version that is read.
    pub(super) fn of(manifest: &DbtManifest, left_out: &mut LeftOut) -> Self {
        let relations = manifest.relations(left_out);
        let facts = TestedFacts::of(manifest, &relations, left_out);
        let semantics = ImportedSemantics::of(manifest, &relations, left_out);
        Self {
            relations,
            facts,
            semantics,
        }
    }

    /// The fragment as YAML. `columns` says what columns the relation of a place has; models of
    /// calculated columns are made where that is known.
    ///
    /// # Errors
    /// What is wrong with it as a whole.
    pub(super) fn fragment(
        &self,
        columns: impl Fn(usize) -> Option<Vec<String>>,
        left_out: &mut LeftOut,
    ) -> Result<String, Vec<PolicyProblem>> {
        let (of_relations, of_columns) = self.quirks(left_out);
        let records = self.metrics().chain(self.relationships());
        let records = records.chain(of_relations).chain(of_columns);
        let mut all = kept(records.collect(), KNOWLEDGE_RECORDS_MAX, left_out);
        all.extend(kept(self.models(columns), MODELS_MAX, left_out));
        let text = written(&all);
        Policy::from_yaml(&format!("{NAME}{text}"))?;
        Ok(text)
    }

    /// The metrics as YAML, whatever a policy says to them.
    #[cfg(test)]
    pub(super) fn metrics_text(&self) -> String {
        written(&self.metrics().collect::<Vec<_>>())
    }

    /// What is said of relations, and what of columns.
    fn quirks(&self, left_out: &mut LeftOut) -> (Vec<FragmentEntry>, Vec<FragmentEntry>) {
        let (mut of_relations, mut of_columns) = (Vec::new(), Vec::new());
        for (place, relation) in self.relations.all.iter().enumerate() {
            let name = dotted(&[&relation.schema, &relation.name]);
            let combined = self.facts.combinations.get(&place).into_iter().flatten();
            let combined = combined.map(|names| format!("{} together unique", names.join(", ")));
            let combined: Vec<String> = combined.collect();
            let said = note(&relation.description, &combined, &name, left_out);
            of_relations.extend(said.map(|note| quirk(&name, &note)));
            let described = relation.columns.iter();
            let described = described.map(|(column, words)| (column.as_str(), words.as_str()));
            let mut columns: BTreeMap<&str, (&str, &[String])> = BTreeMap::new();
            for (column, words) in described {
                columns.insert(column, (words, &[]));
            }
            let of_relation = (place, String::new())..(place + 1, String::new());
            for ((_, column), sentences) in self.facts.sentences.range(of_relation) {
                columns.entry(column).or_default().1 = sentences;
            }
            for (column, (words, tested)) in columns {
                let name = dotted(&[&relation.schema, &relation.name, column]);
                let said = note(words, tested, &name, left_out);
                of_columns.extend(said.map(|note| quirk(&name, &note)));
            }
        }
        (of_relations, of_columns)
    }

    fn relationships(&self) -> impl Iterator<Item = FragmentEntry> {
        let by_entity: BTreeSet<&ColumnJoin> = self.semantics.joins.iter().collect();
        let all: BTreeSet<&ColumnJoin> = self
            .facts
            .joins
            .iter()
            .chain(&self.semantics.joins)
            .collect();
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut entries = Vec::new();
        for join in all {
            let sides = [&join.from, &join.to].map(|(place, column)| {
                let relation = self.relations.all.get(*place)?;
                let of = dotted(&[&relation.schema, &relation.name]);
                Some((&relation.name, format!("{of}({})", dotted(&[column]))))
            });
            let [Some((from_name, from)), Some((to_name, to))] = sides else {
                continue;
            };
            let short = format!("{from_name}_{}", join.from.1);
            let longer = [short.clone(), format!("{short}_{to_name}")].into_iter();
            let numbered =
                (2..=KNOWLEDGE_RECORDS_MAX).map(|number| format!("{short}_{to_name}_{number}"));
            let mut free = longer.chain(numbered).filter(|name| !names.contains(name));
            let Some(name) = free.next() else { continue };
            names.insert(name.clone());
            let mut keys = vec![("from", word(&from)), ("to", word(&to))];
            let is_unique = by_entity.contains(join) || self.facts.is_unique(join.to.0, &join.to.1);
            if !is_unique {
                keys.push((
                    "note",
                    word("No test of dbt says that the other side is unique."),
                ));
            }
            entries.push(FragmentEntry {
                section: "relationship",
                name,
                tree: map(keys),
            });
        }
        entries.into_iter()
    }

    fn metrics(&self) -> impl Iterator<Item = FragmentEntry> {
        let metrics = self.semantics.metrics.iter().filter_map(|metric| {
            let relation = self.relations.all.get(metric.relation)?;
            Some(FragmentEntry {
                section: "metric",
                name: metric.name.clone(),
                tree: metric_tree(metric, &dotted(&[&relation.schema, &relation.name])),
            })
        });
        metrics.collect::<Vec<_>>().into_iter()
    }

    /// Models of the relations that have calculated dimensions, where their columns are known.
    fn models(&self, columns: impl Fn(usize) -> Option<Vec<String>>) -> Vec<FragmentEntry> {
        let mut of: BTreeMap<usize, Vec<&CalculatedDimension>> = BTreeMap::new();
        for dimension in &self.semantics.dimensions {
            of.entry(dimension.relation).or_default().push(dimension);
        }
        let models = of.into_iter().filter_map(|(place, dimensions)| {
            let relation = self.relations.all.get(place)?;
            let own = columns(place)?;
            let listed: Vec<_> = own.iter().map(|column| quoted(column)).collect();
            let (schema, name) = (quoted(&relation.schema), quoted(&relation.name));
            let sql = format!("SELECT {} FROM {schema}.{name}", listed.join(", "));
            let calculated = dimensions.iter().map(|dimension| {
                let mut keys = vec![("expression", word(&dimension.expression))];
                let about = cut(&one_line(&dimension.about), ABOUT_BYTES_MAX);
                if !about.is_empty() {
                    keys.push(("about", word(&about)));
                }
                (dimension.name.as_str(), map(keys))
            });
            let keys = vec![("sql", word(&sql)), ("columns", map(calculated.collect()))];
            Some(FragmentEntry {
                section: "models",
                name: dotted(&[&relation.schema, &relation.name]),
                tree: map(keys),
            })
        });
        models.collect()
    }
}

/// The entries that are sound, no more than a policy holds.
fn kept(entries: Vec<FragmentEntry>, most: usize, left_out: &mut LeftOut) -> Vec<FragmentEntry> {
    let mut names = BTreeSet::new();
    let mut chosen = Vec::new();
    for entry in entries {
        let what = entry.shown();
        if chosen.len() >= most {
            left_out.add(&what, &format!("a policy holds {most} of them"));
        } else if !names.insert((entry.section, entry.name.clone())) {
            left_out.add(&what, "there is one of this name");
        } else {
            chosen.push(entry);
        }
    }
    let mut sound = Vec::with_capacity(chosen.len());
    // Halves of what is not sound, until those that are not are alone.
    let mut waiting = vec![chosen];
    while let Some(mut next) = waiting.pop() {
        match (check(&next), next.as_slice()) {
            (Ok(()), _) => sound.extend(next),
            (Err(why), [only]) => left_out.add(&only.shown(), &why),
            (Err(_), _) => {
                let half = next.split_off(next.len() / 2);
                waiting.push(half);
                waiting.push(next);
            }
        }
    }
    sound.sort_by(|one, other| (one.section, &one.name).cmp(&(other.section, &other.name)));
    sound
}

/// Whether entries are read as what they are.
fn check(entries: &[FragmentEntry]) -> Result<(), String> {
    let text = written(entries);
    if text.is_empty() {
        return Ok(());
    }
    let read = tree::read(&text).map_err(|problem| problem.what)?;
    for section in SECTIONS {
        let path: &[&str] = match section {
            "models" => &["models"],
            section => &["knowledge", section],
        };
        let found = read.below(path).map_or(&[][..], YamlTree::entries);
        let found = found
            .iter()
            .map(|entry| (&entry.key, flow(&entry.tree.value)));
        let wanted = entries.iter().filter(|entry| entry.section == section);
        let wanted = wanted.map(|entry| (&entry.name, flow(&entry.tree.value)));
        if !found.eq(wanted) {
            return Err("YAML does not give it back as it is".into());
        }
    }
    let problems = Policy::from_yaml(&format!("{NAME}{text}")).err();
    match problems.and_then(|problems| problems.into_iter().next()) {
        Some(problem) => Err(problem.what),
        None => Ok(()),
    }
}

impl FragmentEntry {
    /// For people.
    fn shown(&self) -> String {
        format!("{} {}", self.section, self.name)
    }
}

fn quirk(about: &str, note: &str) -> FragmentEntry {
    FragmentEntry {
        section: "quirk",
        name: about.to_owned(),
        tree: map(vec![("about", word(about)), ("note", word(note))]),
    }
}

fn metric_tree(metric: &ImportedMetric, base: &str) -> YamlTree {
    let mut keys = vec![("base", word(base)), ("measure", word(&metric.measure))];
    if !metric.dimensions.is_empty() {
        let dimensions = metric.dimensions.iter();
        let dimensions = dimensions.map(|(name, expression)| (name.as_str(), word(expression)));
        keys.push(("dimensions", map(dimensions.collect())));
    }
    if let Some((column, grain)) = &metric.time {
        keys.push(("time", word(&quoted(column))));
        keys.push(("grain", word(grain)));
    }
    if !metric.filters.is_empty() {
        let filters = metric.filters.iter().map(|filter| word(filter));
        keys.push(("filters", valued(YamlValue::List(filters.collect()))));
    }
    let note = cut(&one_line(&metric.note), ABOUT_BYTES_MAX);
    if !note.is_empty() {
        keys.push(("note", word(&note)));
    }
    map(keys)
}

/// What is said of a thing: its description, and what tests say.
fn note(
    description: &str,
    tested: &[String],
    what: &str,
    left_out: &mut LeftOut,
) -> Option<String> {
    let description = one_line(description);
    let tests = match tested.is_empty() {
        true => String::new(),
        false => cut(
            &format!("dbt tests: {}", tested.join("; ")),
            ABOUT_BYTES_MAX / 2,
        ),
    };
    let room = ABOUT_BYTES_MAX.saturating_sub(tests.len() + 3);
    let words = cut(&description, room);
    if words.len() < description.len() {
        left_out.add(
            what,
            "the end of its description, which is longer than a record",
        );
    }
    match (words.is_empty(), tests.is_empty()) {
        (true, true) => None,
        (true, false) => Some(tests),
        (false, true) => Some(words),
        (false, false) => Some(format!("{words} ({tests})")),
    }
}

/// A text in one line, without what a reader of YAML or of a terminal takes for something else.
fn one_line(text: &str) -> String {
    let odd = |letter: char| letter.is_control() || letter.is_whitespace() || letter == '\u{FEFF}';
    let words = text.split(odd).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

/// At most so many bytes of a text; what is cut ends in an ellipsis.
fn cut(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let room = bytes_max.saturating_sub("…".len());
    let mut end = 0;
    for (at, letter) in text.char_indices() {
        if at + letter.len_utf8() > room {
            break;
        }
        end = at + letter.len_utf8();
    }
    format!("{}…", text.get(..end).unwrap_or_default())
}

/// Names as a pattern has them, with dots between.
fn dotted(names: &[&str]) -> String {
    let names = names.iter().map(|name| Glob::new(name).to_string());
    names.collect::<Vec<_>>().join(".")
}

fn word(text: &str) -> YamlTree {
    YamlTree::word(text)
}

fn valued(value: YamlValue) -> YamlTree {
    let place = YamlTree::word("").place;
    YamlTree { value, place }
}

fn map(keys: Vec<(&str, YamlTree)>) -> YamlTree {
    let place = YamlTree::word("").place;
    let entries = keys.into_iter().map(|(key, tree)| YamlEntry {
        key: key.to_owned(),
        place,
        tree,
    });
    valued(YamlValue::Map(entries.collect()))
}

/// Entries as YAML, section by section.
fn written(entries: &[FragmentEntry]) -> String {
    let mut out = YamlWriter::default();
    let of = |section: &'static str| entries.iter().filter(move |entry| entry.section == section);
    if entries.iter().any(|entry| entry.section != "models") {
        out.open(0, "knowledge");
    }
    for (section, indent) in [
        ("metric", 1),
        ("quirk", 1),
        ("relationship", 1),
        ("models", 0),
    ] {
        if of(section).next().is_some() {
            out.open(indent, section);
        }
        for entry in of(section) {
            out.tree(indent + 1, &entry.name, &entry.tree, "");
        }
    }
    out.finish()
}

/// The sections, in the order in which they are written.
const SECTIONS: [&str; 4] = ["metric", "quirk", "relationship", "models"];

/// What makes a policy of a fragment.
const NAME: &str = "name: import\n";
