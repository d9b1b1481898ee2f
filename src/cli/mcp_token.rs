//! `pgsieve mcp-token`: makes a token that lets an agent in over HTTP. The file has its hash; the
//! token itself is printed once.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::config::quantities;
use crate::mcp::tokens::{McpToken, NewToken};

/// The flags of `mcp-token`.
#[derive(clap::Args)]
pub struct McpTokenFlags {
    /// The file that its line is added to: the one of mcp.token_file. It is made where it is not
    /// there, for its owner alone.
    #[arg(long, value_name = "FILE")]
    file: PathBuf,
    /// What the token is called, to find its line again.
    #[arg(long, value_name = "NAME")]
    name: String,
    /// The user that policies see.
    #[arg(long, value_name = "NAME")]
    user: String,
    /// The role that its sessions log in as [default: the user of upstream.url].
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    /// Its policy by name, whatever policies match [default: the one that matches].
    #[arg(long, value_name = "NAME")]
    policy: Option<String>,
    /// Its database [default: the one of upstream.url].
    #[arg(long, value_name = "NAME")]
    database: Option<String>,
    /// How long it counts: 12h, 90d [default: until its line is taken out].
    #[arg(long, value_name = "TIME")]
    expires: Option<String>,
}

/// Makes a token, adds its line and prints it.
pub fn run(flags: &McpTokenFlags, out: &mut impl Write) -> CommandOutcome {
    let expires = match flags.expires.as_deref().map(end_of) {
        None => None,
        Some(Some(ends)) => Some(ends),
        Some(None) => {
            complain(format_args!("--expires: a time is wanted, as 12h or 90d"));
            return CommandOutcome::Misused;
        }
    };
    let token = match NewToken::draw() {
        Ok(token) => token,
        Err(error) => return fail(format_args!("no token can be drawn: {}", error.kind())),
    };
    let line = McpToken {
        name: flags.name.clone(),
        blake3: token.blake3,
        user: flags.user.clone(),
        role: flags.role.clone(),
        policy: flags.policy.clone(),
        database: flags.database.clone(),
        expires,
    };
    if let Err(error) = line.add_to(&flags.file) {
        let file = flags.file.display();
        return fail(format_args!("{file} cannot be written: {}", error.kind()));
    }
    print_outcome(writeln!(out, "{}", token.secret.reveal()))
}

/// When that time from now is over.
fn end_of(text: &str) -> Option<Timestamp> {
    let span = quantities::duration_within(text, EXPIRY_BOUNDS).ok()?;
    let span = SignedDuration::try_from(span).ok()?;
    Timestamp::now().checked_add(span).ok()
}

/// The shortest and the longest time that a token counts.
const EXPIRY_BOUNDS: (Duration, Duration) = (
    Duration::from_secs(1),
    Duration::from_secs(3660 * 24 * 60 * 60),
);
