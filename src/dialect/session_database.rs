//! The database as a session sees it at one moment.

use catalog::{Catalog, Mask, Oid, RoleId, RolePrivileges, SearchPath, TypeId};
use gate::{ParameterTypes, SearchPaths, SessionNames};
use resolve::{KnownParameters, LookupContext, Resolution};
use sql::tree::SyntaxTree;

/// The database as the session sees it at this moment.
pub struct SessionDatabase<'a> {
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

impl<'a> SessionDatabase<'a> {
    /// What the session's names lead to; none without a snapshot or with a search_path in doubt.
    pub fn of(names: &'a SessionNames, parameters: &ParameterTypes) -> Option<Self> {
        let catalog = names.effect_graph()?.catalog();
        let SearchPaths::Known(paths) = names.paths() else {
            return None;
        };
        let [path] = &**paths else {
            return None;
        };
        let role = catalog.role_named(names.role());
        let parameters = match parameters {
            ParameterTypes::Given(oids) => oids
                .iter()
                .map(|oid| catalog.index().type_of_oid(Oid(*oid)))
                .collect(),
            ParameterTypes::Unknown => return None,
        };
        Some(Self {
            catalog,
            path: catalog.search_path(path, role),
            role,
            mask: names.effect_graph()?.mask(),
            parameters,
        })
    }

    /// Whether there is a schema of this name, in whatever case.
    pub fn has_schema(&self, name: &str) -> bool {
        let mut schemas = self.catalog.schemas();
        schemas.any(|(_, schema)| {
            let own = self.catalog.names().text(schema.name);
            own.eq_ignore_ascii_case(name)
        })
    }

    /// What may be shown to the client: what its role may read, and the policy does not hide. Every
    /// question about what to tell goes through here.
    pub fn rights(&self) -> RolePrivileges<'_> {
        self.catalog.rights_of(self.role).masked_by(self.mask)
    }

    /// For [`resolve::statement`].
    pub fn lookup(&self) -> LookupContext<'_> {
        LookupContext {
            catalog: self.catalog,
            path: &self.path,
            parameters: KnownParameters::Given(&self.parameters),
        }
    }

    /// What the names of a tree of one statement mean.
    pub fn resolve<'t>(&'t self, tree: &'t SyntaxTree) -> Option<Resolution<'t>> {
        let mut statements = tree.statements();
        let only = statements.next().filter(|_| statements.next().is_none())?;
        resolve::statement(only.node, &self.lookup()).ok()
    }
}

#[cfg(any(test, feature = "fixture"))]
pub mod fixture {
    //! A session of a database that tests make up.

    use std::sync::Arc;

    use catalog::fixture::CatalogFixture;
    use gate::effects::graph::EffectGraph;
    use gate::{SearchPaths, SessionNames};
    use policy::Policy;

    /// A session under a policy, with `public` as its path and `postgres` as its role.
    pub fn session(world: CatalogFixture, policy: &Policy) -> SessionNames {
        let mut names = SessionNames::default();
        names.set_server_major(15);
        let effect_graph = EffectGraph::new(Arc::new(world.build()), policy);
        names.set_effect_graph(Some(Arc::new(effect_graph)));
        names.set_role("postgres");
        names.set_paths(SearchPaths::Known(Box::new([Box::new(["public".into()])])));
        names
    }
}
