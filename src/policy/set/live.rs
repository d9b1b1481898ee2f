//! The policies that hold now, for everybody who judges: swapped as one, never half.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use crate::PolicySet;

/// The policies that hold now. A look at [`LivePolicies::generation`] is one atomic load.
#[derive(Debug)]
pub struct LivePolicies {
    set: RwLock<Arc<PolicySet>>,
    generation: AtomicU64,
}

impl LivePolicies {
    /// Begins with these.
    pub fn new(set: PolicySet) -> Self {
        Self {
            set: RwLock::new(Arc::new(set)),
            generation: AtomicU64::new(1),
        }
    }

    /// A number that is another one whenever the policies may be.
    pub fn generation(&self) -> u64 {
        // Pairs with the store in `replace`: who sees the number sees the policies.
        self.generation.load(Ordering::Acquire)
    }

    /// The policies. Read the generation first: should they be newer, they are taken once more.
    pub fn current(&self) -> Arc<PolicySet> {
        let set = self.set.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&set)
    }

    /// From now on these hold.
    pub fn replace(&self, set: PolicySet) {
        // Those of before are dropped behind the lock: nobody waits for that.
        let mut held = self.set.write().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *held, Arc::new(set));
        drop(held);
        self.generation.fetch_add(1, Ordering::Release);
        drop(before);
    }
}
