//! The edits of a Markdown text, as the tests of this module call them.

use crate::edit::{self, *};
use crate::format::Format::Markdown;
use crate::page::{ByteRange, Value};
use lore_text::PartialDate;

pub(super) fn carry_over(old: &str, new: &str, terms: &RewriteTerms<'_>) -> Result<Rewritten, EditError> {
    edit::carry_over(Markdown, old, new, terms)
}

pub(super) fn add_entry(text: &str, new: &NewEntry) -> Result<String, EditError> {
    edit::add_entry(Markdown, text, new)
}

pub(super) fn add_fact(text: &str, new: &NewFact) -> Result<String, EditError> {
    edit::add_fact(Markdown, text, new)
}

pub(super) fn close_fact(text: &str, line: u32, until: PartialDate) -> Result<String, EditError> {
    edit::close_fact(Markdown, text, line, until)
}

pub(super) fn rename_heading(text: &str, heading: &str, new: &str) -> Result<String, EditError> {
    edit::rename_heading(Markdown, text, heading, new)
}

pub(super) fn demote_headings(text: &str, by: usize) -> String {
    edit::demote_headings(Markdown, text, by)
}

pub(super) fn section_items(text: &str, heading: &str) -> Result<Vec<ByteRange>, EditError> {
    edit::section_items(Markdown, text, heading)
}

pub(super) fn sections(text: &str) -> Vec<SectionPlace> {
    edit::sections(Markdown, text)
}

pub(super) fn remove_sections<'p>(text: &str, removed: impl IntoIterator<Item = &'p SectionPlace>) -> String {
    edit::remove_sections(Markdown, text, removed)
}

pub(super) fn set_property(text: &str, key: &str, value: &Value) -> Result<String, EditError> {
    edit::set_property(Markdown, text, key, value)
}

pub(super) fn remove_property(text: &str, key: &str) -> Result<String, EditError> {
    edit::remove_property(Markdown, text, key)
}

pub(super) fn add_relation(text: &str, new: &NewRelation) -> Result<String, EditError> {
    edit::add_relation(Markdown, text, new)
}

pub(super) fn close_relation(text: &str, line: u32, until: PartialDate) -> Result<String, EditError> {
    edit::close_relation(Markdown, text, line, until)
}

pub(super) fn remove_link_line(text: &str, line: u32) -> Result<String, EditError> {
    edit::remove_link_line(Markdown, text, line)
}

pub(super) fn replace_section(text: &str, heading: &str, with: &str) -> Result<String, EditError> {
    edit::replace_section(Markdown, text, heading, with)
}

pub(super) fn insert_before_section(text: &str, heading: &str, addition: &str) -> Result<String, EditError> {
    edit::insert_before_section(Markdown, text, heading, addition)
}

pub(super) fn insert_after_section(text: &str, heading: &str, addition: &str) -> Result<String, EditError> {
    edit::insert_after_section(Markdown, text, heading, addition)
}

pub(super) fn add_tag(text: &str, tag: &str) -> Result<String, EditError> {
    edit::add_tag(Markdown, text, tag)
}

pub(super) fn remove_tag(text: &str, tag: &str) -> Result<String, EditError> {
    edit::remove_tag(Markdown, text, tag)
}

pub(super) fn append(text: &str, addition: &str) -> Result<String, EditError> {
    edit::append(Markdown, text, addition)
}

pub(super) fn prepend(text: &str, addition: &str) -> Result<String, EditError> {
    edit::prepend(Markdown, text, addition)
}

pub(super) fn replace_truth(text: &str, with: &str) -> Result<String, EditError> {
    edit::replace_truth(Markdown, text, with)
}

pub(super) fn add_to_truth(text: &str, addition: &str) -> Result<String, EditError> {
    edit::add_to_truth(Markdown, text, addition)
}
