//! What a truth says about its own age: `As of January 5, 2025`, `(updated March 2025)`, `Stand: 05.01.2025`. Pure.

use std::sync::LazyLock;

use lore_text::PartialDate;
use regex::{Captures, Regex};

/// Months in the languages of [`LEADS`], each with the usual short forms.
const MONTHS: [&[&str]; 12] = [
    &[
        "january", "jan", "januar", "jänner", "janvier", "janv", "enero", "ene", "gennaio", "gen", "janeiro",
        "januari",
    ],
    &[
        "february",
        "feb",
        "februar",
        "février",
        "fevrier",
        "févr",
        "febrero",
        "febbraio",
        "fevereiro",
        "fev",
        "februari",
    ],
    &["march", "mar", "märz", "maerz", "mrz", "mars", "marzo", "março", "marco", "maart", "mrt"],
    &["april", "apr", "avril", "avr", "abril", "abr", "aprile"],
    &["may", "mai", "mayo", "maggio", "mag", "maio", "mei"],
    &["june", "jun", "juni", "juin", "junio", "giugno", "giu", "junho"],
    &["july", "jul", "juli", "juillet", "juil", "julio", "luglio", "lug", "julho"],
    &["august", "aug", "août", "aout", "agosto", "ago", "augustus"],
    &["september", "sep", "sept", "septembre", "septiembre", "settembre", "set", "setembro"],
    &["october", "oct", "oktober", "okt", "octobre", "octubre", "ottobre", "ott", "outubro", "out"],
    &["november", "nov", "novembre", "noviembre", "novembro"],
    &[
        "december",
        "dec",
        "dezember",
        "dez",
        "décembre",
        "decembre",
        "déc",
        "diciembre",
        "dic",
        "dicembre",
        "dezembro",
    ],
];

/// Words that date a text wherever they are.
const LEADS: &str = r"as\s+(?:of|at|per)|correct\s+at|last\s+(?:updated|reviewed|revised|verified|checked|edited|modified|changed|confirmed)|stand(?:\s+vom)?|zuletzt\s+(?:aktualisiert|geprüft)|mis\s+à\s+jour|à\s+jour\s+au|a\s+fecha\s+de|última\s+actualización|aggiornato\s+al|última\s+atualização|laatst\s+bijgewerkt|stand\s+per";

/// Words that date a text at the start of a line or a bracket: in a sentence they say that something was updated.
const LEADS_IN_BRACKETS: &str = r"updated|reviewed|revised|verified|checked|current|valid|written|aktualisiert|geprüft|actualizado|actualisé|aggiornato|atualizado|bijgewerkt";

static STATED: LazyLock<Regex> = LazyLock::new(|| {
    let word = r"\p{L}{3,10}\.?";
    let date = [
        r"(?P<iso>[0-9]{4}(?:[-/.][0-9]{2}(?:[-/.][0-9]{2})?)?)".to_owned(),
        r"(?P<d1>[0-9]{1,2})\.\s?(?P<m1>[0-9]{1,2})\.\s?(?P<y1>[0-9]{4})".to_owned(),
        r"Q(?P<q>[1-4])[\s/]*(?P<yq>[0-9]{4})".to_owned(),
        format!(r"(?P<n2>{word})\s+(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<y2>[0-9]{{4}})"),
        format!(
            r"(?P<d3>[0-9]{{1,2}})(?:st|nd|rd|th|er|º|\.)?\s+(?:of\s+|de\s+)?(?P<n3>{word}),?\s+(?:de\s+|del\s+)?(?P<y3>[0-9]{{4}})"
        ),
        format!(r"(?P<n4>{word})\s+(?:de\s+|of\s+)?(?P<y4>[0-9]{{4}})"),
    ]
    .join("|");
    let before =
        r"(?:\s+(?:on|in|at|am|im|le|el|al|il|em|op|per|the|early|late|mid|end\s+of|beginning\s+of))*";
    let pattern = format!(
        r"(?imx-s) (?: (?:\b|_)(?:{LEADS})\b | (?:^[\s*_>\#-]*|[(\[]\s*[*_]*)(?:{LEADS_IN_BRACKETS})\b )
          {before} \s* [:,]? {before} [\s*_]* (?:{date}) (?:[^0-9\p{{L}}-]|$)",
    );
    Regex::new(&pattern).expect("a regular expression")
});

