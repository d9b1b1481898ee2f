//! What is told of a database, each kind on or off.

use std::fmt;

use ground::limits;
use ground::words::words;

words! {
    /// A kind of what is told of a database.
    GroundingFacet {
        /// The server's version, and what matters when SQL is written for it.
        Info => "info",
        /// Relations: their kind, comment and estimated number of rows.
        Tables => "tables",
        /// Columns: their type, whether they may be NULL, their comment, the labels of an
        /// enumeration, whether they are generated.
        Columns => "columns",
        /// Primary and unique keys.
        Keys => "keys",
        /// Foreign keys between relations that are shown.
        ForeignKeys => "foreign_keys",
        /// What the planner knows of columns: distinct values, share of NULLs, most common values.
        Statistics => "statistics",
        /// Values of columns with few of them, as the session itself would read them.
        Samples => "samples",
        /// Indexes.
        Indexes => "indexes",
        /// Functions of users that may be called.
        Functions => "functions",
        /// Models of the policy, which are read like tables.
        Models => "models",
        /// Records of the policy's knowledge.
        Knowledge => "knowledge",
    }
}

/// Which facets are told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundingFacets {
    on: Vec<GroundingFacet>,
    /// How many foreign keys away from a chosen relation others are told; nothing is chosen where
    /// no relations are named.
    key_steps: usize,
}

/// A list of facets that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FacetError {
    /// There is no such facet.
    Unknown(String),
    /// What stands behind the colon is no number of steps, or the facet has none.
    Steps(String),
}

impl GroundingFacets {
    /// Reads a list such as `tables,columns,foreign_keys:2`. `default` stands for the facets that
    /// are told where none are named, `all` for every one, and `fk` for `foreign_keys`.
    ///
    /// # Errors
    /// A word is no facet, or what stands behind its colon is no number of steps.
    pub fn read(list: &str) -> Result<Self, FacetError> {
        let mut facets = Self {
            on: Vec::new(),
            key_steps: 1,
        };
        for word in list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            let (name, steps) = match word.split_once(':') {
                Some((name, steps)) => (name, Some(steps)),
                None => (word, None),
            };
            let named = match name {
                "default" => DEFAULT.to_vec(),
                "all" => GroundingFacet::ALL.to_vec(),
                "fk" => vec![GroundingFacet::ForeignKeys],
                name => match GroundingFacet::named(name) {
                    Some(facet) => vec![facet],
                    None => return Err(FacetError::Unknown(name.to_owned())),
                },
            };
            if let Some(steps) = steps {
                let number = steps.parse().ok().filter(|steps| *steps <= STEPS_MAX);
                let has_steps = named == [GroundingFacet::ForeignKeys];
                match number.filter(|_| has_steps) {
                    Some(number) => facets.key_steps = number,
                    None => return Err(FacetError::Steps(word.to_owned())),
                }
            }
            facets.on.extend(named);
        }
        facets.on.sort_unstable();
        facets.on.dedup();
        Ok(facets)
    }

    /// Whether a facet is told.
    pub fn has(&self, facet: GroundingFacet) -> bool {
        self.on.contains(&facet)
    }

    /// How many foreign keys away from a relation that was asked for others are told.
    pub fn key_steps(&self) -> usize {
        self.key_steps
    }
}

impl Default for GroundingFacets {
    fn default() -> Self {
        Self {
            on: DEFAULT.to_vec(),
            key_steps: 1,
        }
    }
}

impl fmt::Display for GroundingFacets {
    /// As [`GroundingFacets::read`] takes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, facet) in self.on.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(formatter, "{comma}{}", facet.name())?;
            if *facet == GroundingFacet::ForeignKeys {
                write!(formatter, ":{}", self.key_steps)?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for FacetError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || {
            let names = GroundingFacet::ALL.iter().map(|facet| facet.name());
            names.collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Unknown(name) => {
                write!(
                    formatter,
                    "there is no facet {name:?}: {}, default, all",
                    all()
                )
            }
            Self::Steps(word) => write!(
                formatter,
                "{word:?} is not understood: only foreign_keys has a number of steps, \
                 foreign_keys:0 to foreign_keys:{STEPS_MAX}"
            ),
        }
    }
}

impl std::error::Error for FacetError {}

/// What is told where no facets are named.
const DEFAULT: [GroundingFacet; 7] = [
    GroundingFacet::Info,
    GroundingFacet::Tables,
    GroundingFacet::Columns,
    GroundingFacet::Keys,
    GroundingFacet::ForeignKeys,
    GroundingFacet::Models,
    GroundingFacet::Knowledge,
];

const STEPS_MAX: usize = limits::GROUNDING_KEY_STEPS_MAX;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_facets_is_read_and_shown() {
        let read = |list| GroundingFacets::read(list).map(|facets| facets.to_string());
        let standard = "info,tables,columns,keys,foreign_keys:1,models,knowledge";
        assert_eq!(read("default").unwrap(), standard);
        assert_eq!(GroundingFacets::default().to_string(), standard);
        assert_eq!(
            read(" columns, fk:3,tables ,").unwrap(),
            "tables,columns,foreign_keys:3"
        );
        assert_eq!(
            read("default,samples").unwrap(),
            "info,tables,columns,keys,foreign_keys:1,samples,models,knowledge"
        );
        assert!(read("all").unwrap().contains("statistics"));
        assert_eq!(read("tabels"), Err(FacetError::Unknown("tabels".into())));
        for wrong in ["columns:2", "fk:x", "fk:-1", "fk:99", "all:2"] {
            assert_eq!(read(wrong), Err(FacetError::Steps(wrong.into())), "{wrong}");
        }
    }
}
