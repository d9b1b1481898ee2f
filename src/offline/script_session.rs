//! The session that a checked text stands for: what one of its statements changes, the next ones
//! meet. Each statement that may run is taken to succeed.

use std::sync::Arc;

use crate::gate::{Certainty, Judgement, SearchPaths, SessionNames, StatementKind, Verdict};
use crate::session::context::model_values::ModelValues;
use crate::session::context::tracked_setting::{
    EarlierStatements, SearchPathNames, StatementEnd, TrackedChange, TrackedSetting,
    TransactionEnd, TransactionPosition,
};

/// A session as far as the gate knows it.
pub struct ScriptSession {
    names: SessionNames,
    /// Followed only where a database was looked into: nothing else depends on it.
    paths: Option<TrackedSetting<SearchPathNames>>,
    /// The values that the policy's models read, where somebody has said what they are.
    values: Option<ModelValues>,
    in_transaction: bool,
}

/// Where a session looks names up, where that is known for certain; `$user` is who it belongs to,
/// which need not be who logs in.
pub fn certain_path(names: &SessionNames) -> Option<Vec<Box<str>>> {
    let SearchPaths::Known(paths) = names.paths() else {
        return None;
    };
    let [path] = &**paths else { return None };
    let own = path.iter().map(|name| match &**name {
        "$user" => names.role().into(),
        _ => name.clone(),
    });
    Some(own.collect())
}

impl ScriptSession {
    /// One of no database at all.
    pub fn of_no_database() -> Self {
        Self {
            names: SessionNames::of_no_database(),
            paths: None,
            values: None,
            in_transaction: false,
        }
    }

    /// One of a database that was looked into, and where it begins to look up names.
    pub fn new(names: SessionNames, path: Option<SearchPathNames>) -> Self {
        let mut script = Self {
            names,
            paths: Some(TrackedSetting::new(path)),
            values: None,
            in_transaction: false,
        };
        script.update_names();
        script
    }

    /// What the gate has to know of it.
    pub fn names(&self) -> &SessionNames {
        &self.names
    }

    /// The values that models read of it, as it begins.
    pub fn set_values(&mut self, values: ModelValues) {
        self.values = Some(values);
        self.update_names();
    }

    /// A statement of it was judged.
    pub fn apply(&mut self, judgement: &Judgement<'_>) {
        if matches!(judgement.verdict, Verdict::Refused(_)) {
            return;
        }
        for effect in &judgement.facts.effects {
            self.names.apply(effect);
        }
        let effects = &judgement.facts.effects;
        if let Some(paths) = &mut self.paths {
            for change in effects.iter().filter_map(TrackedChange::of_path) {
                paths.applied(&change);
            }
        }
        if let Some(values) = &mut self.values {
            for effect in effects {
                values.applied(effect, Certainty::Certain);
            }
        }
        match judgement.facts.kind {
            StatementKind::Begin => self.in_transaction = true,
            StatementKind::Commit => {
                self.in_transaction = false;
                self.ended(StatementEnd::With(TransactionEnd::Commit));
            }
            // Also to a savepoint: then everything is kept that may hold.
            StatementKind::Rollback => self.ended(StatementEnd::With(TransactionEnd::Rollback)),
            _ if !self.in_transaction => self.ready(),
            _ => {}
        }
        self.update_names();
    }

    fn ended(&mut self, ended: StatementEnd) {
        if let Some(paths) = &mut self.paths {
            paths.ended(ended);
        }
        if let Some(values) = &mut self.values {
            values.ended(ended);
        }
    }

    fn ready(&mut self) {
        if let Some(paths) = &mut self.paths {
            paths.ready(TransactionPosition::Outside, EarlierStatements::Others);
        }
        if let Some(values) = &mut self.values {
            values.ready(TransactionPosition::Outside, EarlierStatements::Others);
        }
    }

    fn update_names(&mut self) {
        if let Some(paths) = &self.paths {
            self.names
                .set_paths(paths.possible(EarlierStatements::Nothing).into());
        }
        if let Some(values) = &self.values {
            self.names
                .set_values(values.now(EarlierStatements::Nothing));
        }
        let paths = self.paths.as_ref();
        let paths = paths.map(|paths| paths.possible(EarlierStatements::Others).into());
        let values = self.values.as_ref();
        let values = values.map(|values| values.now(EarlierStatements::Others));
        self.names.set_at_end(
            paths.unwrap_or_else(|| self.names.paths().clone()),
            values.unwrap_or_else(|| Arc::clone(self.names.values())),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::sync::Arc;

    use super::*;
    use crate::gate::Gate;
    use crate::policy::Policy;
    use crate::sql::fingerprint::Fingerprinter;

    fn paths_after(text: &[&str]) -> Vec<String> {
        let gate = Gate::new(Arc::new(Policy::agent()), Fingerprinter::new(None, [7; 32]));
        let mut script = ScriptSession::new(SessionNames::default(), Some(["first".into()].into()));
        for statement in text {
            let judgement = gate.judge(Cow::Borrowed(statement), script.names());
            script.apply(&judgement);
        }
        match script.names().paths() {
            SearchPaths::Known(paths) => paths.iter().map(|path| path.join(",")).collect(),
            SearchPaths::Unsure(_) | SearchPaths::Unknown => vec!["?".into()],
        }
    }

    #[test]
    fn where_names_are_looked_up_is_followed() {
        let check = |text: &[&str], expected: &[&str]| {
            assert_eq!(paths_after(text), expected, "{text:?}");
        };
        check(&[], &["first"]);
        check(&["SET search_path = a, b"], &["a,b"]);
        check(&["SET search_path = a", "RESET search_path"], &["first"]);
        check(&["SET LOCAL search_path = a"], &["first"]);
        check(&["BEGIN", "SET LOCAL search_path = a"], &["a"]);
        check(
            &["BEGIN", "SET LOCAL search_path = a", "COMMIT"],
            &["first"],
        );
        check(&["BEGIN", "SET search_path = a", "COMMIT"], &["a"]);
        check(&["SELECT set_config('search_path', 'a', false)"], &["a"]);
        check(&["SET search_path = a", "DROP TABLE t"], &["a"]);
        let undone = ["BEGIN", "SET search_path = a", "ROLLBACK"];
        assert!(paths_after(&undone).contains(&"first".into()));
    }
}
