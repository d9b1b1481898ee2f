//! The forms that the SQL standard gives a syntax of their own, XML among them, and what calls
//! carry besides arguments.

use crate::inferred::InferredType;
use crate::operator::OperatorOperands;
use crate::{Analysis, Scope, TooDeep};
use catalog::{Oid, type_oid};
use sql::tree::list::NodeList;
use sql::tree::{Node, XmlExprOp, nodes};

impl<'a> Analysis<'a> {
    /// What has neither operands nor arguments of the usual kind.
    pub(crate) fn standard_form(
        &mut self,
        node: Node<'a>,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        match node {
            Node::SQLValueFunction(value) => Ok(self.server_value(value)),
            Node::GroupingFunc(grouping) => {
                self.all(grouping.args(), scope)?;
                Ok(self.own(type_oid::INT4))
            }
            Node::XmlExpr(xml) => self.xml(xml, scope),
            Node::XmlSerialize(xml) => {
                let value = self.expression(xml.expr(), scope)?;
                self.coerced_to(&value, type_oid::XML, xml.location);
                let Some(name) = xml.type_name() else {
                    return self.unknown(node, scope);
                };
                let inferred = self.type_name(name);
                if let InferredType::Known(target) = inferred {
                    let text = self.own(type_oid::TEXT);
                    self.cast_to(&text, target, true, xml.location);
                }
                Ok(inferred)
            }
            Node::MergeSupportFunc(_) => Ok(self.own(type_oid::TEXT)),
            Node::SetToDefault(_) => Ok(InferredType::Unclear),
            other => self.json(other, scope),
        }
    }

    /// The operator of ORDER BY … USING, noted.
    pub fn sort_operator(&mut self, name: &'a NodeList, key: &InferredType, location: i32) {
        let key = match key {
            InferredType::Literal | InferredType::Parameter(_) => self.own(type_oid::TEXT),
            other => other.clone(),
        };
        self.operator_written(name, &OperatorOperands::Infix(&key, &key), location);
    }

    fn xml(
        &mut self,
        xml: &'a nodes::XmlExpr,
        scope: &Scope<'_, 'a>,
    ) -> Result<InferredType, TooDeep> {
        for named in xml.named_args() {
            match named {
                Node::ResTarget(target) => self.expression(target.val(), scope)?,
                other => self.expression(other, scope)?,
            };
        }
        let asked: &[Oid] = match xml.op {
            XmlExprOp::IS_XMLCONCAT => &[type_oid::XML],
            XmlExprOp::IS_XMLPARSE => &[type_oid::TEXT, type_oid::BOOL],
            XmlExprOp::IS_XMLPI => &[type_oid::TEXT],
            XmlExprOp::IS_XMLROOT => &[type_oid::XML, type_oid::TEXT, type_oid::INT4],
            XmlExprOp::IS_DOCUMENT => &[type_oid::XML],
            _ => &[],
        };
        for (place, argument) in xml.args().iter().enumerate() {
            let inferred = match argument {
                Node::ResTarget(target) => self.expression(target.val(), scope)?,
                other => self.expression(other, scope)?,
            };
            if let Some(target) = asked.get(place).or(asked.last()) {
                self.coerced_to(&inferred, *target, xml.location);
            }
        }
        Ok(self.own(match xml.op {
            XmlExprOp::IS_DOCUMENT => type_oid::BOOL,
            _ => type_oid::XML,
        }))
    }
}
