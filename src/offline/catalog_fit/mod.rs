//! What a policy says against what a database has: patterns of nothing, models that do not work,
//! views that show what is hidden, knowledge of what is gone. `named_relation`: relations by their
//! names.

mod named_relation;
mod stale_records;

use std::collections::BTreeSet;

use self::named_relation::{NamedRelation, near};
pub use self::stale_records::stale_records;

use crate::catalog::{Catalog, RelationId, RelationKind};
use crate::gate::effects::graph::{EffectGraph, argument_types};
use crate::policy::access::ColumnPattern;
use crate::policy::similar_names::nearest;
use crate::policy::{AccessLists, FunctionSignature, Policy, ThroughViews};

/// What there is to say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct CatalogFindings {
    /// What does not work.
    pub wrong: Vec<String>,
    /// What may not be meant.
    pub warnings: Vec<String>,
}

/// Looks at a policy with the catalog of a database.
pub fn findings(policy: &Policy, effect_graph: &EffectGraph) -> CatalogFindings {
    let mut told = CatalogFindings::default();
    for (model, why) in effect_graph.model_problems() {
        told.wrong.push(format!("{model}: {why}"));
    }
    let others = findings_beside_models(policy, effect_graph);
    told.wrong.extend(others.wrong);
    told.warnings.extend(others.warnings);
    users(policy, effect_graph.catalog(), &mut told.warnings);
    roles(policy, effect_graph.catalog(), &mut told.warnings);
    told
}

/// The same without the models that cannot be used ([`EffectGraph::model_problems`]), and without
/// the users and roles in `match`, which are about a server and not about one database.
pub fn findings_beside_models(policy: &Policy, effect_graph: &EffectGraph) -> CatalogFindings {
    let catalog = effect_graph.catalog();
    let relations: Vec<NamedRelation<'_>> = catalog
        .relations()
        .map(|(id, _)| NamedRelation::of(catalog, id))
        .collect();
    let mut told = CatalogFindings::default();
    for (laid, why) in effect_graph.overlay_warnings() {
        told.warnings
            .push(format!("{laid}: {why}; it cannot be read"));
    }
    laid(policy, catalog, &relations, &mut told);
    models(policy, effect_graph, &relations, &mut told);
    lists(policy.access(), catalog, &relations, &mut told.warnings);
    if !policy.models().is_empty() {
        unmodelled(policy, effect_graph, &relations, &mut told.warnings);
    }
    new_relations(policy.access(), &relations, &mut told.warnings);
    functions(policy, catalog, &mut told.warnings);
    let stale = stale_records(policy, catalog).into_iter();
    told.warnings
        .extend(stale.map(|(path, what)| format!("{path}: {what}")));
    if policy.access().through_views == ThroughViews::Own {
        views(policy, effect_graph, &relations, &mut told.warnings);
    }
    told
}

/// Relations that may be read as they are, in schemas in which others are read through models: one
/// of them may have been forgotten.
fn unmodelled(
    policy: &Policy,
    effect_graph: &EffectGraph,
    relations: &[NamedRelation<'_>],
    warnings: &mut Vec<String>,
) {
    let models = policy.models();
    let schemas: BTreeSet<&str> = models.iter().map(|model| model.schema.as_str()).collect();
    for schema in schemas {
        let is_plain = |own: &&NamedRelation<'_>| {
            own.schema == schema
                && holds_rows(effect_graph.catalog().relation(own.id).kind)
                && !effect_graph.mask().is_some_and(|mask| mask.hides(own.id))
                && !models
                    .iter()
                    .any(|model| model.schema == schema && model.name == own.name)
        };
        let plain: Vec<String> = relations
            .iter()
            .filter(is_plain)
            .map(NamedRelation::to_string)
            .collect();
        if plain.is_empty() {
            continue;
        }
        let (names, verb) = (
            some_of(&plain),
            if plain.len() == 1 { "has" } else { "have" },
        );
        warnings.push(format!(
            "models: others in {schema} are read through models, and {names} {verb} none: all rows \
             may be read (relations.deny keeps them out)"
        ));
    }
}

