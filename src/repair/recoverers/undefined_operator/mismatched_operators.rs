//! Operators between types that Postgres has none for: what is written out is spelled otherwise,
//! or one side is cast.
//!
//! What is compared keeps the meaning that it has where such a comparison runs: a text beside a
//! written number is compared as text (SQLite's affinity), a condition beside a number is 1 or 0.

use crate::repair::expression_editor::{Bench, Change, Cure};
use crate::repair::foreign_functions::call::least;
use crate::repair::foreign_functions::expression_span::Run;
use crate::repair::foreign_functions::node_access;
use crate::repair::foreign_functions::value_kind::Kind;
use crate::repair::{Answer, Confidence, Scene};
use crate::sql::tree::{A_Expr_Kind, Node, SubLinkType, nodes};

/// Changes every operator of a text that cannot be, or says why one cannot be changed.
pub fn mend(scene: &Scene<'_>) -> Answer {
    let Some(all) = scene.statement().and_then(node_access::all) else {
        return Answer::Silent;
    };
    let mut mender = Mender {
        bench: Bench::new(scene),
        advice: None,
        mended: Vec::new(),
    };
    mender.take_from_message(&all);
    // Children come after their parents.
    for node in all.into_iter().rev() {
        match node {
            Node::A_Expr(operation) => mender.look_at(operation),
            Node::SubLink(link) if link.sub_link_type == SubLinkType::ANY_SUBLINK => {
                mender.look_at_query(link);
            }
            _ => {}
        }
    }
    mender.answer()
}

/// An operator with what stands beside it.
pub(in crate::repair) struct Sides<'s> {
    /// The symbol; `like` for LIKE and its kin.
    pub(in crate::repair) symbol: &'s str,
    /// Where the operator is written.
    pub(in crate::repair) operator: Run,
    /// The left side.
    pub(in crate::repair) left: Side<'s>,
    /// The right side.
    pub(in crate::repair) right: Side<'s>,
}

/// One side of an operator.
#[derive(Clone, Copy)]
pub(in crate::repair) struct Side<'s> {
    /// It in the tree.
    pub(in crate::repair) node: Node<'s>,
    /// It in the text.
    pub(in crate::repair) run: Run,
    /// What it is.
    pub(in crate::repair) kind: Kind,
}

struct Mender<'c, 's> {
    bench: Bench<'c, 's>,
    advice: Option<&'static str>,
    /// Where operators stood that were changed.
    mended: Vec<usize>,
}

