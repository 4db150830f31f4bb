//! Amounts in text, so that `1.5 km` equals `1500 m` and `$1.2M` equals `$1,200,000`. Pure.
//!
//! A text often has several readings (`10m` is ten metres, ten minutes or ten million), and all are kept: two amounts
//! are equal if any two readings agree. Doubtful cases count as equal, because a false contradiction costs more than
//! one that a person finds later.

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    /// No unit.
    None,
    /// A noun such as `people`, which may be omitted.
    Items,
    Length,
    Mass,
    Time,
    /// Months and years, which have no fixed number of days.
    Calendar,
    Data,
    Percent,
    Dollar,
    Euro,
    Pound,
    Yen,
}

/// One reading of an amount.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantity {
    value: f64,
    measure: Measure,
    /// Whether it is approximate.
    rough: bool,
}

/// Words for approximate amounts.
const APPROXIMATE: [&str; 10] =
    ["about", "around", "approximately", "approx.", "approx", "roughly", "circa", "ca.", "~", "≈"];

/// Currency signs before a number.
const SIGNS: [(&str, Measure); 9] = [
    ("US$", Measure::Dollar),
    ("USD", Measure::Dollar),
    ("$", Measure::Dollar),
    ("EUR", Measure::Euro),
    ("€", Measure::Euro),
    ("GBP", Measure::Pound),
    ("£", Measure::Pound),
    ("JPY", Measure::Yen),
    ("¥", Measure::Yen),
];

/// Units after a number, in lower case, with their scale.
const UNITS: [(&str, Measure, f64); 90] = [
    ("mm", Measure::Length, 0.001),
    ("millimetre", Measure::Length, 0.001),
    ("millimeter", Measure::Length, 0.001),
    ("cm", Measure::Length, 0.01),
    ("centimetre", Measure::Length, 0.01),
    ("centimeter", Measure::Length, 0.01),
    ("m", Measure::Length, 1.0),
    ("metre", Measure::Length, 1.0),
    ("meter", Measure::Length, 1.0),
    ("km", Measure::Length, 1000.0),
    ("kilometre", Measure::Length, 1000.0),
    ("kilometer", Measure::Length, 1000.0),
    ("in", Measure::Length, 0.0254),
    ("inch", Measure::Length, 0.0254),
    ("ft", Measure::Length, 0.3048),
    ("foot", Measure::Length, 0.3048),
    ("feet", Measure::Length, 0.3048),
    ("mi", Measure::Length, 1609.344),
    ("mile", Measure::Length, 1609.344),
    ("mg", Measure::Mass, 0.000_001),
    ("g", Measure::Mass, 0.001),
    ("gram", Measure::Mass, 0.001),
    ("kg", Measure::Mass, 1.0),
    ("kilo", Measure::Mass, 1.0),
    ("kilogram", Measure::Mass, 1.0),
    ("t", Measure::Mass, 1000.0),
    ("tonne", Measure::Mass, 1000.0),
    ("lb", Measure::Mass, 0.453_592_37),
    ("pound", Measure::Mass, 0.453_592_37),
    ("oz", Measure::Mass, 0.028_349_523_125),
    ("ms", Measure::Time, 0.001),
    ("millisecond", Measure::Time, 0.001),
    ("s", Measure::Time, 1.0),
    ("sec", Measure::Time, 1.0),
    ("second", Measure::Time, 1.0),
    ("m", Measure::Time, 60.0),
    ("min", Measure::Time, 60.0),
    ("minute", Measure::Time, 60.0),
    ("h", Measure::Time, 3600.0),
    ("hr", Measure::Time, 3600.0),
    ("hour", Measure::Time, 3600.0),
    ("d", Measure::Time, 86_400.0),
    ("day", Measure::Time, 86_400.0),
    ("wk", Measure::Time, 604_800.0),
    ("week", Measure::Time, 604_800.0),
    ("mo", Measure::Calendar, 1.0),
    ("month", Measure::Calendar, 1.0),
    ("y", Measure::Calendar, 12.0),
    ("yr", Measure::Calendar, 12.0),
    ("year", Measure::Calendar, 12.0),
    ("b", Measure::Data, 1.0),
    ("byte", Measure::Data, 1.0),
    ("kb", Measure::Data, 1e3),
    ("mb", Measure::Data, 1e6),
    ("gb", Measure::Data, 1e9),
    ("tb", Measure::Data, 1e12),
    ("kib", Measure::Data, 1024.0),
    ("mib", Measure::Data, 1_048_576.0),
    ("gib", Measure::Data, 1_073_741_824.0),
    ("tib", Measure::Data, 1_099_511_627_776.0),
    ("%", Measure::Percent, 1.0),
    ("percent", Measure::Percent, 1.0),
    ("per cent", Measure::Percent, 1.0),
    ("pct", Measure::Percent, 1.0),
    ("$", Measure::Dollar, 1.0),
    ("usd", Measure::Dollar, 1.0),
    ("dollar", Measure::Dollar, 1.0),
    ("us dollar", Measure::Dollar, 1.0),
    ("€", Measure::Euro, 1.0),
    ("eur", Measure::Euro, 1.0),
    ("euro", Measure::Euro, 1.0),
    ("£", Measure::Pound, 1.0),
    ("gbp", Measure::Pound, 1.0),
    ("¥", Measure::Yen, 1.0),
    ("jpy", Measure::Yen, 1.0),
    ("yen", Measure::Yen, 1.0),
    ("k", Measure::None, 1e3),
    ("thousand", Measure::None, 1e3),
    ("m", Measure::None, 1e6),
    ("mm", Measure::None, 1e6),
    ("mn", Measure::None, 1e6),
    ("mio", Measure::None, 1e6),
    ("million", Measure::None, 1e6),
    ("b", Measure::None, 1e9),
    ("bn", Measure::None, 1e9),
    ("billion", Measure::None, 1e9),
    ("t", Measure::None, 1e12),
    ("tn", Measure::None, 1e12),
    ("trillion", Measure::None, 1e12),
    ("", Measure::None, 1.0),
];

