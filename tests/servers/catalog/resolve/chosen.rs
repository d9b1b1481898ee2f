//! What a server chose for a statement, and what is found for it here.
//!
//! The server keeps a statement that is the body of an SQL function, or of a view, as it understood
//! it: with the numbers of the functions and operators that it took.

use std::collections::BTreeSet;

use pgsieve::catalog::{
    CastMethod, Catalog, FunctionId, Oid, StoredReferences, TypeId, TypeKind, search_path,
};
use pgsieve::demo::cluster::{ClusterError, PasswordMethod, PrivateCluster};
use pgsieve::resolve::{
    self, InferredType, KnownParameters, LookupContext, Resolution, UsedObject,
};
use pgsieve::secret::Secret;
use pgsieve::sql::tree;
use pgsieve::upstream::address::UpstreamSettings;
use pgsieve::upstream::connect::Upstream;
use pgsieve::upstream::snapshot::{self, UpstreamAccount};
use tokio_postgres::{Client, NoTls};

use crate::support::own_cluster;

/// Functions of the server's own that some syntax stands for, whatever the search_path is: RANGE in
/// a window, `unnest` of several arrays in FROM, JSON constructors.
const BEHIND_SYNTAX: [&str; 8] = [
    "in_range",
    "unnest",
    "json_agg_strict",
    "json_agg",
    "jsonb_agg",
    "json_object_agg",
    "jsonb_object_agg",
    "convert_to",
];

/// The type of rows without one.
const RECORD: u32 = 2249;

/// The superuser of the servers.
const ADMIN: &str = "postgres";

