//! The names of what is logged. They stay: whoever watches the log leans on them. The warnings of
//! settings ([`crate::telemetry::labels::SettingsWarning`]) are names of their own beside these.

use crate::words::words;

words! {
    /// What a line of the log is about.
    LogEvent {
        /// A fault of pgsieve's own ended a task; where it was.
        Panic => "panic",
        /// An address is open.
        Listening => "listening",
        /// What reads and writes sockets, where the settings ask for more than epoll.
        IoBackend => "io_backend",
        /// The process is to end: no new clients are taken.
        Draining => "draining",
        /// A session ended by a fault of pgsieve's own.
        SessionPanicked => "session_panicked",
        /// The file of budgets cannot be written or read.
        BudgetFileFailed => "budget_file_failed",
        /// The store of limits does not answer.
        LimitsStoreLost => "limits_store_lost",
        /// It answers again.
        LimitsStoreReached => "limits_store_reached",
        /// The process ends.
        Stopped => "stopped",
        /// There were too many lines in a second.
        LinesLeftOut => "lines_left_out",
        /// An administrator wants a session to end.
        SessionEndAsked => "session_end_asked",
        /// Somebody has the console do something.
        ConsoleCommand => "console_command",
        /// Nobody answers at the database.
        UpstreamUnreachable => "upstream_unreachable",
        /// Of which engine the database is.
        UpstreamEngine => "upstream_engine",
        /// The database does not let in who stands for a client.
        UpstreamIdentityRefused => "upstream_identity_refused",
        /// The database cannot be asked for verifiers.
        AuthQueryFailed => "auth_query_failed",
        /// What the database has of a user lets nobody in; why.
        AuthQueryRefused => "auth_query_refused",
        /// A token lets nobody in; why.
        TokenRefused => "token_refused",
        /// The file of agents' tokens cannot be read.
        TokenFileFailed => "token_file_failed",
        /// The file of the keys of agents' issuer cannot be taken.
        IssuerKeysFailed => "issuer_keys_failed",
        /// A catalog was loaded.
        CatalogLoaded => "catalog_loaded",
        /// Objects of a database have changed.
        CatalogDrifted => "catalog_drifted",
        /// A catalog cannot be loaded or checked.
        CatalogFailed => "catalog_failed",
        /// A catalog is not used any more: nobody could check it.
        CatalogWithdrawn => "catalog_withdrawn",
        /// A connection was turned away before its login.
        ConnectionRefused => "connection_refused",
        /// Read-only was in doubt: a session is closed.
        Tripwire => "tripwire",
        /// A peer broke the protocol.
        ProtocolViolation => "protocol_violation",
        /// A login failed.
        LoginFailed => "login_failed",
        /// One thing that is wrong with settings that were read again.
        SettingsProblem => "settings_problem",
        /// Settings were read again.
        SettingsRead => "settings_read",
        /// Settings that were read again were not taken.
        SettingsRejected => "settings_rejected",
        /// A key waits for a restart.
        SettingsWait => "settings_wait",
        /// Sessions ended because their users are gone.
        SessionsEnded => "sessions_ended",
        /// No client is let in before the policies' tests have passed.
        PolicyTestsWait => "policy_tests_wait",
        /// They have.
        PolicyTestsPassed => "policy_tests_passed",
        /// These policies hold from the start.
        PoliciesHold => "policies_hold",
        /// A policy has ended by itself.
        PolicyEnded => "policy_ended",
        /// The policies fit the databases again.
        PoliciesFit => "policies_fit",
        /// The policies do not fit the databases.
        PoliciesMisfit => "policies_misfit",
        /// Policies were read again.
        PoliciesRead => "policies_read",
        /// Policies that were read again were not taken.
        PoliciesRejected => "policies_rejected",
        /// One thing that is wrong with policies.
        PolicyProblem => "policy_problem",
        /// Patterns of the policies stand for nothing.
        PatternsIdle => "patterns_idle",
        /// A place of the audit is reached again.
        AuditReached => "audit_reached",
        /// A place of the audit is not reached.
        AuditUnreached => "audit_unreached",
        /// The audit's file was put aside.
        AuditRotated => "audit_rotated",
        /// It cannot be put aside.
        AuditRotateFailed => "audit_rotate_failed",
        /// The audit's file was opened anew.
        AuditReopened => "audit_reopened",
        /// It cannot be opened anew.
        AuditReopenFailed => "audit_reopen_failed",
        /// The audit goes on in another file.
        AuditMoved => "audit_moved",
        /// The audit is written to other places.
        AuditPlaces => "audit_places",
        /// A new place of the audit cannot be taken up.
        AuditStays => "audit_stays",
        /// The audit was written to its end.
        AuditClosed => "audit_closed",
        /// The audit could not be written to its end.
        AuditLost => "audit_lost",
        /// A collector has refused lines of the audit for good.
        AuditRefused => "audit_refused",
        /// The capture's file has as much as it may have.
        CaptureFull => "capture_full",
        /// It cannot be written.
        CaptureFailed => "capture_failed",
        /// The collector takes no spans.
        TracesRefused => "traces_refused",
        /// The collector takes spans again.
        TracesTaken => "traces_taken",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::telemetry::labels::SettingsWarning;

    fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else if path.extension().is_some_and(|end| end == "rs") {
                found.push(path);
            }
        }
    }

    #[test]
    fn names_are_unique_in_the_page_and_each_is_logged_somewhere() {
        let warnings = SettingsWarning::ALL.iter().map(|one| one.name());
        let names: Vec<&str> = LogEvent::ALL
            .iter()
            .map(|one| one.name())
            .chain(warnings)
            .collect();
        let unique: BTreeSet<&str> = names.iter().copied().collect();
        assert_eq!(unique.len(), names.len());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let page = fs::read_to_string(root.join("docker/README.md")).unwrap();
        for name in &names {
            let is_word = name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            assert!(is_word && page.contains(&format!("`{name}`")), "{name}");
        }
        let mut files = Vec::new();
        sources(&root.join("src"), &mut files);
        let texts = files.iter().filter(|path| !path.ends_with("log_events.rs"));
        let all: String = texts
            .map(|path| fs::read_to_string(path).unwrap())
            .collect();
        for event in LogEvent::ALL {
            let used = format!("LogEvent::{event:?}");
            let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric());
            let is_used = all
                .match_indices(&used)
                .any(|(at, _)| ends(&all[at + used.len()..]));
            assert!(is_used, "{event:?} is logged nowhere");
        }
        // Whoever logs gives a name.
        let calls = all.matches("log.line(").count() + all.matches("\n        .line(Level").count();
        assert!(calls > 30, "{calls}");
    }
}
