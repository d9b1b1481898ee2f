//! Whom the console is for.

/// The users of the console, as the settings name them. Without any there is none, and a database
/// of its name is one like others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConsoleAccess {
    /// Users who may do everything.
    pub users: Vec<Box<str>>,
    /// Users who may look.
    pub stats_users: Vec<Box<str>>,
}

/// What a user may do there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleRole {
    /// Everything.
    Operator,
    /// Look.
    Observer,
}

impl ConsoleAccess {
    /// Whether a database of that name is the console.
    pub fn serves(&self, database: &str) -> bool {
        self.is_on() && database == CONSOLE_DATABASE
    }

    /// Whether there is a console.
    pub fn is_on(&self) -> bool {
        !self.users.is_empty() || !self.stats_users.is_empty()
    }

    /// What a user may do, who has proved who it is; none where the console is not for it. Names
    /// are held against each other letter by letter, as the server does.
    pub fn role_of(&self, user: &str) -> Option<ConsoleRole> {
        let is_in = |names: &[Box<str>]| names.iter().any(|name| **name == *user);
        match (is_in(&self.users), is_in(&self.stats_users)) {
            (true, _) => Some(ConsoleRole::Operator),
            (false, true) => Some(ConsoleRole::Observer),
            (false, false) => None,
        }
    }
}

/// The name of the virtual database.
pub const CONSOLE_DATABASE: &str = "pgsieve";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_in_both_lists_may_do_everything_and_others_nothing() {
        let names = |names: &[&str]| names.iter().map(|name| Box::from(*name)).collect();
        let access = ConsoleAccess {
            users: names(&["ann", "bob"]),
            stats_users: names(&["bob", "exporter"]),
        };
        for (user, role) in [
            ("ann", Some(ConsoleRole::Operator)),
            ("bob", Some(ConsoleRole::Operator)),
            ("exporter", Some(ConsoleRole::Observer)),
            ("Ann", None),
            ("", None),
        ] {
            assert_eq!(access.role_of(user), role, "{user}");
        }
        assert!(access.serves("pgsieve") && !access.serves("PgSieve"));
        assert!(!ConsoleAccess::default().serves("pgsieve"));
    }
}
