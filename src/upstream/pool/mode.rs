//! Who has a connection for how long.

use crate::words;

words! {
    /// For how long a session has its connection.
    PoolMode {
        /// Until its client leaves: it is the session's own.
        Session => "session",
        /// Until its transaction is over: sessions share it.
        Transaction => "transaction",
    }
}