/// Returns the dates that a text gives itself, each with its byte offset.
pub(crate) fn stated_dates(text: &str) -> Vec<(usize, PartialDate)> {
    let date = |found: Captures<'_>| {
        let at = found.get(0).map_or(0, |all| all.end().saturating_sub(1));
        date(&found).map(|date| (at, date))
    };
    STATED.captures_iter(text).filter_map(date).collect()
}

/// Returns whether a text may contain such a date. Cheaper than [`stated_dates`].
pub(super) fn may_state_a_date(text: &str) -> bool {
    STATED.is_match(text)
}

fn date(found: &Captures<'_>) -> Option<PartialDate> {
    let part = |name: &str| found.name(name).map(|part| part.as_str());
    let text = if let Some(iso) = part("iso") {
        iso.replace(['/', '.'], "-")
    } else if let (Some(quarter), Some(year)) = (part("q"), part("yq")) {
        format!("{year}-{:02}", quarter.parse::<u8>().ok()? * 3)
    } else if let (Some(day), Some(month), Some(year)) = (part("d1"), part("m1"), part("y1")) {
        format!("{year}-{month:0>2}-{day:0>2}")
    } else {
        let name = part("n2").or(part("n3")).or(part("n4"))?;
        let year = part("y2").or(part("y3")).or(part("y4"))?;
        match part("d2").or(part("d3")) {
            Some(day) => format!("{year}-{:02}-{day:0>2}", month(name)?),
            None => format!("{year}-{:02}", month(name)?),
        }
    };
    text.parse().ok()
}

fn month(name: &str) -> Option<usize> {
    let name = name.trim_end_matches('.').to_lowercase();
    MONTHS.iter().position(|names| names.contains(&name.as_str())).map(|at| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found: Vec<String> = stated_dates(text).iter().map(|(_, date)| date.to_string()).collect();
        assert_eq!(found.join(" "), expected, "{text}");
    }

    #[test]
    fn usual_forms_are_read() {
        for (text, expected) in [
            ("As of January 5, 2025, she runs it.", "2025-01-05"),
            ("as of 2025-01", "2025-01"),
            ("As of 2025 all is well.", "2025"),
            ("As of: **2025-01-05**", "2025-01-05"),
            ("As of 5 January 2025", "2025-01-05"),
            ("as of the 5th of January 2025.", "2025-01-05"),
            ("As of Jan 2025,", "2025-01"),
            ("as of early January 2025", "2025-01"),
            ("as of Q2 2025", "2025-06"),
            ("as of 2025/01/05", "2025-01-05"),
            ("(updated March 2025)", "2025-03"),
            ("*(updated: March 3rd, 2025)*", "2025-03-03"),
            ("Updated 2025-03-01", "2025-03-01"),
            ("_Last updated: 2025-03-01_", "2025-03-01"),
            ("This was last reviewed on 3 March 2025.", "2025-03-03"),
            ("## State (as of 2025-03)", "2025-03"),
            ("[reviewed 2025-03-01]", "2025-03-01"),
            ("Stand: 05.01.2025", "2025-01-05"),
            ("Stand Januar 2025", "2025-01"),
            ("Stand vom 5. Januar 2025", "2025-01-05"),
            ("Mis à jour le 5 janvier 2025", "2025-01-05"),
            ("A fecha de 5 de enero de 2025", "2025-01-05"),
            ("(actualizado: enero de 2025)", "2025-01"),
            ("Aggiornato al 5 gennaio 2025", "2025-01-05"),
            ("Laatst bijgewerkt op 5 januari 2025", "2025-01-05"),
        ] {
            check(text, expected);
        }
    }

    #[test]
    fn other_dates_are_not_about_the_text() {
        for text in [
            "She joined in January 2025.",
            "The site was updated in March 2025.",
            "Acme updated its policy on 2025-03-01.",
            "as of 20255",
            "as of version 2025-01x",
            "As of Foo 2025, all is well.",
            "Works there since 2025.",
            "as of late",
            "{2019..}",
        ] {
            check(text, "");
        }
    }
}
