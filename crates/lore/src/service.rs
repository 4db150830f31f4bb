//! Generates the files of a vault's user services: systemd on Linux, launchd on macOS.

use std::path::Path;

use lore_text::{ContentHash, on_one_line};

use crate::app::{shell, xml};

/// Maximum length of a vault's name in the name of a service.
const NAME: usize = 60;

/// A service: its commands and schedule.
#[derive(Debug, Clone)]
pub struct Job {
    /// The service name, such as `lore-push-notes`.
    pub name: String,
    /// One-line description.
    pub about: String,
    /// The commands, each as its arguments, run one after the other.
    pub commands: Vec<Vec<String>>,
    /// The schedule.
    pub schedule: Schedule,
    /// Environment variables.
    pub environment: Vec<(String, String)>,
}

/// The schedule of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Schedule {
    /// Every given number of minutes.
    Every(u32),
    /// Daily at this hour and minute, in this time zone or the system's, or when the machine next wakes up.
    Daily(i8, i8, Option<String>),
    /// From login on, restarted on failure.
    Always,
}

impl Job {
    /// Returns the systemd unit to start: the timer, or the service itself if it runs all the time.
    pub fn unit(&self) -> String {
        format!("{}.{}", self.name, if self.schedule == Schedule::Always { "service" } else { "timer" })
    }
}

/// Returns a name for the services of a vault that no other vault has. One that is plain already stays as it is; any other,
/// and one of another Lore home, gets a hash after a dot, which no plain name contains.
pub fn vault_name(project: &str, home: Option<&Path>) -> String {
    let is_plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
    let fits = project.len() <= NAME && !project.is_empty() && project.chars().all(is_plain);
    if fits && home.is_none() {
        return project.to_owned();
    }
    let home = home.map(|home| home.as_os_str().as_encoded_bytes()).unwrap_or_default();
    let hash = ContentHash::of(&[project.as_bytes(), b"\0", home].concat()).to_string();
    let slug: String =
        lore_text::slugify(project).replace('/', "-").chars().filter(|c| is_plain(*c)).collect();
    format!("{}.{}", slug.get(..NAME).unwrap_or(&slug), hash.get(..12).unwrap_or(&hash))
}

/// Returns the systemd unit files of a job: name and text.
pub fn systemd(job: &Job) -> Vec<(String, String)> {
    let kind = if job.schedule == Schedule::Always { "exec" } else { "oneshot" };
    let about = description(&job.about);
    let mut service = format!("[Unit]\nDescription={about}\n\n[Service]\nType={kind}\n");
    for (name, value) in &job.environment {
        service.push_str(&format!("Environment={}\n", quoted(&format!("{name}={value}"))));
    }
    for command in job.commands.iter().map(|command| runnable(command)) {
        // Variables are expanded in the arguments, but neither in the program nor in `Environment=`.
        let words = command.iter().enumerate().map(|(at, word)| match at {
            0 => quoted(word),
            _ => quoted(word).replace('$', "$$"),
        });
        service.push_str(&format!("ExecStart={}\n", words.collect::<Vec<_>>().join(" ")));
    }
    if job.schedule == Schedule::Always {
        service.push_str("Restart=on-failure\nRestartSec=5\n\n[Install]\nWantedBy=default.target\n");
        return vec![(format!("{}.service", job.name), service)];
    }
    let when = match &job.schedule {
        Schedule::Always => String::new(),
        Schedule::Every(minutes) => format!("OnBootSec={minutes}min\nOnUnitActiveSec={minutes}min\n"),
        Schedule::Daily(hour, minute, zone) => {
            let zone = zone.as_ref().map(|zone| format!(" {zone}")).unwrap_or_default();
            format!("OnCalendar=*-*-* {hour:02}:{minute:02}:00{zone}\nPersistent=true\n")
        }
    };
    let timer =
        format!("[Unit]\nDescription={about}\n\n[Timer]\n{when}\n[Install]\nWantedBy=timers.target\n");
    vec![(format!("{}.service", job.name), service), (format!("{}.timer", job.name), timer)]
}

/// Returns the launchd file of a job: name and text.
pub fn launchd(job: &Job, log: &Path) -> (String, String) {
    let words = |command: &Vec<String>| shell::join(command.iter().map(String::as_str));
    // A long-running command replaces the shell, so that a stop signal reaches it.
    let start = if job.schedule == Schedule::Always { "exec " } else { "" };
    let script: Vec<String> =
        job.commands.iter().map(|command| format!("{start}{}", words(command))).collect();
    // launchd only knows the system's time zone; a rollover that runs too early does nothing.
    let when = match &job.schedule {
        Schedule::Always => "  <key>RunAtLoad</key>\n  <true/>\n  <key>KeepAlive</key>\n  <dict>\n    <key>SuccessfulExit</key>\n    <false/>\n  </dict>\n".into(),
        Schedule::Every(minutes) => {
            format!("  <key>StartInterval</key>\n  <integer>{}</integer>\n", minutes * 60)
        }
        Schedule::Daily(hour, minute, _) => format!(
            "  <key>StartCalendarInterval</key>\n  <dict>\n    <key>Hour</key>\n    <integer>{hour}</integer>\n    <key>Minute</key>\n    <integer>{minute}</integer>\n  </dict>\n"
        ),
    };
    let variables: String = job
        .environment
        .iter()
        .map(|(name, value)| {
            format!("    <key>{}</key>\n    <string>{}</string>\n", xml::escape(name), xml::escape(value))
        })
        .collect();
    let text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n<plist version=\"1.0\">\n<dict>\n  <key>Label</key>\n  <string>{label}</string>\n  <key>ProgramArguments</key>\n  <array>\n    <string>/bin/sh</string>\n    <string>-c</string>\n    <string>{script}</string>\n  </array>\n  <key>EnvironmentVariables</key>\n  <dict>\n{variables}  </dict>\n{when}  <key>StandardErrorPath</key>\n  <string>{log}</string>\n</dict>\n</plist>\n",
        label = xml::escape(&job.name),
        script = xml::escape(&script.join(" && ")),
        log = xml::escape(&log.to_string_lossy()),
    );
    (format!("{}.plist", job.name), text)
}