/// Whether rows of its own are read from it.
fn holds_rows(kind: RelationKind) -> bool {
    matches!(
        kind,
        RelationKind::Table
            | RelationKind::PartitionedTable
            | RelationKind::View
            | RelationKind::MaterializedView
            | RelationKind::ForeignTable
    )
}

/// Patterns that let in what is made later, and what is kept out because it was.
fn new_relations(
    access: &AccessLists,
    relations: &[NamedRelation<'_>],
    warnings: &mut Vec<String>,
) {
    let wild = access.relations_allowed.iter().flatten();
    let wild: Vec<String> = wild
        .filter(|pattern| pattern.is_wild())
        .map(ToString::to_string)
        .collect();
    match &access.relations_known {
        None if !access.is_new_meant && !wild.is_empty() => warnings.push(format!(
            "relations.allow: {} lets in relations that are made later; new: refuse keeps them \
             out, new: allow says that it is meant",
            some_of(&wild)
        )),
        None => {}
        Some(known) => {
            let is_out = |own: &&NamedRelation<'_>| {
                let allowed = access.relations_allowed.as_deref();
                !own.is_of_server()
                    && !access.allows(own.schema, own.name)
                    && allowed.is_none_or(|all| all.iter().any(|pattern| own.is(pattern)))
            };
            let out = relations
                .iter()
                .filter(is_out)
                .map(NamedRelation::to_string);
            let out: Vec<String> = out.collect();
            if !out.is_empty() {
                warnings.push(format!(
                    "relations.known: {} came later, and may not be read",
                    some_of(&out)
                ));
            }
            let is_gone = |(schema, name): &&(String, String)| {
                !relations
                    .iter()
                    .any(|own| own.schema == schema && own.name == name)
            };
            for (schema, name) in known.iter().filter(is_gone) {
                let near = near(&format!("{schema}.{name}"), relations);
                warnings.push(format!(
                    "relations.known: {schema}.{name} is no relation here{near}"
                ));
            }
        }
    }
}

/// The first of some names, and how many more there are.
fn some_of(names: &[String]) -> String {
    match names.split_at_checked(NAMES_TOLD_MAX) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        Some(_) | None => names.join(", "),
    }
}

/// Names in one line: more are a number.
const NAMES_TOLD_MAX: usize = 5;

