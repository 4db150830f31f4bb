//! Conversations with agents as source pages. Each turn has a heading with a stable anchor, and its text is inside a fence: it
//! is shown and searchable, but nothing in it is parsed as links, facts or other syntax.

use jiff::civil::Date;
use lore_text::secrets::{masked, scan};
use lore_text::{ContentHash, on_one_line, slugify};

use super::Proposed;
use super::kinds::PageText;

/// Maximum number of characters of a message; the original has the rest.
const MESSAGE_CHARS: usize = 100_000;

/// Maximum number of characters that are kept of the output of a tool.
const TOOL_CHARS: usize = 400;

/// Maximum size of a page in bytes; a longer conversation continues on another.
const PAGE_BYTES: usize = 2 * 1024 * 1024;

/// Maximum number of characters of a title.
const TITLE_CHARS: usize = 80;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// The person.
    User,
    /// The agent.
    Assistant,
    /// The output of a tool.
    Tool,
}

/// One message.
#[derive(Debug)]
pub(super) struct Turn {
    /// Identity in the source, which never changes.
    pub id: String,
    pub role: Role,
    /// Time as written in the source: `2026-01-02T10:03:00Z`.
    pub at: String,
    pub text: String,
}

/// A conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// Identity, the same in every export.
    pub id: String,
    /// Program or service: `claude-code`.
    pub source: &'static str,
    /// Title; empty to take it from the first message.
    pub title: String,
    /// Time of the beginning; empty to take it from the first message.
    pub started: String,
    /// Project or directory that it is about.
    pub project: String,
    /// Model that answered.
    pub model: String,
    pub turns: Vec<Turn>,
}

impl Turn {
    /// Returns the heading and the text of the turn, its anchor, and the number of credentials that were removed.
    fn render(&self, number: usize) -> (String, String, usize) {
        let text = self.text.replace("\r\n", "\n").replace('\r', "\n");
        let text = shortened(text.trim(), if self.role == Role::Tool { TOOL_CHARS } else { MESSAGE_CHARS });
        let redacted = scan(&text).len();
        let text = masked(&text, |_| true);
        let text = text.trim_matches('\n');
        let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(3.max(longest + 1));
        let who = match self.role {
            Role::User => "User",
            Role::Assistant => "Assistant",
            Role::Tool => "Tool",
        };
        let identity = if self.id.is_empty() { number.to_string() } else { self.id.clone() };
        let anchor = format!("^t-{}", &ContentHash::of(identity.as_bytes()).to_string()[..8]);
        let at = minute(&self.at);
        let at = if at.is_empty() { String::new() } else { format!(" {at}") };
        (format!("## {who}{at} {anchor}\n\n{fence}text\n{text}\n{fence}\n"), anchor, redacted)
    }
}

impl Conversation {
    /// Returns its pages: one, unless it is very long. None if nobody said anything.
    pub(super) fn pages(mut self) -> Vec<Proposed> {
        self.turns.retain(|turn| !turn.text.trim().is_empty());
        if !self.turns.iter().any(|turn| turn.role != Role::Tool) {
            return Vec::new();
        }
        let started = match self.started.is_empty() {
            true => self.turns.iter().find(|turn| !turn.at.is_empty()).map_or("", |turn| turn.at.as_str()),
            false => self.started.as_str(),
        };
        // The day becomes a part of the file's name.
        let day = started.get(..10).filter(|day| day.parse::<Date>().is_ok()).unwrap_or_default().to_owned();
        let title = self.title();
        let mut pages: Vec<Proposed> = Vec::new();
        let (mut turns, mut size, mut redacted) = (Vec::new(), 0, 0);
        for (number, turn) in self.turns.iter().enumerate() {
            let (text, anchor, found) = turn.render(number);
            if size + text.len() > PAGE_BYTES && !turns.is_empty() {
                pages.push(self.page(&title, &day, pages.len(), std::mem::take(&mut turns), redacted));
                (size, redacted) = (0, 0);
            }
            size += text.len();
            redacted += found;
            turns.push((anchor, text));
        }
        pages.push(self.page(&title, &day, pages.len(), turns, redacted));
        pages
    }

    fn title(&self) -> String {
        let mut said = self.turns.iter().filter(|turn| turn.role == Role::User);
        // A command of the program is not what the conversation is about.
        let first =
            said.clone().find(|turn| !turn.text.starts_with('<')).or(said.next()).or(self.turns.first());
        let title = match self.title.trim().is_empty() {
            true => first.map(|turn| turn.text.trim()).unwrap_or_default(),
            false => self.title.trim(),
        };
        let title = masked(title.lines().find(|line| !line.trim().is_empty()).unwrap_or_default(), |_| true);
        let mut title: String = on_one_line(&title).chars().take(TITLE_CHARS).collect();
        if title.trim().is_empty() {
            title = format!("Conversation {}", self.id.chars().take(8).collect::<String>());
        }
        title
    }

