//! The account that the server's processes run as: our own, unless we are root.
//!
//! Postgres refuses to run as root. The accounts that stand in are those of the machine's own
//! Postgres or, failing that, `nobody`; what they may not read is no use to the server, so the
//! data directory is given to them.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

use super::error::ClusterError;

/// Who the server runs as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServerAccount {
    /// Whoever runs this process.
    CurrentUser,
    /// An account that root hands the server to.
    Other {
        /// User id.
        user: u32,
        /// Group id.
        group: u32,
    },
}

impl ServerAccount {
    /// The account for a server started by this user.
    ///
    /// # Errors
    /// Postgres does not run as root, and there is no account that it could run as.
    pub fn for_server_of(our_user: u32) -> Result<Self, ClusterError> {
        if our_user != 0 {
            return Ok(Self::CurrentUser);
        }
        let listed = fs::read_to_string("/etc/passwd").unwrap_or_default();
        ACCOUNTS
            .iter()
            .find_map(|name| find(&listed, name))
            .map(|(user, group)| Self::Other { user, group })
            .ok_or(ClusterError::NoAccount)
    }

    /// Makes a program run as this account. Where the user changes, the standard library gives up
    /// root's further groups as well.
    pub fn apply(self, command: &mut Command) {
        if let Self::Other { user, group } = self {
            command.uid(user).gid(group);
        }
    }
}

/// User and group of an account in the text of `/etc/passwd`; root does not count.
fn find(listed: &str, name: &str) -> Option<(u32, u32)> {
    let fields = listed.lines().find_map(|line| {
        let (first, rest) = line.split_once(':')?;
        (first == name).then_some(rest)
    })?;
    let mut fields = fields.split(':').skip(1);
    let user: u32 = fields.next()?.parse().ok()?;
    let group: u32 = fields.next()?.parse().ok()?;
    (user != 0).then_some((user, group))
}

/// Tried in this order: the first exists where Postgres is installed, the second nearly everywhere.
const ACCOUNTS: [&str; 3] = ["postgres", "_postgres", "nobody"];

#[cfg(test)]
mod tests {
    use super::*;

    const LISTED: &str = "root:x:0:0:root:/root:/bin/sh\nevil:x:0:0::/:/bin/sh\n\
                          nobody:x:65534:65533:nobody:/:/bin/false\nshort:x\n";

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        assert_eq!(find(LISTED, "nobody"), Some((65534, 65533)));
        assert_eq!(find(LISTED, "nobod"), None);
        assert_eq!(find(LISTED, "short"), None);
    }

    #[test]
    fn root_under_another_name_is_not_taken() {
        assert_eq!(find(LISTED, "evil"), None);
    }

    #[test]
    fn who_is_not_root_stays_who_they_are() {
        assert_eq!(
            ServerAccount::for_server_of(1000).unwrap(),
            ServerAccount::CurrentUser
        );
    }
}
