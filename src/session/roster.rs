//! The sessions that are open, for whoever runs pgsieve.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::upstream::signals::Wishes;

/// All sessions that are open. Cheap to clone.
#[derive(Clone, Default)]
pub struct Roster {
    members: Arc<Mutex<BTreeMap<u64, Member>>>,
}

/// One session.
pub struct Member {
    /// The user that it has logged in as.
    pub user: Box<str>,
    /// The name in its certificate that let it in, where that was its proof.
    pub certificate_name: Option<Box<str>>,
    /// What others want of it.
    pub wishes: Arc<Wishes>,
}

/// Keeps a session on the roster until it is dropped.
#[derive(Debug)]
pub struct Membership {
    id: u64,
    roster: Roster,
}

impl Roster {
    /// Takes a session in, by the number of its connection.
    pub fn enter(&self, id: u64, member: Member) -> Membership {
        self.members().insert(id, member);
        Membership {
            id,
            roster: self.clone(),
        }
    }

    /// Ends the sessions of which that is true, as an administrator would; says how many they are.
    pub fn end_where(&self, is_to_end: impl Fn(&Member) -> bool) -> usize {
        let members = self.members();
        let ending = members.values().filter(|member| is_to_end(member));
        ending.map(|member| member.wishes.end()).count()
    }

    fn members(&self) -> MutexGuard<'_, BTreeMap<u64, Member>> {
        self.members.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        self.roster.members().remove(&self.id);
    }
}

impl fmt::Debug for Roster {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Roster({})", self.members().len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_those_are_ended_that_are_meant_and_still_there() {
        let roster = Roster::default();
        let enter = |id, user: &str| {
            let wishes = Arc::new(Wishes::default());
            let member = Member {
                user: user.into(),
                certificate_name: None,
                wishes: Arc::clone(&wishes),
            };
            (roster.enter(id, member), wishes)
        };
        let (ann, ben, gone) = (enter(1, "ann"), enter(2, "ben"), enter(3, "ann"));
        drop(gone.0);
        assert_eq!(roster.end_where(|member| &*member.user == "ann"), 1);
        assert!(ann.1.ends() && !ben.1.ends() && !gone.1.ends());
        drop(ann.0);
        assert_eq!(roster.end_where(|_| true), 1);
    }
}
