//! The formats of a page, chosen by the file's extension.

/// How a page is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Markdown with YAML frontmatter.
    #[default]
    Markdown,
    /// Org with property drawers.
    Org,
}

impl Format {
    /// Returns the format of the file at a path: Org if it ends in `.org`, otherwise Markdown.
    ///
    /// ```
    /// use lore_page::Format;
    /// assert_eq!(Format::of("notes/Plan.ORG"), Format::Org);
    /// assert_eq!(Format::of("notes/plan.md"), Format::Markdown);
    /// ```
    pub fn of(path: &str) -> Format {
        let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
        if extension.eq_ignore_ascii_case("org") { Format::Org } else { Format::Markdown }
    }

    /// Returns the extension of new files in this format.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Org => "org",
        }
    }

    /// Guesses the format of a text that comes without a path: Org if it starts with a drawer, a keyword or a headline,
    /// or has an Org link.
    pub fn guess(text: &str) -> Format {
        let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim_start();
        let starts =
            |start: &str| first.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start));
        let has_headline = || text.lines().any(|line| line.starts_with("** ") || line.starts_with("*** "));
        let is_org = starts(":PROPERTIES:")
            || starts("#+")
            || text.contains("[[id:")
            || text.contains("[[file:")
            || text.contains("#+begin_")
            || text.contains("#+BEGIN_")
            || has_headline();
        if is_org { Format::Org } else { Format::Markdown }
    }

    /// Returns the character that headings start with.
    pub(crate) fn heading_mark(self) -> char {
        match self {
            Format::Markdown => '#',
            Format::Org => '*',
        }
    }

    /// Returns the marks before a heading of this level.
    pub(crate) fn heading_marks(self, level: usize) -> String {
        self.heading_mark().to_string().repeat(level)
    }

    /// Returns the level of the sections directly below the title: 2 in Markdown, where the title is a heading, 1 in Org.
    pub fn section_level(self) -> u8 {
        match self {
            Format::Markdown => 2,
            Format::Org => 1,
        }
    }

    /// Whether a level-one heading at the start of a page is its title.
    pub(crate) fn has_title_heading(self) -> bool {
        self == Format::Markdown
    }

    /// Whether a line outside code is a heading.
    pub(crate) fn is_heading_line(self, line: &str) -> bool {
        match self {
            Format::Markdown => line.trim_start().starts_with('#'),
            Format::Org => line.starts_with('*') && line.trim_start_matches('*').starts_with(' '),
        }
    }

    /// Returns the rule between truth and timeline.
    pub(crate) fn rule(self) -> &'static str {
        match self {
            Format::Markdown => "---",
            Format::Org => "-----",
        }
    }

    /// Whether a line is a rule of dashes.
    pub(crate) fn is_rule_line(self, line: &str) -> bool {
        let line = line.trim();
        line.len() >= self.rule().len() && line.bytes().all(|byte| byte == b'-')
    }

    /// Writes a text in bold.
    pub(crate) fn bold(self, text: &str) -> String {
        match self {
            Format::Markdown => format!("**{text}**"),
            Format::Org => format!("*{text}*"),
        }
    }

    /// Writes a link.
    pub(crate) fn link(self, target: &str, label: Option<&str>) -> String {
        match (self, label) {
            (_, None) => format!("[[{target}]]"),
            (Format::Markdown, Some(label)) => format!("[[{target}|{label}]]"),
            (Format::Org, Some(label)) => format!("[[{target}][{label}]]"),
        }
    }
}
