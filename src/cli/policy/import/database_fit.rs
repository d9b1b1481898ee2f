//! What of a project a database has, and what a policy lets through of it.

use std::collections::{BTreeSet, HashMap};

use super::fragment::ImportedProject;
use super::left_out::LeftOut;
use super::semantics::ImportedMetric;
use crate::catalog::quote::quoted;
use crate::catalog::{Catalog, RelationId, search_path};
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::{GateAnswer, OfflineJudge};
use crate::resolve::{self, KnownParameters, LookupContext, UsedObject};
use crate::sql::tree;

/// A database, with a policy where one is given.
pub(super) struct FittedDatabase<'d> {
    catalog: &'d Catalog,
    relations: HashMap<(&'d str, &'d str), RelationId>,
    /// The judge of the policy, with the database as it sees it.
    judge: Option<(&'d OfflineJudge, &'d AssumedDatabase)>,
}

impl<'d> FittedDatabase<'d> {
    /// A database of which this is known.
    pub(super) fn of(
        catalog: &'d Catalog,
        judge: Option<(&'d OfflineJudge, &'d AssumedDatabase)>,
    ) -> Self {
        let relations = catalog.relations().map(|(id, relation)| {
            let schema = catalog.names().text(catalog.schema(relation.schema).name);
            ((schema, catalog.names().text(relation.name)), id)
        });
        Self {
            catalog,
            relations: relations.collect(),
            judge,
        }
    }

    /// The columns of a relation.
    pub(super) fn columns(&self, schema: &str, name: &str) -> Option<Vec<String>> {
        let id = self.relations.get(&(schema, name))?;
        let columns = self.catalog.columns_of(*id).iter();
        Some(
            columns
                .map(|column| self.catalog.names().text(column.name).to_owned())
                .collect(),
        )
    }

    /// Leaves out of a project what is not there, or is refused.
    pub(super) fn fit(&self, project: &mut ImportedProject, left_out: &mut LeftOut) {
        let has = self.things(project, left_out);
        let mut has_told = |place: usize, column: &str, what: &str| {
            let is_there = has.contains(&(place, Some(column.to_owned())));
            let is_missing = !is_there && has.contains(&(place, None));
            if is_missing {
                left_out.add(what, &format!("the database has no column {column} there"));
            }
            is_there
        };
        let relations = &project.relations;
        let id = |place: usize| {
            relations
                .all
                .get(place)
                .map_or("", |relation| relation.id.as_str())
        };
        project.facts.sentences.retain(|(place, column), _| {
            has_told(*place, column, &format!("tests of {}", id(*place)))
        });
        for (place, all) in &mut project.facts.combinations {
            let place = *place;
            all.retain(|names| {
                let mut names = names.iter();
                names.all(|name| has_told(place, name, &format!("a test of {}", id(place))))
            });
        }
        for joins in [&mut project.facts.joins, &mut project.semantics.joins] {
            joins.retain(|join| {
                let mut sides = [&join.from, &join.to].into_iter();
                sides.all(|(place, column)| {
                    has_told(*place, column, &format!("a relationship of {}", id(*place)))
                })
            });
        }
        self.fit_dimensions(project, left_out);
        let metrics = std::mem::take(&mut project.semantics.metrics);
        for metric in metrics {
            let id = metric.id.clone();
            match self.fitted(metric, project, left_out) {
                Ok(metric) => project.semantics.metrics.push(metric),
                Err(why) => left_out.add(&id, &why),
            }
        }
    }

    /// The relations and columns that are there; those that are not are taken out of the project.
    fn things(
        &self,
        project: &mut ImportedProject,
        left_out: &mut LeftOut,
    ) -> BTreeSet<(usize, Option<String>)> {
        let mut has = BTreeSet::new();
        for (place, relation) in project.relations.all.iter_mut().enumerate() {
            let Some(columns) = self.columns(&relation.schema, &relation.name) else {
                let (schema, name) = (&relation.schema, &relation.name);
                let why = format!("the database has no relation {schema}.{name}");
                left_out.add(&relation.id, &why);
                relation.description.clear();
                relation.columns.clear();
                continue;
            };
            has.insert((place, None));
            let id = &relation.id;
            relation.columns.retain(|(name, _)| {
                let is_there = columns.contains(name);
                if !is_there {
                    left_out.add(id, &format!("the database has no column {name} there"));
                }
                is_there
            });
            has.extend(columns.into_iter().map(|name| (place, Some(name))));
        }
        has
    }

