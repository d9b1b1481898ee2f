//! Every name of a snapshot once.

use std::collections::HashMap;

use foldhash::fast::RandomState;

/// A name of a snapshot. Equal names have equal ids, whatever they name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NameId(u32);

impl NameId {
    /// Its place among the names, for tables beside the catalog.
    pub fn place(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// All names.
#[derive(Default)]
pub struct NameTable {
    ids: HashMap<std::sync::Arc<str>, NameId, RandomState>,
    texts: Vec<std::sync::Arc<str>>,
}

impl NameTable {
    /// The id of a name, spelled exactly so; none where nothing of the snapshot has it.
    pub fn find(&self, name: &str) -> Option<NameId> {
        self.ids.get(name).copied()
    }

    /// The name of an id.
    pub fn text(&self, id: NameId) -> &str {
        self.texts.get(id.place()).map_or("", |text| text)
    }

    /// The names, by place.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(AsRef::as_ref)
    }

    /// The ids of all names.
    pub fn ids(&self) -> impl Iterator<Item = NameId> + '_ {
        (0..).map(NameId).take(self.texts.len())
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// The id of a name, made if it is new.
    pub(crate) fn keep(&mut self, name: &str) -> NameId {
        if let Some(id) = self.find(name) {
            return id;
        }
        let text: std::sync::Arc<str> = name.into();
        let id = NameId(u32::try_from(self.texts.len()).unwrap_or(u32::MAX));
        self.texts.push(std::sync::Arc::clone(&text));
        self.ids.insert(text, id);
        id
    }
}
