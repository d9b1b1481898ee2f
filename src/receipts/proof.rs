//! What a receipt that counts proves of a statement and of rows, in sentences.

use std::fmt;

use super::claims::{ColumnFormat, ReceiptClaims, ReceiptOutcome};
use super::digest::{ResultDigest, data_row, of_bytes};
use super::file_rows::FileRows;
use crate::hex;

/// Whether something is what a receipt is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiptProof {
    /// It is.
    Proven(String),
    /// It is not.
    Disproven(String),
}

/// Whether a receipt is about this text.
pub fn of_statement(claims: &ReceiptClaims, text: &str) -> ReceiptProof {
    let digest = hex::digits(&of_bytes(text.as_bytes()));
    if digest == claims.stmt {
        return ReceiptProof::Proven("the client sent this statement, byte for byte".to_owned());
    }
    if Some(&digest) == claims.ran.as_ref() {
        return ReceiptProof::Disproven(
            "this statement ran, but in the place of another one that the client sent".to_owned(),
        );
    }
    // Editors end a file with a line break that was never sent.
    let trimmed = text.trim_end_matches(['\r', '\n']);
    if trimmed != text && hex::digits(&of_bytes(trimmed.as_bytes())) == claims.stmt {
        let words = "the client sent this statement, without the line break at its end";
        return ReceiptProof::Proven(words.to_owned());
    }
    ReceiptProof::Disproven("the client sent another statement".to_owned())
}

/// Whether a receipt is about these rows.
pub fn of_rows(claims: &ReceiptClaims, file: &FileRows) -> ReceiptProof {
    let Some(result) = &claims.result else {
        let words = format!(
            "the statement {}: there are no rows to it",
            outcome_words(claims)
        );
        return ReceiptProof::Disproven(words);
    };
    let is_binary = |columns: &Vec<_>| {
        let mut formats = columns.iter();
        formats.any(|column: &super::claims::ReceiptColumn| column.format == ColumnFormat::Binary)
    };
    if claims.columns.as_ref().is_some_and(is_binary) {
        let words = "the rows were sent in binary: a file of texts cannot be compared with them";
        return ReceiptProof::Disproven(words.to_owned());
    }
    if let (Some(names), Some(columns)) = (&file.names, &claims.columns)
        && !names.iter().eq(columns.iter().map(|column| &column.name))
    {
        return ReceiptProof::Disproven("the columns of the file are others".to_owned());
    }
    let count = u64::try_from(file.rows.len()).unwrap_or(u64::MAX);
    if count != claims.rows {
        let words = format!("the client got {} rows, the file has {count}", claims.rows);
        return ReceiptProof::Disproven(words);
    }
    let mut digest = ResultDigest::default();
    for row in &file.rows {
        let values = row.iter().map(|value| value.as_ref().map(String::as_bytes));
        match data_row(values) {
            Ok(bytes) => digest.add(&bytes),
            Err(_) => return ReceiptProof::Disproven("a row is too long".to_owned()),
        }
    }
    match hex::digits(&digest.take()) == *result {
        true => ReceiptProof::Proven(
            match claims.outcome {
                ReceiptOutcome::Complete => {
                    "the client got these rows, in this order, and no others"
                }
                ReceiptOutcome::Part => "the client got these rows, in this order; more may follow",
                _ => "the client got these rows, in this order; a limit kept others back",
            }
            .to_owned(),
        ),
        false => ReceiptProof::Disproven(
            "the client got other rows, or another order of them".to_owned(),
        ),
    }
}

/// What became of the statement, behind "the statement".
pub fn outcome_words(claims: &ReceiptClaims) -> String {
    let code = claims.sqlstate.as_deref().unwrap_or_default();
    match claims.outcome {
        ReceiptOutcome::Complete => "ran to its end".to_owned(),
        ReceiptOutcome::Part => "ran, and a part of its rows was asked for".to_owned(),
        ReceiptOutcome::Cut => "ran, and a limit of the policy ended its result".to_owned(),
        ReceiptOutcome::Failed => format!("failed with SQLSTATE {code}"),
        ReceiptOutcome::Refused => format!("was refused with SQLSTATE {code}"),
    }
}

impl fmt::Display for ReceiptProof {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proven(words) => write!(formatter, "proven: {words}"),
            Self::Disproven(words) => write!(formatter, "not proven: {words}"),
        }
    }
}
