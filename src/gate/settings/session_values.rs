//! The values of a session that models read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, LazyLock};

use policy::SessionValue;

/// The values of one session, as they stand for the statement that is judged now.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SessionValues {
    /// What is known for certain; a value that is not here is not known, or may be another one
    /// when the statement runs.
    known: BTreeMap<SessionValue, Option<Box<str>>>,
}

/// None at all, for all sessions without any.
static NONE: LazyLock<Arc<SessionValues>> = LazyLock::new(Arc::default);

impl SessionValues {
    /// Nothing is known, and nothing asked for.
    pub fn none() -> Arc<Self> {
        Arc::clone(&NONE)
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Takes a value over; none is NULL: the session has no such thing.
    pub fn set(&mut self, name: SessionValue, value: Option<&str>) {
        self.known.insert(name, value.map(Box::from));
    }

    /// The value is not known for certain any more.
    pub fn forget(&mut self, name: &SessionValue) {
        self.known.remove(name);
    }

    /// A value: none where it is not known, none in it where it is NULL.
    pub fn get(&self, name: &SessionValue) -> Option<Option<&str>> {
        self.known.get(name).map(Option::as_deref)
    }

    /// All that are known.
    pub(crate) fn known(&self) -> impl Iterator<Item = (&SessionValue, Option<&str>)> {
        self.known
            .iter()
            .map(|(name, value)| (name, value.as_deref()))
    }
}

impl fmt::Debug for SessionValues {
    /// Without the values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SessionValues({})", self.known.len())
    }
}
