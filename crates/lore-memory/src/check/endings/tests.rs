use super::super::tokens::{TokenInput, Vocabulary, find_names, sentences};
use super::*;

/// The text is on Ada's page; names are found without `[[…]]`.
fn read(text: &str, headline: bool) -> Vec<String> {
    let mut all = Vocabulary::default();
    for (name, page) in
        [("Ada Lovelace", 1), ("Ada", 1), ("Brex", 2), ("Bob", 3), ("Stripe", 4), ("Project X", 5)]
    {
        all.add(name, page);
    }
    let page = lore_page::parse("a.md", text).page;
    let prose = lore_page::prose(lore_page::Format::Markdown, text);
    let text = TokenInput { prose: &prose, links: &page.links, targets: &[] };
    let mut found = Vec::new();
    for tokens in sentences(&text, std::slice::from_ref(&(0..prose.len()))) {
        let tokens = find_names(tokens, &all, &Vocabulary::default());
        found.extend(endings(&tokens, headline).iter().map(shown));
    }
    found
}

fn shown(ending: &Ending) -> String {
    let called = |pages: &[PageNo]| match pages {
        [1] => "Ada",
        [2] => "Brex",
        [3] => "Bob",
        [4] => "Stripe",
        [5] => "X",
        _ => "?",
    };
    let who = match &ending.subject {
        EndingSubject::Page => "page".to_owned(),
        EndingSubject::Pronoun => "they".to_owned(),
        EndingSubject::Named(names) => names.iter().map(|pages| called(pages)).collect::<Vec<_>>().join("+"),
        EndingSubject::Other => "other".to_owned(),
    };
    let what = match &ending.object {
        EndingObject::Named(pages) => called(pages),
        EndingObject::Organization => "body",
        EndingObject::Unstated => "-",
    };
    let date = ending.date.map(|date| format!(" {date}")).unwrap_or_default();
    format!("{who} {} {what}{date}", ending.verb)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(read(text, false).join("; "), expected, "{text}");
}

#[test]
fn statements_of_endings_are_found() {
    for (text, expected) in [
        ("Ada left Brex in 2025.", "Ada left Brex 2025"),
        ("Left Brex in March 2025.", "page left Brex 2025-03"),
        ("She has left Brex.", "they left Brex"),
        ("In March 2025 she left Brex.", "they left Brex 2025-03"),
        ("Ada joined Brex in 2017 and left in 2025.", "Ada left - 2025"),
        ("Ada and Bob left Brex.", "Bob+Ada left Brex"),
        ("Ada, the founder, left Brex on 2025-03-01.", "Ada left Brex 2025-03-01"),
        ("Ada, who left Brex in 2025, is happy.", "Ada left Brex 2025"),
        ("Ada (the CTO) left Brex for Stripe.", "Ada left Brex"),
        ("Ada left her role at Brex.", "Ada left Brex"),
        ("Ada left the company in 2025.", "Ada left body 2025"),
        ("Ada left Brex to join Stripe.", "Ada left Brex"),
        ("Ada left Brex in order to study.", "Ada left Brex"),
        ("Ada left Brex two years ago.", "Ada left Brex"),
        ("Ada quit Brex.", "Ada quit Brex"),
        ("Ada quit her job at Brex.", "Ada quit Brex"),
        ("She resigned from Brex in May 2025.", "they resigned Brex 2025-05"),
        ("She resigned.", "they resigned -"),
        ("Ada stepped down as CEO of Brex.", "Ada stepped down Brex"),
        ("Ada stepped down as Brex's CEO.", "Ada stepped down Brex"),
        ("Ada recently departed from Brex.", "Ada departed Brex"),
        ("Ada departed Brex last year.", "Ada departed Brex"),
        ("Ada was fired by Brex.", "Ada fired Brex"),
        ("Ada was laid off from Brex in 2024.", "Ada laid off Brex 2024"),
        ("Ada is no longer CEO of Brex.", "Ada no longer Brex"),
        ("Ada no longer works at Brex.", "Ada no longer Brex"),
        ("Ada parted ways with Brex.", "Ada parted ways Brex"),
        ("After leaving Brex in 2024, she joined Stripe.", "they leaving Brex 2024"),
        ("Ada joined Stripe after leaving Brex.", "Ada leaving Brex"),
        ("Brex shut down in 2024.", "page shut down Brex 2024"),
        ("Brex was acquired by Stripe.", "page acquired Brex"),
        ("Brex closed its doors in 2024.", "page closed Brex 2024"),
        ("Brex went out of business.", "page went out of business Brex"),
        ("The partnership with Brex ended in 2024.", "page ended Brex 2024"),
        ("Her contract with Brex expired.", "they expired Brex"),
        ("Ada ended her contract with Brex.", "Ada ended Brex"),
        ("Project X ended in 2024.", "page ended X 2024"),
        ("Ada used to work at Brex.", "Ada used to work at brex Brex"),
        ("Ada worked at Brex until 2025.", "Ada worked at brex Brex 2025"),
        ("Ada doesn't work at Brex anymore.", "Ada doesn't work at brex Brex"),
        ("Ada hasn't worked at Brex since 2024.", "Ada hasn't worked at brex Brex 2024"),
        ("Having left Brex, Ada joined Stripe.", "Ada left Brex"),
        ("Ada switched from Brex to Stripe.", "Ada switched from Brex"),
        ("Ada was replaced as CTO of Brex.", "Ada replaced Brex"),
        ("Bob replaced Ada as CTO of Brex.", "Ada replaced Brex"),
        ("Ada was replaced as CTO of Brex by Carol Diaz.", "Ada replaced Brex"),
        ("Ada was replaced as CTO by Carol Diaz in 2025.", "Ada replaced - 2025"),
        ("Ada has no longer been employed at Brex since 2024.", "Ada no longer Brex 2024"),
        ("Ada no longer runs the Brex.", "Ada no longer Brex"),
        ("Ada stepped down from the board of Brex.", "Ada stepped down Brex"),
        ("Ada resigned from the company in 2025.", "Ada resigned body 2025"),
        ("Former CTO of Brex.", "page former Brex"),
        ("Ex-Brex, now at Stripe.", "page ex Brex"),
        ("Ada, an ex-Brex engineer, paints.", "Ada ex Brex"),
        ("Brex let Ada go.", "Ada let Brex"),
        ("Brex fired Bob.", "Bob fired Brex"),
        ("Her last day at Brex was 2025-01-31.", "they last day Brex 2025-01-31"),
    ] {
        check(text, expected);
    }
}

