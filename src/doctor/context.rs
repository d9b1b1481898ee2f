//! What an examination stands on: the connection, the server, the role, and the roles whose rights
//! it has or can take.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::future::poll_fn;
use std::pin::pin;

use futures_core::Stream;
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Row};

use super::sql_names::sql_name;
use crate::auth::function_name::FunctionName;
use crate::limits;

/// A connection, and who it belongs to.
pub struct DoctorContext<'c> {
    client: &'c Client,
    /// The major version of the server.
    pub major: u16,
    /// The database.
    pub database: String,
    /// The role.
    pub own: ExaminedRole,
    /// The roles that it is a member of, in some way that counts, by their ids; itself as well.
    pub reach: BTreeMap<u32, ExaminedRole>,
    /// All memberships that count.
    pub edges: Vec<RoleMembership>,
    /// The function that tells pgsieve verifiers, where the settings want one.
    pub lookup: Option<FunctionName>,
}

/// A role.
#[derive(Debug, Clone)]
pub struct ExaminedRole {
    /// Its id.
    pub id: u32,
    /// Its name.
    pub name: String,
    /// Whether no right holds it back.
    pub superuser: bool,
    /// Whether it may make roles.
    pub createrole: bool,
    /// Whether it may make databases.
    pub createdb: bool,
    /// Whether it may replicate.
    pub replication: bool,
    /// Whether row security does not hold it back.
    pub bypassrls: bool,
    /// How many connections it may have; all that there are where negative.
    pub connections: i32,
    /// When its password ends, in words.
    pub password_ends: Option<String>,
}

/// A membership.
#[derive(Debug, Clone)]
pub struct RoleMembership {
    /// Of what.
    pub role: u32,
    /// Who.
    pub member: u32,
    /// Who gave it, by name.
    pub grantor: String,
    /// Whether it can be given away.
    pub admin: bool,
    /// Whether its rights count without a SET ROLE.
    pub inherits: bool,
}

/// Why an examination ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExamineFailure {
    /// The connection was lost.
    Lost,
    /// An answer is not what the documentation says.
    Unreadable,
    /// There is more than an examination takes.
    TooMuch,
    /// The server says no version, or an old one.
    UnknownVersion,
    /// It took longer than it may.
    TimedOut,
    /// A question brought an error that is none of rights.
    Unanswered,
}

impl<'c> DoctorContext<'c> {
    /// Finds out where it is.
    ///
    /// # Errors
    /// The server failed to answer, answered in another form than it was asked for, or is of a
    /// version that is not known.
    pub async fn load(client: &'c Client) -> Result<Self, ExamineFailure> {
        let mut context = Self {
            client,
            major: 0,
            database: String::new(),
            own: ExaminedRole::unknown(),
            reach: BTreeMap::new(),
            edges: Vec::new(),
            lookup: None,
        };
        let row = context
            .row(WHERE)
            .await?
            .ok_or(ExamineFailure::Unreadable)?;
        let number: i32 = field(&row, 0)?;
        let major = u16::try_from(number / 10_000);
        context.major = major.map_err(|_error| ExamineFailure::UnknownVersion)?;
        if u32::from(context.major) < limits::POSTGRES_MAJOR_MIN {
            return Err(ExamineFailure::UnknownVersion);
        }
        context.database = field(&row, 1)?;
        let (own, owner): (u32, u32) = (field(&row, 2)?, field(&row, 3)?);
        let roles = context.roles().await?;
        context.edges = context.memberships().await?;
        context.reach_of(own, owner, roles)?;
        Ok(context)
    }

