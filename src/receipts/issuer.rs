//! Who signs the receipts of a process, and in whose name.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use super::signing_keys::SigningKeys;
use super::token::ReceiptSigner;

/// Signs the receipts of all sessions. The keys can be exchanged while it serves.
#[derive(Debug)]
pub struct ReceiptIssuer {
    name: String,
    valid_seconds: u64,
    /// Tells the receipts of this process from those of any other.
    process: u64,
    signer: RwLock<Arc<ReceiptSigner>>,
}

/// The name of a receipt. The audit has it in the line of the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiptId {
    process: u64,
    session: u64,
    number: u64,
}

impl ReceiptIssuer {
    /// One that signs in this name, with a number that no other process has.
    pub fn new(name: &str, valid_seconds: u64, keys: SigningKeys, process: u64) -> Self {
        Self {
            name: name.to_owned(),
            valid_seconds,
            process,
            signer: RwLock::new(Arc::new(ReceiptSigner::new(keys))),
        }
    }

    /// In whose name receipts are signed.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// For how many seconds they count.
    pub fn valid_seconds(&self) -> u64 {
        self.valid_seconds
    }

    /// Who signs now.
    pub fn signer(&self) -> Arc<ReceiptSigner> {
        Arc::clone(&self.signer.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Other keys sign from now on.
    pub fn renew(&self, keys: SigningKeys) {
        let signer = Arc::new(ReceiptSigner::new(keys));
        *self.signer.write().unwrap_or_else(PoisonError::into_inner) = signer;
    }

    /// The name of the receipt of this number in a session.
    pub fn id(&self, session: u64, number: u64) -> ReceiptId {
        ReceiptId::of(self.process, session, number)
    }
}

impl ReceiptId {
    /// The name of the receipt of this number, in a session of a process.
    pub fn of(process: u64, session: u64, number: u64) -> Self {
        Self {
            process,
            session,
            number,
        }
    }
}

impl fmt::Display for ReceiptId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            process,
            session,
            number,
        } = self;
        write!(formatter, "{process:016x}-{session}-{number}")
    }
}