/// Returns a command that systemd starts: it refuses programs whose path has quotes, backslashes or wildcards, so a shell
/// starts these.
fn runnable(command: &[String]) -> Vec<String> {
    let is_safe = |letter: char| letter.is_alphanumeric() || "-_./:=@+,% ".contains(letter);
    if command.first().is_none_or(|program| program.chars().all(is_safe)) {
        return command.to_vec();
    }
    let shell = ["/bin/sh", "-c", "exec \"$0\" \"$@\""].map(str::to_owned);
    shell.into_iter().chain(command.iter().cloned()).collect()
}

/// Returns a description for systemd: one line, without specifiers, and without a backslash that could continue it.
fn description(text: &str) -> String {
    on_one_line(text).replace('\\', "/").replace('%', "%%")
}

/// Quotes a word for systemd, escaping `%`, `\`, quotes and control characters. A NUL, which no process can get, becomes
/// U+FFFD.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@+".contains(letter);
    if word.chars().all(plain) && !word.is_empty() {
        return word.to_owned();
    }
    let mut escaped = String::from("\"");
    for letter in word.chars() {
        match letter {
            '\\' => escaped.push_str("\\\\"),
            '"' => escaped.push_str("\\\""),
            '%' => escaped.push_str("%%"),
            '\n' => escaped.push_str("\\n"),
            '\t' => escaped.push_str("\\t"),
            '\r' => escaped.push_str("\\r"),
            '\0' => escaped.push('\u{fffd}'),
            letter if letter.is_ascii_control() => escaped.push_str(&format!("\\x{:02x}", letter as u32)),
            letter => escaped.push(letter),
        }
    }
    escaped + "\""
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    fn job(when: Schedule) -> Job {
        Job {
            name: "lore-push-notes".into(),
            about: "Push the vault notes".into(),
            commands: vec![vec![
                "/opt/my tools/lore".into(),
                "--project".into(),
                "a%b's".into(),
                "git".into(),
            ]],
            schedule: when,
            environment: vec![("LORE_HOME".into(), "/home/ada/my lore".into())],
        }
    }

    #[test]
    fn systemd_service_and_timer() {
        let text: String = systemd(&job(Schedule::Every(15)))
            .iter()
            .map(|(name, text)| format!("== {name}\n{text}"))
            .collect();
        expect![[r#"
            == lore-push-notes.service
            [Unit]
            Description=Push the vault notes

            [Service]
            Type=oneshot
            Environment="LORE_HOME=/home/ada/my lore"
            ExecStart="/opt/my tools/lore" --project "a%%b's" git
            == lore-push-notes.timer
            [Unit]
            Description=Push the vault notes

            [Timer]
            OnBootSec=15min
            OnUnitActiveSec=15min

            [Install]
            WantedBy=timers.target
        "#]]
        .assert_eq(&text);
        assert!(
            systemd(&job(Schedule::Daily(4, 0, None)))[1]
                .1
                .contains("OnCalendar=*-*-* 04:00:00\nPersistent=true\n")
        );
    }

    #[test]
    fn long_running_service_has_no_timer() {
        let text: String =
            systemd(&job(Schedule::Always)).iter().map(|(name, text)| format!("== {name}\n{text}")).collect();
        expect![[r#"
            == lore-push-notes.service
            [Unit]
            Description=Push the vault notes

            [Service]
            Type=exec
            Environment="LORE_HOME=/home/ada/my lore"
            ExecStart="/opt/my tools/lore" --project "a%%b's" git
            Restart=on-failure
            RestartSec=5

            [Install]
            WantedBy=default.target
        "#]]
        .assert_eq(&text);
        assert_eq!(job(Schedule::Always).unit(), "lore-push-notes.service");
        assert_eq!(job(Schedule::Every(1)).unit(), "lore-push-notes.timer");
        let (_, text) = launchd(&job(Schedule::Always), Path::new("/tmp/log"));
        let document = roxmltree::Document::parse_with_options(
            &text,
            roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() },
        );
        let document = document.unwrap_or_else(|error| panic!("{error}: {text}"));
        let texts: Vec<&str> =
            document.descendants().filter(|node| node.is_text()).filter_map(|node| node.text()).collect();
        assert!(texts.contains(&r#"exec '/opt/my tools/lore' --project "a%b's" git"#), "{texts:?}");
        assert!(
            text.contains("<key>KeepAlive</key>") && text.contains("<key>RunAtLoad</key>\n  <true/>"),
            "{text}"
        );
    }

    /// Splits the value of `ExecStart=` or `Environment=` as systemd does: quotes, escapes, specifiers, and variables where
    /// they are expanded. Anything that would be expanded is an error.
    fn words(value: &str, variables: bool) -> Vec<String> {
        let (mut words, mut word, mut is_open) = (Vec::new(), None::<String>, false);
        let mut letters = value.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '"' => {
                    is_open = !is_open;
                    word.get_or_insert_default();
                }
                ' ' if !is_open => words.extend(word.take()),
                '\\' => {
                    let escaped = match letters.next().expect("an escape") {
                        'n' => '\n',
                        't' => '\t',
                        'r' => '\r',
                        'x' => {
                            let digits: String = letters.by_ref().take(2).collect();
                            char::from(u8::from_str_radix(&digits, 16).expect("two digits"))
                        }
                        quote @ ('"' | '\\') => quote,
                        other => panic!("unknown escape {other:?} in {value}"),
                    };
                    word.get_or_insert_default().push(escaped);
                }
                '%' => {
                    assert_eq!(letters.next(), Some('%'), "a specifier in {value}");
                    word.get_or_insert_default().push('%');
                }
                '$' if variables && !words.is_empty() => {
                    assert_eq!(letters.next(), Some('$'), "a variable in {value}");
                    word.get_or_insert_default().push('$');
                }
                letter => {
                    assert!(!letter.is_control() && letter != ';' || is_open, "{letter:?} in {value}");
                    word.get_or_insert_default().push(letter);
                }
            }
        }
        assert!(!is_open, "an open quote in {value}");
        words.extend(word);
        words
    }

    #[test]
    fn any_text_reaches_the_command_unchanged() {
        for text in [
            "plain",
            "two words",
            "",
            "it's",
            "a\"b",
            "$HOME ${HOME} $$",
            "%h %% %",
            r"C:\new\",
            "\\",
            ";",
            "a;b",
            "line\nExecStartPost=/bin/evil",
            "tab\there\r",
            "\u{1b}[31m\u{7f}",
            "#x",
            "東京",
            "-",
            "x\\\n",
        ] {
            let command = vec![format!("/opt/{text}/lore"), "--project".into(), text.to_owned()];
            let mut odd = job(Schedule::Always);
            (odd.commands, odd.about) = (vec![command.clone()], format!("Serve {text}"));
            odd.environment = vec![("LORE_HOME".into(), text.to_owned())];
            let (_, unit) = systemd(&odd).remove(0);
            let value = |key: &str| {
                let mut values = unit.lines().filter_map(|line| line.strip_prefix(key));
                let value = values.next().unwrap_or_else(|| panic!("{unit}")).to_owned();
                assert_eq!(values.next(), None, "{unit}");
                value
            };
            let started = words(&value("ExecStart="), true);
            assert!(started.ends_with(&command), "{unit}");
            assert!(started.len() == 3 || started[..3] == ["/bin/sh", "-c", "exec \"$0\" \"$@\""], "{unit}");
            assert_eq!(words(&value("Environment="), false), [format!("LORE_HOME={text}")], "{unit}");
            assert!(!value("Description=").ends_with('\\'), "{unit}");
            assert!(!unit.contains("\nExecStartPost"), "{unit}");
            assert_eq!(unit.lines().count(), 12, "{unit}");
            let (_, list) = launchd(&odd, Path::new("/tmp/log"));
            let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
            roxmltree::Document::parse_with_options(&list, options).expect("well-formed");
        }
    }

    #[test]
    fn different_vaults_have_different_names() {
        assert_eq!(vault_name("a-b", None), "a-b");
        let names = ["a b", "a-b", "A-B", "a/b", "a_b", "a.b", "é", "e", "東京", "京都", "", "a\nb", "a-b."];
        let long = ["x".repeat(300), format!("{}y", "x".repeat(299))];
        let homes = [None, Some(Path::new("/h")), Some(Path::new("/i"))];
        let mut all = Vec::new();
        for name in names.into_iter().chain(long.iter().map(String::as_str)) {
            for home in homes {
                let made = vault_name(name, home);
                let valid = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
                assert!(made.chars().all(valid) && made.len() < 100, "{made}");
                all.push(made);
            }
        }
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count, "two vaults share a name");
    }

    #[test]
    fn launchd_property_list() {
        let (name, text) = launchd(&job(Schedule::Daily(4, 0, None)), Path::new("/tmp/log"));
        assert_eq!(name, "lore-push-notes.plist");
        assert!(
            text.contains("<string>'/opt/my tools/lore' --project &quot;a%b's&quot; git</string>"),
            "{text}"
        );
        assert!(text.contains("<key>Hour</key>\n    <integer>4</integer>"), "{text}");
    }
}
