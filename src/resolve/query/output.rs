//! What a query returns: its list of expressions, with stars expanded.

use super::COPY_COST;
use crate::catalog::RelationId;
use crate::resolve::column::{Found, Part, Reference, Value};
use crate::resolve::scope::Star;
use crate::resolve::{Analysis, Completeness, Inferred, Item, Name, Scope, TooDeep, What};
use crate::sql::tree::{Node, nodes};

/// What a query returns.
#[derive(Clone, Debug, Default)]
pub struct Shape<'a> {
    /// Its columns.
    pub columns: Vec<Output<'a>>,
    /// Whether these are all.
    pub completeness: Completeness,
}

/// A column of the result of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output<'a> {
    /// Its name.
    pub name: Name<'a>,
    /// Its type.
    pub inferred: Inferred,
    /// The relation and the number of the column that it passes on unchanged, if any.
    pub origin: Option<(RelationId, i16)>,
}

impl<'a> Shape<'a> {
    /// Of something that is not known.
    pub(in crate::resolve) fn open() -> Self {
        Self {
            columns: Vec::new(),
            completeness: Completeness::Open,
        }
    }
}

impl<'a> Output<'a> {
    /// A column that passes nothing on unchanged.
    pub(in crate::resolve) fn computed(name: Name<'a>, inferred: Inferred) -> Self {
        Self {
            name,
            inferred,
            origin: None,
        }
    }
}

impl<'a> Analysis<'a> {
    /// The list of what a SELECT returns.
    pub(in crate::resolve) fn targets(
        &mut self,
        select: &'a nodes::SelectStmt,
        scope: &Scope<'_, 'a>,
    ) -> Result<Shape<'a>, TooDeep> {
        let mut shape = Shape::default();
        for target in select.target_list() {
            let node = target.val();
            if let Some(star) = self.star(node, scope)? {
                shape.completeness = shape.completeness.and(star.completeness);
                shape.columns.extend(star.columns);
                continue;
            }
            let value = match node {
                Node::ColumnRef(reference) => {
                    let value = self.column_value(reference, scope)?;
                    self.remember_type(node, &value.inferred);
                    value
                }
                other => Value::computed(self.expression(other, scope)?),
            };
            let name = match target.name() {
                Some(name) => name.into(),
                None => self.output_name(node),
            };
            shape.columns.push(Output {
                name,
                inferred: value.inferred,
                origin: value.origin,
            });
        }
        Ok(shape)
    }

    /// What `*`, `t.*` and `(x).*` stand for; none for anything else.
    pub(in crate::resolve) fn star(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<Option<Shape<'a>>, TooDeep> {
        match node {
            Node::ColumnRef(reference) => match Reference::of(reference.fields()) {
                Reference::Star => {
                    let mut shape = Shape::default();
                    self.charge(scope.items.len())?;
                    for item in scope.items.iter().skip(scope.first) {
                        if item.is_seen_unqualified() {
                            self.expand(item, reference.location, &mut shape)?;
                        }
                    }
                    Ok(Some(shape))
                }
                Reference::Of(qualifier, Part::Star) => {
                    let mut shape = Shape::default();
                    match self.item(qualifier, scope)? {
                        Found::One(item) => {
                            self.expand(&item, reference.location, &mut shape)?;
                        }
                        found => {
                            self.note_no_entry(&found, qualifier, reference.location, scope);
                            self.no_item(&found, qualifier, "*", reference.location);
                            shape = Shape::open();
                        }
                    }
                    Ok(Some(shape))
                }
                Reference::Bare(_) | Reference::Of(..) | Reference::Strange => Ok(None),
            },
            Node::A_Indirection(of) => match of.indirection().iter().next_back() {
                Some(Node::A_Star(_)) => Ok(Some(self.star_of_value(of, scope)?)),
                _ => Ok(None),
            },
            _ => Ok(None),
        }
    }

    /// `(x).*`: the fields of a composite value.
    fn star_of_value(
        &mut self,
        of: &'a nodes::A_Indirection,
        scope: &Scope<'_, 'a>,
    ) -> Result<Shape<'a>, TooDeep> {
        let last = of.indirection().len().saturating_sub(1);
        let value = self.indirection(of, last, scope)?;
        let Some(fields) = self.fields(&value) else {
            self.note_at(super::NO_PLACE, What::Unclear);
            return Ok(Shape::open());
        };
        self.charge(fields.len().saturating_mul(COPY_COST))?;
        let columns = fields.into_iter().map(|field| {
            let name = Name::from(String::from(field.name));
            Output::computed(name, field.inferred)
        });
        Ok(Shape {
            columns: columns.collect(),
            completeness: Completeness::Complete,
        })
    }

    fn expand(&mut self, item: &Item<'a>, at: i32, shape: &mut Shape<'a>) -> Result<(), TooDeep> {
        self.charge(item.columns.len().saturating_mul(COPY_COST))?;
        shape.completeness = shape.completeness.and(item.completeness);
        if item.completeness == Completeness::Open {
            self.note_at(at, What::Unclear);
        }
        for column in item.columns.iter() {
            if column.star == Star::PassesOver {
                continue;
            }
            self.note_at(at, column.read());
            shape.columns.push(Output {
                name: column.name.clone(),
                inferred: column.inferred.clone(),
                origin: column.origin,
            });
        }
        Ok(())
    }
}
