//! Operators between types that Postgres has none for: what is written out is spelled otherwise,
//! or one side is cast.
//!
//! What is compared keeps the meaning that it has where such a comparison runs: a text beside a
//! written number is compared as text (SQLite's affinity), a condition beside a number is 1 or 0.

use super::compared_operands::{ComparedColumns, TWO_COLUMNS, column_of, compared_columns};
use super::operator_sides::{OperatorContext, OperatorSide, OperatorSides};
use crate::expression_editor::{ExpressionChange, ExpressionEditor, ExpressionRepair};
use crate::{Confidence, RecovererAnswer, RepairContext};
use catalog::quote::quoted;
use dialect::calls::call::least_confidence;
use dialect::sql_type::SqlType;
use sql::extent::TokenRange;
use sql::node_access;
use sql::tree::{A_Expr_Kind, Node, SubLinkType, nodes};

/// Changes every operator of a text that cannot be, or says why one cannot be changed.
pub fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let Some(all) = context.statement().and_then(node_access::all) else {
        return RecovererAnswer::Silent;
    };
    let mut recoverer = OperatorRecoverer {
        editor: ExpressionEditor::new(context),
        advice: None,
        repaired: Vec::new(),
    };
    recoverer.take_from_message(&all);
    // Children come after their parents.
    for node in all.into_iter().rev() {
        match node {
            Node::A_Expr(operation) => recoverer.repair_operator(operation),
            Node::SubLink(link) if link.sub_link_type == SubLinkType::ANY_SUBLINK => {
                recoverer.repair_subquery(link);
            }
            _ => {}
        }
    }
    recoverer.answer()
}

struct OperatorRecoverer<'c, 's> {
    editor: ExpressionEditor<'c, 's>,
    advice: Option<String>,
    /// Where operators stood that were changed.
    repaired: Vec<usize>,
}

