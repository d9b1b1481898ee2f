//! What a receipt says. Names and digests, and no text, literal or value of a statement.

use serde::{Deserialize, Serialize};

/// The claims of a receipt, in the order in which they are written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptClaims {
    /// Who signed it: `receipts.issuer`.
    pub iss: String,
    /// When, in seconds since 1970.
    pub iat: i64,
    /// Until when it counts, in seconds since 1970.
    pub exp: i64,
    /// Its own name, which no other receipt has; the audit's line of the statement has it as well.
    pub jti: String,
    /// What the client wanted to have in its receipts: `pgsieve.receipt_nonce`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
    /// The number of the session, as in the audit.
    pub session: u64,
    /// The database that the client named.
    pub database: String,
    /// The user that the client named.
    pub user: String,
    /// The policy that the statement ran under.
    pub policy: String,
    /// Its version.
    pub policy_version: String,
    /// The version of the catalog that the statement was judged by; none where it was judged
    /// without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub catalog_version: Option<String>,
    /// What became of the statement.
    pub outcome: ReceiptOutcome,
    /// BLAKE3 of the text that the client sent.
    pub stmt: String,
    /// BLAKE3 of the text that ran; it differs after a repair, and where a limit was put in. Where
    /// a model or mask was, it is keyed by the signing key. None where nothing ran.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ran: Option<String>,
    /// BLAKE3 of the PREPARE or DECLARE whose name an EXECUTE or FETCH runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Which result of the text, from 1.
    pub part: u32,
    /// The statement's fingerprint, as in the audit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// BLAKE3 of the parameters of a Bind, as they were sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub params: Option<String>,
    /// Rows that were sent to the client.
    pub rows: u64,
    /// The columns, in order; none where the client never asked for their description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub columns: Option<Vec<ReceiptColumn>>,
    /// BLAKE3 of the rows that were sent; none where the statement failed or was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// The SQLSTATE of a failure or a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sqlstate: Option<String>,
    /// The number of the audit's line about the statement, where it was written when the receipt
    /// was signed. A receipt that comes with its result comes before that line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audit_seq: Option<u64>,
    /// Whether a repaired text ran in the place of the client's.
    pub repaired: bool,
    /// From the statement's arrival to the end of its rows, in microseconds.
    pub time_us: u64,
}

/// What became of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReceiptOutcome {
    /// It ran to its end, and all of its rows were sent.
    Complete,
    /// A part of its rows was asked for and sent; more may follow.
    Part,
    /// A limit of the policy ended its result: there are more rows than were sent.
    Cut,
    /// It failed.
    Failed,
    /// It was refused.
    Refused,
}

/// A column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReceiptColumn {
    /// Its name.
    pub name: String,
    /// The oid of its type.
    #[serde(rename = "type")]
    pub type_oid: u32,
    /// In which format its values were sent.
    pub format: ColumnFormat,
}

/// The format of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnFormat {
    /// As text.
    Text,
    /// In the binary form of its type.
    Binary,
}

impl ReceiptOutcome {
    /// Of a result that came to its end, at a limit of the policy or by itself.
    pub fn of_end(is_cut: bool) -> Self {
        match is_cut {
            true => Self::Cut,
            false => Self::Complete,
        }
    }

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Part => "part",
            Self::Cut => "cut",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

impl ReceiptClaims {
    /// Whether it says that rows were sent, all of them or some.
    pub fn has_result(&self) -> bool {
        match self.outcome {
            ReceiptOutcome::Complete | ReceiptOutcome::Part | ReceiptOutcome::Cut => true,
            ReceiptOutcome::Failed | ReceiptOutcome::Refused => false,
        }
    }

    /// Whether what it says fits together: a failure has no result, and a result has one.
    pub fn is_sound(&self) -> bool {
        let is_digest = |digest: &Option<String>| {
            (digest.as_ref()).is_none_or(|digest| {
                let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
                digest.len() == DIGEST_DIGITS && digest.bytes().all(is_digit)
            })
        };
        let digests = [
            &Some(self.stmt.clone()),
            &self.ran,
            &self.source,
            &self.params,
            &self.result,
        ];
        digests.into_iter().all(is_digest)
            && self.part > 0
            && self.iat <= self.exp
            && self.has_result() == self.result.is_some()
            && self.has_result() == self.sqlstate.is_none()
    }
}

/// The hexadecimal digits of a digest of BLAKE3.
const DIGEST_DIGITS: usize = 64;
