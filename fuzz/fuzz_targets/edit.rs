//! Checks that no edit panics on any page, and that the result of an edit can be parsed again.

#![no_main]

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use lore_page::edit::{self, NewEntry, NewFact, NewRelation};
use lore_page::{Format, Interval, Value};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    is_org: bool,
    edit: Edit,
    one: &'a str,
    two: &'a str,
    number: u8,
    page: &'a str,
}

#[derive(Debug, Arbitrary)]
enum Edit {
    Append,
    Prepend,
    ReplaceText,
    ReplaceSection,
    InsertBefore,
    InsertAfter,
    SetText,
    SetList,
    RemoveProperty,
    AddTag,
    RemoveTag,
    AddRelation,
    CloseRelation,
    RemoveLinkLine,
    AddFact,
    CloseFact,
    AddEntry,
    Retarget,
    RenameHeading,
    DemoteHeadings,
    RemoveSections,
    Convert,
}

fuzz_target!(|input: Input<'_>| {
    let Input { is_org, edit, one, two, number, page } = input;
    let (format, path) = match is_org {
        true => (Format::Org, "folder/page.org"),
        false => (Format::Markdown, "folder/page.md"),
    };
    let line = u32::from(number);
    let until = format!("20{:02}", number % 100).parse().expect("a year");
    let text = |part: &str| Value::Text(part.to_owned());
    let some = |part: &str| (!part.is_empty()).then(|| part.to_owned());
    let edited = match edit {
        Edit::Append => edit::append(format, page, one),
        Edit::Prepend => edit::prepend(format, page, one),
        Edit::ReplaceText => edit::replace_text(page, one, two, Some(usize::from(number))),
        Edit::ReplaceSection => edit::replace_section(format, page, one, two),
        Edit::InsertBefore => edit::insert_before_section(format, page, one, two),
        Edit::InsertAfter => edit::insert_after_section(format, page, one, two),
        Edit::SetText => edit::set_property(format, page, one, &text(two)),
        Edit::SetList => edit::set_property(format, page, one, &Value::List(vec![text(two), text(one)])),
        Edit::RemoveProperty => edit::remove_property(format, page, one),
        Edit::AddTag => edit::add_tag(format, page, one),
        Edit::RemoveTag => edit::remove_tag(format, page, one),
        Edit::AddRelation => {
            let (relation, target) = (one.to_owned(), two.to_owned());
            edit::add_relation(
                format,
                page,
                &NewRelation {
                    relation,
                    target,
                    label: None,
                    context: some(one),
                    interval: Interval::default(),
                },
            )
        }
        Edit::CloseRelation => edit::close_relation(format, page, line, until),
        Edit::RemoveLinkLine => edit::remove_link_line(format, page, line),
        Edit::AddFact => {
            let new = NewFact {
                subject: some(two),
                predicate: one.to_owned(),
                object: two.to_owned(),
                interval: Interval { from: Some(until), until: None },
                source: some(one),
                by: None,
                confidence: None,
                evidence: some(two),
            };
            edit::add_fact(format, page, &new)
        }
        Edit::CloseFact => edit::close_fact(format, page, line, until),
        Edit::AddEntry => {
            let new = NewEntry {
                date: "2024-03-01".to_owned(),
                source: some(one),
                summary: two.to_owned(),
                detail: some(one),
            };
            edit::add_entry(format, page, &new)
        }
        Edit::RenameHeading => edit::rename_heading(format, page, one, two),
        Edit::DemoteHeadings => Ok(edit::demote_headings(format, page, usize::from(number))),
        Edit::RemoveSections => {
            let places = edit::sections(format, page);
            Ok(edit::remove_sections(format, page, places.iter().skip(usize::from(number % 4)).step_by(2)))
        }
        Edit::Convert => {
            let other = if is_org { Format::Markdown } else { Format::Org };
            Ok(lore_page::convert(page, format, other))
        }
        Edit::Retarget => edit::retarget_links(page, path, &mut |_| some(one)),
    };
    if let Ok(edited) = edited {
        lore_page::parse(path, &edited);
    }
});
