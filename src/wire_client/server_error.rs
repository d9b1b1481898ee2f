//! Errors of a server, or of pgsieve, as a client reads them.

use std::fmt;

use crate::wire::backend::ResponseFields;

/// An error of the server, or of pgsieve; a notice is laid out like one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerError {
    /// Its code.
    pub sqlstate: String,
    /// Its words.
    pub message: String,
    /// What else it says.
    pub detail: Option<String>,
    /// What it advises.
    pub hint: Option<String>,
    /// Where in the text it stands, in characters from one, where it says that.
    pub position: Option<u64>,
}

impl ServerError {
    pub(super) fn of(fields: ResponseFields<'_>) -> Self {
        let text = |kind: u8| fields.get(kind).map(str::to_owned);
        Self {
            sqlstate: text(b'C').unwrap_or_default(),
            message: text(b'M').unwrap_or_default(),
            detail: text(b'D'),
            hint: text(b'H'),
            position: fields.get(b'P').and_then(|place| place.parse().ok()),
        }
    }

    /// Whether the statement may well run a moment later.
    pub fn is_of_the_moment(&self) -> bool {
        let class = self.sqlstate.get(..2).unwrap_or_default();
        ["08", "40", "53"].contains(&class) && self.sqlstate != LOGIN_NOT_ACCEPTED
            || self.sqlstate == "57P03"
            || self.sqlstate == "55000" && self.message.contains("catalog")
    }
}

impl fmt::Display for ServerError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.sqlstate, self.message)
    }
}

/// `sqlserver_rejected_establishment_of_sqlconnection`: by pgsieve, of a password that the database
/// does not take.
const LOGIN_NOT_ACCEPTED: &str = "08004";
