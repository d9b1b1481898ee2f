//! Where references to columns stand: in which query, in which clause, beside what.

use super::clauses;
use crate::limits::NAMES_JOINS_MAX;
use crate::sql::tree::{self, Node, list, nodes};

/// All places of a statement.
#[derive(Default)]
pub(in crate::repair) struct Places<'t> {
    /// The queries, each before those inside it.
    pub frames: Vec<Frame<'t>>,
    /// The references.
    pub refs: Vec<Place<'t>>,
}

/// One query.
pub(in crate::repair) struct Frame<'t> {
    /// It.
    pub select: &'t nodes::SelectStmt,
    /// The query around it, by its place in [`Places::frames`].
    pub outer: Option<usize>,
    /// How it stands there.
    pub link: Link,
    /// What stands in its FROM, in the order of the text.
    pub entries: Vec<Entry<'t>>,
    /// The joins of its FROM: those of [`Entry::joins`].
    pub joins: Vec<&'t nodes::JoinExpr>,
}

/// How a query stands in the one around it: what it sees of that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::repair) enum Link {
    /// It sees what a clause sees.
    Expression(Clause),
    /// LATERAL in FROM: so many entries stand left of it.
    Lateral(usize),
    /// In FROM, in WITH, or part of a UNION: nothing of that query itself.
    Apart,
}

/// Something in FROM.
pub(in crate::repair) struct Entry<'t> {
    /// What qualifies its columns.
    pub name: Option<&'t str>,
    /// The relation as it is written, if it is one.
    pub table: Option<&'t nodes::RangeVar>,
    /// The joins that it is part of, by their place in [`Frame::joins`], with its side.
    pub joins: Vec<(usize, Side)>,
}

/// A side of a join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::repair) enum Side {
    /// The first.
    Left,
    /// The second.
    Right,
}

/// A clause of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::repair) enum Clause {
    /// The list of what is selected: this one of it.
    Target(usize),
    /// ON of a join, by its place in [`Frame::joins`].
    On(usize),
    /// A function or an expression in FROM: so many entries stand left of it.
    From(usize),
    /// WHERE.
    Where,
    /// GROUP BY.
    Group,
    /// HAVING.
    Having,
    /// ORDER BY.
    Order,
    /// Anything else: DISTINCT ON, WINDOW, VALUES, LIMIT.
    Other,
}

/// One reference to a column.
#[derive(Clone, Copy)]
pub(in crate::repair) struct Place<'t> {
    /// It.
    pub reference: &'t nodes::ColumnRef,
    /// Where it begins.
    pub at: usize,
    /// Its query.
    pub frame: usize,
    /// Its clause.
    pub clause: Clause,
    /// What it is there.
    pub role: Role<'t>,
}

/// What an expression is in the one around it.
#[derive(Clone, Copy)]
pub(in crate::repair) enum Role<'t> {
    /// The whole of its clause, or of its part of a list.
    Whole,
    /// A side of an operator of comparison.
    Compared {
        /// The other side.
        other: Node<'t>,
        /// Whether the operator is `=`.
        equal: bool,
    },
    /// The right side of LIKE, an element of IN or of BETWEEN, the second part of NULLIF.
    Listed {
        /// What is looked at.
        sought: Node<'t>,
    },
    /// An element of ARRAY.
    Element,
    /// An argument of a function.
    Argument {
        /// What is called.
        of: &'t str,
        /// All of them.
        all: &'t list::NodeList,
        /// Which one.
        place: usize,
    },
    /// A result of CASE.
    Branch,
    /// What the tested value of a CASE is compared with.
    Tested,
    /// An operand of `||`.
    Joined {
        /// The other.
        other: Node<'t>,
    },
    /// What is cast.
    Cast,
    /// IS NULL and the like.
    Test,
    /// Anything else.
    Part,
}

/// Something still to be looked at.
pub(super) enum Step<'t> {
    /// A query.
    Query(&'t nodes::SelectStmt, Option<usize>, Link),
    /// A part of FROM, the joins that it is part of, and whether an alias hides its name.
    From(Node<'t>, usize, Vec<(usize, Side)>, bool),
    /// An expression.
    Expression(Node<'t>, Around<'t>),
}

/// What is around an expression.
#[derive(Clone, Copy)]
pub(super) struct Around<'t> {
    /// Its query.
    pub frame: Option<usize>,
    /// Its clause.
    pub clause: Clause,
    /// What it is in what is around it.
    pub role: Role<'t>,
}

impl<'t> Places<'t> {
    /// The places of a statement; none where it holds something that is not known.
    pub(in crate::repair) fn of(statement: Node<'t>) -> Option<Self> {
        let mut places = Self::default();
        let around = Around {
            frame: None,
            clause: Clause::Other,
            role: Role::Part,
        };
        let mut waiting = vec![Step::Expression(carried(statement), around)];
        while let Some(step) = waiting.pop() {
            match step {
                Step::Query(select, outer, link) => {
                    let frame = places.begin(select, outer, link);
                    clauses::of_query(select, frame, &mut waiting);
                }
                Step::From(node, frame, joins, hidden) => {
                    places.from(node, frame, joins, hidden, &mut waiting)?;
                }
                Step::Expression(node, around) => places.expression(node, around, &mut waiting)?,
            }
        }
        Some(places)
    }

