//! A text that failed, and everything that a recoverer may know of it.

use crate::catalog::{Catalog, Mask, Oid, Rights, RoleId, SearchPath, TypeId};
use crate::funnel::Failure;
use crate::gate::{Parameters, SearchPaths, SessionNames};
use crate::policy::{Dialect, RepairSettings};
use crate::resolve::{self, Lookup, Resolution, Types};
use crate::sql::lexer::{self, Token};
use crate::sql::tree::{Node, Tree};

/// The database as the session sees it at this moment.
pub struct Database<'a> {
    /// The snapshot.
    pub catalog: &'a Catalog,
    /// Where unqualified names are looked up.
    pub path: SearchPath,
    /// As whom; none where the snapshot does not know the role.
    pub role: Option<RoleId>,
    /// What the policy hides of it.
    pub mask: Option<&'a Mask>,
    /// The types of parameters, as the client gave them.
    pub parameters: Vec<Option<TypeId>>,
}

/// What a recoverer looks at. It names nothing to the client that `database.role` may not see
/// or the policy hides ([`Database::rights`]).
pub struct Scene<'a> {
    /// The text that failed.
    pub text: &'a str,
    /// All its tokens, blanks included: laid side by side they are the text.
    pub tokens: &'a [Token],
    /// Its tree, where Postgres's grammar reads it.
    pub tree: Option<&'a Tree>,
    /// What its names mean, where there is a tree of one statement and a snapshot.
    pub resolution: Option<&'a Resolution<'a>>,
    /// Why it failed.
    pub failure: &'a Failure,
    /// The database; none without a snapshot, or where search_path is not known for certain.
    pub database: Option<&'a Database<'a>>,
    /// The server's major version.
    pub server_major: u16,
    /// What the policy says of repairs.
    pub settings: &'a RepairSettings,
    /// The dialect that the client itself named (`target_dialect`).
    pub target_dialect: Option<Dialect>,
}

impl<'a> Database<'a> {
    /// What the session's names lead to; none without a snapshot or with a search_path in doubt.
    pub fn of(names: &'a SessionNames, parameters: &Parameters) -> Option<Self> {
        let catalog = names.sight()?.catalog();
        let SearchPaths::Known(paths) = names.paths() else {
            return None;
        };
        let [path] = &**paths else {
            return None;
        };
        let role = catalog.role_named(names.role());
        let parameters = match parameters {
            Parameters::Given(oids) => oids
                .iter()
                .map(|oid| catalog.index().type_of_oid(Oid(*oid)))
                .collect(),
            Parameters::Unknown => return None,
        };
        Some(Self {
            catalog,
            path: catalog.search_path(path, role),
            role,
            mask: names.sight()?.mask(),
            parameters,
        })
    }

    /// What may be shown to the client: what its role may read, and the policy does not hide. Every
    /// question about what to tell goes through here.
    pub fn rights(&self) -> Rights<'_> {
        self.catalog.rights_of(self.role).behind(self.mask)
    }

    /// For [`resolve::statement`].
    pub fn lookup(&self) -> Lookup<'_> {
        Lookup {
            catalog: self.catalog,
            path: &self.path,
            parameters: Types::Given(&self.parameters),
        }
    }

    /// What the names of a tree of one statement mean.
    pub fn resolve<'t>(&'t self, tree: &'t Tree) -> Option<Resolution<'t>> {
        let mut statements = tree.statements();
        let only = statements.next().filter(|_| statements.next().is_none())?;
        resolve::statement(only.node, &self.lookup()).ok()
    }
}

impl<'a> Scene<'a> {
    /// The only statement of the text.
    pub fn statement(&self) -> Option<Node<'a>> {
        let mut statements = self.tree?.statements();
        statements
            .next()
            .filter(|_| statements.next().is_none())
            .map(|statement| statement.node)
    }

    /// The text of a token.
    pub fn word(&self, token: &Token) -> &'a str {
        self.text.get(token.span.clone()).unwrap_or_default()
    }

    /// The place in [`Scene::tokens`] of the token that begins at a byte.
    pub fn token_at(&self, position: usize) -> Option<usize> {
        let place = self
            .tokens
            .partition_point(|token| token.span.start < position);
        let token = self.tokens.get(place)?;
        (token.span.start == position).then_some(place)
    }
}

/// All tokens of a text.
pub fn tokens_of(text: &str) -> Vec<Token> {
    lexer::tokens(text).collect()
}