impl Quantity {
    /// Returns whether two readings are the same amount. A missing unit matches any unit.
    fn same(self, other: Quantity) -> bool {
        let (one, two) = (self.measure, other.measure);
        let bare = |measure| matches!(measure, Measure::None | Measure::Items);
        let comparable = one == two || one == Measure::None || two == Measure::None || bare(one) && bare(two);
        let tolerance = match (self.rough || other.rough, one) {
            (true, _) => 0.1,
            // A gigabyte is 1,000 or 1,024 megabytes, depending on the author.
            (false, Measure::Data) => 0.05,
            _ => 1e-9,
        };
        let close = |a: f64, b: f64| (a - b).abs() <= tolerance * a.abs().max(b.abs());
        let share = one == Measure::Percent && two == Measure::None && close(self.value / 100.0, other.value);
        let other_share =
            two == Measure::Percent && one == Measure::None && close(self.value, other.value / 100.0);
        comparable && close(self.value, other.value) || share || other_share
    }
}

/// Returns whether any two readings of two amounts agree.
pub fn same_amount(one: &[Quantity], two: &[Quantity]) -> bool {
    one.iter().any(|one| two.iter().any(|two| one.same(*two)))
}

/// Returns all readings of a text as an amount; empty if it is not an amount.
pub fn readings(text: &str) -> Vec<Quantity> {
    let mut rest = text.trim();
    let mut rough = false;
    for word in APPROXIMATE {
        let shorter = rest.get(..word.len()).filter(|start| start.eq_ignore_ascii_case(word));
        if shorter.is_some() {
            (rest, rough) = (rest[word.len()..].trim_start(), true);
        }
    }
    let (negative, unsigned) = match rest.strip_prefix(['-', '−']) {
        Some(unsigned) => (true, unsigned.trim_start()),
        None => (false, rest),
    };
    let sign = SIGNS.iter().find(|(sign, _)| unsigned.starts_with(sign));
    let number = sign.map_or(unsigned, |(sign, _)| unsigned[sign.len()..].trim_start());
    let digits = digits_end(number);
    let values = numbers(number[..digits].trim_end_matches([',', '.', ' ', '\u{a0}', '\u{202f}']));
    let unit = number[digits..].trim().to_lowercase();
    let mut found = Vec::new();
    for value in values {
        let value = if negative { -value } else { value };
        for (measure, scale) in units(&unit, sign.map(|(_, measure)| *measure)) {
            found.push(Quantity { value: value * scale, measure, rough });
        }
    }
    found
}

/// Returns the end of the leading digits, including separators and spaces between them.
fn digits_end(text: &str) -> usize {
    let mut end = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '0'..='9' => end = at + 1,
            '.' | ',' | '_' | '\'' | '\u{a0}' | '\u{202f}' | ' ' if end > 0 => {}
            _ => break,
        }
    }
    end
}

