//! Objects of verbs of ending: the page after the verb, the page before it, or a tie between two.

use lore_ports::PageNo;

use super::super::dates::{date_at, is_season};
use super::super::tokens::{Token, TokenKind};
use super::super::verbs::{VerbKind, verb_kind};
use super::phrase::name_at;
use super::subjects::{is_adverb, subject};
use super::words::{
    AFTER_LEFT_TO, BETWEEN, BOND, ORGANIZATIONS, PASSIVE, POSTS, PREPOSITIONS, TAIL, Verb, VerbShape,
};
use super::{EndingObject, EndingSubject};

/// Returns the object of `left`: a page, a post at one, `the company`, or nothing but a time.
pub(super) fn left(tokens: &[Token], from: usize) -> Option<EndingObject> {
    // `departed from Brex` is equivalent to `departed Brex`.
    let from = from + usize::from(tokens.get(from).is_some_and(|token| token.is("from")));
    let the = usize::from(tokens.get(from).is_some_and(|token| token.is("the")));
    if let Some(token) = tokens.get(from + the)
        && let Some(pages) = token.name()
    {
        let whole = !token.possessive && tail_follows(tokens, from + the + 1);
        return whole.then(|| EndingObject::Named(pages.to_vec()));
    }
    let determined = ["the", "his", "her", "their", "its"];
    if tokens.get(from).is_some_and(|token| token.is_any(&determined)) {
        return post(tokens, from + 1);
    }
    tail_follows(tokens, from).then_some(EndingObject::Unstated)
}

/// Parses `role at Brex`, `position as CEO of Brex`, `company`.
fn post(tokens: &[Token], from: usize) -> Option<EndingObject> {
    let mut noun = None;
    for at in from..tokens.len().min(from + 8) {
        let token = &tokens[at];
        if token.is_any(POSTS) || token.is_any(ORGANIZATIONS) {
            noun = Some(at);
        }
        let the = usize::from(tokens.get(at + 1).is_some_and(|next| next.is("the")));
        let name = tokens.get(at + 1 + the).filter(|next| !next.possessive).and_then(Token::name);
        if noun.is_some() && token.is_any(&["at", "of", "with", "from"]) && name.is_some() {
            return name.map(|pages| EndingObject::Named(pages.to_vec()));
        }
        if token.kind != TokenKind::Word || token.is_any(&["for", "to", "and", "a", "an", "in", "on"]) {
            break;
        }
    }
    let noun = noun.filter(|at| tail_follows(tokens, at + 1))?;
    tokens[noun].is_any(ORGANIZATIONS).then_some(EndingObject::Organization)
}

/// Returns whether the following words rule out an idiom: the end, a time, a reason or another post.
fn tail_follows(tokens: &[Token], at: usize) -> bool {
    let Some(token) = tokens.get(at) else { return true };
    let next = tokens.get(at + 1);
    let time = |at: usize| {
        let at = at + usize::from(tokens.get(at).is_some_and(|token| token.is("the")));
        let named = |token: &Token| is_season(token) || ends_a_time(token) || token.lower.starts_with("20");
        tokens.get(at).is_some_and(named) || date_at(tokens.get(at..).unwrap_or_default()).is_some()
    };
    match token.lower.as_str() {
        _ if matches!(token.kind, TokenKind::Punctuation(_)) => true,
        _ if token.kind != TokenKind::Word => false,
        "in" if next.is_some_and(|next| next.is("order")) => true,
        "in" | "by" => {
            time(at + 1) && !tokens.get(at + 2).is_some_and(|word| word.is_any(&["hands", "lurch"]))
        }
        "on" => date_at(&tokens[at + 1..]).is_some() || next.is_some_and(is_season),
        "at" => next.is_some_and(|next| next.is("the")) && tokens.get(at + 2).is_some_and(ends_a_time),
        "for" => next.is_some_and(|next| {
            next.name().is_some() || next.is_capitalized() || next.is_any(&["good", "another"])
        }),
        "to" => next.is_some_and(|next| next.is_any(AFTER_LEFT_TO)),
        // `early in 2025`, not `early on Friday`.
        "early" | "late" | "mid" => {
            let preposition = usize::from(next.is_some_and(|next| next.is_any(&["in", "this", "last"])));
            time(at + 1 + preposition) || next.is_some_and(|next| next.is_any(&["this", "last"]))
        }
        "a" | "one" | "two" | "three" | "four" | "five" | "six" | "several" | "some" | "many" => {
            tokens[at..].iter().take(4).any(|token| token.is("ago"))
        }
        _ => token.is_any(TAIL) || date_at(&tokens[at..]).is_some(),
    }
}

fn ends_a_time(token: &Token) -> bool {
    token.is_any(&["end", "start", "beginning", "turn"])
}