    fn fit_dimensions(&self, project: &mut ImportedProject, left_out: &mut LeftOut) {
        let relations = &project.relations;
        let has_model = |schema: &str, name: &str| {
            let judge = self.judge.map(|(judge, _)| judge);
            let models = judge.map_or(&[][..], |judge| judge.policy().models());
            models
                .iter()
                .any(|model| model.schema == schema && model.name == name)
        };
        project.semantics.dimensions.retain(|dimension| {
            let Some(relation) = relations.all.get(dimension.relation) else {
                return false;
            };
            let (schema, name) = (&relation.schema, &relation.name);
            let columns = self.columns(schema, name);
            let is_taken = columns.is_some_and(|columns| columns.contains(&dimension.name));
            let text = format!(
                "SELECT ({}) FROM {}.{}",
                dimension.expression,
                quoted(schema),
                quoted(name)
            );
            let why = match has_model(schema, name) {
                _ if is_taken => Err("there is a column of this name".to_owned()),
                true => Err("the policy has a model of its relation".to_owned()),
                false => self.check(&text),
            };
            if let Err(why) = &why {
                left_out.add(
                    &format!("dimension {} of {}", dimension.name, relation.id),
                    why,
                );
            }
            why.is_ok()
        });
    }

    /// A metric without the dimensions that are not there.
    fn fitted(
        &self,
        mut metric: ImportedMetric,
        project: &ImportedProject,
        left_out: &mut LeftOut,
    ) -> Result<ImportedMetric, String> {
        let relation = project.relations.all.get(metric.relation);
        let relation = relation.ok_or("its relation is left out")?;
        let from = format!(
            "FROM {}.{}",
            quoted(&relation.schema),
            quoted(&relation.name)
        );
        let id = metric.id.clone();
        metric.dimensions.retain(|name, expression| {
            let why = self.check(&format!("SELECT ({expression}) {from}"));
            if let Err(why) = &why {
                left_out.add(&format!("{id}, dimension {name}"), why);
            }
            why.is_ok()
        });
        if let Some((column, _)) = &metric.time {
            self.check(&format!("SELECT {} {from}", quoted(column)))?;
        }
        let filters = metric.filters.iter().map(|filter| format!("({filter})"));
        let filters = filters.collect::<Vec<_>>().join(" AND ");
        let only = if filters.is_empty() { "" } else { " WHERE " };
        self.check(&format!("SELECT {} {from}{only}{filters}", metric.measure))?;
        Ok(metric)
    }

    /// Whether all that a statement names is there, and the policy lets it run.
    fn check(&self, text: &str) -> Result<(), String> {
        let parsed = tree::parse(text).map_err(|_| "Postgres does not read it")?;
        let only = parsed
            .statements()
            .next()
            .ok_or("Postgres does not read it")?;
        let usual = search_path::split(self.catalog.usual_search_path()).unwrap_or_default();
        let path = std::iter::once("pg_catalog").chain(usual.iter().map(String::as_str));
        let path = self.catalog.search_path_of_all(path);
        let lookup = LookupContext {
            catalog: self.catalog,
            path: &path,
            parameters: KnownParameters::Given(&[]),
        };
        let found = resolve::statement(only.node, &lookup);
        let found = found.map_err(|_| "it nests deeper than its names are followed")?;
        for used in &found.uses {
            missing(&used.what)?;
        }
        let Some((judge, world)) = self.judge else {
            return Ok(());
        };
        let mut script = judge.session(world, &AssumedSession::default());
        match judge.judge(text, &mut script).answer {
            GateAnswer::Permit => Ok(()),
            answer => Err(format!(
                "the policy refuses it: {}",
                answer.rules().join(", ")
            )),
        }
    }
}

fn missing(used: &UsedObject<'_>) -> Result<(), String> {
    match used {
        UsedObject::MissingRelation { name, .. } => {
            Err(format!("the database has no relation {}", name.as_str()))
        }
        UsedObject::MissingColumn { name, .. } => Err(format!(
            "the database has no column {} there",
            name.as_str()
        )),
        UsedObject::AmbiguousColumn { name, .. } => {
            Err(format!("{} may be several columns", name.as_str()))
        }
        UsedObject::MissingFunction => Err("it calls a function that the database lacks".into()),
        UsedObject::Unclear => Err("what it reads cannot be told".into()),
        _ => Ok(()),
    }
}