impl<'s> OperatorRecoverer<'_, 's> {
    fn repair_operator(&mut self, operation: &'s nodes::A_Expr) {
        match operation.kind {
            A_Expr_Kind::AEXPR_IN => self.repair_list(operation),
            A_Expr_Kind::AEXPR_BETWEEN | A_Expr_Kind::AEXPR_NOT_BETWEEN => {
                self.repair_range(operation);
            }
            _ => {
                if let Some(sides) = self.sides(operation) {
                    let repair = super::operator_repair::operator_repair(&sides, &self.judge());
                    self.take(operation, repair);
                }
            }
        }
    }

    fn judge(&self) -> OperatorContext<'_, 's> {
        OperatorContext {
            context: self.editor.context,
            ground: &self.editor.ground,
        }
    }

    fn side(&self, node: Node<'s>, run: TokenRange) -> OperatorSide<'s> {
        let kind = self.editor.kinds.kind(node);
        OperatorSide { node, run, kind }
    }

    fn sides(&self, operation: &'s nodes::A_Expr) -> Option<OperatorSides<'s>> {
        let (left, right) = (operation.lexpr(), operation.rexpr());
        let at = node_access::place(operation.location)?;
        if operation.kind == A_Expr_Kind::AEXPR_NULLIF {
            let written = self.editor.ground.call(at)?;
            let [one, other] = written.arguments.as_slice() else {
                return None;
            };
            return Some(OperatorSides {
                symbol: "=",
                operator: written.name,
                left: self.side(left, *one),
                right: self.side(right, *other),
            });
        }
        if matches!(left, Node::None) || operation.name().len() != 1 {
            return None;
        }
        let first = self.editor.ground.at(at)?;
        let symbol = node_access::last_name(operation.name())?;
        let (symbol, last) = match operation.kind {
            A_Expr_Kind::AEXPR_OP => (symbol, first),
            A_Expr_Kind::AEXPR_LIKE | A_Expr_Kind::AEXPR_ILIKE => {
                let negated = self.editor.ground.is(first, "NOT");
                ("like", first.checked_add(usize::from(negated))?)
            }
            _ => return None,
        };
        let left_run = self.editor.ground.left_of(first, left)?;
        let right_run = self.editor.ground.right_of(last, right)?;
        Some(OperatorSides {
            symbol,
            operator: TokenRange { first, last },
            left: self.side(left, left_run),
            right: self.side(right, right_run),
        })
    }

    /// `x IN (1, 2)`: each value stands beside `x`.
    fn repair_list(&mut self, operation: &'s nodes::A_Expr) {
        let Node::NodeList(list) = operation.rexpr() else {
            return;
        };
        let repairs = self.runs_of_list(operation).map(|(left, runs)| {
            let left = self.side(operation.lexpr(), left);
            let values = list.iter().zip(runs);
            let repairs = values.map(|(node, run)| {
                let sides = OperatorSides {
                    symbol: "=",
                    operator: left.run,
                    left,
                    right: self.side(node, run),
                };
                super::operator_repair::operator_repair(&sides, &self.judge())
            });
            repairs.collect::<Vec<_>>()
        });
        for repair in repairs.map(united).into_iter() {
            self.take(operation, repair);
        }
    }

    fn runs_of_list(&self, operation: &'s nodes::A_Expr) -> Option<(TokenRange, Vec<TokenRange>)> {
        let first = self
            .editor
            .ground
            .at(node_access::place(operation.location)?)?;
        let negated = self.editor.ground.is(first, "NOT");
        let word = first.checked_add(usize::from(negated))?;
        let runs = self.editor.ground.list(word.checked_add(1)?)?;
        let left = self.editor.ground.left_of(first, operation.lexpr())?;
        let Node::NodeList(list) = operation.rexpr() else {
            return None;
        };
        (list.len() == runs.len()).then_some((left, runs))
    }

    /// `x BETWEEN 1 AND 2`: both bounds stand beside `x`.
    fn repair_range(&mut self, operation: &'s nodes::A_Expr) {
        let Node::NodeList(bounds) = operation.rexpr() else {
            return;
        };
        let repairs = self.runs_of_range(operation).map(|(left, runs)| {
            let left = self.side(operation.lexpr(), left);
            let values = bounds.iter().zip(runs);
            let repairs = values.map(|(node, run)| {
                let sides = OperatorSides {
                    symbol: "<=",
                    operator: left.run,
                    left,
                    right: self.side(node, run),
                };
                super::operator_repair::operator_repair(&sides, &self.judge())
            });
            repairs.collect::<Vec<_>>()
        });
        for repair in repairs.map(united).into_iter() {
            self.take(operation, repair);
        }
    }

    fn runs_of_range(&self, operation: &'s nodes::A_Expr) -> Option<(TokenRange, [TokenRange; 2])> {
        let first = self
            .editor
            .ground
            .at(node_access::place(operation.location)?)?;
        let negated = self.editor.ground.is(first, "NOT");
        let word = first.checked_add(usize::from(negated))?;
        let Node::NodeList(bounds) = operation.rexpr() else {
            return None;
        };
        let left = self.editor.ground.left_of(first, operation.lexpr())?;
        let from = self.editor.ground.right_of(word, bounds.first()?)?;
        let and = from
            .last
            .checked_add(1)
            .filter(|and| self.editor.ground.is(*and, "AND"))?;
        let to = self.editor.ground.right_of(and, bounds.get(1)?)?;
        Some((left, [from, to]))
    }

    /// `x IN (SELECT y …)`.
    fn repair_subquery(&mut self, link: &'s nodes::SubLink) {
        let Some((repair, at)) = self.subquery_repair(link) else {
            return;
        };
        match repair {
            ExpressionRepair::Changes(changes, confidence) => {
                self.editor.apply(&changes, confidence);
                self.repaired.push(at);
            }
            ExpressionRepair::Advice(advice) => {
                let result = match link.subselect() {
                    Node::SelectStmt(select) => select.target_list().iter().next(),
                    _ => None,
                };
                let names = result.and_then(|own| two_columns(link.testexpr(), own.val()));
                self.advise(Some(at), names.unwrap_or_default() + advice);
            }
            ExpressionRepair::NotNeeded => {}
        }
    }

    fn subquery_repair(&self, link: &'s nodes::SubLink) -> Option<(ExpressionRepair, usize)> {
        let Node::SelectStmt(select) = link.subselect() else {
            return None;
        };
        let target = select.target_list().iter().next()?;
        let at = node_access::place(link.location)?;
        let operator = self.editor.ground.at(at)?;
        let left = self.editor.ground.left_of(operator, link.testexpr())?;
        let value = self.editor.ground.expression(target.val())?;
        let starts = self.editor.ground.bytes(value).start == node_access::place(target.location)?;
        let alone = target.name().is_none() && select.larg().is_none() && starts;
        let (one, other) = (
            self.editor.kinds.kind(link.testexpr()),
            self.editor.kinds.kind(target.val()),
        );
        let change = match (one, other) {
            (SqlType::Integer, SqlType::Text) => ExpressionChange::Cast(left, "text"),
            (SqlType::Text, SqlType::Integer) if alone => ExpressionChange::Cast(value, "text"),
            _ => return None,
        };
        let repair = match compared_columns(link.testexpr(), target.val()) {
            ComparedColumns::OfOneName => {
                ExpressionRepair::Changes(vec![change], Confidence::Exact)
            }
            ComparedColumns::OfTwoNames => ExpressionRepair::Advice(TWO_COLUMNS),
            ComparedColumns::No => ExpressionRepair::Changes(vec![change], Confidence::Likely),
        };
        Some((repair, at))
    }

    fn advise(&mut self, at: Option<usize>, advice: String) {
        let is_told = at == self.editor.context.failure.position;
        if is_told || self.advice.is_none() {
            self.advice = Some(advice);
        }
    }

    fn take(&mut self, operation: &'s nodes::A_Expr, repair: ExpressionRepair) {
        let at = node_access::place(operation.location);
        match repair {
            ExpressionRepair::NotNeeded => {}
            ExpressionRepair::Advice(advice) => {
                let names = match advice == TWO_COLUMNS {
                    true => two_columns(operation.lexpr(), operation.rexpr()),
                    false => None,
                };
                self.advise(at, names.unwrap_or_default() + advice);
            }
            ExpressionRepair::Changes(changes, confidence) => {
                self.editor.apply(&changes, confidence);
                self.repaired.extend(at);
                let joins = |change: &ExpressionChange| matches!(change, ExpressionChange::Spelled(_, own) if own == "||");
                let kind = match changes.iter().any(joins) {
                    true => Some(SqlType::Text),
                    false => super::operator_repair::result_kind(operation, &self.editor.kinds),
                };
                if let Some(kind) = kind {
                    self.editor.kinds.set_kind(Node::A_Expr(operation), kind);
                }
            }
        }
    }

    /// What the server says of the types beside the operator that it did not find.
    fn take_from_message(&mut self, all: &[Node<'s>]) {
        let failure = self.editor.context.failure;
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
            if !matches!(node, Node::None) && self.editor.kinds.kind(node) == SqlType::Unclear {
                self.editor.kinds.set_kind(node, SqlType::named(name));
            }
        }
    }

    fn answer(self) -> RecovererAnswer {
        let told = self.editor.context.failure.position;
        let is_of_operator = self.editor.context.failure.message.starts_with("operator ");
        let missed = is_of_operator && told.is_some_and(|at| !self.repaired.contains(&at));
        match (self.advice, self.editor.is_unchanged() || missed) {
            (Some(advice), true) => return RecovererAnswer::hint(advice),
            (None, true) => return RecovererAnswer::Silent,
            (Some(advice), false) if told.is_none() => {
                return RecovererAnswer::hint(advice);
            }
            (_, false) => {}
        }
        self.editor.answer()
    }
}

/// The names of two columns that are compared, for the client.
fn two_columns(one: Node<'_>, other: Node<'_>) -> Option<String> {
    let name = |node| {
        let parts = column_of(node)?.fields().iter().filter_map(Node::as_str);
        Some(parts.map(quoted).collect::<Vec<_>>().join("."))
    };
    Some(format!("{}, {}: ", name(one)?, name(other)?))
}

/// The repairs of all values beside one left side: a cast of that happens once, and then nothing is
/// spelled otherwise.
fn united(repairs: Vec<ExpressionRepair>) -> ExpressionRepair {
    let mut casts: Vec<ExpressionChange> = Vec::new();
    let mut spelled: Vec<ExpressionChange> = Vec::new();
    let mut confidence = Confidence::Exact;
    for repair in repairs {
        match repair {
            ExpressionRepair::NotNeeded => {}
            ExpressionRepair::Advice(advice) => return ExpressionRepair::Advice(advice),
            ExpressionRepair::Changes(changes, own) => {
                confidence = least_confidence(confidence, own);
                for change in changes {
                    match change {
                        ExpressionChange::Spelled(..) => spelled.push(change),
                        other => casts.push(other),
                    }
                }
            }
        }
    }
    let Some(ExpressionChange::Cast(first, name)) = casts.first().cloned() else {
        return match spelled.is_empty() {
            true => ExpressionRepair::NotNeeded,
            false => ExpressionRepair::Changes(spelled, confidence),
        };
    };
    let is_same = |change: &ExpressionChange| match change {
        ExpressionChange::Cast(run, own) => *run == first && *own == name,
        _ => false,
    };
    let alike = casts.iter().all(is_same);
    if alike {
        return ExpressionRepair::Changes(vec![ExpressionChange::Cast(first, name)], confidence);
    }
    let is_apart = |change: &ExpressionChange| match change {
        ExpressionChange::Cast(run, _) => *run != first,
        _ => false,
    };
    match spelled.is_empty() && casts.iter().skip(1).all(is_apart) {
        true => ExpressionRepair::Changes(casts, confidence),
        false => ExpressionRepair::Advice(MIXED),
    }
}

/// What is said of a list with values of several kinds.
const MIXED: &str =
    "The values are of different types: cast them to the type of what they are compared with.";
