//! Objects of facts in comparable form. Pure.
//!
//! Two objects are equal if a reader would take them as equal: the same page under any of its names, the same words in
//! different case, the same amount in another unit, a date and a day within it, a place with and without its country.
//! In doubt they are equal.

use lore_ports::PageNo;
use lore_text::quantity::{Quantity, readings, same_amount};
use lore_text::{PartialDate, fold, slugify};

/// Legal suffixes of company names, which are often omitted.
const LEGAL: [&str; 12] = [
    "inc",
    "ltd",
    "llc",
    "gmbh",
    "corp",
    "corporation",
    "co",
    "plc",
    "ag",
    "company",
    "limited",
    "incorporated",
];

/// An object ready for comparison.
#[derive(Debug, Clone)]
pub struct Object {
    /// Pages it can refer to.
    pages: Vec<PageNo>,
    /// Folded words.
    words: String,
    /// Slug of the words, if they contain only letters, digits and spaces.
    slug: Option<String>,
    amounts: Vec<Quantity>,
    date: Option<PartialDate>,
}

impl Object {
    /// Parses an object; `pages` are those it can refer to.
    pub fn new(text: &str, pages: Vec<PageNo>) -> Object {
        let plain = plain_object(text);
        let words = fold(&without_legal_form(plain));
        let simple =
            words.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
        let words = match words.as_str() {
            "yes" => "true".to_owned(),
            "no" => "false".to_owned(),
            _ => words,
        };
        Object {
            slug: Some(slugify(&words)).filter(|slug| simple && !slug.is_empty()),
            amounts: readings(plain),
            date: plain.parse().ok(),
            pages,
            words,
        }
    }

    /// Returns whether two objects are equal.
    pub fn same(&self, other: &Object) -> bool {
        if self.words == other.words || self.slug.is_some() && self.slug == other.slug {
            return true;
        }
        if !self.pages.is_empty() && !other.pages.is_empty() {
            return self.pages.iter().any(|page| other.pages.contains(page));
        }
        if let (Some(one), Some(two)) = (self.date, other.date) {
            return within(one, two) || within(two, one);
        }
        if !self.amounts.is_empty() && !other.amounts.is_empty() {
            return same_amount(&self.amounts, &other.amounts);
        }
        narrower(&self.words, &other.words) || narrower(&other.words, &self.words)
    }
}

/// Strips surrounding quotes, emphasis and punctuation.
pub fn plain_object(text: &str) -> &str {
    let around = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '“' | '”' | '*' | '_' | '`');
    text.trim_matches(around).trim_end_matches(['.', ',', ';', ':', '!']).trim_matches(around)
}

/// Strips a legal suffix: `Brex Inc.` becomes `Brex`.
pub fn without_legal_form(text: &str) -> String {
    let last = text.rsplit([' ', ',']).next().unwrap_or(text);
    let legal = LEGAL.contains(&last.trim_end_matches('.').to_lowercase().as_str());
    let rest = text[..text.len() - last.len()].trim_end_matches([' ', ',']);
    if legal && !rest.is_empty() { rest.to_owned() } else { text.to_owned() }
}

/// Returns whether a date lies within another, less precise one.
fn within(one: PartialDate, two: PartialDate) -> bool {
    two.first_day() <= one.first_day() && one.last_day() <= two.last_day()
}

/// Returns whether one place adds detail to another: `Berlin, Germany` and `Berlin`.
fn narrower(one: &str, two: &str) -> bool {
    one.strip_prefix(two).is_some_and(|rest| rest.starts_with(','))
        && !one.contains(|letter: char| letter.is_numeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, two: &str, expected: bool) {
        let object = |text: &str| Object::new(text, Vec::new());
        assert_eq!(object(one).same(&object(two)), expected, "{one:?} and {two:?}");
        assert_eq!(object(two).same(&object(one)), expected, "{two:?} and {one:?}");
    }

    #[test]
    fn equivalent_objects_are_equal() {
        for (one, two) in [
            ("CEO", "ceo."),
            ("**CEO**", "\"CEO\""),
            ("San Francisco", "san-francisco"),
            ("Brex", "Brex, Inc."),
            ("2017", "2017-01-03"),
            ("1.5 km", "1500 m"),
            ("Berlin", "Berlin, Germany"),
            ("yes", "True"),
        ] {
            check(one, two, true);
        }
    }

    #[test]
    fn different_objects_differ() {
        for (one, two) in [
            ("CEO", "CTO"),
            ("2017", "2018-01-03"),
            ("C", "C++"),
            ("active", "not active"),
            ("10, 20", "10, 30"),
            ("yes", "no"),
            ("Inc", "Ltd"),
        ] {
            check(one, two, false);
        }
    }

    #[test]
    fn objects_are_compared_by_page() {
        let object = |text: &str, pages: &[PageNo]| Object::new(text, pages.to_vec());
        assert!(object("Brex", &[1]).same(&object("companies/brex", &[1])));
        assert!(object("Alex", &[1, 2]).same(&object("Alex Kim", &[2])));
        assert!(!object("Acme", &[1]).same(&object("Brex", &[2])));
    }
}
