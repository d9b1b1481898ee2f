//! `pgsieve policy print`: a policy with everything that it extends as one text, which is a policy
//! of the same meaning: behind each line where it is from, and whether it lets more through than
//! the policy that it was laid over.

use std::io::Write;

use crate::cli::policy::files;
use crate::cli::policy::files::PolicyFile;
use crate::cli::policy::rewrite::{ListedEntry, YamlWriter, flow};
use crate::cli::policy::test::misused;
use crate::cli::{CommandOutcome, print_outcome};
use crate::policy::layers::widening::{LayerChange, LayerChanges, RemovedEntry};
use crate::policy::layers::{PolicyLayers, is_whole};
use crate::policy::schema;
use crate::policy::yaml::tree::{YamlEntry, YamlPlace, YamlTree, YamlValue};

/// The flags of `policy print`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicyPrintFlags {
    /// The policy: a file, or the name of a built-in one.
    #[arg(value_name = "NAME|FILE")]
    file: String,
}

/// Prints it.
pub fn run(flags: &PolicyPrintFlags, out: &mut impl Write) -> CommandOutcome {
    match files::read_one(&flags.file) {
        Ok(file) => print_outcome(out.write_all(printed(&file).as_bytes())),
        Err(problems) => misused(&problems),
    }
}

/// The text.
fn printed(file: &PolicyFile) -> String {
    let page = PolicyPage {
        layers: &file.layers,
        changes: LayerChanges::of(&file.layers),
    };
    let mut out = YamlWriter::default();
    let (name, version) = (file.policy.name(), file.policy.version());
    let policies: Vec<&str> = file.layers.policies().collect();
    let origins = policies.join(", which extends ");
    out.comment(0, &format!("{name} {version}, from {origins}."));
    if policies.len() > 1 {
        let wider = match page.changes.wider() {
            0 => "Nothing in it lets more through than the policy below it.".to_owned(),
            1 => format!("1 line {LETS_MORE} than the policy below it."),
            count => format!("{count} lines let more through than the policy below them."),
        };
        out.comment(0, &wider);
    }
    out.comment(
        0,
        "What stands behind # at the beginning of a line is left out, or gone.",
    );
    page.section(&mut out, 0, &file.layers.merged(), "");
    out.finish()
}

/// A policy that is printed.
struct PolicyPage<'p> {
    layers: &'p PolicyLayers,
    changes: LayerChanges,
}

impl PolicyPage<'_> {
    /// The keys of a map, those that are left out, and what is gone.
    fn section(&self, out: &mut YamlWriter, indent: usize, tree: &YamlTree, path: &str) {
        let mut entries: Vec<&YamlEntry> = tree.entries().iter().collect();
        entries.sort_by_key(|entry| !path.is_empty() || entry.key != "name");
        for entry in entries {
            if path.is_empty() && matches!(entry.key.as_str(), "extends" | "replace") {
                continue;
            }
            let below = match path {
                "" => entry.key.clone(),
                path => format!("{path}.{}", entry.key),
            };
            self.key(out, indent, (&entry.key, entry.place), &entry.tree, &below);
        }
        for (key, absent) in schema::left_out(path) {
            let is_there = tree.entries().iter().any(|entry| entry.key == key);
            let is_of_file = path.is_empty() && matches!(key, "extends" | "replace");
            if !is_there && !is_of_file {
                out.comment(indent, &format!("{key}: {absent} (left out)"));
            }
        }
        self.taken(out, indent, path);
    }

    fn key(
        &self,
        out: &mut YamlWriter,
        indent: usize,
        key: (&str, YamlPlace),
        tree: &YamlTree,
        path: &str,
    ) {
        let (key, place) = key;
        let change = self.changes.at(path, None);
        match &tree.value {
            YamlValue::Map(entries) if !entries.is_empty() && !is_whole(path) => {
                out.open(indent, key);
                self.section(out, indent + 1, tree, path);
            }
            YamlValue::List(list) if !list.is_empty() && !is_whole(path) => {
                self.list(out, indent, key, list, path)
            }
            YamlValue::Nothing | YamlValue::Word(_) | YamlValue::List(_) | YamlValue::Map(_) => {
                let comment = self.comment(place, change);
                out.tree(indent, key, tree, &comment);
                self.taken(out, indent, path);
            }
        }
    }

    fn list(&self, out: &mut YamlWriter, indent: usize, key: &str, list: &[YamlTree], path: &str) {
        let whole = self.changes.at(path, None);
        let listed = list.iter().map(|item| match &item.value {
            YamlValue::Word(word) => {
                let change = self.changes.at(path, Some(word)).or(whole);
                let comment = self.comment(item.place, change);
                let word = word.clone();
                Some(ListedEntry { word, comment })
            }
            YamlValue::Nothing | YamlValue::List(_) | YamlValue::Map(_) => None,
        });
        match listed.collect::<Option<Vec<ListedEntry>>>() {
            Some(listed) => out.list(indent, key, &listed),
            None => {
                let place = list.first().map(|item| item.place);
                let comment = place.map(|place| self.comment(place, whole));
                out.flows(indent, key, list, &comment.unwrap_or_default());
            }
        }
        self.taken(out, indent + 1, path);
    }

    fn taken(&self, out: &mut YamlWriter, indent: usize, path: &str) {
        for RemovedEntry {
            path,
            word,
            place,
            is_wider,
        } in self.changes.removed_from(path)
        {
            let what = word.as_ref().unwrap_or(path);
            let mut line = format!("gone: {what} ({})", self.origin(*place));
            if *is_wider {
                line.push_str(", without which more is let through");
            }
            out.comment(indent, &line);
        }
    }

    /// Where a line is from, and what it changes.
    fn comment(&self, place: YamlPlace, change: Option<&LayerChange>) -> String {
        let mut comment = self.origin(place);
        let Some(change) = change else {
            return comment;
        };
        if let Some((was, place)) = &change.was {
            let was = match was {
                YamlValue::Map(_) | YamlValue::List(_) => "other".to_owned(),
                YamlValue::Nothing | YamlValue::Word(_) => flow(was),
            };
            comment.push_str(&format!(", was {was} ({})", self.origin(*place)));
        }
        if change.is_wider {
            comment.push_str(", ");
            comment.push_str(LETS_MORE);
        }
        comment
    }

    fn origin(&self, place: YamlPlace) -> String {
        let origin = self.layers.origins().nth(place.layer());
        format!("{}:{}", origin.unwrap_or_default(), place.line())
    }
}

