//! A YAML text as a tree in which every key and value knows its line and column.
//!
//! Read untyped, so that the reader above can go on after a mistake and report all of them at once.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_yaml::Spanned;

use super::syntax_fault;
use crate::PolicyProblem;

/// A value and where it stands.
#[derive(Clone)]
pub struct YamlTree {
    /// The value.
    pub value: YamlValue,
    /// Where it begins.
    pub place: YamlPlace,
}

/// What stands there. Numbers and truth values are kept as the words they were written with.
#[derive(Clone)]
pub enum YamlValue {
    /// Nothing, or `null`.
    Nothing,
    /// A word, a number or a truth value.
    Word(String),
    /// A list, in order.
    List(Vec<YamlTree>),
    /// A map, in the order of the text.
    Map(Vec<YamlEntry>),
}

/// One key of a map and its value.
#[derive(Clone)]
pub struct YamlEntry {
    /// The key.
    pub key: String,
    /// Where the key begins.
    pub place: YamlPlace,
    /// Its value.
    pub tree: YamlTree,
}

/// Line and column, counted from one, in one of the texts that a policy is made of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct YamlPlace {
    /// Which text: zero is the policy's own, one what that extends, and so on.
    layer: usize,
    line: u64,
    column: u64,
}

/// Reads a text. Only what makes the whole unreadable is an error here.
///
/// # Errors
/// It is no YAML, or a value begins with `!`.
pub fn read(text: &str) -> Result<YamlTree, PolicyProblem> {
    let spanned: Result<Spanned<YamlValue>, serde_yaml::Error> = {
        // Only `true` and `false` are truth values: `off` is a word like any other.
        let options = serde_yaml::options! { strict_booleans: true };
        serde_yaml::from_str_with_options(text, options)
    };
    let read = spanned.map(YamlTree::from);
    if let Some(place) = read.as_ref().ok().and_then(|tree| tree.tagged(text)) {
        return Err(PolicyProblem {
            place: place.of(""),
            what: "not readable as YAML: a value that begins with ! stands in quotes".into(),
        });
    }
    read.map_err(|error| {
        let location = error.location();
        let (line, column) = location.map_or((1, 1), |at| (at.line(), at.column()));
        let said = error.without_snippet().to_string();
        let fault = syntax_fault::fault(text, (line, column), &said);
        let (line, column) = fault.place;
        PolicyProblem {
            place: YamlPlace::at(line, column).of(""),
            what: format!("not readable as YAML: {}", fault.what),
        }
    })
}

impl YamlPlace {
    fn at(line: u64, column: u64) -> Self {
        let layer = 0;
        Self {
            layer,
            line,
            column,
        }
    }

    /// Which of the texts it is in.
    pub fn layer(self) -> usize {
        self.layer
    }

    /// The line.
    pub fn line(self) -> u64 {
        self.line
    }

    /// The place with the path of keys that leads to it.
    pub fn of(self, path: &str) -> String {
        format!("{}:{} {path}", self.line, self.column)
            .trim_end()
            .to_owned()
    }
}

impl YamlTree {
    /// A word that came from somewhere else than a text of several lines.
    pub fn word(word: &str) -> Self {
        Self {
            value: YamlValue::Word(word.to_owned()),
            place: YamlPlace::at(1, 1),
        }
    }

    /// The first value that has a tag: a word with a sign in front, which YAML takes away.
    fn tagged(&self, text: &str) -> Option<YamlPlace> {
        let lines: Vec<&str> = text.lines().collect();
        let mut rest = vec![self];
        while let Some(Self { value, place }) = rest.pop() {
            let counted = |number: u64| usize::try_from(number).ok()?.checked_sub(1);
            let line = counted(place.line).and_then(|line| lines.get(line));
            let column = counted(place.column).unwrap_or_default();
            let line = line.copied().unwrap_or_default();
            let before: String = line.chars().take(column).collect();
            let word = before.trim_end().rsplit([' ', '[', '{', ',']).next();
            if word.is_some_and(|word| word.starts_with('!')) {
                return Some(*place);
            }
            match value {
                YamlValue::Nothing | YamlValue::Word(_) => {}
                YamlValue::List(list) => rest.extend(list.iter().rev()),
                YamlValue::Map(entries) => {
                    rest.extend(entries.iter().rev().map(|entry| &entry.tree))
                }
            }
        }
        None
    }

    /// The same as part of another text than the policy's own.
    pub fn in_layer(self, layer: usize) -> Self {
        let moved = |place: YamlPlace| YamlPlace { layer, ..place };
        let value = match self.value {
            YamlValue::Nothing | YamlValue::Word(_) => self.value,
            YamlValue::List(list) => {
                let list = list.into_iter().map(|item| item.in_layer(layer));
                YamlValue::List(list.collect())
            }
            YamlValue::Map(entries) => {
                let entries = entries.into_iter().map(|entry| YamlEntry {
                    key: entry.key,
                    place: moved(entry.place),
                    tree: entry.tree.in_layer(layer),
                });
                YamlValue::Map(entries.collect())
            }
        };
        let place = moved(self.place);
        Self { value, place }
    }

    /// What stands under a path of keys.
    pub fn below(&self, path: &[&str]) -> Option<&Self> {
        let mut tree = self;
        for key in path {
            let entries = tree.entries().iter();
            let mut named = entries.filter(|entry| entry.key == *key);
            tree = &named.next()?.tree;
        }
        Some(tree)
    }

    /// The keys of a map; nothing where it is none.
    pub fn entries(&self) -> &[YamlEntry] {
        match &self.value {
            YamlValue::Map(entries) => entries,
            YamlValue::Nothing | YamlValue::Word(_) | YamlValue::List(_) => &[],
        }
    }

    /// Whether it is this word.
    pub fn is_word(&self, wanted: &str) -> bool {
        matches!(&self.value, YamlValue::Word(word) if word == wanted)
    }
}

impl From<Spanned<YamlValue>> for YamlTree {
    fn from(spanned: Spanned<YamlValue>) -> Self {
        let (line, column) = (spanned.referenced.line(), spanned.referenced.column());
        Self {
            value: spanned.value,
            place: YamlPlace::at(line, column),
        }
    }
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlReader)
    }
}

struct YamlReader;

impl<'de> Visitor<'de> for YamlReader {
    type Value = YamlValue;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a word, a number, a list or a map")
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Nothing)
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Nothing)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlValue, D::Error> {
        deserializer.deserialize_any(Self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Word(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Word(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(YamlValue::Word(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(YamlValue::Word(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Word(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = access.next_element::<Spanned<YamlValue>>()? {
            list.push(YamlTree::from(item));
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<YamlValue, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = access.next_key::<Spanned<String>>()? {
            let tree = YamlTree::from(access.next_value::<Spanned<YamlValue>>()?);
            let (line, column) = (key.referenced.line(), key.referenced.column());
            entries.push(YamlEntry {
                key: key.value,
                place: YamlPlace::at(line, column),
                tree,
            });
        }
        Ok(YamlValue::Map(entries))
    }
}
