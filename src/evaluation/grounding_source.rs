//! What a command is told of the database: `pgsieve ground`, as anybody can ask it.

use std::env;
use std::ffi::OsString;
use std::io;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::external_command::{self, CommandBounds, CommandFault};
use super::proxy::{ENV_PROGRAM, EvaluationProxy, without_settings};
use crate::limits::evaluation::{GROUNDING_BYTES_MAX, GROUNDING_TIME_MAX};
use crate::secret::Secret;
use crate::wire_client::session::SessionLogin;

/// How `pgsieve ground` is asked.
#[derive(Clone, Debug)]
pub struct GroundingSource {
    arguments: Vec<OsString>,
    password: Option<Secret>,
    scope: GroundingScope,
    /// How often nobody could say.
    failures: Arc<AtomicUsize>,
}

/// How much is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroundingScope {
    /// What the question needs.
    Question,
    /// Everything.
    Whole,
}

impl GroundingSource {
    /// For sessions at a proxy that log in so, under its policy: what they may read is told, and
    /// nothing that another policy would show.
    ///
    /// # Errors
    /// This program's own file is not known.
    pub fn new(
        proxy: &EvaluationProxy,
        policy: &str,
        login: &SessionLogin<'_>,
        scope: GroundingScope,
    ) -> io::Result<Self> {
        let (address, password) = proxy.upstream();
        let mut arguments = without_settings(env::vars_os());
        arguments.push(env::current_exe()?.into_os_string());
        let told = [
            "ground",
            "--upstream",
            address,
            "--policy",
            policy,
            "--user",
            login.user,
            "--application-name",
            login.application_name,
        ];
        arguments.extend(told.map(OsString::from));
        Ok(Self {
            arguments,
            password: password.cloned(),
            scope,
            failures: Arc::default(),
        })
    }

    /// What a question needs in a database. To be called on a thread that may wait.
    ///
    /// # Errors
    /// The command fails.
    pub fn told(&self, question: &str, database: Option<&str>) -> Result<String, CommandFault> {
        let mut command = Command::new(ENV_PROGRAM);
        command.args(&self.arguments);
        if let Some(password) = &self.password {
            command.env("PGPASSWORD", password.reveal());
        }
        if let Some(database) = database {
            command.args(["--database", database]);
        }
        if self.scope == GroundingScope::Question && !question.is_empty() {
            command.args(["--question", question]);
        }
        let bounds = CommandBounds {
            time_max: GROUNDING_TIME_MAX,
            bytes_max: GROUNDING_BYTES_MAX,
        };
        let told = external_command::run(&mut command, "", &bounds);
        if told.is_err() {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
        told
    }

    /// How often nobody could say.
    pub fn failures(&self) -> usize {
        self.failures.load(Ordering::Relaxed)
    }
}