#[test]
fn unstated_endings_are_ignored() {
    for text in [
        "Ada did not leave Brex.",
        "Ada hasn't left Brex.",
        "Ada never left Brex.",
        "Ada plans to leave Brex.",
        "Ada might have left Brex.",
        "Ada will have left Brex by 2027.",
        "Has Ada left Brex?",
        "If Ada left Brex, all would end.",
        "Had Ada left Brex, all would have ended.",
        "Bob said that Ada left Brex.",
        "Ada left Brex, Bob said.",
        "Reportedly Ada left Brex.",
        "\"Ada left Brex\" was the headline.",
        "Ada almost left Brex in 2024.",
        "Ada left Brex but returned in 2025.",
        "Ada stepped down as CEO of Brex but remains on the board.",
        "Ada was CEO until she left Brex.",
        "Rumours that Ada left Brex are false.",
        "Ada leaves Brex next month.",
    ] {
        check(text, "");
    }
}

#[test]
fn other_senses_of_left_are_ignored() {
    for text in [
        "Ada left a note for Brex.",
        "Ada left Brex a note.",
        "Ada is left-handed.",
        "Ada left for lunch.",
        "Ada left Brex's office at noon.",
        "Ada left Brex in good hands.",
        "Ada left Brex out of the list.",
        "Ada left Brex headquarters.",
        "Ada left the meeting at Brex early.",
        "Ada left Brex for the day.",
        "Ada left Brex at noon.",
        "Turn left at Brex.",
        "The button on the left opens Brex.",
        "There is nothing left of Brex.",
        "The deal with Brex closed in 2024.",
        "Brex closed a round in 2024.",
        "Brex closed its Series D.",
        "Brex acquired Stripe.",
        "Brex ended the year well.",
        "Brex shut down its office in Rome.",
        "Brex folded the team into another.",
        "Ada retired the old system of Brex.",
        "Ada quit smoking.",
        "The meeting with Brex ended at noon.",
        "Ada no longer trusts Brex.",
        "Ada stopped working weekends at Brex.",
        "Ada no longer works on billing at Brex.",
        "Ada worked at Brex until midnight.",
        "Ada was CTO of Brex until 2024 and is now its CEO.",
        "Ada used to work late at Brex.",
        "Ada left Brex early on Friday.",
        "Ada was not replaced as CTO of Brex.",
        "Ada no longer manages the data team at Brex.",
        "Ada no longer leads sales at Brex.",
        "Ada parted ways with the agency that Brex had hired.",
        "Ada resigned from the board of the Harbour Trust.",
        "Ada retired from the school where her mother taught.",
        "Ada bowed out of the band she had with her brother.",
        "Ada dropped out of the university at nineteen.",
        "Ada met a former Brex engineer.",
    ] {
        check(text, "");
    }
}

#[test]
fn other_subjects_are_distinguished_from_the_page() {
    for (text, expected) in [
        ("Bob left Brex.", "Bob left Brex"),
        ("The CEO of Brex left Brex.", "other left Brex"),
        ("Several engineers left Brex.", "other left Brex"),
        ("Carol left Brex.", "other left Brex"),
        ("Ada's brother left Brex.", "other left Brex"),
        ("The friend of Ada left Brex.", "other left Brex"),
        ("We left Brex.", "other left Brex"),
        ("Carol met Bob and left Brex.", "other left Brex"),
    ] {
        check(text, expected);
    }
}

#[test]
fn headlines_count_in_dated_entries_only() {
    assert_eq!(read("Ada leaves Brex.", true), ["Ada leaves Brex"]);
    assert_eq!(read("Ada leaves Brex.", false), [""; 0]);
    assert_eq!(read("Ada leaves Brex soon.", true), [""; 0]);
}
