//! Models: names that are bound to a SELECT.
//!
//! Under the name of a relation that exists a model is a row filter and a mask: whoever names the
//! relation reads the SELECT. Under a new name it is a table of its own, and says so: a name that
//! is misspelt would otherwise filter nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use super::calculated::CalculatedColumns;
use ground::words::words;

/// One model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyModel {
    /// The schema that it stands in.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// The SELECT, in the pieces between the session's values. It is one query, without comments.
    pub pieces: Vec<ModelPiece>,
    /// Whether its name is its own, and that of no relation.
    pub is_new: bool,
    /// What it is, in words.
    pub about: String,
    /// What its columns are, in words.
    pub columns: BTreeMap<String, String>,
    /// The columns that stand in its pieces beside those of the SELECT that the policy writes.
    pub calculated: CalculatedColumns,
}

/// A piece of a model's SELECT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelPiece {
    /// SQL as it is written.
    Sql(String),
    /// A value of the session that reads it, which is put there as a literal.
    Value(SessionValue),
}

/// A value that a session has.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SessionValue {
    /// `:user`: the name that the client has logged in with.
    User,
    /// `:database`: the database that it is connected to.
    Database,
    /// `:application_name`: what it called itself when it connected.
    ApplicationName,
    /// `:certificate.common_name` and its kin: of the certificate that it has shown.
    Certificate(CertificateField),
    /// `:user.name`: an attribute that the settings give the user. Who has none reads nothing of a
    /// model that asks for it.
    Attribute(String),
    /// `:name.of_setting`: a setting that the policy lets it set, as it stands when the statement
    /// runs.
    Setting(String),
}

words! {
    /// What the subject of a certificate says.
    CertificateField {
        /// Its common name.
        CommonName => "common_name",
        /// The organization.
        Organization => "organization",
        /// The part of the organization.
        OrganizationalUnit => "organizational_unit",
        /// The address for mail.
        Email => "email",
    }
}

impl fmt::Display for SessionValue {
    /// As a model writes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User => formatter.write_str(":user"),
            Self::Database => formatter.write_str(":database"),
            Self::ApplicationName => formatter.write_str(":application_name"),
            Self::Certificate(field) => write!(formatter, ":certificate.{}", field.name()),
            Self::Attribute(name) => write!(formatter, ":user.{name}"),
            Self::Setting(name) => write!(formatter, ":{name}"),
        }
    }
}

/// The pieces of a text in which each of these spans is another piece; none where a span is not one
/// of the text, or two share a byte.
pub fn pieces_with(
    text: &str,
    mut changes: Vec<(Range<usize>, ModelPiece)>,
) -> Option<Vec<ModelPiece>> {
    changes.sort_by_key(|(span, _)| (span.start, span.end));
    let mut pieces = Vec::new();
    let mut copied = 0;
    for (span, piece) in changes {
        pieces.push(ModelPiece::Sql(text.get(copied..span.start)?.into()));
        pieces.push(piece);
        copied = span.end;
    }
    pieces.push(ModelPiece::Sql(text.get(copied..)?.into()));
    Some(pieces)
}

#[cfg(any(test, feature = "fixture"))]
impl super::Policy {
    /// The same policy with these models.
    pub fn with_models(mut self, models: Vec<PolicyModel>) -> Self {
        self.models = models;
        self
    }
}