/// Models in no schema, and words about columns that they do not give.
fn models(
    policy: &Policy,
    effect_graph: &EffectGraph,
    relations: &[NamedRelation<'_>],
    told: &mut CatalogFindings,
) {
    let catalog = effect_graph.catalog();
    for model in policy.models() {
        let (schema, name) = (&model.schema, &model.name);
        let found = catalog.names().find(schema);
        if found
            .and_then(|found| catalog.index().schema(found))
            .is_none()
        {
            told.warnings.push(format!(
                "models.{schema}.{name}: there is no schema {schema} here, so that no search_path \
                 finds it; it is read as {schema}.{name} alone"
            ));
        }
        let covers = relations
            .iter()
            .any(|own| own.schema == schema && own.name == name);
        if model.is_new && covers {
            told.warnings.push(format!(
                "models.{schema}.{name}.new: there is a relation of this name, which is read \
                 through the model"
            ));
        }
        for column in model.columns.keys() {
            if effect_graph.model_has_column(schema, name, column) == Some(false) {
                told.wrong.push(format!(
                    "models.{schema}.{name}.columns.{column}: its SELECT has no such column"
                ));
            }
        }
    }
}

/// Masks that name no column, and models beside masks and conditions.
fn laid(
    policy: &Policy,
    catalog: &Catalog,
    relations: &[NamedRelation<'_>],
    told: &mut CatalogFindings,
) {
    let access = policy.access();
    let is_modelled = |own: &NamedRelation<'_>| {
        let mut models = policy.models().iter();
        models.any(|model| model.schema == own.schema && model.name == own.name)
    };
    for masked in &access.columns_masked {
        let pattern = &masked.pattern;
        let mut of_pattern = relations
            .iter()
            .filter(|own| own.is(&pattern.relation))
            .peekable();
        let missing = column("columns.mask", pattern, catalog, relations);
        match (pattern.relation.is_wild(), of_pattern.peek()) {
            (true, _) => told.warnings.extend(missing),
            (false, Some(_)) => told.wrong.extend(missing),
            // A misfit of the policy as a whole.
            (false, None) => {}
        }
        for own in of_pattern.filter(|own| is_modelled(own)) {
            let mut columns = catalog.columns_of(own.id).iter();
            let names_one =
                columns.any(|column| pattern.column.matches(catalog.names().text(column.name)));
            if !names_one {
                continue;
            }
            let said = format!(
                "columns.mask: {pattern} names a column of {own}, which is read through its model \
                 as that is written"
            );
            match pattern.relation.is_wild() {
                true => told.warnings.push(said),
                false => told.wrong.push(format!("{said}: write the mask there")),
            }
        }
    }
    for filter in &access.rows {
        let pattern = &filter.pattern;
        let of_pattern = relations.iter().filter(|own| own.is(pattern));
        for own in of_pattern.filter(|own| is_modelled(own)) {
            let said = format!("rows: {own} is read through its model as that is written");
            match pattern.is_wild() {
                true => told.warnings.push(said),
                false => told
                    .wrong
                    .push(format!("{said}: write the condition there")),
            }
        }
    }
}

/// The lists of relations and columns.
fn lists(
    access: &AccessLists,
    catalog: &Catalog,
    relations: &[NamedRelation<'_>],
    warnings: &mut Vec<String>,
) {
    let allowed = access.relations_allowed.as_deref().unwrap_or_default();
    for (path, list) in [
        ("relations.allow", allowed),
        ("relations.deny", &access.relations_denied),
    ] {
        for pattern in list {
            if !relations.iter().any(|relation| relation.is(pattern)) {
                let near = near(&pattern.to_string(), relations);
                warnings.push(format!("{path}: {pattern} is no relation here{near}"));
            }
        }
    }
    for (path, list) in [
        ("columns.allow", &access.columns_allowed),
        ("columns.deny", &access.columns_denied),
    ] {
        for pattern in list {
            warnings.extend(column(path, pattern, catalog, relations));
        }
    }
}

/// What is said of a pattern of columns that has none.
fn column(
    path: &str,
    pattern: &ColumnPattern,
    catalog: &Catalog,
    relations: &[NamedRelation<'_>],
) -> Option<String> {
    let mut known = BTreeSet::new();
    let mut of_relation = false;
    for relation in relations.iter().filter(|own| own.is(&pattern.relation)) {
        of_relation = true;
        for column in catalog.columns_of(relation.id) {
            let name = catalog.names().text(column.name);
            if pattern.column.matches(name) {
                return None;
            }
            known.insert(name);
        }
    }
    if !of_relation {
        let near = near(&pattern.relation.to_string(), relations);
        return Some(format!("{path}: {pattern} names no relation here{near}"));
    }
    let near = nearest(&pattern.column.to_string(), known);
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    Some(format!("{path}: {pattern} is no column here{near}"))
}

fn functions(policy: &Policy, catalog: &Catalog, warnings: &mut Vec<String>) {
    let [allowed, denied, any_path] = policy.named_functions();
    for (path, list) in [
        ("functions.allow", allowed),
        ("functions.deny", denied),
        ("functions.any_search_path", any_path),
    ] {
        for signature in list.iter().filter(|one| !is_function(one, catalog)) {
            warnings.push(format!("{path}: {signature} is no function here"));
        }
    }
}

/// Users in `match` that no role of the server is: who logs in as itself needs one.
fn users(policy: &Policy, catalog: &Catalog, warnings: &mut Vec<String>) {
    let roles = catalog.roles();
    let roles = roles.map(|(_, role)| catalog.names().text(role.name));
    let roles: Vec<&str> = roles.collect();
    let unknown = policy.matches().map(|own| own.unknown_users(&roles));
    for (pattern, near) in unknown.into_iter().flatten() {
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        warnings.push(format!(
            "match.user: no role here is called {pattern}, which is right only for a user of \
             pgsieve's own{near}"
        ));
    }
}

/// Roles in `match` that the server does not have: nobody is a member of them.
fn roles(policy: &Policy, catalog: &Catalog, warnings: &mut Vec<String>) {
    let roles: Vec<&str> = catalog.role_names().collect();
    let unknown = policy.matches().map(|own| own.unknown_roles(&roles));
    for (pattern, near) in unknown.into_iter().flatten() {
        let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
        warnings.push(format!(
            "match.role_member: no role here is called {pattern}: nobody is a member of it{near}"
        ));
    }
}

fn is_function(signature: &FunctionSignature, catalog: &Catalog) -> bool {
    catalog.functions().any(|(_, function)| {
        let schema = catalog.names().text(catalog.schema(function.schema).name);
        let name = catalog.names().text(function.name);
        signature.names(schema, name, &argument_types(catalog, function))
    })
}

/// Views that show what the policy hides elsewhere: each counts as itself.
fn views(
    policy: &Policy,
    effect_graph: &EffectGraph,
    relations: &[NamedRelation<'_>],
    warnings: &mut Vec<String>,
) {
    if !policy.hides() {
        return;
    }
    let catalog = effect_graph.catalog();
    let mut covered: Vec<bool> = Vec::new();
    for relation in relations {
        let hidden = effect_graph
            .mask()
            .is_some_and(|mask| mask.hides(relation.id) || !mask.columns(relation.id).is_empty());
        let mut models = policy.models().iter();
        let modelled = models.any(|own| own.schema == relation.schema && own.name == relation.name);
        covered.push((hidden || modelled) && !relation.is_of_server());
    }
    let is_covered = |id: RelationId| covered.get(id.place()).copied().unwrap_or(true);
    for view in relations.iter().filter(|own| !own.is_of_server()) {
        let is_view = matches!(
            catalog.relation(view.id).kind,
            RelationKind::View | RelationKind::MaterializedView
        );
        let is_hidden = effect_graph.mask().is_some_and(|mask| mask.hides(view.id));
        if !is_view || is_hidden || is_covered(view.id) {
            continue;
        }
        let read = read_by(catalog, view.id);
        let mut shown = relations
            .iter()
            .filter(|own| read.contains(&own.id.place()));
        if let Some(shown) = shown.find(|own| is_covered(own.id)) {
            warnings.push(format!(
                "relations.through_views: the view {view} reads {shown}, which is hidden, has \
                 hidden columns or is modelled; with check the view could not be read"
            ));
        }
    }
}

/// The places of all that a view reads, and of what the views among that read.
fn read_by(catalog: &Catalog, view: RelationId) -> BTreeSet<usize> {
    let mut read = BTreeSet::new();
    let mut open = vec![view];
    while let Some(id) = open.pop() {
        let Some(stored) = &catalog.relation(id).view else {
            continue;
        };
        for oid in &stored.relations {
            let Some(own) = catalog.index().relation_of_oid(*oid) else {
                continue;
            };
            if own.place() != view.place() && read.insert(own.place()) {
                open.push(own);
            }
        }
    }
    read
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::catalog::fixture::CatalogFixture;

    /// What is told of the default policy with these sections, in a small shop.
    fn told(sections: &str, allow: &str) -> CatalogFindings {
        let shop = CatalogFixture::new(15)
            .role("reader")
            .schema("shop")
            .table("shop.orders", "id int4, total numeric")
            .table("shop.customers", "id int4, email text")
            .function("shop.f(a int4) text", "stable")
            .view("shop.mails", "email text", &["shop.customers"])
            .view("shop.again", "email text", &["shop.mails"])
            .view("shop.totals", "total numeric", &["shop.orders"])
            .build();
        let agent = include_str!("../../../policies/agent.yaml");
        let yaml = agent.replace("  allow: []", &format!("  allow: {allow}"));
        let policy = Policy::from_yaml(&format!("{yaml}\n{sections}")).unwrap();
        findings(&policy, &EffectGraph::new(Arc::new(shop), &policy))
    }

    #[track_caller]
    fn warns(sections: &str, allow: &str, wanted: &[&str]) {
        let told = told(sections, allow);
        assert!(told.wrong.is_empty(), "{:?}", told.wrong);
        assert_eq!(told.warnings, wanted);
    }

    #[test]
    fn patterns_of_nothing_are_told() {
        warns("relations: {allow: [shop.*], new: allow}", "[]", &[]);
        warns(
            "relations: {allow: [shop.*], new: allow, deny: [shop.order, x.*]}",
            "[]",
            &[
                "relations.deny: shop.order is no relation here; did you mean shop.orders?",
                "relations.deny: x.* is no relation here",
            ],
        );
        warns(
            "relations: {through_views: check}\n\
             columns: {deny: [shop.orders.totl, \"shop.*.id\", shop.x.y]}",
            "[]",
            &[
                "columns.deny: shop.orders.totl is no column here; did you mean total?",
                "columns.deny: shop.x.y names no relation here",
            ],
        );
    }

    #[test]
    fn patterns_that_let_later_relations_in_are_told_unless_that_is_meant() {
        let meant = "new: refuse keeps them out, new: allow says that it is meant";
        for (allow, told) in [
            ("[shop.*]", "shop.* lets"),
            ("[shop.orders, \"*.customers\"]", "*.customers lets"),
            ("[shop.o*, shop.c*]", "shop.c*, shop.o* lets"),
        ] {
            let wanted =
                format!("relations.allow: {told} in relations that are made later; {meant}");
            warns(&format!("relations: {{allow: {allow}}}"), "[]", &[&wanted]);
            let allowed = format!("relations: {{allow: {allow}, new: allow}}");
            warns(&allowed, "[]", &[]);
        }
        warns("relations: {allow: [shop.orders, shop.totals]}", "[]", &[]);
        warns("relations: {allow: any}", "[]", &[]);
    }

    #[test]
    fn relations_that_came_later_and_those_that_are_gone_are_told() {
        let known = |allow: &str, known: &str| {
            format!("relations: {{allow: {allow}, new: refuse, known: {known}}}")
        };
        let all = "[shop.orders, shop.customers, shop.mails, shop.again, shop.totals]";
        warns(&known("any", all), "[]", &[]);
        warns(&known("[shop.*]", all), "[]", &[]);
        warns(&known("[shop.orders]", "[]"), "[]", &[]);
        warns(
            &known("[shop.o*, shop.t*]", "[shop.orders]"),
            "[]",
            &["relations.known: shop.totals came later, and may not be read"],
        );
        warns(
            &known("any", "[shop.order]"),
            "[]",
            &[
                "relations.known: shop.orders, shop.customers, shop.mails, shop.again, \
                 shop.totals came later, and may not be read",
                "relations.known: shop.order is no relation here; did you mean shop.orders?",
            ],
        );
    }

    #[test]
    fn relations_without_models_beside_those_with_are_told() {
        let model = "models: {shop.customers: {sql: SELECT id FROM shop.customers}}";
        let told = |more: &str| {
            let told = told(&format!("{model}\n{more}"), "[]");
            assert!(told.wrong.is_empty(), "{told:?}");
            let of_models = told.warnings.into_iter();
            of_models
                .filter(|one| one.starts_with("models: "))
                .collect::<Vec<_>>()
        };
        let rest = "all rows may be read (relations.deny keeps them out)";
        assert_eq!(
            told(""),
            [format!(
                "models: others in shop are read through models, and shop.orders, shop.mails, \
                 shop.again, shop.totals have none: {rest}"
            )]
        );
        assert_eq!(
            told("relations: {allow: [shop.orders]}"),
            [format!(
                "models: others in shop are read through models, and shop.orders has none: {rest}"
            )]
        );
        assert_eq!(told("relations: {allow: []}"), [""; 0]);
    }

    #[test]
    fn a_model_of_no_relation_says_so() {
        let model = |name: &str, new: bool| {
            let model = format!("{{sql: SELECT 1 AS id, new: {new}}}");
            told(
                &format!("relations: {{allow: []}}\nmodels: {{{name}: {model}}}"),
                "[]",
            )
        };
        let misspelt = model("shop.custmers", false);
        let [wrong] = misspelt.wrong.as_slice() else {
            panic!("{misspelt:?}")
        };
        let wanted = "models.shop.custmers: there is no relation of this name (did you mean \
                      shop.customers?), so that it filters nothing";
        assert!(wrong.starts_with(wanted), "{wrong}");
        assert!(model("shop.custmers", true).wrong.is_empty());
        let both = model("shop.customers", true);
        assert!(
            both.warnings[0].starts_with("models.shop.customers.new: there is"),
            "{both:?}"
        );
        assert!(both.wrong.is_empty());
    }

    #[test]
    fn functions_that_are_none_are_told() {
        warns("", "[shop.f(integer), f]", &[]);
        warns(
            "",
            "[shop.f(text), shop.g]",
            &[
                "functions.allow: shop.f(text) is no function here",
                "functions.allow: shop.g is no function here",
            ],
        );
    }

    #[test]
    fn users_that_are_no_roles_are_told() {
        let told = |user: &str| told(&format!("match: {{user: {user}}}"), "[]").warnings;
        let own = "which is right only for a user of pgsieve's own";
        assert_eq!(told("[reader, '*', 'read*']"), [""; 0]);
        assert_eq!(
            told("[raeder, 'agent_*']"),
            [
                format!("match.user: no role here is called raeder, {own}; did you mean reader?"),
                format!("match.user: no role here is called agent_*, {own}"),
            ]
        );
    }

    #[test]
    fn views_that_show_what_is_hidden_are_told() {
        let told = told("columns: {deny: [shop.customers.email]}", "[]");
        let views: Vec<&str> = told.warnings.iter().map(String::as_str).collect();
        let [again, mails] = views.as_slice() else {
            panic!("{views:?}")
        };
        let wanted = "reads shop.customers, which is hidden, has hidden columns or is modelled";
        assert!(mails.contains("shop.mails") && mails.contains(wanted) || again.contains(wanted));
        let hidden = "relations: {deny: [shop.customers], through_views: check}";
        warns(hidden, "[]", &[]);
    }

    #[test]
    fn models_that_do_not_work_are_wrong() {
        let model = |sql: &str| told(&format!("models: {{shop.customers: {{sql: {sql}}}}}"), "[]");
        assert!(model("SELECT id FROM shop.customers").wrong.is_empty());
        let told = model("SELECT id FROM shop.nothing");
        let [wrong] = told.wrong.as_slice() else {
            panic!("{told:?}")
        };
        assert!(wrong.starts_with("models.shop.customers: "), "{wrong}");
    }

    #[test]
    fn words_about_columns_that_a_model_lacks_are_wrong() {
        let model = |name: &str| {
            let columns = "columns: {id: the number, email: none of it}";
            let sql = "SELECT id FROM shop.customers";
            told(
                &format!("models: {{{name}: {{new: true, sql: {sql}, {columns}}}}}"),
                "[]",
            )
        };
        let told = model("shop.customers");
        assert_eq!(
            told.wrong,
            ["models.shop.customers.columns.email: its SELECT has no such column"]
        );
        let told = model("shp.people");
        assert!(
            told.warnings[0].contains("there is no schema shp here"),
            "{told:?}"
        );
    }
}