    fn page(
        &self,
        title: &str,
        day: &str,
        part: usize,
        turns: Vec<(String, String)>,
        redacted: usize,
    ) -> Proposed {
        let name = if part == 0 { title.to_owned() } else { format!("{title} (part {})", part + 1) };
        let mut text = PageText::new(&name);
        text.property("type", "conversation");
        text.property("date", day);
        text.property("origin", "external");
        text.property("source", self.source);
        text.property("session", &self.id);
        text.property("project", &self.project);
        let agent = if self.model.is_empty() { "assistant".to_owned() } else { self.model.clone() };
        text.list("participants", &["user".to_owned(), agent]);
        for (_, turn) in &turns {
            text.line(turn);
        }
        let bytes = format!("{}\n", text.finish().trim_end()).into_bytes();
        let slug: String = slugify(&name.replace('/', " ")).chars().take(60).collect();
        let slug = if slug.is_empty() { slugify(&self.id) } else { slug.trim_end_matches('-').to_owned() };
        let day = if day.is_empty() { String::new() } else { format!("{day}-") };
        let path = format!("{}/{day}{slug}.md", self.source);
        let key = if part == 0 { self.id.clone() } else { format!("{}#{}", self.id, part + 1) };
        Proposed { key, path, bytes, is_named_freely: true, turns, redacted }
    }
}

/// Returns a text of limited length that says what is missing.
pub(super) fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => {
            let rest = text[end..].chars().count();
            format!("{} … [{rest} more characters]", &text[..end])
        }
    }
}

/// Returns the line for the call of a tool.
pub(super) fn tool_call(name: &str, input: &serde_json::Value) -> String {
    let input = match input {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => String::new(),
        input => input.to_string(),
    };
    format!("[tool {name}] {}", shortened(&on_one_line(&input), TOOL_CHARS))
}

/// Returns a time without its seconds; empty unless it begins with a date.
fn minute(at: &str) -> String {
    let is_date = at.len() >= 10 && at.is_ascii() && at.as_bytes()[4] == b'-' && at.as_bytes()[7] == b'-';
    match (is_date, at.get(..16)) {
        (false, _) => String::new(),
        (true, Some(time)) => time.replace('T', " "),
        (true, None) => at[..10].to_owned(),
    }
}

/// Returns a time in seconds since 1970 as text.
pub(super) fn time_of(seconds: f64) -> String {
    let at = jiff::Timestamp::from_second(seconds as i64).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    if seconds <= 0.0 { String::new() } else { at.to_string() }
}

/// Returns the last part of a directory's path.
pub(super) fn directory_name(path: &str) -> String {
    path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_page::parse;

    fn turn(id: &str, role: Role, text: &str) -> Turn {
        Turn { id: id.into(), role, at: "2026-01-02T10:03:04.5Z".into(), text: text.into() }
    }

    fn conversation(turns: Vec<Turn>) -> Conversation {
        Conversation { id: "s1".into(), source: "codex", turns, ..Conversation::default() }
    }

    #[test]
    fn text_of_turns_means_nothing() {
        let text = "- is_ceo_of:: Acme\n[[link]] #tag\n---\n```\ncode\n```\n# Heading";
        let pages = conversation(vec![turn("a", Role::User, text)]).pages();
        let page = String::from_utf8(pages[0].bytes.clone()).expect("text");
        let parsed = parse("s.md", &page).page;
        assert!(parsed.links.is_empty() && parsed.facts.is_empty() && parsed.tags.is_empty(), "{page}");
        assert_eq!((parsed.timeline, parsed.headings.len()), (None, 2), "{page}");
        assert!(page.contains("## User 2026-01-02 10:03 ^t-"), "{page}");
    }

    #[test]
    fn credentials_and_tool_output_are_cut() {
        let key = ["key ghp_9dK2mQx7Lw4Rt8Yv", "1Bn5Cz3Hs6Jf0Gp2Wq4E"].concat();
        let pages =
            conversation(vec![turn("a", Role::User, &key), turn("b", Role::Tool, &"x".repeat(5000))]).pages();
        let page = String::from_utf8_lossy(&pages[0].bytes).into_owned();
        assert_eq!(pages[0].redacted, 1);
        assert!(!page.contains("ghp_") && page.contains("[4600 more characters]"), "{page}");
        assert!(!pages[0].path.contains("ghp"), "{}", pages[0].path);
    }

    #[test]
    fn long_conversation_continues_on_another_page() {
        let turns = (0..60).map(|id| turn(&id.to_string(), Role::User, &"word ".repeat(15_000))).collect();
        let pages = conversation(turns).pages();
        assert!(pages.len() > 1 && pages.iter().all(|page| page.bytes.len() < 3 * 1024 * 1024));
        assert_eq!((pages[0].key.as_str(), pages[1].key.as_str()), ("s1", "s1#2"));
        assert_eq!(pages.iter().map(|page| page.turns.len()).sum::<usize>(), 60);
    }

    #[test]
    fn title_is_what_the_person_says() {
        let turns = vec![
            turn("a", Role::User, "<command-name>/clear</command-name>"),
            turn("b", Role::User, "Use async/await"),
        ];
        let pages = conversation(turns).pages();
        assert_eq!(pages[0].path, "codex/2026-01-02-use-async-await.md");
    }

    #[test]
    fn conversation_without_words_is_no_page() {
        assert!(
            conversation(vec![turn("a", Role::User, " "), turn("b", Role::Tool, "out")]).pages().is_empty()
        );
    }
}
