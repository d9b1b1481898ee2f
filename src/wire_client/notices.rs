//! What pgsieve says beside results, read out of its notices.

use super::server_error::ServerError;

/// What is said of a repair.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepairNotice {
    /// Who repaired it.
    pub recoverers: Vec<String>,
    /// What was changed, in words.
    pub changes: String,
    /// The statement that ran.
    pub ran: Option<String>,
}

/// A notice, as far as it is one of pgsieve's about a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultNotice {
    /// The statement was repaired.
    Repaired(RepairNotice),
    /// The policy cut the result.
    Cut,
    /// Something else.
    Other,
}

impl ResultNotice {
    /// Reads one.
    pub fn of(notice: &ServerError) -> Self {
        if let Some(names) = notice.message.strip_prefix(REPAIRED) {
            let detail = notice.detail.as_deref().unwrap_or_default();
            let (changes, ran) = match detail.split_once(RAN) {
                Some((changes, ran)) => (changes, Some(ran.to_owned())),
                None => (detail, None),
            };
            return Self::Repaired(RepairNotice {
                recoverers: names.split(", ").map(str::to_owned).collect(),
                changes: changes.trim_end().to_owned(),
                ran,
            });
        }
        match notice.message.starts_with(CUT) {
            true => Self::Cut,
            false => Self::Other,
        }
    }
}

/// How pgsieve begins to tell of a repair.
const REPAIRED: &str = "pgsieve repaired this statement: ";

/// What stands before the statement that ran.
const RAN: &str = "The statement that ran: ";

/// How it begins to tell of a result that was cut.
const CUT: &str = "the result was cut at ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_repairs_is_heard() {
        let told = ResultNotice::of(&ServerError {
            message: "pgsieve repaired this statement: unwrap, quote_identifiers".into(),
            detail: Some("\"a\" for a\nThe statement that ran: SELECT \"a\"\nFROM t".into()),
            ..ServerError::default()
        });
        let ResultNotice::Repaired(repair) = told else {
            panic!("{told:?}");
        };
        assert_eq!(repair.recoverers, ["unwrap", "quote_identifiers"]);
        assert_eq!(repair.changes, "\"a\" for a");
        assert_eq!(repair.ran.as_deref(), Some("SELECT \"a\"\nFROM t"));
        let cut = ResultNotice::of(&ServerError {
            message: "the result was cut at 1000 rows by the policy".into(),
            ..ServerError::default()
        });
        assert_eq!(cut, ResultNotice::Cut);
        assert_eq!(
            ResultNotice::of(&ServerError::default()),
            ResultNotice::Other
        );
    }
}
