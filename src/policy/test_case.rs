//! The tests that a policy carries: statements, and what becomes of them under it.

use std::collections::BTreeMap;

use crate::set::named_certificate::NamedCertificate;

/// One entry of `tests`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCase {
    /// Where it stands in the file.
    pub place: String,
    /// The statement.
    pub statement: String,
    /// Whether it runs.
    pub expect: ExpectedAnswer,
    /// The rule that refuses it, or would; any where none is given.
    pub rule: Option<String>,
    /// As whom; `app` where none is given.
    pub user: String,
    /// How the client calls itself.
    pub application_name: String,
    /// The certificate that the client has shown; not said where none is given.
    pub certificate: Option<NamedCertificate>,
    /// Where names are looked up; what the database says where none is given.
    pub search_path: Option<Vec<String>>,
    /// Settings that the session has set.
    pub settings: BTreeMap<String, String>,
}

/// What a test expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedAnswer {
    /// It runs.
    Permit,
    /// It is refused.
    Refuse,
    /// It runs because a rule is only observed.
    Observe,
}

impl ExpectedAnswer {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Permit => "permit",
            Self::Refuse => "refuse",
            Self::Observe => "observe",
        }
    }
}
