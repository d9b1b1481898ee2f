//! What a prepared statement was described as: its parameters and its columns, as digests. Two that
//! are described alike can stand for each other; a client that goes by what it was told once would
//! misread another one.

/// What is known of the description of a statement.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Description {
    /// A digest of the types of its parameters.
    pub parameters: Option<u64>,
    /// A digest of its columns, whatever format they come in.
    pub columns: Option<u64>,
}

/// How two descriptions compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DescriptionFit {
    /// All that is known of the one is so in the other.
    Alike,
    /// Of the other one too little is known.
    Unknown,
    /// They are different.
    Different,
}

impl Description {
    /// Whether anything is known.
    pub fn is_known(self) -> bool {
        self != Self::default()
    }

    /// Whether a statement of that description can stand for one of this.
    pub fn fit(self, other: Self) -> DescriptionFit {
        let parts = [
            (self.parameters, other.parameters),
            (self.columns, other.columns),
        ];
        let known = parts.iter().filter(|(own, _)| own.is_some());
        let fits = known.map(|(own, other)| match (own, other) {
            (_, None) => DescriptionFit::Unknown,
            (own, other) if own == other => DescriptionFit::Alike,
            _ => DescriptionFit::Different,
        });
        let worst = fits.max_by_key(|fit| match fit {
            DescriptionFit::Alike => 0,
            DescriptionFit::Unknown => 1,
            DescriptionFit::Different => 2,
        });
        worst.unwrap_or(DescriptionFit::Alike)
    }

    /// With what else is known.
    pub fn and(self, more: Self) -> Self {
        Self {
            parameters: more.parameters.or(self.parameters),
            columns: more.columns.or(self.columns),
        }
    }
}

/// A digest of a ParameterDescription, as it stands in the message.
pub fn digest_of_parameters(body: &[u8]) -> u64 {
    first_word(blake3::hash(body))
}

/// A digest of a RowDescription without the formats, as it stands in the message; of NoData if
/// there is none.
pub fn digest_of_columns(body: Option<&[u8]>) -> u64 {
    let mut hasher = blake3::Hasher::new();
    let Some((count, mut rest)) = body.and_then(|body| body.split_at_checked(2)) else {
        return first_word(hasher.finalize());
    };
    hasher.update(count);
    // Each round takes a column out of a finite message.
    while let Some(end) = rest.iter().position(|byte| *byte == 0) {
        let (column, behind) = match rest.split_at_checked(end + 1 + COLUMN_BYTES) {
            Some(split) => split,
            None => break,
        };
        hasher.update(column);
        rest = behind.get(FORMAT_BYTES..).unwrap_or_default();
    }
    first_word(hasher.finalize())
}

fn first_word(hash: blake3::Hash) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *hash.as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// A column behind its name and before its format: table, number, type, size, modifier.
const COLUMN_BYTES: usize = 4 + 2 + 4 + 2 + 4;

const FORMAT_BYTES: usize = 2;

#[cfg(test)]
mod tests {
    use super::*;

    fn columns(named: &[(&str, u8, u8)]) -> Vec<u8> {
        let count = u16::try_from(named.len()).unwrap();
        let mut body = count.to_be_bytes().to_vec();
        for (name, of_type, format) in named {
            body.extend(name.as_bytes());
            body.extend([0; 1 + 4 + 2 + 3]);
            body.extend([*of_type, 0, 4, 0, 0, 0, 0, 0, *format]);
        }
        body
    }

    #[test]
    fn columns_differ_in_all_but_their_format() {
        let of = |named: &[(&str, u8, u8)]| digest_of_columns(Some(&columns(named)));
        let two = of(&[("a", 23, 0), ("b", 25, 0)]);
        assert_eq!(two, of(&[("a", 23, 1), ("b", 25, 1)]));
        for other in [
            of(&[("a", 23, 0)]),
            of(&[("a", 23, 0), ("b", 23, 0)]),
            of(&[("a", 23, 0), ("c", 25, 0)]),
            of(&[("b", 25, 0), ("a", 23, 0)]),
            of(&[]),
            digest_of_columns(None),
        ] {
            assert_ne!(two, other);
        }
        assert_ne!(of(&[]), digest_of_columns(None));
    }

    #[test]
    fn what_is_not_known_is_neither_alike_nor_different() {
        let told = |parameters, columns| Description {
            parameters,
            columns,
        };
        let own = told(Some(1), Some(2));
        assert_eq!(own.fit(own), DescriptionFit::Alike);
        assert_eq!(own.fit(told(Some(1), None)), DescriptionFit::Unknown);
        assert_eq!(own.fit(told(None, Some(3))), DescriptionFit::Different);
        assert_eq!(told(None, Some(2)).fit(own), DescriptionFit::Alike);
        assert_eq!(told(None, None).fit(own), DescriptionFit::Alike);
        assert_eq!(told(Some(1), None).and(told(None, Some(2))), own);
    }
}
