//! `pgsieve receipt verify`: whether a receipt counts, and what it proves.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;

use crate::cli::admin_request::{self, AdminFlags};
use crate::cli::{CommandOutcome, complain, print_outcome};
use crate::config::quantities::duration_within;
use crate::limits::receipts::{RECEIPT_AGE_BOUNDS, RECEIPT_BYTES_MAX};
use crate::receipts::claims::ReceiptClaims;
use crate::receipts::file_rows::{self, FileRows};
use crate::receipts::proof::{self, ReceiptProof};
use crate::receipts::signing_keys::{PublicKey, public_keys};
use crate::receipts::token::{self, ReceiptFault};
use crate::telemetry::session_info::cleaned;

/// The flags of `receipt verify`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct ReceiptVerifyFlags {
    /// The receipt, or - for one on standard input.
    #[arg(value_name = "RECEIPT")]
    receipt: String,
    /// The keys: a set in JSON, as /.well-known/jwks.json of the admin address is, or a file of
    /// keys in PEM. Without it the pgsieve on this host is asked.
    #[arg(long, value_name = "FILE")]
    keys: Option<PathBuf>,
    #[command(flatten)]
    admin_flags: AdminFlags,
    /// A file with the statement, which is compared with the one that the client sent.
    #[arg(long, value_name = "FILE")]
    sql: Option<PathBuf>,
    /// A file with rows, which are compared with those that the client got: CSV with a first line
    /// of names, or JSON Lines if its name ends in .jsonl.
    #[arg(long, value_name = "FILE")]
    result: Option<PathBuf>,
    /// How old the receipt may be.
    #[arg(long, value_name = "DURATION", value_parser = age)]
    max_age: Option<Duration>,
    /// The word that it must have in it: what pgsieve.receipt_nonce was set to.
    #[arg(long, value_name = "WORD")]
    nonce: Option<String>,
    /// Audit files in which its line is looked for.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    audit: Vec<PathBuf>,
    /// Prints what the receipt says, as JSON, and nothing else.
    #[arg(long)]
    json: bool,
}

/// Verifies it.
pub fn run(flags: &ReceiptVerifyFlags, out: &mut impl Write) -> CommandOutcome {
    let given = match given(flags) {
        Ok(given) => given,
        Err(outcome) => return outcome,
    };
    let now = Timestamp::now().as_second();
    let claims = match token::verify(&given.token, &given.keys, now) {
        Ok(claims) => claims,
        Err(fault) => {
            let words = format!("the receipt does not count: {fault}");
            let hint = match fault {
                ReceiptFault::UnknownKey => "; --keys gives others",
                _ => "",
            };
            complain(format_args!("{words}{hint}"));
            return CommandOutcome::Failed;
        }
    };
    let proofs = match proofs(flags, &given, &claims, now) {
        Ok(proofs) => proofs,
        Err(outcome) => return outcome,
    };
    let printed = match flags.json {
        true => serde_json::to_string(&claims)
            .map_err(io::Error::from)
            .and_then(|text| writeln!(out, "{text}")),
        false => print(&claims, &proofs, now, flags, out),
    };
    let is_proven = |proof: &ReceiptProof| matches!(proof, ReceiptProof::Proven(_));
    match (proofs.iter().all(is_proven), print_outcome(printed)) {
        (true, printed) => printed,
        (false, _) => CommandOutcome::Failed,
    }
}

/// What is compared.
struct GivenReceipt {
    token: String,
    keys: Vec<PublicKey>,
    sql: Option<String>,
    rows: Option<String>,
}

fn given(flags: &ReceiptVerifyFlags) -> Result<GivenReceipt, CommandOutcome> {
    let token = match flags.receipt.as_str() {
        "-" => from_stdin()?,
        text => text.to_owned(),
    };
    let keys = match &flags.keys {
        Some(file) => text_of(file)?,
        None => admin_request::ask(&flags.admin_flags, "GET", "/.well-known/jwks.json")
            .map_err(admin_request::explain)?,
    };
    let keys = public_keys(&keys).map_err(|problem| misused(&format!("keys: {problem}")))?;
    Ok(GivenReceipt {
        token: token.trim().to_owned(),
        keys,
        sql: flags.sql.as_deref().map(text_of).transpose()?,
        rows: flags.result.as_deref().map(text_of).transpose()?,
    })
}

/// Everything that was asked of it.
fn proofs(
    flags: &ReceiptVerifyFlags,
    given: &GivenReceipt,
    claims: &ReceiptClaims,
    now: i64,
) -> Result<Vec<ReceiptProof>, CommandOutcome> {
    let mut proofs = Vec::new();
    if let Some(age_max) = flags.max_age {
        let age = u64::try_from(now - claims.iat).unwrap_or_default();
        proofs.push(match age <= age_max.as_secs() {
            true => ReceiptProof::Proven(format!("it is {age} s old")),
            false => ReceiptProof::Disproven(format!("it is {age} s old, which is too old")),
        });
    }
    if let Some(nonce) = &flags.nonce {
        proofs.push(match claims.nonce.as_ref() == Some(nonce) {
            true => ReceiptProof::Proven("it was made for this nonce".to_owned()),
            false => ReceiptProof::Disproven("it was made for another nonce, or none".to_owned()),
        });
    }
    if let Some(sql) = &given.sql {
        proofs.push(proof::of_statement(claims, sql));
    }
    if let (Some(file), Some(text)) = (&flags.result, &given.rows) {
        proofs.push(proof::of_rows(claims, &rows_of(file, text, claims)?));
    }
    if !flags.audit.is_empty() {
        proofs.push(in_audit(&flags.audit, claims)?);
    }
    Ok(proofs)
}