/// Returns the numbers that digits with separators can represent.
fn numbers(text: &str) -> Vec<f64> {
    let plain: String =
        text.chars().filter(|letter| !matches!(letter, '_' | '\'' | '\u{a0}' | '\u{202f}' | ' ')).collect();
    let separators: Vec<char> = plain.chars().filter(|letter| matches!(letter, '.' | ',')).collect();
    let without = |separator: char| plain.replace(separator, "");
    let candidates = match separators.as_slice() {
        [] => vec![plain.clone()],
        // `1,200` and `1.200` may be 1200 or 1.2.
        [one] => {
            let decimal = plain.replace(',', ".");
            let after = plain.split(*one).nth(1).map_or(0, str::len);
            if after == 3 { vec![without(*one), decimal] } else { vec![decimal] }
        }
        [first, .., last] if first == last => vec![without(*first)],
        [first, .., _] => vec![without(*first).replace(',', ".")],
    };
    candidates.iter().filter_map(|text| text.parse().ok()).collect()
}

/// Returns the measures and scales that the words after a number can have.
fn units(unit: &str, sign: Option<Measure>) -> Vec<(Measure, f64)> {
    let words = |text: &str| -> Vec<(Measure, f64)> {
        let singular = text.strip_suffix('s').filter(|short| short.len() > 1).unwrap_or(text);
        let named = |known: &str| known == text || known == singular || known == text.trim_end_matches('.');
        let known = UNITS.iter().filter(|(known, ..)| named(known));
        known.map(|(_, measure, scale)| (*measure, *scale)).collect()
    };
    let mut found = words(unit);
    // `1.2 million dollars`, `2k people`.
    if found.is_empty()
        && let Some((scale, noun)) = unit.split_once(' ')
    {
        let scales =
            words(scale).into_iter().filter(|(measure, scale)| *measure == Measure::None && *scale > 1.0);
        let nouns = match words(noun) {
            known if known.is_empty() && is_noun(noun) => vec![(Measure::Items, 1.0)],
            known => known,
        };
        found = scales
            .flat_map(|(_, by)| nouns.iter().map(move |(measure, each)| (*measure, by * each)))
            .collect();
    }
    if found.is_empty() && is_noun(unit) {
        found.push((Measure::Items, 1.0));
    }
    match sign {
        None => found,
        Some(sign) => found
            .into_iter()
            .filter(|(measure, _)| *measure == Measure::None || *measure == sign)
            .map(|(_, scale)| (sign, scale))
            .collect(),
    }
}

/// Returns whether a text is one to three words of letters.
fn is_noun(text: &str) -> bool {
    let letters = text.chars().all(|letter| letter.is_alphabetic() || matches!(letter, ' ' | '-'));
    letters && !text.is_empty() && text.split_whitespace().count() <= 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(one: &str, two: &str, expected: bool) {
        let (a, b) = (readings(one), readings(two));
        assert_eq!(same_amount(&a, &b), expected, "{one:?} and {two:?}: {a:?} {b:?}");
        assert_eq!(same_amount(&b, &a), expected, "{two:?} and {one:?}");
    }

    #[test]
    fn equal_amounts_in_different_units_match() {
        for (one, two) in [
            ("1.5 km", "1500 m"),
            ("1.5km", "1,500 metres"),
            ("$1.2M", "$1,200,000"),
            ("$1.2M", "1.2 million dollars"),
            ("US$5bn", "5 billion USD"),
            ("€3k", "3.000 €"),
            ("50 %", "50%"),
            ("50 %", "0.5"),
            ("50 percent", "50"),
            ("10 people", "10"),
            ("10 people", "10 employees"),
            ("2k people", "2,000"),
            ("1 000 000", "1000000"),
            ("1'000", "1000"),
            ("1,5 kg", "1500 g"),
            ("90 minutes", "1.5 hours"),
            ("2 years", "24 months"),
            ("10m", "10 million"),
            ("1 GB", "1024 MB"),
            ("about 500", "512 people"),
            ("-5", "−5.0"),
        ] {
            check(one, two, true);
        }
    }

    #[test]
    fn different_amounts_do_not_match() {
        for (one, two) in [
            ("10", "11"),
            ("1.5 km", "1.5 kg"),
            ("$5M", "€5M"),
            ("$5M", "$6M"),
            ("50 %", "5 %"),
            ("50 %", "0.05"),
            ("about 500", "700"),
            ("-5", "5"),
            ("2 weeks", "2 months"),
            ("10 m", "10 people"),
            ("CEO", "CTO"),
            ("3 of them, or so", "3"),
        ] {
            check(one, two, false);
        }
    }
}
