//! What the database has to be asked in the session that a grounding is for: each statement is
//! judged like one of a client, and runs under a permit.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use crate::catalog::{
    Catalog, Column, Mask, RelationId, RelationKind, RolePrivileges, SchemaKind, quoted,
};
use crate::gate::{Gate, Verdict};
use crate::grounding::{ColumnSamples, DescribedColumn, ModelDescription};
use crate::limits;
use crate::policy::PolicyModel;
use crate::session::readable_objects::{ReadableObjects, selection};
use crate::upstream::account::UpstreamAccount;
use crate::upstream::connect::Upstream;
use crate::upstream::identity::ServerIdentity;
use crate::upstream::read_session::{ReadError, ReadRows, ReadSession, ResultColumn};

/// The way to the database, and who goes there.
pub struct GroundingLogin {
    /// Where connections live; the thread that reads waits for them.
    pub runtime: Handle,
    /// The way.
    pub upstream: Arc<Upstream>,
    /// Who logs in.
    pub account: UpstreamAccount,
    /// Its name.
    pub database: String,
    /// The server that its catalog is of, where that has to be the one that is asked.
    pub server: Option<ServerIdentity>,
    /// When it is given up, where somebody waits.
    pub ends: Option<Instant>,
}

/// Why a session could not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnreadSession {
    /// Nobody is let in, or the account may not take the role.
    Unopened,
    /// It is at another server than the one whose catalog is known.
    OtherServer,
    /// It takes longer than somebody waits.
    TimedOut,
}

/// A session that is opened when something is asked first.
pub struct SessionReading {
    login: GroundingLogin,
    parameters: Vec<(String, String)>,
    session: Option<ReadSession>,
    /// The session could not be opened, or was lost more often than it is opened again.
    openings_left: usize,
    failure: Option<UnreadSession>,
}

impl SessionReading {
    /// One for a session under the policy of a gate.
    ///
    /// # Errors
    /// The policy refuses such a session at its login, in these words.
    pub fn new(login: GroundingLogin, gate: &Gate, role: &str) -> Result<Self, String> {
        let asked = [
            ("user", login.account.user.as_str()),
            ("database", &login.database),
        ];
        let plan = gate.judge_startup(&asked);
        let plan = plan.map_err(|refusal| refusal.message.clone())?;
        // Whoever logs in may have more rights than the role whose session it is.
        let mut parameters = plan.parameters;
        if role != login.account.user {
            parameters.push(("role".to_owned(), role.to_owned()));
        }
        Ok(Self {
            login,
            parameters,
            session: None,
            openings_left: limits::served_groundings::SESSIONS_MAX,
            failure: None,
        })
    }

    /// Why something could not be asked, where that is so.
    pub fn failure(&self) -> Option<UnreadSession> {
        self.failure
    }

    /// The database's name.
    pub fn database(&self) -> &str {
        &self.login.database
    }

    /// The columns of what stands under the names of relations that the policy covers.
    pub fn covered(
        &mut self,
        readable: &ReadableObjects<'_>,
        mask: Option<&Mask>,
        privileges: &RolePrivileges<'_>,
        models: &[PolicyModel],
    ) -> BTreeMap<RelationId, ModelDescription> {
        let catalog = readable.catalog;
        let mut covered = BTreeMap::new();
        let Some(mask) = mask else { return covered };
        for id in relations_of_users(catalog) {
            if !mask.covers(id) || !privileges.sees_relation(id) {
                continue;
            }
            let text = format!("SELECT * FROM {} LIMIT 0", catalog.relation_name(id));
            if let Some(rows) = self.rows(readable, &text) {
                let names = catalog.names();
                let relation = catalog.relation(id);
                let (schema, name) = (catalog.schema(relation.schema).name, relation.name);
                let (schema, name) = (names.text(schema), names.text(name));
                let written = models
                    .iter()
                    .find(|model| !model.is_new && model.schema == schema && model.name == name);
                let columns = described(catalog, &rows.columns);
                covered.insert(id, description(schema, name, written, columns));
            }
        }
        covered
    }

    /// The policy's models of new names, as the server describes them.
    pub fn models(
        &mut self,
        readable: &ReadableObjects<'_>,
        models: &[PolicyModel],
    ) -> Vec<ModelDescription> {
        let mut told = Vec::new();
        for model in models.iter().filter(|model| model.is_new) {
            let (schema, name) = (quoted(&model.schema), quoted(&model.name));
            let text = format!("SELECT * FROM {schema}.{name} LIMIT 0");
            if let Some(rows) = self.rows(readable, &text) {
                let columns = described(readable.catalog, &rows.columns);
                told.push(description(
                    &model.schema,
                    &model.name,
                    Some(model),
                    columns,
                ));
            }
        }
        told
    }

    /// The values of columns of texts that have few, among the first rows of each relation.
    pub fn samples(
        &mut self,
        readable: &ReadableObjects<'_>,
        privileges: &RolePrivileges<'_>,
    ) -> ColumnSamples {
        let catalog = readable.catalog;
        let mut samples = ColumnSamples::new();
        for id in relations_of_users(catalog) {
            if !privileges.sees_relation(id) {
                continue;
            }
            for column in catalog.columns_of(id) {
                if is_text(catalog, column) && privileges.may_read_column(id, column) {
                    let name = catalog.names().text(column.name);
                    if let Some(values) = self.values(readable, id, name) {
                        samples.insert((id, column.number), values);
                    }
                }
            }
        }
        samples
    }

