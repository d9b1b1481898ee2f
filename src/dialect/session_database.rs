//! The database as a session sees it at one moment.

use catalog::{
    Catalog, KeyKind, Mask, Oid, RelationId, RelationKey, RoleId, RolePrivileges, SearchPath,
    TypeId,
};
use gate::{ParameterTypes, SearchPaths, SessionNames};
use policy::knowledge::{KnownRelationship, NamedColumns};
use policy::{KnowledgeContent, Policy};
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
    /// Joins that no foreign key declares and that the policy knows, each as the key that it stands
    /// for.
    pub known_keys: Vec<RelationKey>,
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
            known_keys: Vec::new(),
        })
    }

    /// The same with the joins that a policy knows and tells a user: those between relations and
    /// columns that the session may read, and that stand for themselves.
    pub fn knowing(mut self, policy: &Policy, user: &str) -> Self {
        let records = policy.knowledge().records.iter();
        let known = records.filter_map(|record| match &record.content {
            KnowledgeContent::Relationship(known) if record.is_for(user) => {
                self.key_of(known, &self.rights())
            }
            _ => None,
        });
        let declared = |key: &RelationKey| self.catalog.keys_of(key.relation).contains(key);
        self.known_keys = known.filter(|key| !declared(key)).collect();
        self
    }

    /// The key that a known join stands for.
    fn key_of(
        &self,
        known: &KnownRelationship,
        rights: &RolePrivileges<'_>,
    ) -> Option<RelationKey> {
        let (relation, columns) = self.read_columns(&known.from, rights)?;
        let (to, to_columns) = self.read_columns(&known.to, rights)?;
        Some(RelationKey {
            relation,
            columns,
            kind: KeyKind::Foreign { to, to_columns },
        })
    }

    /// A relation that may be read and is what it is called, with the numbers of columns of it that
    /// may be read.
    fn read_columns(
        &self,
        named: &NamedColumns,
        rights: &RolePrivileges<'_>,
    ) -> Option<(RelationId, Box<[i16]>)> {
        let names = self.catalog.names();
        let id = (self.catalog).relation_named(&named.schema, &named.relation)?;
        let is_covered = self.mask.is_some_and(|mask| mask.covers(id));
        let number = |name: &String| {
            let mut columns = self.catalog.columns_of(id).iter();
            let column = columns.find(|column| names.text(column.name) == name.as_str())?;
            rights.may_read_column(id, column).then_some(column.number)
        };
        let columns: Option<Box<[i16]>> = named.columns.iter().map(number).collect();
        (!is_covered && rights.sees_relation(id)).then_some((id, columns?))
    }

    /// The keys that join relations: foreign keys that the database declares, and known joins.
    pub fn joining_keys(&self) -> impl Iterator<Item = &RelationKey> {
        self.catalog.keys().iter().chain(&self.known_keys)
    }

    /// Those of one relation, and what else it declares.
    pub fn joining_keys_of(&self, relation: RelationId) -> impl Iterator<Item = &RelationKey> {
        let known = self.known_keys.iter();
        let known = known.filter(move |key| key.relation == relation);
        self.catalog.keys_of(relation).iter().chain(known)
    }

    /// Whether a key is only known: no row is kept from breaking it.
    pub fn is_known(&self, key: &RelationKey) -> bool {
        self.known_keys.iter().any(|known| std::ptr::eq(known, key))
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
