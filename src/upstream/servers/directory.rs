//! Which servers a database is at: those that the settings name for it, else the upstream's own.

use std::fmt;
use std::sync::Arc;

use super::{ServersSettings, UpstreamServers};
use crate::net::pem::TlsSetupError;
use crate::policy::access::Glob;
use crate::upstream::address::UpstreamSettings;
use crate::upstream::connect::Upstream;
use crate::upstream::pool::{OwnPoolSizes, PoolSizes};

/// Databases that are at servers of their own.
#[derive(Debug, Clone)]
pub struct DatabaseRoute {
    /// The names that clients have for them.
    pub names: Glob,
    /// The first server, with the name that the database has there, where that is another one.
    pub upstream: UpstreamSettings,
    /// What is behind beside it.
    pub servers: ServersSettings,
    /// How many connections sessions share there.
    pub pool: PoolSizes,
}

impl DatabaseRoute {
    /// By the names of each, how many connections sessions share there.
    pub fn sizes(routes: &[Self]) -> OwnPoolSizes {
        let sizes = routes.iter().map(|route| (route.names.clone(), route.pool));
        sizes.collect()
    }
}

/// The servers of all databases.
#[derive(Debug)]
pub struct UpstreamDirectory {
    own: Arc<UpstreamServers>,
    /// The first whose name fits counts.
    routes: Vec<LoadedRoute>,
}

#[derive(Debug)]
struct LoadedRoute {
    names: Glob,
    database: Option<Box<str>>,
    servers: Arc<UpstreamServers>,
}

/// Where a database is.
#[derive(Clone)]
pub struct DatabaseHome {
    /// Its servers.
    pub servers: Arc<UpstreamServers>,
    /// Its name there.
    pub database: Box<str>,
}

impl UpstreamDirectory {
    /// Loads the files that the settings of the servers name.
    ///
    /// # Errors
    /// A file cannot be read or does not fit the others, or a host cannot stand in a certificate.
    pub fn load(
        (own, more): (UpstreamSettings, ServersSettings),
        routes: Vec<DatabaseRoute>,
    ) -> Result<Self, TlsSetupError> {
        let own = UpstreamServers::load(own, more)?;
        let load = |route: DatabaseRoute| {
            let database = route.upstream.database.as_deref().map(Box::from);
            Ok(LoadedRoute {
                names: route.names,
                database,
                servers: Arc::new(UpstreamServers::load(route.upstream, route.servers)?),
            })
        };
        let routes: Result<Vec<LoadedRoute>, TlsSetupError> =
            routes.into_iter().map(load).collect();
        Ok(Self {
            own: Arc::new(own),
            routes: routes?,
        })
    }

    /// The servers of the upstream itself.
    pub fn own(&self) -> &Arc<UpstreamServers> {
        &self.own
    }

    /// All others, in the order of the settings, each with a database that should be there.
    pub fn others(&self) -> impl Iterator<Item = (&Arc<UpstreamServers>, &str)> {
        self.routes.iter().map(|route| {
            let known = route.database.as_deref().or_else(|| route.names.exact());
            (&route.servers, known.unwrap_or(MAINTENANCE_DATABASE))
        })
    }

    /// Whether all databases are at one server.
    pub fn is_one_server(&self) -> bool {
        self.routes.is_empty() && !self.own.are_several()
    }

    /// Where the database is that a client names so.
    pub fn home_of(&self, named: &str) -> DatabaseHome {
        let route = self.routes.iter().find(|route| route.names.matches(named));
        match route {
            Some(route) => DatabaseHome {
                servers: Arc::clone(&route.servers),
                database: route.database.clone().unwrap_or_else(|| named.into()),
            },
            None => DatabaseHome {
                servers: Arc::clone(&self.own),
                database: named.into(),
            },
        }
    }