impl<'s> Mender<'_, 's> {
    fn look_at(&mut self, operation: &'s nodes::A_Expr) {
        match operation.kind {
            A_Expr_Kind::AEXPR_IN => self.look_at_list(operation),
            A_Expr_Kind::AEXPR_BETWEEN | A_Expr_Kind::AEXPR_NOT_BETWEEN => {
                self.look_at_range(operation);
            }
            _ => {
                if let Some(sides) = self.sides(operation) {
                    let cure = super::operator_repair::cure(&sides, &self.judge());
                    self.take(operation, cure);
                }
            }
        }
    }

    fn judge(&self) -> super::operator_repair::Judge<'_, 's> {
        super::operator_repair::Judge {
            scene: self.bench.scene,
            ground: &self.bench.ground,
        }
    }

    fn side(&self, node: Node<'s>, run: Run) -> Side<'s> {
        let kind = self.bench.kinds.kind(node);
        Side { node, run, kind }
    }

    fn sides(&self, operation: &'s nodes::A_Expr) -> Option<Sides<'s>> {
        let (left, right) = (operation.lexpr(), operation.rexpr());
        let at = node_access::place(operation.location)?;
        if operation.kind == A_Expr_Kind::AEXPR_NULLIF {
            let written = self.bench.ground.call(at)?;
            let [one, other] = written.arguments.as_slice() else {
                return None;
            };
            return Some(Sides {
                symbol: "=",
                operator: written.name,
                left: self.side(left, *one),
                right: self.side(right, *other),
            });
        }
        if matches!(left, Node::None) || operation.name().len() != 1 {
            return None;
        }
        let first = self.bench.ground.at(at)?;
        let symbol = node_access::last_name(operation.name())?;
        let (symbol, last) = match operation.kind {
            A_Expr_Kind::AEXPR_OP => (symbol, first),
            A_Expr_Kind::AEXPR_LIKE | A_Expr_Kind::AEXPR_ILIKE => {
                let negated = self.bench.ground.is(first, "NOT");
                ("like", first.checked_add(usize::from(negated))?)
            }
            _ => return None,
        };
        let left_run = self.bench.ground.left_of(first, left)?;
        let right_run = self.bench.ground.right_of(last, right)?;
        Some(Sides {
            symbol,
            operator: Run { first, last },
            left: self.side(left, left_run),
            right: self.side(right, right_run),
        })
    }

    /// `x IN (1, 2)`: each value stands beside `x`.
    fn look_at_list(&mut self, operation: &'s nodes::A_Expr) {
        let Node::NodeList(list) = operation.rexpr() else {
            return;
        };
        let cures = self.runs_of_list(operation).map(|(left, runs)| {
            let left = self.side(operation.lexpr(), left);
            let values = list.iter().zip(runs);
            let cures = values.map(|(node, run)| {
                let sides = Sides {
                    symbol: "=",
                    operator: left.run,
                    left,
                    right: self.side(node, run),
                };
                super::operator_repair::cure(&sides, &self.judge())
            });
            cures.collect::<Vec<_>>()
        });
        for cure in cures.map(united).into_iter() {
            self.take(operation, cure);
        }
    }

    fn runs_of_list(&self, operation: &'s nodes::A_Expr) -> Option<(Run, Vec<Run>)> {
        let first = self
            .bench
            .ground
            .at(node_access::place(operation.location)?)?;
        let negated = self.bench.ground.is(first, "NOT");
        let word = first.checked_add(usize::from(negated))?;
        let runs = self.bench.ground.list(word.checked_add(1)?)?;
        let left = self.bench.ground.left_of(first, operation.lexpr())?;
        let Node::NodeList(list) = operation.rexpr() else {
            return None;
        };
        (list.len() == runs.len()).then_some((left, runs))
    }

    /// `x BETWEEN 1 AND 2`: both bounds stand beside `x`.
    fn look_at_range(&mut self, operation: &'s nodes::A_Expr) {
        let Node::NodeList(bounds) = operation.rexpr() else {
            return;
        };
        let cures = self.runs_of_range(operation).map(|(left, runs)| {
            let left = self.side(operation.lexpr(), left);
            let values = bounds.iter().zip(runs);
            let cures = values.map(|(node, run)| {
                let sides = Sides {
                    symbol: "<=",
                    operator: left.run,
                    left,
                    right: self.side(node, run),
                };
                super::operator_repair::cure(&sides, &self.judge())
            });
            cures.collect::<Vec<_>>()
        });
        for cure in cures.map(united).into_iter() {
            self.take(operation, cure);
        }
    }

    fn runs_of_range(&self, operation: &'s nodes::A_Expr) -> Option<(Run, [Run; 2])> {
        let first = self
            .bench
            .ground
            .at(node_access::place(operation.location)?)?;
        let negated = self.bench.ground.is(first, "NOT");
        let word = first.checked_add(usize::from(negated))?;
        let Node::NodeList(bounds) = operation.rexpr() else {
            return None;
        };
        let left = self.bench.ground.left_of(first, operation.lexpr())?;
        let from = self.bench.ground.right_of(word, bounds.first()?)?;
        let and = from
            .last
            .checked_add(1)
            .filter(|and| self.bench.ground.is(*and, "AND"))?;
        let to = self.bench.ground.right_of(and, bounds.get(1)?)?;
        Some((left, [from, to]))
    }

    /// `x IN (SELECT y …)`.
    fn look_at_query(&mut self, link: &'s nodes::SubLink) {
        let Some((cure, at)) = self.cure_of_query(link) else {
            return;
        };
        if let Cure::Changes(changes, confidence) = cure {
            self.bench.apply(&changes, confidence);
            self.mended.push(at);
        }
    }

    fn cure_of_query(&self, link: &'s nodes::SubLink) -> Option<(Cure, usize)> {
        let Node::SelectStmt(select) = link.subselect() else {
            return None;
        };
        let target = select.target_list().iter().next()?;
        let at = node_access::place(link.location)?;
        let operator = self.bench.ground.at(at)?;
        let left = self.bench.ground.left_of(operator, link.testexpr())?;
        let value = self.bench.ground.expression(target.val())?;
        let starts = self.bench.ground.bytes(value).start == node_access::place(target.location)?;
        let alone = target.name().is_none() && select.larg().is_none() && starts;
        let (one, other) = (
            self.bench.kinds.kind(link.testexpr()),
            self.bench.kinds.kind(target.val()),
        );
        let change = match (one, other) {
            (Kind::Int, Kind::Text) => Change::Cast(left, "text"),
            (Kind::Text, Kind::Int) if alone => Change::Cast(value, "text"),
            _ => return None,
        };
        Some((Cure::Changes(vec![change], Confidence::Likely), at))
    }

    fn take(&mut self, operation: &'s nodes::A_Expr, cure: Cure) {
        let at = node_access::place(operation.location);
        match cure {
            Cure::Sound => {}
            Cure::Advice(advice) => {
                let is_told = at == self.bench.scene.failure.position;
                if is_told || self.advice.is_none() {
                    self.advice = Some(advice);
                }
            }
            Cure::Changes(changes, confidence) => {
                self.bench.apply(&changes, confidence);
                self.mended.extend(at);
                let joins =
                    |change: &Change| matches!(change, Change::Spelled(_, own) if own == "||");
                let kind = match changes.iter().any(joins) {
                    true => Some(Kind::Text),
                    false => super::operator_repair::result(operation, &self.bench.kinds),
                };
                if let Some(kind) = kind {
                    self.bench.kinds.make(Node::A_Expr(operation), kind);
                }
            }
        }
    }

    /// What the server says of the types beside the operator that it did not find.
    fn take_from_message(&mut self, all: &[Node<'s>]) {
        let failure = self.bench.scene.failure;
        let told = failure.message.strip_prefix("operator does not exist: ");
        let at = |node: &&Node<'s>| match node {
            Node::A_Expr(operation) => {
                failure.position.is_some()
                    && node_access::place(operation.location) == failure.position
            }
            _ => false,
        };
        let (Some(told), Some(Node::A_Expr(operation))) = (told, all.iter().find(at)) else {
            return;
        };
        let symbol = match node_access::last_name(operation.name()) {
            Some(symbol) if operation.kind != A_Expr_Kind::AEXPR_IN => format!(" {symbol} "),
            _ => return,
        };
        let Some((left, right)) = told.split_once(symbol.as_str()) else {
            return;
        };
        for (node, name) in [(operation.lexpr(), left), (operation.rexpr(), right)] {
            if !matches!(node, Node::None) && self.bench.kinds.kind(node) == Kind::Unclear {
                self.bench.kinds.make(node, Kind::named(name));
            }
        }
    }

    fn answer(self) -> Answer {
        let told = self.bench.scene.failure.position;
        let is_of_operator = self.bench.scene.failure.message.starts_with("operator ");
        let missed = is_of_operator && told.is_some_and(|at| !self.mended.contains(&at));
        match (self.advice, self.bench.is_idle() || missed) {
            (Some(advice), true) => return Answer::hint(advice.to_owned()),
            (None, true) => return Answer::Silent,
            (Some(advice), false) if told.is_none() => return Answer::hint(advice.to_owned()),
            (_, false) => {}
        }
        self.bench.answer()
    }
}

/// The cures of all values beside one left side: a cast of that happens once, and then nothing is
/// spelled otherwise.
fn united(cures: Vec<Cure>) -> Cure {
    let mut casts: Vec<Change> = Vec::new();
    let mut spelled: Vec<Change> = Vec::new();
    let mut confidence = Confidence::Exact;
    for cure in cures {
        match cure {
            Cure::Sound => {}
            Cure::Advice(advice) => return Cure::Advice(advice),
            Cure::Changes(changes, own) => {
                confidence = least(confidence, own);
                for change in changes {
                    match change {
                        Change::Spelled(..) => spelled.push(change),
                        other => casts.push(other),
                    }
                }
            }
        }
    }
    let Some(Change::Cast(first, name)) = casts.first().cloned() else {
        return match spelled.is_empty() {
            true => Cure::Sound,
            false => Cure::Changes(spelled, confidence),
        };
    };
    let is_same =
        |change: &Change| matches!(change, Change::Cast(run, own) if *run == first && *own == name);
    let alike = casts.iter().all(is_same);
    if alike {
        return Cure::Changes(vec![Change::Cast(first, name)], confidence);
    }
    let is_apart = |change: &Change| matches!(change, Change::Cast(run, _) if *run != first);
    match spelled.is_empty() && casts.iter().skip(1).all(is_apart) {
        true => Cure::Changes(casts, confidence),
        false => Cure::Advice(MIXED),
    }
}

/// What is said of a list with values of several kinds.
const MIXED: &str =
    "The values are of different types: cast them to the type of what they are compared with.";
