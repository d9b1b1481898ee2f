//! A policy written anew: the text of a base with other lists in it, without its comments.

use crate::policy::yaml::tree;
use crate::policy::yaml::tree::{YamlTree, YamlValue};

/// A YAML text under construction.
#[derive(Default)]
pub struct YamlWriter {
    text: String,
}

/// An entry of a list, with what is to be said about it.
pub struct ListedEntry {
    /// The word.
    pub word: String,
    /// The comment behind it; empty for none.
    pub comment: String,
}

impl YamlWriter {
    /// A comment, line by line.
    pub fn comment(&mut self, indent: usize, words: &str) {
        for line in words.lines() {
            self.line(indent, &format!("# {line}"));
        }
    }

    /// An empty line.
    pub fn gap(&mut self) {
        self.text.push('\n');
    }

    /// A key with a word.
    pub fn word(&mut self, indent: usize, key: &str, word: &str) {
        self.line(indent, &format!("{}: {}", scalar(key), scalar(word)));
    }

    /// A key whose value follows below it.
    pub fn open(&mut self, indent: usize, key: &str) {
        self.line(indent, &format!("{}:", scalar(key)));
    }

    /// A list, an entry to a line.
    pub fn list(&mut self, indent: usize, key: &str, entries: &[ListedEntry]) {
        if entries.is_empty() {
            return self.line(indent, &format!("{}: []", scalar(key)));
        }
        self.open(indent, key);
        for ListedEntry { word, comment } in entries {
            let word = scalar(word);
            match comment.as_str() {
                "" => self.line(indent + 1, &format!("- {word}")),
                comment => self.line(indent + 1, &format!("- {word}  # {comment}")),
            }
        }
    }

    /// Keys with a word each, under a key, where there are any; what is to be said stands behind
    /// them.
    pub fn words(&mut self, indent: usize, key: &str, entries: &[(ListedEntry, String)]) {
        if entries.is_empty() {
            return;
        }
        self.open(indent, key);
        for (ListedEntry { word, comment }, value) in entries {
            let (word, value) = (scalar(word), scalar(value));
            self.line(indent + 1, &format!("{word}: {value}  # {comment}"));
        }
    }

    /// A key and its value as they were read; a comment stands behind a word or a short list.
    pub fn tree(&mut self, indent: usize, key: &str, tree: &YamlTree, comment: &str) {
        let comment = match comment {
            "" => String::new(),
            words => format!("  # {words}"),
        };
        match &tree.value {
            YamlValue::Map(map) if !map.is_empty() => {
                self.line(indent, &format!("{}:{comment}", scalar(key)));
                for entry in map {
                    self.tree(indent + 1, &entry.key, &entry.tree, "");
                }
            }
            other => self.line(
                indent,
                &format!("{}: {}{comment}", scalar(key), flow(other)),
            ),
        }
    }

    /// A list of what is no word, an entry to a line; the comment stands behind the key.
    pub fn flows(&mut self, indent: usize, key: &str, list: &[YamlTree], comment: &str) {
        self.line(indent, &format!("{}:  # {comment}", scalar(key)));
        for item in list {
            self.line(indent + 1, &format!("- {}", flow(&item.value)));
        }
    }

    /// The text.
    pub fn finish(self) -> String {
        self.text
    }

    fn line(&mut self, indent: usize, words: &str) {
        self.text.push_str(&"  ".repeat(indent));
        self.text.push_str(words);
        self.text.push('\n');
    }
}

/// The entries of a map; nothing where it is none.
pub fn entries(tree: &YamlTree) -> &[tree::YamlEntry] {
    match &tree.value {
        YamlValue::Map(map) => map,
        YamlValue::Nothing | YamlValue::Word(_) | YamlValue::List(_) => &[],
    }
}

/// A value on one line.
pub fn flow(value: &YamlValue) -> String {
    match value {
        YamlValue::Nothing => "null".to_owned(),
        YamlValue::Word(word) => scalar(word),
        YamlValue::List(list) => {
            let items: Vec<String> = list.iter().map(|item| flow(&item.value)).collect();
            format!("[{}]", items.join(", "))
        }
        YamlValue::Map(map) => {
            let entries = map.iter();
            let entries =
                entries.map(|entry| format!("{}: {}", scalar(&entry.key), flow(&entry.tree.value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

/// A word as YAML reads it back, in quotes unless it is plain beyond doubt.
fn scalar(word: &str) -> String {
    let letter = |c: char| c.is_ascii_alphanumeric() || "_. -/".contains(c);
    let mut letters = word.chars();
    let number = word
        .parse::<i64>()
        .is_ok_and(|number| number.to_string() == word);
    let plain = number
        || !is_other_number(word)
            && letters.next().is_some_and(|c| c.is_ascii_alphanumeric())
            && letters.all(letter)
            && !word.ends_with(' ')
            && !WORDS_OF_YAML.contains(&word.to_ascii_lowercase().as_str());
    match plain {
        true => word.to_owned(),
        // JSON's strings are YAML's, too.
        false => serde_json::Value::from(word).to_string(),
    }
}

/// Whether YAML takes a word for a number and gives another word back.
fn is_other_number(word: &str) -> bool {
    let read = word.parse::<f64>();
    let is_based = ["0x", "0o", "0b"].iter().any(|base| word.starts_with(base));
    is_based || read.is_ok_and(|read| read.to_string() != word)
}

/// Plain words that some readers of YAML take for something else.
const WORDS_OF_YAML: [&str; 9] = ["null", "true", "false", "yes", "no", "on", "off", "y", "n"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Policy;

    #[test]
    fn a_policy_written_anew_means_the_same() {
        for (name, text) in Policy::BUILT_IN {
            let read = tree::read(text).unwrap_or_else(|problem| panic!("{problem}"));
            let mut written = YamlWriter::default();
            for entry in entries(&read) {
                written.tree(0, &entry.key, &entry.tree, "said");
            }
            let again = Policy::from_yaml(&written.finish()).unwrap();
            let before = Policy::from_yaml(text).unwrap();
            assert_eq!(again.version(), before.version(), "{name}");
        }
    }

    #[test]
    fn words_are_quoted_where_they_must_be() {
        for (word, wanted) in [
            ("shop.orders", "shop.orders"),
            ("on", "\"on\""),
            ("a: b", "\"a: b\""),
            ("*.*.ssn", "\"*.*.ssn\""),
            ("shop.\"a.b\"", "\"shop.\\\"a.b\\\"\""),
            ("", "\"\""),
            ("on or off", "on or off"),
            ("1e3", "\"1e3\""),
            ("0x1F", "\"0x1F\""),
            ("1.50", "\"1.50\""),
            ("1.5", "1.5"),
            ("30s", "30s"),
            ("-1", "-1"),
            ("007", "\"007\""),
            ("-0", "\"-0\""),
            ("+7", "\"+7\""),
            ("-a", "\"-a\""),
        ] {
            assert_eq!(scalar(word), wanted);
        }
    }
}