/// A statement, and the search_path that it runs with.
pub struct Call {
    pub path: String,
    pub text: String,
    /// The same with a parameter in the place of a value, and the value.
    pub blurred: Option<(String, &'static str)>,
}

/// A statement that a server understood.
pub struct Understood {
    pub call: Call,
    /// The function, or the view, that keeps it.
    name: String,
    /// The types of its columns.
    types: Vec<u32>,
}

/// How what is found here compares with what the server took.
#[derive(Debug, Default)]
pub struct Comparison {
    /// What the server took and nothing here says.
    pub missed: Vec<String>,
    /// What is claimed here to be the only possibility, and the server did not take.
    pub wrong: Vec<String>,
    /// How many uses have several candidates left, or are unclear.
    pub open: usize,
}

/// A server of a version, if it can be had.
pub fn start(version: u32) -> Option<PrivateCluster> {
    let started = own_cluster()
        .version(version)
        .auth(PasswordMethod::Scram)
        .start();
    match started {
        Ok(cluster) => Some(cluster),
        Err(ClusterError::Unavailable { .. }) => {
            eprintln!("SKIPPED: there is no Postgres {version} to be had on this machine");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

/// A session of the superuser.
pub async fn admin(cluster: &PrivateCluster) -> Client {
    let url = cluster.admin_url("postgres");
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// What the database contains now.
pub async fn catalog(cluster: &PrivateCluster) -> Catalog {
    let address = format!("postgres://127.0.0.1:{}/?sslmode=disable", cluster.port());
    let upstream = Upstream::load(UpstreamSettings::parse(&address).unwrap()).unwrap();
    let account = UpstreamAccount {
        user: cluster.admin().to_owned(),
        secret: Some(Secret::new(cluster.admin_password()).into()),
    };
    let connected = snapshot::connect(&upstream, &account, "postgres").await;
    let (client, _task) = connected.unwrap();
    Catalog::build(snapshot::load(&client).await.unwrap()).unwrap()
}

/// Has the server keep a statement; none, and its reason printed, if it does not understand it.
pub async fn keep(client: &Client, version: u32, number: usize, call: Call) -> Option<Understood> {
    let name = format!("kept_{number}");
    let Call { path, text, .. } = &call;
    let text = match version {
        ..14 => format!("SET search_path = {path}; CREATE VIEW kept.{name} AS {text}"),
        14.. => format!(
            "SET search_path = {path}; CREATE FUNCTION kept.{name}() RETURNS void LANGUAGE sql \
             BEGIN ATOMIC {text}; END"
        ),
    };
    if let Err(error) = client.batch_execute(&text).await {
        let reason = error.as_db_error().map(|error| error.message().to_owned());
        println!("not understood by the server: {} ({reason:?})", call.text);
        return None;
    }
    let described = client.prepare(&call.text).await.unwrap();
    let types = described.columns().iter();
    let types = types.map(|column| column.type_().oid()).collect();
    Some(Understood { call, name, types })
}

/// Compares what the server took with what is found here.
pub fn compare(catalog: &Catalog, kept: &Understood) -> Comparison {
    let Call { path, text, .. } = &kept.call;
    resolved(catalog, path, text, KnownParameters::Unclear, |found| {
        let taken = taken(catalog, &kept.name);
        let mut comparison = Claims::of(catalog, found).compared(catalog, taken);
        comparison.types(catalog, found, &kept.types);
        comparison
    })
}

/// What the server took of functions and operators that is not among the possibilities once a value
/// is a parameter whose type is not known.
pub fn missed_when_blurred(catalog: &Catalog, kept: &Understood) -> Vec<String> {
    let Some((text, value)) = &kept.call.blurred else {
        return Vec::new();
    };
    let path = &kept.call.path;
    let mut claims = resolved(catalog, path, text, KnownParameters::Unclear, |found| {
        Claims::of(catalog, found)
    });
    let value = format!("SELECT {value}");
    let own = resolved(catalog, path, &value, KnownParameters::Unclear, |found| {
        Claims::of(catalog, found)
    });
    if claims.unclear {
        return Vec::new();
    }
    claims.functions.extend(own.functions);
    claims.operators.extend(own.operators);
    let comparison = claims.compared(catalog, taken(catalog, &kept.name));
    let is_type = |missed: &String| missed.starts_with("type ");
    let missed = comparison.missed.into_iter();
    missed.filter(|missed| !is_type(missed)).collect()
}

/// Compares the types of a statement's columns with what the server says of them; none if it does
/// not understand it.
pub async fn described(client: &Client, catalog: &Catalog, text: &str) -> Option<Comparison> {
    let described = client.prepare(text).await.ok()?;
    let types = described.columns().iter();
    let types: Vec<u32> = types.map(|column| column.type_().oid()).collect();
    let given = KnownParameters::Given(&[]);
    Some(resolved(catalog, "public", text, given, |found| {
        let mut comparison = Comparison::default();
        comparison.types(catalog, found, &types);
        comparison
    }))
}

fn resolved<T>(
    catalog: &Catalog,
    path: &str,
    text: &str,
    parameters: KnownParameters<'_>,
    look: impl FnOnce(&Resolution<'_>) -> T,
) -> T {
    let tree = tree::parse(text).expect("the server understood it");
    let statement = tree.statements().next().unwrap();
    let names = search_path::split(path).unwrap();
    let search_path = catalog.search_path(&names, catalog.role_named(ADMIN));
    let lookup = LookupContext {
        catalog,
        path: &search_path,
        parameters,
    };
    look(&resolve::statement(statement.node, &lookup).expect("it is not deep"))
}

impl Comparison {
    fn types(&mut self, catalog: &Catalog, found: &Resolution<'_>, said: &[u32]) {
        let mut columns = found.output.columns.iter();
        for oid in said {
            let inferred = columns.next().map(|column| &column.inferred);
            match inferred.and_then(|inferred| oid_of(catalog, inferred)) {
                Some(found) if found == *oid => {}
                Some(found) => self.wrong.push(format!("type {found} for {oid}")),
                None => self.open += 1,
            }
        }
    }
}

/// What the server took, from the function or the view of a name.
fn taken<'c>(catalog: &'c Catalog, name: &str) -> &'c StoredReferences {
    let name = catalog.names().find(name).unwrap();
    let function = catalog.index().functions(name).first();
    let body = function.and_then(|id| catalog.function(*id).body.as_ref());
    let view = catalog.index().relations(name).first();
    let view = view.and_then(|id| catalog.relation(*id).view.as_ref());
    body.or(view).expect("it was kept")
}

/// Everything that a resolution says may be taken, and what it says is.
#[derive(Default)]
struct Claims {
    functions: BTreeSet<FunctionId>,
    operators: BTreeSet<Oid>,
    only: Vec<(Oid, String)>,
    relations: BTreeSet<Oid>,
    types: BTreeSet<TypeId>,
    refused: usize,
    compares: bool,
    unclear: bool,
    open: usize,
}

impl Claims {
    fn of(catalog: &Catalog, found: &Resolution<'_>) -> Self {
        let mut claims = Self::default();
        for used in &found.uses {
            claims.types.extend(type_of(&used.what));
            match &used.what {
                UsedObject::Functions { candidates, .. } => {
                    claims.functions.extend(candidates);
                    if let [one] = candidates[..] {
                        let only = (catalog.function(one).oid, signature(catalog, one));
                        claims.only.push(only);
                    } else {
                        claims.open += 1;
                    }
                }
                UsedObject::Operators { candidates, .. } => {
                    for id in candidates {
                        let operator = catalog.operator(*id);
                        claims.operators.insert(operator.oid);
                        claims.functions.extend(operator.function);
                    }
                    if let [one] = candidates[..] {
                        let operator = catalog.operator(one);
                        let only = (operator.oid, operator_text(catalog, operator.oid));
                        claims.only.push(only);
                    } else {
                        claims.open += 1;
                    }
                }
                UsedObject::Cast { candidates, .. } => {
                    for id in candidates {
                        if let CastMethod::Function(id) = catalog.cast(*id).method {
                            claims.functions.insert(id);
                        }
                    }
                }
                UsedObject::Coercion { source, target } => claims.coerced(catalog, source, *target),
                UsedObject::Compared { .. } => claims.compares = true,
                UsedObject::Relation { id, .. } => {
                    claims.relations.insert(catalog.relation(*id).oid);
                }
                UsedObject::MissingRelation { .. }
                | UsedObject::MissingColumn { .. }
                | UsedObject::AmbiguousColumn { .. } => claims.refused += 1,
                UsedObject::Unclear => {
                    claims.unclear = true;
                    claims.open += 1;
                }
                UsedObject::MissingFunction => claims.open += 1,
                _ => {}
            }
        }
        claims
    }

    fn coerced(&mut self, catalog: &Catalog, source: &InferredType, target: TypeId) {
        for (_, cast) in catalog.casts() {
            let from =
                *source == InferredType::Unclear || *source == InferredType::Known(cast.source);
            if let (true, true, CastMethod::Function(id)) =
                (from, cast.target == target, cast.method)
            {
                self.functions.insert(id);
            }
        }
    }

    fn compared(self, catalog: &Catalog, taken: &StoredReferences) -> Comparison {
        let mut comparison = Comparison {
            open: self.open,
            ..Comparison::default()
        };
        for oid in &taken.functions {
            let Some(id) = catalog.index().function_of_oid(*oid) else {
                continue;
            };
            // So does a window that goes by values.
            let name = catalog.names().text(catalog.function(id).name);
            let syntax = oid.is_built_in() && BEHIND_SYNTAX.contains(&name);
            let sorts = self.compares && oid.is_built_in() && name == "in_range";
            if !syntax && !sorts && !self.functions.contains(&id) {
                comparison.missed.push(signature(catalog, id));
            }
        }
        for oid in &taken.operators {
            // A form such as current_date keeps its own number where operators have theirs.
            if catalog.index().operator_of_oid(*oid).is_none() {
                continue;
            }
            // Sorting and grouping take the order of the type, which is noted as such.
            let sorts = self.compares && oid.is_built_in();
            if !sorts && !self.operators.contains(oid) {
                comparison.missed.push(operator_text(catalog, *oid));
            }
        }
        for oid in &taken.made_types {
            let id = catalog.index().type_of_oid(*oid);
            if let Some(id) = id.filter(|id| !oid.is_built_in() && !self.types.contains(id)) {
                comparison
                    .missed
                    .push(format!("type {}", catalog.type_name(id)));
            }
        }
        // A view of an old server names itself.
        let is_kept = |oid: &Oid| {
            let found = catalog.index().relation_of_oid(*oid);
            found.is_some_and(|id| catalog.relation_name(id).starts_with("kept."))
        };
        let relations = taken.relations.iter().copied();
        let taken_relations: BTreeSet<Oid> = relations.filter(|oid| !is_kept(oid)).collect();
        for relation in self.relations.difference(&taken_relations) {
            comparison.wrong.push(format!("relation {}", relation.0));
        }
        for relation in taken_relations.difference(&self.relations) {
            comparison.missed.push(format!("relation {}", relation.0));
        }
        if self.refused > 0 {
            comparison
                .wrong
                .push("that the server refuses it".to_owned());
        }
        for (oid, text) in self.only {
            if !taken.functions.contains(&oid) && !taken.operators.contains(&oid) {
                comparison.wrong.push(text);
            }
        }
        comparison
    }
}

/// The type that a use says is there.
fn type_of(what: &UsedObject<'_>) -> Option<TypeId> {
    match what {
        UsedObject::Type { id } => Some(*id),
        UsedObject::Cast { target, .. } | UsedObject::Coercion { target, .. } => Some(*target),
        UsedObject::Column { inferred, .. }
        | UsedObject::WholeRow { inferred, .. }
        | UsedObject::Compared { inferred } => match inferred {
            InferredType::Known(id) => Some(*id),
            _ => None,
        },
        _ => None,
    }
}

/// The number of a type, if it is known. The server describes a domain as the type below it.
fn oid_of(catalog: &Catalog, inferred: &InferredType) -> Option<u32> {
    match inferred {
        InferredType::Known(id) => {
            let mut found = catalog.data_type(*id);
            while let TypeKind::Domain { base, .. } = found.kind {
                found = catalog.data_type(base);
            }
            Some(found.oid.0)
        }
        InferredType::Row(_) => Some(RECORD),
        InferredType::Literal | InferredType::Parameter(_) | InferredType::Unclear => None,
    }
}

fn signature(catalog: &Catalog, id: FunctionId) -> String {
    catalog.function_signature(id)
}

fn operator_text(catalog: &Catalog, oid: Oid) -> String {
    let Some(id) = catalog.index().operator_of_oid(oid) else {
        return format!("operator {}", oid.0);
    };
    let operator = catalog.operator(id);
    let side = |id: Option<TypeId>| {
        id.map_or("", |id| catalog.names().text(catalog.data_type(id).name))
            .to_owned()
    };
    let schema = catalog.schema(operator.schema).name;
    format!(
        "{}.{}({}, {})",
        catalog.names().text(schema),
        catalog.names().text(operator.name),
        side(operator.left),
        side(operator.right)
    )
}
