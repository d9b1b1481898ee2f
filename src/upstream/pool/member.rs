//! A session that takes its connections of a pool, as it is counted there.

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ConnectionPool;

/// The pool of a session, for as long as it takes connections of it.
pub struct PoolMember(Arc<ConnectionPool>);

impl PoolMember {
    /// A session takes its connections of that pool from now on.
    pub fn of(pool: Arc<ConnectionPool>) -> Self {
        pool.sessions.fetch_add(1, Ordering::Relaxed);
        Self(pool)
    }
}

impl Deref for PoolMember {
    type Target = Arc<ConnectionPool>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl Drop for PoolMember {
    fn drop(&mut self) {
        self.0.sessions.fetch_sub(1, Ordering::Relaxed);
    }
}