    /// The values of a column; none where they are many, long or none.
    fn values(
        &mut self,
        readable: &ReadableObjects<'_>,
        id: RelationId,
        column: &str,
    ) -> Option<Vec<String>> {
        let rows = selection(readable.catalog, id, &[column]);
        let (most, name) = (limits::GROUNDING_SAMPLES_MAX, quoted(column));
        let text = format!(
            "SELECT DISTINCT {name}::text FROM ({rows} LIMIT {}) AS sampled \
             WHERE {name} IS NOT NULL ORDER BY 1 LIMIT {}",
            limits::GROUNDING_SAMPLED_ROWS_MAX,
            most + 1
        );
        let values = self
            .rows(readable, &text)?
            .rows
            .into_iter()
            .flatten()
            .flatten();
        let values: Vec<String> = values.collect();
        let is_short = |value: &String| {
            value.chars().count() <= limits::GROUNDING_SAMPLE_LETTERS_MAX
                && !value.chars().any(char::is_control)
        };
        let are_few = !values.is_empty() && values.len() <= most && values.iter().all(is_short);
        are_few.then_some(values)
    }

    /// The result of a statement in such a session; none where it is refused or fails.
    fn rows(&mut self, readable: &ReadableObjects<'_>, text: &str) -> Option<ReadRows> {
        let judgement = readable.gate.judge(Cow::Borrowed(text), readable.names);
        let Verdict::Permitted(permit) = &judgement.verdict else {
            return None;
        };
        let now = Instant::now();
        let mut deadline = now + WAIT;
        if let Some(ends) = self.login.ends {
            deadline = deadline.min(ends);
            if ends <= now {
                self.failure = Some(UnreadSession::TimedOut);
            }
        }
        if self.failure == Some(UnreadSession::TimedOut) {
            return None;
        }
        let runtime = self.login.runtime.clone();
        let (session, rows) = runtime.block_on(async {
            let mut session = self.session_until(deadline).await?;
            let path: [&str; 1] = ["pg_catalog"];
            let rows = session.rows(permit, &path, deadline).await;
            Some((session, rows))
        })?;
        if !rows.as_ref().is_err_and(ReadError::is_lost) {
            self.session = Some(session);
        }
        rows.ok()
    }

    /// The session that is open, or one that is opened.
    async fn session_until(&mut self, deadline: Instant) -> Option<ReadSession> {
        if let Some(session) = self.session.take() {
            return Some(session);
        }
        self.openings_left = self.openings_left.checked_sub(1)?;
        let GroundingLogin {
            upstream,
            account,
            database,
            server,
            ..
        } = &self.login;
        let opened = ReadSession::open(upstream, account, database, &self.parameters, deadline);
        match opened.await {
            Ok(session) if session.is_at(server.as_ref()) => Some(session),
            Ok(_) => {
                self.failure = Some(UnreadSession::OtherServer);
                None
            }
            Err(_) => {
                self.failure = Some(UnreadSession::Unopened);
                None
            }
        }
    }
}

/// What the policy says of a model, with the columns that the server says it has.
fn description(
    schema: &str,
    name: &str,
    written: Option<&PolicyModel>,
    mut columns: Vec<DescribedColumn>,
) -> ModelDescription {
    let calculated = written.map_or(&[][..], |model| &model.calculated.all);
    for column in &mut columns {
        column.is_calculated = calculated.iter().any(|own| own.name == column.name);
    }
    ModelDescription {
        schema: schema.to_owned(),
        name: name.to_owned(),
        about: written.map_or(String::new(), |model| model.about.clone()),
        columns,
        column_comments: written.map_or(BTreeMap::new(), |model| model.columns.clone()),
    }
}

fn described(catalog: &Catalog, columns: &[ResultColumn]) -> Vec<DescribedColumn> {
    let columns = columns.iter().map(|column| DescribedColumn {
        name: column.name.clone(),
        type_id: catalog.index().type_of_oid(column.type_oid),
        type_modifier: column.type_modifier,
        is_calculated: false,
    });
    columns.collect()
}

/// What can stand in FROM and is not the server's own.
fn relations_of_users(catalog: &Catalog) -> impl Iterator<Item = RelationId> {
    let relations = catalog.relations().filter(|(_, relation)| {
        let is_read = !matches!(
            relation.kind,
            RelationKind::Sequence | RelationKind::CompositeType
        );
        is_read && catalog.schema(relation.schema).kind == SchemaKind::Ordinary
    });
    relations.map(|(id, _)| id)
}

/// Whether the values of a column are texts, enumerations not among them: those have labels.
fn is_text(catalog: &Catalog, column: &Column) -> bool {
    catalog.data_type(column.type_id).category == STRINGS
}

/// `typcategory` of the types of texts.
const STRINGS: u8 = b'S';

/// How long one statement may take: what takes longer is not told.
const WAIT: Duration = limits::served_groundings::STATEMENT_TIME_MAX;