    /// All rows of a question; none where the role may not ask it, or the server does not know what
    /// it is about.
    ///
    /// # Errors
    /// The server failed to answer, or answered in another form than it was asked for.
    pub async fn rows(
        &self,
        text: &str,
        parameters: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Option<Vec<Row>>, ExamineFailure> {
        let text = format!("{text} LIMIT {}", limits::EXAMINATION_ROWS_MAX + 1);
        let parameters = parameters
            .iter()
            .map(|(value, kind)| (*value, kind.clone()));
        let answer = match self.client.query_typed_raw(&text, parameters).await {
            Ok(answer) => answer,
            Err(error) => return unanswered(&error),
        };
        let mut answer = pin!(answer);
        let (mut rows, mut bytes) = (Vec::new(), 0_usize);
        // What the server was asked for it need not stick to.
        while let Some(row) = poll_fn(|context| answer.as_mut().poll_next(context)).await {
            let row = match row {
                Ok(row) => row,
                Err(error) => return unanswered(&error),
            };
            bytes = bytes.saturating_add(row.raw_size_bytes());
            rows.push(row);
            if rows.len() > limits::EXAMINATION_ROWS_MAX || bytes > limits::EXAMINATION_BYTES_MAX {
                return Err(ExamineFailure::TooMuch);
            }
        }
        Ok(Some(rows))
    }

    /// The same with the ids of the roles in reach as `$1`.
    ///
    /// # Errors
    /// The server failed to answer, or answered in another form than it was asked for.
    pub async fn rows_of_reach(&self, text: &str) -> Result<Option<Vec<Row>>, ExamineFailure> {
        let ids = self.reach_ids();
        self.rows(text, &[(&ids, Type::OID_ARRAY)]).await
    }

    /// One row.
    ///
    /// # Errors
    /// The server failed to answer, or answered in another form than it was asked for.
    pub async fn row(&self, text: &str) -> Result<Option<Row>, ExamineFailure> {
        let rows = self.rows(text, &[]).await?;
        Ok(rows.and_then(|rows| rows.into_iter().next()))
    }

    /// The names in the first column; none where they cannot be seen.
    ///
    /// # Errors
    /// The server failed to answer, or answered in another form than it was asked for.
    pub async fn texts(&self, text: &str) -> Result<Option<Vec<String>>, ExamineFailure> {
        let Some(rows) = self.rows_of_reach(text).await? else {
            return Ok(None);
        };
        let texts = rows.iter().map(|row| field(row, 0));
        texts.collect::<Result<_, _>>().map(Some)
    }

    /// The ids of the roles in reach.
    pub fn reach_ids(&self) -> Vec<u32> {
        self.reach.keys().copied().collect()
    }

    /// The name of a role in reach, or of everybody, as SQL writes it.
    pub fn grantee(&self, id: u32) -> String {
        match self.reach.get(&id) {
            _ if id == 0 => "PUBLIC".into(),
            Some(role) => sql_name(&role.name),
            None => id.to_string(),
        }
    }

    /// The role's name as SQL writes it.
    pub fn own_name(&self) -> String {
        sql_name(&self.own.name)
    }

    /// The roles that this one is a member of, and itself.
    pub fn closure(&self, from: u32) -> BTreeSet<u32> {
        let mut found = BTreeSet::from([from]);
        // Each round adds a role at least; there are no more rounds than roles.
        for _ in 0..=self.edges.len() {
            let before = found.len();
            for edge in &self.edges {
                if found.contains(&edge.member) {
                    found.insert(edge.role);
                }
            }
            if found.len() == before {
                break;
            }
        }
        found
    }

    /// The role's own memberships that lead to one of these.
    pub fn memberships_towards(&self, targets: &BTreeSet<u32>) -> Vec<&RoleMembership> {
        let own = self.edges.iter().filter(|edge| edge.member == self.own.id);
        own.filter(|edge| !self.closure(edge.role).is_disjoint(targets))
            .collect()
    }

    /// What ends a membership.
    pub fn revoke_membership(&self, edge: &RoleMembership) -> String {
        let role = self.grantee(edge.role);
        let by = match self.major {
            ..16 => String::new(),
            16.. => format!(" GRANTED BY {}", sql_name(&edge.grantor)),
        };
        let cascade = if edge.admin { " CASCADE" } else { "" };
        format!("REVOKE {role} FROM {}{by}{cascade}", self.own_name())
    }

    async fn roles(&self) -> Result<BTreeMap<u32, ExaminedRole>, ExamineFailure> {
        let rows = self
            .rows(ROLES, &[])
            .await?
            .ok_or(ExamineFailure::Unreadable)?;
        let mut roles = BTreeMap::new();
        for row in &rows {
            let id = field(row, 0)?;
            let role = ExaminedRole {
                id,
                name: field(row, 1)?,
                superuser: field(row, 2)?,
                createrole: field(row, 3)?,
                createdb: field(row, 4)?,
                replication: field(row, 5)?,
                bypassrls: field(row, 6)?,
                connections: field(row, 7)?,
                password_ends: field(row, 8)?,
            };
            roles.insert(id, role);
        }
        Ok(roles)
    }

    async fn memberships(&self) -> Result<Vec<RoleMembership>, ExamineFailure> {
        // Since 16 a membership may bring nothing at all.
        let (inherits, counts) = match self.major {
            ..16 => ("u.rolinherit", "true"),
            16.. => (
                "m.inherit_option",
                "(m.inherit_option OR m.set_option OR m.admin_option)",
            ),
        };
        let text = format!(
            "SELECT m.roleid, m.member, g.rolname::text, m.admin_option, {inherits} \
             FROM {MEMBERS} WHERE {counts} ORDER BY r.rolname, u.rolname, g.rolname"
        );
        let Some(rows) = self.rows(&text, &[]).await? else {
            return Ok(Vec::new());
        };
        let edge = |row: &Row| {
            Ok(RoleMembership {
                role: field(row, 0)?,
                member: field(row, 1)?,
                grantor: field::<Option<String>>(row, 2)?.unwrap_or_default(),
                admin: field(row, 3)?,
                inherits: field(row, 4)?,
            })
        };
        rows.iter().map(edge).collect()
    }

    /// `pg_database_owner` (since 14) has the owner of the database as its only member.
    fn reach_of(
        &mut self,
        own: u32,
        owner: u32,
        roles: BTreeMap<u32, ExaminedRole>,
    ) -> Result<(), ExamineFailure> {
        let mut ids = self.closure(own);
        let of_owner = roles.values().find(|role| role.name == DATABASE_OWNER);
        if let Some(of_owner) = of_owner
            && ids.contains(&owner)
        {
            ids.insert(of_owner.id);
        }
        self.own = roles.get(&own).ok_or(ExamineFailure::Unreadable)?.clone();
        let reached = roles.into_iter().filter(|(id, _)| ids.contains(id));
        self.reach = reached.collect();
        Ok(())
    }
}

/// A question that brought an error: the role may not ask it, or the server does not know what it
/// is about. Any other error would pass for that, and a finding for nothing to be found.
fn unanswered(error: &tokio_postgres::Error) -> Result<Option<Vec<Row>>, ExamineFailure> {
    let Some(code) = error.code() else {
        return Err(ExamineFailure::Lost);
    };
    match code.code() {
        // A standby that is behind, too: it has ended what it could not show.
        "57014" | "55P03" | "40001" | "25P03" => Err(ExamineFailure::TimedOut),
        code if code.starts_with("42") => Ok(None),
        _ => Err(ExamineFailure::Unanswered),
    }
}

impl ExaminedRole {
    fn unknown() -> Self {
        Self {
            id: 0,
            name: String::new(),
            superuser: false,
            createrole: false,
            createdb: false,
            replication: false,
            bypassrls: false,
            connections: 0,
            password_ends: None,
        }
    }
}

impl fmt::Display for ExamineFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Lost => "the connection was lost",
            Self::Unreadable => "the server's answers are not as documented",
            Self::TooMuch => "there is more in the catalogs than an examination takes",
            Self::UnknownVersion => "the version of the server is not known",
            Self::TimedOut => "it took longer than it may",
            Self::Unanswered => "the server cannot answer a question",
        })
    }
}

impl std::error::Error for ExamineFailure {}

/// One column of a row.
///
/// # Errors
/// The column is not there, or of another type.
pub fn field<'r, T: FromSql<'r>>(row: &'r Row, place: usize) -> Result<T, ExamineFailure> {
    row.try_get(place)
        .map_err(|_error| ExamineFailure::Unreadable)
}

/// Has the owner of each database as its member there.
const DATABASE_OWNER: &str = "pg_database_owner";

const WHERE: &str = "SELECT current_setting('server_version_num')::int4, \
      d.datname::text, r.oid, d.datdba \
    FROM pg_database d, pg_roles r \
    WHERE d.datname = current_database() AND r.rolname = current_user";

const ROLES: &str = "SELECT oid, rolname::text, rolsuper, rolcreaterole, rolcreatedb, \
      rolreplication, rolbypassrls, rolconnlimit, rolvaliduntil::text \
    FROM pg_roles ORDER BY oid";

const MEMBERS: &str = "pg_auth_members m JOIN pg_roles r ON r.oid = m.roleid \
    JOIN pg_roles u ON u.oid = m.member LEFT JOIN pg_roles g ON g.oid = m.grantor";
