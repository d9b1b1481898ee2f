//! Tokens that let callers in over HTTP: a file with one JSON object a line, each a token's hash
//! and who it is. It is looked at again when it changes, so a token that is taken out lets nobody
//! in any more.

use std::collections::HashMap;
use std::fmt;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use blake3::Hash;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::bearer_grant::BearerGrant;
use super::watched_file::WatchedFile;
use crate::limits::mcp::TOKEN_FILE_BYTES_MAX;
use crate::policy::set::matching::UserClaims;
use crate::secret::Secret;
use crate::telemetry::labels::LoginMethod;
use crate::text_file;

/// A token, as its line has it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct McpToken {
    /// What people call it: it is told in no other place.
    pub name: String,
    /// BLAKE3 of the token, in hexadecimal.
    pub blake3: String,
    /// The user that policies see.
    pub user: String,
    /// The role that its sessions log in as at the upstream; the URL's user without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Its policy; without it the one that such a session gets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Its database; the URL's without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub database: Option<String>,
    /// When it ends; never without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
}

/// A file of tokens.
pub struct TokenFile {
    read: Mutex<ReadTokens>,
}

/// What was read of it last.
struct ReadTokens {
    file: WatchedFile,
    tokens: HashMap<Hash, Arc<BearerGrant>>,
    /// Whether the file could not be read.
    is_unread: bool,
    /// Why, until that is told.
    fault: Option<TokenFileFault>,
}

/// Why a file has no tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenFileFault(String);

/// A token that was just made, and its line.
pub struct NewToken {
    /// What its bearer says.
    pub secret: Secret,
    /// Its hash, as a line has it.
    pub blake3: String,
}

impl NewToken {
    /// Draws one.
    ///
    /// # Errors
    /// The system has no random bytes.
    pub fn draw() -> io::Result<Self> {
        let mut random = [0; 32];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let text = format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
        Ok(Self {
            blake3: hash_of(&text).to_hex().to_string(),
            secret: Secret::new(text),
        })
    }
}

impl McpToken {
    /// Adds its line to a file, which is made for its owner alone where it is not there.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn add_to(&self, file: &Path) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        let mut options = OpenOptions::new();
        let mut opened = options.create(true).append(true).mode(0o600).open(file)?;
        opened.write_all(&line)?;
        opened.sync_all()
    }

    /// What it lets its bearer do.
    fn grant(self, key: Hash) -> BearerGrant {
        BearerGrant {
            key,
            user: self.user,
            role: self.role,
            policy: self.policy,
            database: self.database,
            claims: UserClaims::new(),
            method: LoginMethod::McpToken,
            expires: self.expires.map(|ends| ends.as_second()),
        }
    }
}

impl TokenFile {
    /// Reads it.
    ///
    /// # Errors
    /// It cannot be read, or a line of it is no token.
    pub fn open(path: &Path) -> Result<Self, TokenFileFault> {
        let file = WatchedFile::at(path);
        Ok(Self {
            read: Mutex::new(ReadTokens {
                file,
                tokens: tokens_of(path)?,
                is_unread: false,
                fault: None,
            }),
        })
    }

    /// The token that somebody says, where the file has it and it has not ended.
    pub fn find(&self, said: &str) -> Option<Arc<BearerGrant>> {
        self.has(&hash_of(said))
    }

    /// The token of a hash, where the file has it still and it has not ended.
    pub fn has(&self, hash: &Hash) -> Option<Arc<BearerGrant>> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.look();
        let token = read.tokens.get(hash)?;
        (!token.has_ended()).then(|| Arc::clone(token))
    }

    /// Why it lets nobody in any more, where that was found since this was asked last.
    pub fn new_fault(&self) -> Option<TokenFileFault> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.look();
        read.fault.take()
    }
}

impl ReadTokens {
    /// Reads the file again where it is another one. A file that cannot be read lets nobody in.
    fn look(&mut self) {
        if !self.file.is_due() {
            return;
        }
        let read = tokens_of(self.file.path());
        let fault = read.as_ref().err().cloned();
        if self.is_unread != fault.is_some() {
            self.is_unread = fault.is_some();
            self.fault = fault;
        }
        self.tokens = read.unwrap_or_default();
    }
}

/// The hash of a token as its bearer says it.
pub fn hash_of(said: &str) -> Hash {
    blake3::hash(said.as_bytes())
}

fn tokens_of(path: &Path) -> Result<HashMap<Hash, Arc<BearerGrant>>, TokenFileFault> {
    let text = text_file::read(path, TOKEN_FILE_BYTES_MAX);
    let text = text.map_err(|fault| {
        TokenFileFault(format!("the file cannot be read: {}", fault.describe(path)))
    })?;
    let mut tokens = HashMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        // What a line says is not quoted: it may be a token.
        let wrong = || TokenFileFault(format!("line {number} is no token: {WANTED}"));
        let token: McpToken = serde_json::from_str(line).map_err(|_| wrong())?;
        let hash = Hash::from_hex(&token.blake3).map_err(|_| wrong())?;
        tokens.insert(hash, Arc::new(token.grant(hash)));
    }
    Ok(tokens)
}

impl fmt::Display for TokenFileFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for TokenFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TokenFile")
    }
}

/// What tokens begin with, so that a scanner of secrets finds those that leak.
const TOKEN_PREFIX: &str = "pgsieve_";

const WANTED: &str =
    "an object of name, blake3 and user is wanted, as `pgsieve mcp token` makes it";

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn file(name: &str, text: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("mcp-tokens-{name}-{}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn a_token_is_found_by_what_its_bearer_says() {
        let [one, ended] = [NewToken::draw().unwrap(), NewToken::draw().unwrap()];
        let path = file(
            "found",
            &format!(
                "{{\"name\": \"a\", \"blake3\": \"{}\", \"user\": \"ann\", \"policy\": \"p\"}}\n\n\
                 {{\"name\": \"b\", \"blake3\": \"{}\", \"user\": \"bob\", \
                 \"expires\": \"2020-01-01T00:00:00Z\"}}\n",
                one.blake3, ended.blake3
            ),
        );
        let tokens = TokenFile::open(&path).unwrap();
        let found = tokens.find(one.secret.reveal()).unwrap();
        assert_eq!((&*found.user, found.policy.as_deref()), ("ann", Some("p")));
        assert!(tokens.find(ended.secret.reveal()).is_none());
        for wrong in ["", "x", &one.blake3, &one.secret.reveal()[1..]] {
            assert!(tokens.find(wrong).is_none(), "{wrong}");
        }
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_line_that_is_no_token_is_told_and_not_quoted() {
        let hash = "0".repeat(64);
        for line in [
            "secret".to_owned(),
            "{\"name\": \"secret\"}".to_owned(),
            format!("{{\"name\": \"a\", \"blake3\": \"secret{hash}\", \"user\": \"u\"}}"),
            format!("{{\"name\": \"a\", \"blake3\": \"{hash}\", \"user\": \"u\", \"secret\": 1}}"),
        ] {
            let path = file("wrong", &format!("\n{line}\n"));
            let fault = TokenFile::open(&path).unwrap_err().to_string();
            assert!(
                fault.starts_with("line 2 ") && !fault.contains("secret"),
                "{fault}"
            );
            std::fs::remove_file(path).unwrap();
        }
        assert!(TokenFile::open(Path::new("/nonesuch")).is_err());
    }
}
