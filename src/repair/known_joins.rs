//! Cases in which joins that the policy knows decide what a column is. Test code only.

use crate::laws::{OutputNameLaw, check_file_under};
use catalog::fixture::CatalogFixture;
use policy::{Policy, Recoverer};

const POLICY: &str = "
name: known
extends: agent
replace: [knowledge]
relations: {deny: [public.hidden_notes]}
knowledge:
  relationship:
    client: {from: public.invoices(client_no), to: public.clients(number)}
    invoice: {from: public.invoice_lines(invoice), to: public.invoices(id)}
    article: {from: public.invoice_lines(article), to: public.articles(code)}
    partner: {from: public.payments(payer), to: public.partners(pno)}
    hidden: {from: public.payments(id), to: public.hidden_notes(id)}
    gone: {from: public.payments(id), to: public.gone(id)}
    others: {from: public.payments(invoice_ref), to: public.invoices(id), users: bob}
";

fn shop() -> CatalogFixture {
    CatalogFixture::new(15)
        .table(
            "public.clients",
            "number text not null, client_name text, city text",
        )
        .table(
            "public.invoices",
            "id int4 not null, client_no text not null, amount numeric, issued date",
        )
        .table(
            "public.invoice_lines",
            "id int4 not null, invoice int4 not null, article text, quantity int4",
        )
        .table("public.articles", "code text, label text, price numeric")
        .table(
            "public.payments",
            "id int4 not null, invoice_ref int4, payer text, paid_on date",
        )
        .table("public.hidden_notes", "id int4 not null, hidden_text text")
        .view("public.partners", "pno text, partner_name text", &[])
        .unique("public.clients", "number")
        .primary_key("public.invoices", "id")
        .primary_key("public.invoice_lines", "id")
        .primary_key("public.payments", "id")
        .primary_key("public.hidden_notes", "id")
}

#[test]
fn known_joins_are_used_and_never_certain() {
    for file in [
        include_str!("../../tests/data/corpus/recoverers/known_joins.txt"),
        include_str!("../../tests/data/corpus/recoverers/held_out_known_joins.txt"),
    ] {
        let policy = Policy::from_yaml(POLICY).unwrap();
        let (recoverer, law) = (Recoverer::UndefinedColumn, OutputNameLaw::Repaired);
        check_file_under(policy, shop(), recoverer, "42703", law, file);
    }
}
