//! Generates the files of a vault's user services: systemd on Linux, launchd on macOS.

use std::path::Path;

use crate::app::{shell, xml};

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
    /// Daily at this hour, in this time zone or the system's, or when the machine next wakes up.
    Daily(i8, Option<String>),
    /// From login on, restarted on failure.
    Always,
}

impl Job {
    /// Returns the systemd unit to start: the timer, or the service itself if it runs all the time.
    pub fn unit(&self) -> String {
        format!("{}.{}", self.name, if self.schedule == Schedule::Always { "service" } else { "timer" })
    }
}

/// Returns the systemd unit files of a job: name and text.
pub fn systemd(job: &Job) -> Vec<(String, String)> {
    let kind = if job.schedule == Schedule::Always { "exec" } else { "oneshot" };
    let mut service = format!("[Unit]\nDescription={}\n\n[Service]\nType={kind}\n", job.about);
    for (name, value) in &job.environment {
        service.push_str(&format!("Environment={}\n", quoted(&format!("{name}={value}"))));
    }
    for command in &job.commands {
        let words: Vec<String> = command.iter().map(|word| quoted(word)).collect();
        service.push_str(&format!("ExecStart={}\n", words.join(" ")));
    }
    if job.schedule == Schedule::Always {
        service.push_str("Restart=on-failure\nRestartSec=5\n\n[Install]\nWantedBy=default.target\n");
        return vec![(format!("{}.service", job.name), service)];
    }
    let when = match &job.schedule {
        Schedule::Always => String::new(),
        Schedule::Every(minutes) => format!("OnBootSec={minutes}min\nOnUnitActiveSec={minutes}min\n"),
        Schedule::Daily(hour, zone) => {
            let zone = zone.as_ref().map(|zone| format!(" {zone}")).unwrap_or_default();
            format!("OnCalendar=*-*-* {hour:02}:00:00{zone}\nPersistent=true\n")
        }
    };
    let timer =
        format!("[Unit]\nDescription={}\n\n[Timer]\n{when}\n[Install]\nWantedBy=timers.target\n", job.about);
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
        Schedule::Daily(hour, _) => format!(
            "  <key>StartCalendarInterval</key>\n  <dict>\n    <key>Hour</key>\n    <integer>{hour}</integer>\n    <key>Minute</key>\n    <integer>0</integer>\n  </dict>\n"
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

/// Quotes an argument for systemd, escaping `%`, `$`, `\` and `"`.
fn quoted(word: &str) -> String {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./:=@+".contains(letter);
    let escaped = word.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    if word.chars().all(plain) && !word.is_empty() { escaped } else { format!("\"{escaped}\"") }
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
            systemd(&job(Schedule::Daily(4, None)))[1]
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

    #[test]
    fn launchd_property_list() {
        let (name, text) = launchd(&job(Schedule::Daily(4, None)), Path::new("/tmp/log"));
        assert_eq!(name, "lore-push-notes.plist");
        assert!(
            text.contains("<string>'/opt/my tools/lore' --project &quot;a%b's&quot; git</string>"),
            "{text}"
        );
        assert!(text.contains("<key>Hour</key>\n    <integer>4</integer>"), "{text}");
    }
}
