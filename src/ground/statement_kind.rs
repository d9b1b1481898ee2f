//! The kinds of statements: a closed list, for rules, policies, audit and metrics. Which one a text
//! is, the gate says.

use crate::words::words;

words! {
    /// The kinds. What Postgres's grammar can produce and is not named here is `Unknown`, and
    /// refused.
    StatementKind {
        /// SELECT, set operations of SELECTs included.
        Select => "select",
        /// VALUES.
        Values => "values",
        /// TABLE.
        Table => "table",
        /// EXPLAIN.
        Explain => "explain",
        /// COPY.
        Copy => "copy",
        /// SHOW.
        Show => "show",
        /// SET in all forms.
        Set => "set",
        /// RESET and SET … TO DEFAULT.
        Reset => "reset",
        /// BEGIN and START TRANSACTION.
        Begin => "begin",
        /// COMMIT and END.
        Commit => "commit",
        /// ROLLBACK, ABORT and ROLLBACK TO.
        Rollback => "rollback",
        /// SET CONSTRAINTS.
        SetConstraints => "set_constraints",
        /// SAVEPOINT.
        Savepoint => "savepoint",
        /// RELEASE.
        Release => "release",
        /// PREPARE TRANSACTION, COMMIT PREPARED, ROLLBACK PREPARED.
        PreparedTransaction => "prepared_transaction",
        /// PREPARE.
        Prepare => "prepare",
        /// EXECUTE.
        Execute => "execute",
        /// DEALLOCATE.
        Deallocate => "deallocate",
        /// DECLARE CURSOR.
        Declare => "declare",
        /// FETCH.
        Fetch => "fetch",
        /// MOVE.
        Move => "move",
        /// CLOSE.
        Close => "close",
        /// DISCARD.
        Discard => "discard",
        /// UNLISTEN.
        Unlisten => "unlisten",
        /// LISTEN.
        Listen => "listen",
        /// NOTIFY.
        Notify => "notify",
        /// LOCK.
        Lock => "lock",
        /// LOAD.
        Load => "load",
        /// INSERT.
        Insert => "insert",
        /// UPDATE.
        Update => "update",
        /// DELETE.
        Delete => "delete",
        /// MERGE.
        Merge => "merge",
        /// DO.
        Do => "do",
        /// CALL.
        Call => "call",
        /// Whatever creates, changes, drops, grants or describes objects of the database.
        Ddl => "ddl",
        /// VACUUM, ANALYZE, CLUSTER, REINDEX, CHECKPOINT and other work on the server.
        Maintenance => "maintenance",
        /// More than one statement in one text.
        Several => "several",
        /// No statement: empty, white space, comments, semicolons.
        Empty => "empty",
        /// A text that never got as far as having a kind.
        Unparsed => "unparsed",
        /// A statement that this list does not have.
        Unknown => "unknown",
    }
}

impl StatementKind {
    /// Whether a policy can let one run.
    pub const fn can_run(self) -> bool {
        let is_refused = matches!(
            self,
            Self::PreparedTransaction
                | Self::Listen
                | Self::Notify
                | Self::Load
                | Self::Insert
                | Self::Update
                | Self::Delete
                | Self::Merge
                | Self::Do
                | Self::Call
                | Self::Ddl
                | Self::Maintenance
        );
        self.is_one_statement() && !is_refused
    }

    /// Whether it is a kind of one statement, and not what else a whole text can be.
    pub const fn is_one_statement(self) -> bool {
        !matches!(
            self,
            Self::Several | Self::Empty | Self::Unparsed | Self::Unknown
        )
    }

    /// Whether it runs what another statement has made: the server then speaks of that one's text.
    pub fn runs_another(self) -> bool {
        matches!(
            self,
            Self::Execute | Self::Fetch | Self::Move | Self::Commit | Self::Several
        )
    }

    /// Whether it only asks: a query, or how one would run.
    pub fn is_query(self) -> bool {
        self.is_plain_query() || self == Self::Explain
    }

    /// Whether it is a query itself: SELECT, VALUES or TABLE.
    pub fn is_plain_query(self) -> bool {
        matches!(self, Self::Select | Self::Values | Self::Table)
    }
}

#[cfg(test)]
mod tests {
    use super::StatementKind;

    #[test]
    fn no_policy_lets_a_write_run() {
        for name in ["insert", "delete", "merge", "ddl", "call", "load", "listen"] {
            let kind = StatementKind::named(name);
            assert!(kind.is_some_and(|kind| kind.is_one_statement() && !kind.can_run()));
        }
        for name in ["select", "explain", "lock", "unlisten", "commit"] {
            assert!(StatementKind::named(name).is_some_and(StatementKind::can_run));
        }
        for name in ["several", "empty", "unparsed", "unknown"] {
            let kind = StatementKind::named(name);
            assert!(kind.is_some_and(|kind| !kind.is_one_statement() && !kind.can_run()));
        }
    }
}
