//! Generates a vault from a seed: the same realistic pages on every machine.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// A small pseudo-random generator; the benchmark needs the same sequence everywhere, not good randomness.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        ((self.0 >> 11) as usize) % limit
    }

    /// Returns a skewed number: small ones are common and large ones rare, as with words.
    pub fn skewed(&mut self, limit: usize) -> usize {
        let spread = self.below(1_000_000) as f64 / 1_000_000.0;
        ((limit as f64).powf(spread) - 1.0) as usize % limit
    }
}

const STARTS: [&str; 16] =
    ["ba", "co", "di", "fra", "gle", "ho", "in", "ka", "lu", "mo", "ne", "or", "pra", "ri", "sto", "ve"];
const MIDDLES: [&str; 16] = [
    "bel", "cor", "dan", "fin", "gar", "len", "mer", "nis", "par", "que", "ron", "sal", "tor", "ul", "ver",
    "zen",
];
const ENDS: [&str; 16] =
    ["a", "ce", "do", "er", "ing", "ity", "le", "ment", "ness", "on", "ous", "ry", "sion", "st", "ta", "um"];
const FOLDERS: [(&str, &str); 5] = [
    ("people", "person"),
    ("companies", "company"),
    ("decisions", "decision"),
    ("projects", "project"),
    ("concepts", "concept"),
];
const VERBS: [&str; 5] = ["works_at", "founded", "invested_in", "knows", "supersedes"];

/// Returns one of 4,096 words.
pub fn word(number: usize) -> String {
    let (start, middle, end) = (number % 16, (number / 16) % 16, (number / 256) % 16);
    format!("{}{}{}", STARTS[start], MIDDLES[middle], ENDS[end])
}

fn title(number: usize) -> String {
    format!("{} {} {number}", word(number * 7 % 4096), word(number * 13 % 4096))
}

fn slug(number: usize) -> String {
    let (folder, _) = FOLDERS[number % FOLDERS.len()];
    format!("{folder}/{}", title(number).replace(' ', "-"))
}

fn sentence(dice: &mut Dice, words: usize) -> String {
    let mut text = String::new();
    for at in 0..words {
        let next = word(dice.skewed(4096));
        text.push_str(if at == 0 { "" } else { " " });
        text.push_str(&next);
    }
    text.push('.');
    text
}

/// Returns the text of page `number` of `pages`: about 300 words, seven links, facts, observations and a timeline.
pub fn page(number: usize, pages: usize) -> String {
    let mut dice = Dice::new(number as u64 + 1);
    let (_, kind) = FOLDERS[number % FOLDERS.len()];
    let title = title(number);
    let mut text = format!(
        "---\ntitle: {title}\ntype: {kind}\ntags: [{}, {}]\nstage: {}\n---\n# {title}\n\n> {}\n\n## State\n\n",
        word(dice.below(40)),
        word(40 + dice.below(200)),
        ["seed", "growth", "public"][dice.below(3)],
        sentence(&mut dice, 12),
    );
    for section in ["", "## Assessment\n\n", "## Open threads\n\n"] {
        text.push_str(section);
        for _ in 0..2 {
            let (before, after) = (sentence(&mut dice, 22), sentence(&mut dice, 18));
            let target = dice.below(pages);
            let _ = writeln!(text, "{before} See [[{}]]. {after}\n", self::title(target));
        }
    }
    let target = slug(dice.below(pages));
    let year = 2015 + dice.below(10);
    let _ = writeln!(text, "- {} [[{target}]] {{{year}..}}", VERBS[dice.below(VERBS.len())]);
    let _ = writeln!(text, "- [belief] {} #{}", sentence(&mut dice, 8), word(dice.below(40)));
    let _ = writeln!(
        text,
        "- role:: {} {{{year}..}} (source: meeting/{})\n",
        word(dice.below(60)),
        dice.below(900)
    );
    text.push_str("---\n\n## Timeline\n\n");
    for entry in 0..3 {
        let (month, day) = (1 + dice.below(12), 1 + dice.below(28));
        let _ = writeln!(
            text,
            "- **{}-{month:02}-{day:02}** | meeting — {}",
            2026 - entry,
            sentence(&mut dice, 10)
        );
    }
    text
}

/// Writes `pages` pages.
pub fn write(root: &Path, pages: usize) {
    for (folder, _) in FOLDERS {
        fs::create_dir_all(root.join(folder)).expect("a folder");
    }
    for number in 0..pages {
        fs::write(root.join(format!("{}.md", slug(number))), page(number, pages)).expect("a page");
    }
}

/// Returns the path of page `number`.
pub fn path(number: usize) -> String {
    format!("{}.md", slug(number))
}