/// Returns the page after a preposition: `from Brex`, `as CEO of Brex`, `as Brex's CEO`. None if something else
/// follows.
pub(super) fn after_preposition(tokens: &[Token], from: usize) -> Option<EndingObject> {
    let leads = ["from", "at", "of", "with", "by"];
    let stop =
        ["and", "but", "to", "after", "before", "when", "while", "because", "since", "who", "which", "that"];
    for at in from..tokens.len().min(from + 10) {
        let token = &tokens[at];
        if let Some(pages) = token.name() {
            let before = tokens[from..at].iter().rev().find(|token| !token.is("the"));
            let led = before.is_some_and(|before| before.is_any(&leads) || before.is_any(&["as", "for"]));
            let next =
                tokens.get(at + 1).is_some_and(|next| next.is_any(ORGANIZATIONS) || next.is_any(POSTS));
            let whole = token.possessive || next || tail_follows(tokens, at + 1);
            return (led || token.possessive).then(|| EndingObject::Named(pages.to_vec())).filter(|_| whole);
        }
        if token.is_any(ORGANIZATIONS) && at > from && tokens[at - 1].is("the") {
            if tail_follows(tokens, at + 1) {
                return Some(EndingObject::Organization);
            }
            // `the board of Brex` is named below; `the band he played in` is another one.
            if !tokens.get(at + 1).is_some_and(|next| next.is_any(&leads)) {
                return None;
            }
        }
        if token.is_any(&leads) && !leads_to_a_post(tokens, at + 1) {
            return None;
        }
        let works_for = token.is("for") && at == from;
        if token.kind != TokenKind::Word || (token.is_any(&stop) || token.is("for")) && !works_for {
            break;
        }
    }
    Some(EndingObject::Unstated)
}

/// Returns whether the verb has no other object: `retired`, `retired from …`, `resigned her post`; not `retired the
/// server`.
pub(super) fn is_intransitive(tokens: &[Token], from: usize) -> bool {
    let Some(next) = tokens.get(from) else { return true };
    let prepositions = ["from", "at", "of", "with", "by", "as"];
    let own_post = next.is_any(&["his", "her", "their"])
        && tokens[from..].iter().take(4).any(|token| token.is_any(POSTS) || token.is_any(ORGANIZATIONS));
    next.is_any(&prepositions) || is_adverb(next) || own_post || tail_follows(tokens, from)
}

/// Returns whether a name, post or body follows: `from his role as …`.
fn leads_to_a_post(tokens: &[Token], from: usize) -> bool {
    let small = ["the", "his", "her", "their", "its"];
    let at = from + usize::from(tokens.get(from).is_some_and(|token| token.is_any(&small)));
    tokens
        .get(at)
        .is_some_and(|token| token.name().is_some() || token.is_any(ORGANIZATIONS) || token.is_any(POSTS))
}

/// Returns whether a phrase may end here.
pub(super) fn has_tail(tokens: &[Token], at: usize) -> bool {
    tail_follows(tokens, at)
}

/// Parses the object of `switched from Brex to Stripe`, `stopped working at Brex`, `swapped Brex for Stripe`.
pub(super) fn switched(tokens: &[Token], from: usize, shape: VerbShape) -> Option<EndingObject> {
    let (pages, end) = name_at(tokens, from)?;
    let next = tokens.get(end);
    let ok = match shape {
        VerbShape::Swapped => next.is_some_and(|next| next.is("for")),
        _ => next.is_some_and(|next| next.is("to")) || tail_follows(tokens, end),
    };
    ok.then(|| EndingObject::Named(pages.to_vec()))
}

/// Parses the object of `lost her job at Brex`.
pub(super) fn lost_post(tokens: &[Token], from: usize) -> Option<EndingObject> {
    let own = tokens.get(from).is_some_and(|token| token.is_any(&["his", "her", "their", "the"]));
    let is_post = |token: &Token| token.is_any(&["job", "post", "position", "role", "seat", "employment"]);
    let posts = tokens.iter().skip(from + 1).take(3).any(is_post);
    match post(tokens, from + 1).filter(|_| own && posts)? {
        object @ EndingObject::Named(_) => Some(object),
        _ => None,
    }
}

/// Parses `works at Brex`, `CEO of Brex` or `with Brex` after `no longer`.
pub(super) fn no_longer(tokens: &[Token], from: usize) -> Option<EndingObject> {
    // `has no longer been with Brex`.
    let from = from + usize::from(tokens.get(from).is_some_and(|token| token.is("been")));
    let first = tokens.get(from)?;
    let state = [
        "works",
        "working",
        "employed",
        "with",
        "at",
        "part",
        "a",
        "an",
        "the",
        "on",
        "leads",
        "runs",
        "manages",
        "heads",
        "advises",
        "serves",
        "involved",
        "affiliated",
        "ceo",
        "cto",
        "cfo",
        "coo",
        "president",
        "chair",
        "chairman",
        "head",
        "director",
        "member",
        "employee",
        "customer",
        "client",
        "advisor",
        "adviser",
        "partner",
    ];
    let leads = ["at", "for", "with", "of", "by"];
    let led = |at: usize| tokens[at].is_any(&leads) || tokens[at].is("the");
    let has_post = first.is_any(&["has", "holds"])
        && tokens[from..]
            .iter()
            .take(4)
            .any(|token| token.is_any(&["job", "post", "position", "role", "seat"]));
    // `works on billing at Brex` and `works nights at Brex` are about something else.
    let works = ["works", "working", "employed", "serves", "involved", "affiliated"];
    let next_leads = |next: &Token| next.is_any(&leads) || next.is_any(&["as", "in"]) || next.is("the");
    let direct_place = !first.is_any(&works) || tokens.get(from + 1).is_some_and(next_leads);
    if !(first.is_any(&state) || has_post) || !direct_place {
        return None;
    }
    let name = (from..tokens.len().min(from + 8)).find(|at| tokens[*at].name().is_some())?;
    let determined = first.is_any(&["a", "an", "the"]);
    if determined && !tokens[from..name].iter().any(|token| verb_kind(&token.lower) == VerbKind::Post) {
        return None;
    }
    let is_next = name == from + 1 || name == from + 2 && tokens[from + 1].is("the");
    // `no longer manages the data team at Brex` is about a duty.
    let fits = match first.is_any(&["leads", "runs", "manages", "heads"]) {
        true => is_next,
        false => name > from && led(name - 1) || is_next && first.is("advises"),
    };
    let pages = tokens[name].name().filter(|_| fits && !tokens[name].possessive)?;
    Some(EndingObject::Named(pages.to_vec()))
}

