//! What a verdict stands on, beside the text.

use std::fmt;

use super::SessionValues;
use super::effects::graph::EffectGraph;
use ground::engine::Engine;
use ground::limits;

/// What a verdict stands on, beside the text: equal basis, equal verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct VerdictBasis {
    /// The version of the policy that the session is under, once it is under one.
    pub(super) policy: Option<u64>,
    /// The major version of the upstream.
    pub(super) server_major: Option<u16>,
    /// The engine of the upstream.
    pub(super) engine: Option<Engine>,
    /// Which server that is, where several are reached: each has its own oids and plans.
    pub(super) server: u64,
    /// What is known of the database.
    pub(super) database: SnapshotState,
    /// Where names are looked up.
    pub(super) paths: BasisDigest,
    /// As whom.
    pub(super) role: BasisDigest,
    /// The values of the session that models read.
    pub(super) values: BasisDigest,
}

/// Where the session's unqualified names are looked up, as far as it is known.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum SearchPaths {
    /// By one of these; each is the names of a search_path, "$user" as it is written. Usually one.
    Known(Box<[Box<[Box<str>]>]>),
    /// By one of these, unless a function that the policy names has set another one: good enough
    /// for what functions are trusted with, and for nothing else.
    Unsure(Box<[Box<[Box<str>]>]>),
    /// Anywhere.
    #[default]
    Unknown,
}

/// A part of the basis, by its hash: 128 bits of BLAKE3, so that nobody finds two that are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct BasisDigest([u8; 16]);

/// What is known of the session's database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) enum SnapshotState {
    /// What this version of a snapshot shows.
    Seen(u64),
    /// Nothing yet, or nothing that is recent enough.
    #[default]
    Unseen,
    /// There is none.
    Absent,
}

impl SearchPaths {
    /// Either of two; too many are none that is known.
    pub(super) fn or(self, other: &Self) -> Self {
        let is_sure = matches!((&self, other), (Self::Known(_), Self::Known(_)));
        let (Self::Known(own) | Self::Unsure(own), Self::Known(others) | Self::Unsure(others)) =
            (self, other)
        else {
            return Self::Unknown;
        };
        let mut all = own.into_vec();
        for path in others {
            if !all.contains(path) {
                all.push(path.clone());
            }
        }
        if all.len() > limits::SEARCH_PATHS_POSSIBLE_MAX {
            return Self::Unknown;
        }
        match is_sure {
            true => Self::Known(all.into()),
            false => Self::Unsure(all.into()),
        }
    }
}

impl VerdictBasis {
    /// The same on another snapshot, or on none.
    pub(super) fn with_effect_graph(self, effect_graph: Option<&EffectGraph>) -> Self {
        Self {
            database: effect_graph.map_or(SnapshotState::Unseen, |effect_graph| {
                SnapshotState::Seen(effect_graph.version_number())
            }),
            ..self
        }
    }

    /// The same where names are looked up as on the others.
    pub(super) fn with_paths_of(self, others: Self) -> Self {
        Self {
            paths: others.paths,
            ..self
        }
    }

    /// The same under the others' policy.
    pub(super) fn with_policy_of(self, others: Self) -> Self {
        Self {
            policy: others.policy,
            ..self
        }
    }

    /// The same with the others' values.
    pub(super) fn with_values_of(self, others: Self) -> Self {
        Self {
            values: others.values,
            ..self
        }
    }

    /// The same on the others' snapshot.
    pub(super) fn with_snapshot_of(self, others: Self) -> Self {
        Self {
            database: others.database,
            ..self
        }
    }
}

impl BasisDigest {
    pub(super) fn of_paths(all: &SearchPaths) -> Self {
        match all {
            SearchPaths::Unknown => Self::default(),
            SearchPaths::Known(paths) | SearchPaths::Unsure(paths) => {
                let mut hasher = blake3::Hasher::new();
                if matches!(all, SearchPaths::Unsure(_)) {
                    hasher.update(NULL);
                }
                for path in paths {
                    for name in path {
                        hasher.update(name.as_bytes());
                        hasher.update(NAME_ENDS);
                    }
                    hasher.update(PATH_ENDS);
                }
                Self::finish(&hasher)
            }
        }
    }

    pub(super) fn of_types(types: &[u32]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for oid in types {
            hasher.update(&oid.to_be_bytes());
        }
        Self::finish(&hasher)
    }

    pub(super) fn of_role(role: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(role.as_bytes());
        Self::finish(&hasher)
    }

    /// Nothing known is the same as no models.
    pub(super) fn of_values(values: &SessionValues) -> Self {
        let mut known = values.known().peekable();
        if known.peek().is_none() {
            return Self::default();
        }
        let mut hasher = blake3::Hasher::new();
        for (name, value) in known {
            hasher.update(format!("{name:?}").as_bytes());
            hasher.update(if value.is_some() { NAME_ENDS } else { NULL });
            hasher.update(value.unwrap_or_default().as_bytes());
            hasher.update(PATH_ENDS);
        }
        Self::finish(&hasher)
    }

    fn finish(hasher: &blake3::Hasher) -> Self {
        let mut short = [0; 16];
        for (to, from) in short.iter_mut().zip(hasher.finalize().as_bytes()) {
            *to = *from;
        }
        Self(short)
    }
}

impl fmt::Debug for SearchPaths {
    /// Without the names.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(paths) => write!(formatter, "Known({} paths)", paths.len()),
            Self::Unsure(paths) => write!(formatter, "Unsure({} paths)", paths.len()),
            Self::Unknown => formatter.write_str("Unknown"),
        }
    }
}

/// Bytes that stand in no UTF-8 text.
const NAME_ENDS: &[u8] = b"\xff";
const PATH_ENDS: &[u8] = b"\xfe";
const NULL: &[u8] = b"\xfd";

#[cfg(test)]
mod tests {
    use super::*;

    fn known(paths: &[&[&str]]) -> BasisDigest {
        let path = |names: &&[&str]| names.iter().map(|name| Box::from(*name)).collect();
        BasisDigest::of_paths(&SearchPaths::Known(paths.iter().map(path).collect()))
    }

    #[test]
    fn different_paths_are_different_grounds() {
        let all = [
            BasisDigest::of_paths(&SearchPaths::Unknown),
            known(&[]),
            known(&[&[]]),
            known(&[&[""]]),
            known(&[&["a"]]),
            known(&[&["a", "b"]]),
            known(&[&["ab"]]),
            known(&[&["b", "a"]]),
            known(&[&["a"], &["b"]]),
        ];
        for (place, one) in all.iter().enumerate() {
            assert!(!all.iter().skip(place + 1).any(|other| other == one));
        }
    }
}