    /// The names that clients have for a database of a server; one with `*` stands for all that it
    /// fits. None where no name leads there.
    pub fn names_of(&self, upstream: &Upstream, database: &str) -> Vec<Glob> {
        let endpoint = &upstream.settings().endpoint;
        let are_there = |servers: &UpstreamServers| {
            let mut all = servers.all().iter();
            all.any(|server| server.upstream().settings().endpoint == *endpoint)
        };
        let leads_there = |servers: &Arc<UpstreamServers>| {
            let home = self.home_of(database);
            Arc::ptr_eq(&home.servers, servers) && *home.database == *database
        };
        let same = Glob::new(database);
        let own = (are_there(&self.own) && leads_there(&self.own)).then(|| same.clone());
        let routes = self.routes.iter();
        let of_routes = routes.filter(|route| are_there(&route.servers));
        let of_routes = of_routes.filter_map(|route| match &route.database {
            Some(there) => (**there == *database).then(|| route.names.clone()),
            None => leads_there(&route.servers).then(|| same.clone()),
        });
        own.into_iter().chain(of_routes).collect()
    }

    /// Connections that are made from now on use the certificates and keys of those.
    pub fn renew(&self, fresh: &Self) {
        self.own.renew(&fresh.own);
        for (route, fresh) in self.routes.iter().zip(&fresh.routes) {
            route.servers.renew(&fresh.servers);
        }
    }
}

/// The database that is made with every cluster.
const MAINTENANCE_DATABASE: &str = "postgres";

impl fmt::Debug for DatabaseHome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "DatabaseHome({:?})", self.database)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(names: &str, url: &str) -> DatabaseRoute {
        DatabaseRoute {
            names: Glob::new(names),
            upstream: UpstreamSettings::parse(url).unwrap(),
            servers: ServersSettings::alone(),
            pool: PoolSizes::default(),
        }
    }

    #[test]
    fn the_first_that_fits_counts() {
        let own = UpstreamSettings::parse("postgres://own/ignored").unwrap();
        let own = (own, ServersSettings::alone());
        let routes = vec![
            route("sales", "postgres://one/sales_prod"),
            route("tenant_7", "postgres://two"),
            route("tenant_*", "postgres://three/"),
        ];
        let directory = UpstreamDirectory::load(own, routes).unwrap();
        let at = |named: &str| {
            let home = directory.home_of(named);
            let endpoint = &home.servers.first().settings().endpoint;
            format!("{endpoint} {}", home.database)
        };
        assert_eq!(at("sales"), "one:5432 sales_prod");
        assert_eq!(at("tenant_7"), "two:5432 tenant_7");
        assert_eq!(at("tenant_8"), "three:5432 tenant_8");
        assert_eq!(at("sales_prod"), "own:5432 sales_prod");
        assert_eq!(at("Sales"), "own:5432 Sales");
        let known: Vec<&str> = directory.others().map(|(_, known)| known).collect();
        assert_eq!(known, ["sales_prod", "tenant_7", "postgres"]);
    }

    #[test]
    fn a_database_has_the_names_that_lead_there() {
        let own = UpstreamSettings::parse("postgres://own/app").unwrap();
        let own = (own, ServersSettings::alone());
        let routes = vec![
            route("sales", "postgres://one/sales_prod"),
            route("report_*", "postgres://one/sales_prod"),
            route("tenant_7", "postgres://two"),
            route("tenant_*", "postgres://three/"),
        ];
        let directory = UpstreamDirectory::load(own, routes).unwrap();
        let at = |named: &str, database: &str| {
            let home = directory.home_of(named);
            let names = directory.names_of(home.servers.first(), database);
            let names = names.iter().map(Glob::pattern);
            names.collect::<Vec<_>>().join(" ")
        };
        assert_eq!(at("app", "app"), "app");
        assert_eq!(at("app", "tenant_7"), "", "the name leads elsewhere");
        assert_eq!(at("app", "sales"), "");
        assert_eq!(at("app", "sales_prod"), "sales_prod");
        assert_eq!(at("sales", "sales_prod"), "sales report_*");
        assert_eq!(at("sales", "other"), "");
        assert_eq!(at("tenant_7", "tenant_7"), "tenant_7");
        assert_eq!(at("tenant_8", "tenant_7"), "");
        assert_eq!(at("tenant_8", "tenant_9"), "tenant_9");
    }
}