    /// The reference that begins at a byte.
    pub(in crate::repair) fn at(&self, at: usize) -> Option<&Place<'t>> {
        self.refs.iter().find(|place| place.at == at)
    }

    /// A query.
    pub(in crate::repair) fn frame(&self, frame: usize) -> Option<&Frame<'t>> {
        self.frames.get(frame)
    }

    /// A query and those around it, nearest first.
    pub(in crate::repair) fn chain(&self, frame: usize) -> impl Iterator<Item = &Frame<'t>> {
        std::iter::successors(self.frame(frame), |inner| self.frame(inner.outer?))
    }

    fn begin(&mut self, select: &'t nodes::SelectStmt, outer: Option<usize>, link: Link) -> usize {
        self.frames.push(Frame {
            select,
            outer,
            link,
            entries: Vec::new(),
            joins: Vec::new(),
        });
        self.frames.len() - 1
    }

    fn expression(
        &mut self,
        node: Node<'t>,
        around: Around<'t>,
        waiting: &mut Vec<Step<'t>>,
    ) -> Option<()> {
        match node {
            Node::SelectStmt(select) => {
                let link = Link::Expression(around.clause);
                waiting.push(Step::Query(select, around.frame, link));
            }
            Node::ColumnRef(reference) => {
                if let (Ok(at), Some(frame)) = (usize::try_from(reference.location), around.frame) {
                    self.refs.push(Place {
                        reference,
                        at,
                        frame,
                        clause: around.clause,
                        role: around.role,
                    });
                }
            }
            other => clauses::inside(other, around, waiting)?,
        }
        Some(())
    }

    fn from(
        &mut self,
        node: Node<'t>,
        frame: usize,
        joins: Vec<(usize, Side)>,
        hidden: bool,
        waiting: &mut Vec<Step<'t>>,
    ) -> Option<()> {
        let own = self.frames.get_mut(frame)?;
        let left = own.entries.len();
        let around = Around {
            frame: Some(frame),
            clause: Clause::From(left),
            role: Role::Part,
        };
        let mut entry = |alias: Option<&'t nodes::Alias>, table: Option<&'t nodes::RangeVar>| {
            let named = alias.and_then(|alias| alias.aliasname());
            let name = named.or_else(|| table.and_then(|table| table.relname()));
            own.entries.push(Entry {
                name: name.filter(|_| !hidden),
                table,
                joins: joins.clone(),
            });
        };
        match node {
            Node::RangeVar(table) => entry(table.alias(), Some(table)),
            Node::RangeSubselect(range) => {
                entry(range.alias(), None);
                let link = match range.lateral {
                    true => Link::Lateral(left),
                    false => Link::Apart,
                };
                let Node::SelectStmt(select) = range.subquery() else {
                    return None;
                };
                waiting.push(Step::Query(select, Some(frame), link));
            }
            Node::RangeTableSample(sample) => {
                let arguments = sample.args().iter();
                waiting.extend(arguments.map(|node| Step::Expression(node, around)));
                waiting.push(Step::From(sample.relation(), frame, joins, hidden));
            }
            Node::JoinExpr(join) => {
                if join.alias().is_some() {
                    entry(join.alias(), None);
                }
                return self.join(join, frame, &joins, hidden, waiting);
            }
            Node::RangeFunction(range) => {
                entry(range.alias(), None);
                let mut parts = Vec::new();
                for function in range.functions() {
                    tree::children(function, &mut parts).ok()?;
                }
                waiting.extend(parts.into_iter().map(|node| Step::Expression(node, around)));
            }
            other => {
                let mut parts = Vec::new();
                tree::children(other, &mut parts).ok()?;
                let named = parts.iter().find_map(|part| match part {
                    Node::Alias(alias) => Some(*alias),
                    _ => None,
                });
                entry(named, None);
                waiting.extend(parts.into_iter().map(|node| Step::Expression(node, around)));
            }
        }
        Some(())
    }

    fn join(
        &mut self,
        join: &'t nodes::JoinExpr,
        frame: usize,
        joins: &[(usize, Side)],
        hidden: bool,
        waiting: &mut Vec<Step<'t>>,
    ) -> Option<()> {
        if joins.len() >= NAMES_JOINS_MAX {
            return None;
        }
        let own = self.frames.get_mut(frame)?;
        let place = own.joins.len();
        own.joins.push(join);
        let hidden = hidden || join.alias().is_some();
        let condition = Around {
            frame: Some(frame),
            clause: Clause::On(place),
            role: Role::Whole,
        };
        waiting.push(Step::Expression(join.quals(), condition));
        for (node, side) in [(join.rarg(), Side::Right), (join.larg(), Side::Left)] {
            let mut joins = joins.to_vec();
            joins.push((place, side));
            waiting.push(Step::From(node, frame, joins, hidden));
        }
        Some(())
    }
}

/// The query that a statement carries.
fn carried(node: Node<'_>) -> Node<'_> {
    match node {
        Node::ExplainStmt(explain) => explain.query(),
        Node::DeclareCursorStmt(declare) => declare.query(),
        Node::CopyStmt(copy) if !matches!(copy.query(), Node::None) => copy.query(),
        Node::PrepareStmt(prepare) => prepare.query(),
        other => other,
    }
}
