//! How relations are joined that are several foreign keys apart.

use super::context::NameRepairContext;
use catalog::quote::quoted;
use catalog::{KeyKind, RelationId, RelationKey};

impl NameRepairContext<'_> {
    /// The shortest way over foreign keys from one of some relations to another, as joins are
    /// written: one for each step, with the conditions of all keys that make it. None where it is
    /// too far, or leads over what may not be seen.
    pub(crate) fn route(&self, from: &[(RelationId, &str)], to: RelationId) -> Option<Vec<String>> {
        let mut reached: Vec<(RelationId, String, Vec<String>)> = from
            .iter()
            .map(|(relation, name)| (*relation, quoted(name).into_owned(), Vec::new()))
            .collect();
        let mut next = 0;
        while let Some((relation, name, joins)) = reached.get(next).cloned() {
            next += 1;
            if joins.len() >= STEPS_MAX {
                continue;
            }
            for (other, conditions) in self.steps(relation, &name) {
                if reached.iter().any(|(known, ..)| *known == other) {
                    continue;
                }
                let mut joins = joins.clone();
                joins.push(format!(
                    "JOIN {} ON {}",
                    self.called(other),
                    conditions.join(" or ON ")
                ));
                if other == to {
                    return Some(joins);
                }
                let name = quoted(self.name_of(other)).into_owned();
                reached.push((other, name, joins));
            }
        }
        None
    }

    /// The relations that keys make joins of a relation with, each with the conditions of its
    /// keys: there may be two, as from a flight to the airports where it starts and ends.
    fn steps(&self, relation: RelationId, name: &str) -> Vec<(RelationId, Vec<String>)> {
        let mut found: Vec<(RelationId, Vec<String>)> = Vec::new();
        for key in self.database.joining_keys() {
            let Some((other, condition)) = self.step(key, relation, name) else {
                continue;
            };
            match found.iter_mut().find(|(known, _)| *known == other) {
                Some((_, conditions)) if conditions.len() >= KEYS_TOLD_MAX => {}
                Some((_, conditions)) => conditions.push(condition),
                None => found.push((other, vec![condition])),
            }
        }
        found
    }

    /// The condition on which a key joins a relation with another, and that one.
    fn step(
        &self,
        key: &RelationKey,
        relation: RelationId,
        name: &str,
    ) -> Option<(RelationId, String)> {
        let KeyKind::Foreign { to, to_columns } = &key.kind else {
            return None;
        };
        let (other, own, others) = match (key.relation == relation, *to == relation) {
            (true, false) => (*to, &key.columns, to_columns),
            (false, true) => (key.relation, to_columns, &key.columns),
            _ => return None,
        };
        let called = quoted(self.name_of(other)).into_owned();
        let mut conditions = Vec::new();
        for (own, others) in own.iter().zip(others.iter()) {
            let own = self.shown_column(relation, *own)?;
            let others = self.shown_column(other, *others)?;
            conditions.push(format!("{called}.{others} = {name}.{own}"));
        }
        (self.may_show_relation(other) && !conditions.is_empty())
            .then(|| (other, conditions.join(" AND ")))
    }

    /// The name of a column that may be seen.
    fn shown_column(&self, relation: RelationId, number: i16) -> Option<String> {
        let mut columns = self.catalog().columns_of(relation).iter();
        let column = columns.find(|column| column.number == number)?;
        let name = self.catalog().names().text(column.name);
        self.may_show_column_of(relation, column)
            .then(|| quoted(name).into_owned())
    }

    /// A relation as a statement may name it.
    pub(crate) fn called(&self, id: RelationId) -> String {
        let schema = self.catalog().relation(id).schema;
        match self.database.path.schemas().contains(&schema) {
            true => quoted(self.name_of(id)).into_owned(),
            false => self.catalog().relation_name(id),
        }
    }
}

/// Longer ways are hardly ever meant.
const STEPS_MAX: usize = 3;

/// The client is told of no more keys between two relations.
const KEYS_TOLD_MAX: usize = 3;
