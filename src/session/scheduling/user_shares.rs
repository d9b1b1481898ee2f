//! The part that each user may take of something that all share.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use tokio::sync::Semaphore;

/// The parts of all users who have one at the moment. Cheap to clone.
#[derive(Debug, Clone)]
pub(in crate::session) struct UserShares {
    /// How many places a part has.
    places: usize,
    parts: Arc<Mutex<HashMap<Box<str>, Weak<Semaphore>>>>,
}

impl UserShares {
    /// Parts of so many places each.
    pub(in crate::session) fn new(places: usize) -> Self {
        Self {
            places,
            parts: Arc::default(),
        }
    }

    /// The part of a user.
    pub(in crate::session) fn of(&self, user: &str) -> Arc<Semaphore> {
        let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = parts.get(user).and_then(Weak::upgrade) {
            return part;
        }
        parts.retain(|_, part| part.strong_count() > 0);
        let part = Arc::new(Semaphore::new(self.places));
        parts.insert(user.into(), Arc::downgrade(&part));
        part
    }
}

#[cfg(test)]
mod tests {
    use super::UserShares;

    #[test]
    fn a_part_is_its_user_s_alone() {
        let parts = UserShares::new(1);
        let ann = parts.of("ann");
        let held = ann.clone().try_acquire_owned().unwrap();
        assert!(parts.of("ann").try_acquire().is_err(), "it has one place");
        assert!(parts.of("bob").try_acquire().is_ok());
        drop(held);
        assert!(parts.of("ann").try_acquire().is_ok());
    }

    #[test]
    fn parts_that_nobody_has_are_forgotten() {
        let parts = UserShares::new(1);
        for number in 0..100 {
            parts.of(&format!("user {number}"));
        }
        assert_eq!(parts.parts.lock().unwrap().len(), 1);
    }
}