/// Returns the page that has ended: the name right before the verb, if it is the subject.
pub(super) fn over(tokens: &[Token], at: usize, verb: Verb) -> Option<Vec<PageNo>> {
    let mut end = at;
    let mut passive = false;
    while end > 0 && (tokens[end - 1].is_any(BETWEEN) || is_adverb(&tokens[end - 1])) {
        end -= 1;
        passive |= tokens[end].is_any(PASSIVE);
    }
    let from = at + verb.length;
    let done = |token: &Token| token.is_any(&["its", "the"]);
    let doors =
        tokens.get(from).is_some_and(done) && tokens.get(from + 1).is_some_and(|token| token.is("doors"));
    let next = tokens.get(from).is_some_and(|next| next.is_any(&["for", "to"]));
    let year = date_at(tokens.get(from..).unwrap_or_default()).is_some();
    let alone = doors || tail_follows(tokens, from) && !next && !year;
    // `was closed` often refers to opening hours.
    let closed = verb.length == 1 && tokens[at].is("closed");
    let ok = match verb.shape {
        VerbShape::WasOver => passive,
        _ => passive && !closed || !passive && alone,
    };
    // `Brex filed for bankruptcy and shut down`.
    let carried = end > 2
        && tokens[end - 1].is("and")
        && tokens[0].name().is_some()
        && tokens[1].kind == TokenKind::Word;
    let name = end.checked_sub(1).map(|name| if carried { &tokens[0] } else { &tokens[name] })?;
    let own = !carried && end >= 2 && (tokens[end - 2].is_any(PREPOSITIONS) || tokens[end - 2].is("and"));
    name.name().filter(|_| ok && !own && !name.possessive).map(<[PageNo]>::to_vec)
}

/// Parses `ended his contract with Brex`, `his contract with Brex ended` and `Project X ended in 2024`.
pub(super) fn ended(tokens: &[Token], at: usize, verb: Verb) -> Option<(EndingSubject, EndingObject)> {
    let from = at + verb.length;
    let counterpart = |tokens: &[Token]| -> Option<EndingObject> {
        let noun = tokens.iter().position(|token| token.is_any(BOND))?;
        let with = tokens.get(noun + 1).filter(|token| token.is_any(&["with", "at", "for"]))?;
        let name = tokens.get(noun + 2).filter(|_| with.kind == TokenKind::Word && noun < 4)?;
        name.name().filter(|_| !name.possessive).map(|pages| EndingObject::Named(pages.to_vec()))
    };
    let determined = ["his", "her", "their", "its", "the"];
    if tokens.get(from).is_some_and(|next| next.is_any(&determined)) {
        let object = counterpart(&tokens[from..tokens.len().min(from + 7)])?;
        return Some((subject(tokens, at, verb), object));
    }
    let mut end = at;
    while end > 0 && (tokens[end - 1].is_any(BETWEEN) || is_adverb(&tokens[end - 1])) {
        end -= 1;
    }
    // `ended 2024 with a profit`.
    let year = date_at(tokens.get(from..).unwrap_or_default()).is_some();
    if !tail_follows(tokens, from) || year || end == 0 {
        return None;
    }
    if let Some(object) = counterpart(&tokens[..end]).filter(|_| tokens[end - 1].name().is_some()) {
        let subject = match tokens[0].name() {
            Some(pages) if tokens[0].possessive => EndingSubject::Named(vec![pages.to_vec()]),
            _ if tokens[0].is_any(&["his", "her", "their"]) => EndingSubject::Pronoun,
            _ if tokens[0].is_any(&["the", "its", "our"]) || tokens[0].is_any(BOND) => EndingSubject::Page,
            _ => EndingSubject::Other,
        };
        return Some((subject, object));
    }
    (end == 1 && !tokens[at].is("expired"))
        .then(|| tokens[0].name().filter(|_| !tokens[0].possessive))
        .flatten()
        .map(|pages| (EndingSubject::Page, EndingObject::Named(pages.to_vec())))
}
