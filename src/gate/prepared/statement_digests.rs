//! What receipts say of a prepared statement and of a portal: kept with their names, so that it
//! goes when they go. Nobody fills it where no receipts are made.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// What receipts say of a prepared statement.
pub struct StatementDigests {
    /// The digest of the text that the client sent.
    pub sent: [u8; 32],
    /// The digest of the text that runs.
    pub ran: [u8; 32],
    columns: OnceLock<DescribedColumns>,
}

/// What receipts say of a portal.
pub struct PortalDigests {
    /// What they say of its statement.
    pub statement: Arc<StatementDigests>,
    /// The digest of its parameters.
    pub parameters: [u8; 32],
    /// The formats that its columns were asked for in: none, one for all, or one for each.
    pub formats: Box<[bool]>,
}

/// A description of columns, for as long as it is kept.
struct DescribedColumns {
    body: Box<[u8]>,
    kept: KeptDescriptions,
}

/// The bytes of descriptions that a session keeps.
#[derive(Clone, Debug, Default)]
pub struct KeptDescriptions(Arc<AtomicUsize>);

impl StatementDigests {
    /// Of a statement that nobody has asked to describe.
    pub fn new(sent: [u8; 32], ran: [u8; 32]) -> Self {
        Self {
            sent,
            ran,
            columns: OnceLock::new(),
        }
    }

    /// The body of its RowDescription, where the client has asked for one.
    pub fn columns(&self) -> Option<&[u8]> {
        self.columns.get().map(|columns| &*columns.body)
    }

    /// The upstream has described it; kept where `kept` is below `bytes_max` with it.
    pub fn described(&self, body: &[u8], kept: &KeptDescriptions, bytes_max: usize) {
        let taken = kept.0.load(Ordering::Relaxed).saturating_add(body.len());
        if self.columns.get().is_some() || taken > bytes_max {
            return;
        }
        kept.0.store(taken, Ordering::Relaxed);
        // Whoever is second gives its bytes back as it is dropped.
        let _ = self.columns.set(DescribedColumns {
            body: body.into(),
            kept: kept.clone(),
        });
    }
}

impl Drop for DescribedColumns {
    fn drop(&mut self) {
        self.kept.0.fetch_sub(self.body.len(), Ordering::Relaxed);
    }
}

impl fmt::Debug for StatementDigests {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("StatementDigests(…)")
    }
}

impl fmt::Debug for PortalDigests {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PortalDigests(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_are_kept_within_their_bound() {
        let kept = KeptDescriptions::default();
        let [first, second] = [(); 2].map(|()| StatementDigests::new([0; 32], [1; 32]));
        first.described(&[7; 60], &kept, 100);
        second.described(&[8; 60], &kept, 100);
        assert_eq!(first.columns(), Some(&[7; 60][..]));
        assert_eq!(second.columns(), None);
        drop(first);
        second.described(&[8; 60], &kept, 100);
        assert_eq!(second.columns(), Some(&[8; 60][..]));
        drop(second);
        assert_eq!(kept.0.load(Ordering::Relaxed), 0);
    }
}
