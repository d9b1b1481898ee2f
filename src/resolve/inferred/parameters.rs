//! Which parameters without a type are literals to their places: those that occur once, and those
//! that are cast to the same type wherever they occur. Another takes everywhere the type that the
//! place which Postgres reads first gives it.

use std::collections::HashMap;

use crate::Analysis;
use sql::tree::{self, Node, nodes};

/// Where each parameter occurs; nothing is said where that was not counted.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParameterOccurrences(HashMap<u32, ParameterPlaces>);

/// The places of one parameter.
#[derive(Clone, Debug, Default)]
struct ParameterPlaces {
    count: usize,
    /// How many of them are casts to the type that the first of these names.
    alike: usize,
    written: Option<WrittenType>,
}

/// A type as it is written, without a length.
#[derive(Clone, PartialEq, Eq)]
struct WrittenType {
    names: Vec<Box<str>>,
    is_array: bool,
}

impl ParameterOccurrences {
    /// Counts the parameters under a node. What is under a kind that is not known is not counted,
    /// and is no literal either.
    fn count(&mut self, node: Node<'_>) {
        let mut waiting = vec![node];
        while let Some(next) = waiting.pop() {
            if let Node::ParamRef(parameter) = next {
                self.places(parameter).count += 1;
            }
            if let Node::TypeCast(cast) = next
                && let Node::ParamRef(parameter) = cast.arg()
                && let Some(written) = cast.type_name().and_then(WrittenType::of)
            {
                let places = self.places(parameter);
                let first = places.written.get_or_insert_with(|| written.clone());
                if *first == written {
                    places.alike += 1;
                }
            }
            let _unknown = tree::children(next, &mut waiting);
        }
    }

    fn places(&mut self, parameter: &nodes::ParamRef) -> &mut ParameterPlaces {
        let number = u32::try_from(parameter.number).unwrap_or_default();
        self.0.entry(number).or_default()
    }
}

impl WrittenType {
    fn of(name: &nodes::TypeName) -> Option<Self> {
        let parts = name.names().iter();
        let names: Vec<Box<str>> = parts
            .filter_map(|part| part.sval())
            .map(Box::from)
            .collect();
        let plain = !name.pct_type && !name.setof && names.len() == name.names().len();
        plain.then(|| Self {
            names,
            is_array: !name.array_bounds().is_empty(),
        })
    }
}

impl Analysis<'_> {
    /// Counts the parameters of a statement before it is analysed.
    pub(crate) fn count_parameters(&mut self, node: Node<'_>) {
        self.occurrences.count(node);
    }

    /// Whether a parameter takes its type from its place, whichever of its places that is.
    pub(crate) fn is_literal_everywhere(&self, number: u32) -> bool {
        let places = self.occurrences.0.get(&number);
        places.is_some_and(|places| places.count == 1 || places.count == places.alike)
    }
}

impl std::fmt::Debug for WrittenType {
    /// Without the names.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Written")
            .field("is_array", &self.is_array)
            .finish_non_exhaustive()
    }
}