fn rows_of(file: &Path, text: &str, claims: &ReceiptClaims) -> Result<FileRows, CommandOutcome> {
    let columns = claims.columns.as_ref().map(|columns| {
        let names = columns.iter().map(|column| column.name.clone());
        names.collect::<Vec<String>>()
    });
    let is_json = file.extension().is_some_and(|ending| ending == "jsonl");
    let rows = match is_json {
        true => file_rows::from_json_lines(text, columns.as_deref()),
        false => file_rows::from_csv(text),
    };
    rows.map_err(|problem| misused(&format!("{}: {problem}", file.display())))
}

/// Where the audit has the statement's line.
fn in_audit(files: &[PathBuf], claims: &ReceiptClaims) -> Result<ReceiptProof, CommandOutcome> {
    let jti = claims.jti.as_str();
    let wanted = format!("\"receipt\":\"{jti}\"");
    for file in files {
        let opened = fs::File::open(file).map_err(|error| unread(file, &error))?;
        for line in BufReader::new(opened).lines() {
            let line = line.map_err(|error| unread(file, &error))?;
            if !line.contains(&wanted) {
                continue;
            }
            let parsed: serde_json::Value = serde_json::from_str(&line).unwrap_or_default();
            if parsed.get("receipt").and_then(|own| own.as_str()) == Some(jti) {
                let seq = parsed.get("seq").and_then(serde_json::Value::as_u64);
                let number = seq.map_or_else(String::new, |seq| format!(" {seq}"));
                let file = file.display();
                return Ok(match claims.audit_seq {
                    Some(said) if seq != Some(said) => ReceiptProof::Disproven(format!(
                        "line{number} of {file} is about it, and the receipt says line {said}"
                    )),
                    _ => ReceiptProof::Proven(format!("line{number} of {file} is about it")),
                });
            }
        }
    }
    let words = "no line of the audit is about it".to_owned();
    Ok(ReceiptProof::Disproven(words))
}

fn print(
    claims: &ReceiptClaims,
    proofs: &[ReceiptProof],
    now: i64,
    flags: &ReceiptVerifyFlags,
    out: &mut dyn Write,
) -> io::Result<()> {
    let signed = Timestamp::from_second(claims.iat).unwrap_or_default();
    writeln!(
        out,
        "signed by {} at {signed}, {} s ago",
        cleaned(&claims.iss),
        now.saturating_sub(claims.iat)
    )?;
    writeln!(
        out,
        "user {}, database {}, policy {} {}, session {}",
        cleaned(&claims.user),
        cleaned(&claims.database),
        cleaned(&claims.policy),
        cleaned(&claims.policy_version),
        claims.session
    )?;
    writeln!(
        out,
        "the statement {}: {} rows, {} µs",
        proof::outcome_words(claims),
        claims.rows,
        claims.time_us
    )?;
    if let Some(columns) = &claims.columns {
        let names = columns.iter().map(|column| cleaned(&column.name));
        writeln!(out, "columns: {}", names.collect::<Vec<_>>().join(", "))?;
    }
    match (claims.repaired, claims.ran == Some(claims.stmt.clone())) {
        (true, _) => writeln!(out, "a repaired text ran in the place of the client's")?,
        (false, false) if claims.ran.is_some() => {
            writeln!(out, "the policy added to the client's text before it ran")?;
        }
        (false, _) => {}
    }
    for proof in proofs {
        writeln!(out, "{proof}")?;
    }
    if flags.sql.is_none() {
        writeln!(out, "not asked: which statement it was (--sql)")?;
    }
    if flags.result.is_none() && claims.has_result() {
        writeln!(out, "not asked: which rows it brought (--result)")?;
    }
    out.flush()
}

fn from_stdin() -> Result<String, CommandOutcome> {
    let mut text = String::new();
    let most = u64::try_from(RECEIPT_BYTES_MAX).unwrap_or(u64::MAX);
    match io::stdin().take(most).read_to_string(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(misused(&format!("standard input: {}", error.kind()))),
    }
}

fn text_of(file: &Path) -> Result<String, CommandOutcome> {
    fs::read_to_string(file).map_err(|error| unread(file, &error))
}

fn unread(file: &Path, error: &io::Error) -> CommandOutcome {
    misused(&format!(
        "{} cannot be read: {}",
        file.display(),
        error.kind()
    ))
}

fn misused(what: &str) -> CommandOutcome {
    complain(format_args!("{what}"));
    CommandOutcome::Misused
}

/// A duration as in the settings.
fn age(text: &str) -> Result<Duration, String> {
    duration_within(text, RECEIPT_AGE_BOUNDS)
}

const EXIT_STATUS: &str = "Exit status: 0 if the receipt counts and proves all that was asked; 1 if \
                           not; 2 if something could not be read.";