const LETS_MORE: &str = "lets more through";

const EXIT_STATUS: &str = "Exit status: 0 where it was printed; 2 where it is no policy or cannot \
    be read.";

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::policy::Policy;
    use crate::policy::sources::layers_of_text;

    fn file(text: &str) -> PolicyFile {
        let layers = layers_of_text(text).unwrap();
        PolicyFile {
            name: "own.yaml".to_owned(),
            policy: Arc::new(Policy::of_layers(&layers).unwrap()),
            layers: Arc::new(layers),
        }
    }

    #[test]
    fn what_is_printed_is_a_policy_of_the_same_meaning() {
        let own = "name: own\nextends: bi\nreplace: [settings.allow]\nmode: observe\n\
            settings: {allow: {app.tenant: any, jit: [on, \"off\"]}}\n\
            relations: {allow: ['a.\"b # c\"', x.*]}\n\
            models: {a.b: {sql: \"SELECT 'it''s: #1' AS a\", columns: {a: \"yes\"}}}\n\
            match: {user: [a, \"*b\"]}\n\
            tests: [{statement: \"SELECT 'a'\", expect: permit}]";
        for text in [own, "name: a", "name: a\nextends: strict"] {
            let before = file(text);
            let again = Policy::from_yaml(&printed(&before));
            let again = again.unwrap_or_else(|wrong| panic!("{wrong:#?}\n{}", printed(&before)));
            assert_eq!(again.version(), before.policy.version(), "{text}");
            assert_eq!(again.tests().len(), before.policy.tests().len());
        }
        for (name, _) in Policy::BUILT_IN {
            let before = files::read_one(name).unwrap();
            let again = Policy::from_yaml(&printed(&before)).unwrap();
            assert_eq!(again.version(), before.policy.version(), "{name}");
        }
    }

    #[test]
    fn each_line_says_where_it_is_from_and_whether_it_lets_more_through() {
        let own = "name: own\nextends: strict\nstatements: {explain_analyze: reads}\n\
            relations: {allow: [shop.a]}\nlimits: {result_rows: 5}\n\
            replace: [functions]\nfunctions: {allow: [f]}\n";
        let printed = printed(&file(own));
        for wanted in [
            "from , which extends strict.",
            "\n  explain_analyze: reads  # :3, was refuse (strict:",
            "), lets more through\n",
            "\n    - shop.a  # :4, lets more through\n",
            "\n  result_rows: 5  # :5, was ",
            "\n    - f  # :7, lets more through\n",
            "\n# match: the sessions that no other policy fits (left out)\n",
            "\nname: own  # :1\ncatalog: ",
            "\n    bytea_output: [hex, escape]  # strict:",
            "\n  # gone: functions.extensions (strict:",
            "  # strict:",
        ] {
            assert!(printed.contains(wanted), "{wanted}\n{printed}");
        }
        let rows = printed.lines().find(|line| line.contains("result_rows"));
        assert!(!rows.unwrap().contains("lets more"), "{printed}");
    }
}
