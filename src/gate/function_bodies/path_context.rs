//! Where the names of functions may be looked up while a statement runs.

use crate::context::JudgeContext;
use crate::effects::graph::EffectGraph;
use crate::{PathChange, SearchPaths};
use catalog::{Catalog, FunctionId, RoleId, SearchPath, search_path};

/// One search_path, as one role has it.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct PathContext {
    /// Whose choice it is.
    pub(super) kind: PathOrigin,
    /// As it is set.
    pub(super) names: Box<[Box<str>]>,
    /// As whom it is looked through.
    pub(super) role: RoleId,
    /// What it leads to.
    pub(super) path: SearchPath,
    /// What the path that the session's role begins with leads to; none where that is not known.
    pub(super) home: Option<SearchPath>,
}

/// Whose choice a search_path is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum PathOrigin {
    /// That of whoever keeps the database: it leads where sessions of the role begin.
    Home,
    /// That of the owner of a function.
    Owner,
    /// The client's.
    Foreign,
}

impl PathContext {
    fn of_client(catalog: &Catalog, names: &[Box<str>], session: RoleId, role: RoleId) -> Self {
        let home = home(catalog, session).map(|names| catalog.search_path(&names, Some(role)));
        let path = catalog.search_path(names, Some(role));
        Self {
            kind: if home.as_ref() == Some(&path) {
                PathOrigin::Home
            } else {
                PathOrigin::Foreign
            },
            names: names.into(),
            role,
            path,
            home,
        }
    }

    /// The same in a function that runs as another role.
    pub(super) fn of_definer(&self, catalog: &Catalog, session: RoleId, owner: RoleId) -> Self {
        match self.kind {
            PathOrigin::Home | PathOrigin::Foreign => {
                Self::of_client(catalog, &self.names, session, owner)
            }
            PathOrigin::Owner => Self {
                path: catalog.search_path(&self.names, Some(owner)),
                role: owner,
                ..self.clone()
            },
        }
    }

    /// The path that a function sets for itself; none where that cannot be read.
    pub(super) fn of_function(&self, catalog: &Catalog, id: FunctionId) -> Option<Self> {
        let written = catalog.function(id).search_path.as_deref()?;
        let names = search_path::split(written)?;
        Some(Self {
            kind: PathOrigin::Owner,
            path: catalog.search_path(&names, Some(self.role)),
            names: names.into_iter().map(String::into_boxed_str).collect(),
            role: self.role,
            home: self.home.clone(),
        })
    }
}

/// The role of the session.
pub(super) fn role(effect_graph: &EffectGraph, judge_context: &JudgeContext<'_>) -> Option<RoleId> {
    effect_graph.catalog().role_named(judge_context.role())
}

/// All that may hold while the statement at hand runs, what it sets itself included; none where one
/// of them is not known.
pub(super) fn of(
    effect_graph: &EffectGraph,
    judge_context: &JudgeContext<'_>,
) -> Option<Vec<PathContext>> {
    let catalog = effect_graph.catalog();
    let role = role(effect_graph, judge_context)?;
    let (SearchPaths::Known(paths) | SearchPaths::Unsure(paths)) = judge_context.paths() else {
        return None;
    };
    let mut contexts: Vec<PathContext> = Vec::new();
    let mut add = |names: &[Box<str>]| {
        if catalog.other_encoding() && !names.iter().all(|name| name.is_ascii()) {
            return None;
        }
        // What stands in another session's schema is in no snapshot that could be believed.
        if names.iter().any(|name| name.starts_with("pg_temp_")) {
            return None;
        }
        let context = PathContext::of_client(catalog, names, role, role);
        if !contexts.contains(&context) {
            contexts.push(context);
        }
        Some(())
    };
    for names in paths {
        add(names)?;
    }
    for change in &judge_context.within {
        match change {
            PathChange::To(names) => add(names)?,
            PathChange::Default | PathChange::Unknown | PathChange::Perhaps => return None,
        }
    }
    (!contexts.is_empty()).then_some(contexts)
}

/// The search_path that sessions of a role begin with; none where it cannot be read.
fn home(catalog: &Catalog, role: RoleId) -> Option<Vec<String>> {
    let of_role = catalog.role(role).search_path.as_deref();
    search_path::split(of_role.unwrap_or(catalog.usual_search_path()))
}
