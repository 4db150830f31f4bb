//! Messages to the user: the only module besides the log that writes to standard error.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use lore_ports::{Error, Result};
use lore_text::{on_one_line, visible};

/// Delay before a progress bar appears.
const BAR_DELAY: Duration = Duration::from_millis(700);

/// Verbosity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verbosity {
    /// Errors only.
    Quiet,
    /// Errors, warnings and notes.
    #[default]
    Normal,
    /// Everything.
    Verbose,
}

/// Callbacks of a remote caller.
pub struct ProgressListener {
    /// Returns whether the caller is gone.
    pub gone: Box<dyn Fn() -> bool>,
    /// Receives progress: the activity, items done and items in total.
    pub report: Box<dyn Fn(&'static str, usize, usize)>,
}

/// Writes messages and progress to standard error.
#[derive(Default)]
pub struct Stderr {
    level: Verbosity,
    bar: RefCell<Option<ProgressBar>>,
    listener: RefCell<Option<ProgressListener>>,
}

impl Stderr {
    /// Returns a writer with the given verbosity.
    pub fn new(level: Verbosity) -> Stderr {
        Stderr { level, bar: RefCell::default(), listener: RefCell::default() }
    }

    /// Sets the progress listener.
    pub fn listen(&self, listener: Option<ProgressListener>) {
        self.listener.replace(listener);
    }

    /// Prints a note.
    pub fn note(&self, message: &str) {
        self.say(Verbosity::Normal, message);
    }

    /// Prints a warning.
    pub fn warn(&self, message: &str) {
        self.say(Verbosity::Normal, &format!("warning: {}", line(message)));
    }

    /// Prints a detail, in verbose mode only.
    pub fn detail(&self, message: &str) {
        self.say(Verbosity::Verbose, &line(message));
    }

    /// Prints an error, at every verbosity.
    pub fn error(&self, message: &str) {
        self.say(Verbosity::Quiet, message);
    }

    /// Asks a question and returns the answer in lower case; empty if there is none.
    pub fn answer(&self, question: &str, choices: &str) -> String {
        let mut error = std::io::stderr().lock();
        let _ = write!(error, "{} [{choices}] ", visible(question));
        let _ = error.flush();
        let mut answer = String::new();
        let _ = std::io::stdin().lock().read_line(&mut answer);
        answer.trim().to_lowercase()
    }

    /// Asks for confirmation; only `y` and `yes` confirm.
    pub fn ask(&self, question: &str) -> bool {
        matches!(self.answer(question, "y/N").as_str(), "y" | "yes")
    }

    /// Returns a progress callback. A bar appears if the work takes long and standard error is a terminal. The callback
    /// fails with `Cancelled` when the remote caller is gone.
    pub fn progress<'a>(&'a self, doing: &'static str) -> impl Fn(usize, usize) -> Result<()> + 'a {
        let started = Instant::now();
        move |done, total| {
            if let Some(listener) = &*self.listener.borrow() {
                if (listener.gone)() {
                    return Err(Error::Cancelled);
                }
                (listener.report)(doing, done, total);
            }
            if started.elapsed() < BAR_DELAY
                || self.level < Verbosity::Normal
                || !std::io::stderr().is_terminal()
            {
                return Ok(());
            }
            let mut slot = self.bar.borrow_mut();
            let bar = slot.get_or_insert_with(|| {
                let style = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len} {eta}");
                let bar = ProgressBar::new(total as u64).with_message(doing);
                bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "))
            });
            bar.set_position(done as u64);
            Ok(())
        }
    }

    /// Removes the progress bar.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }

    fn say(&self, level: Verbosity, message: &str) {
        if level <= self.level {
            let _ = writeln!(std::io::stderr().lock(), "{}", visible(message));
        }
    }
}

/// Returns a message on one line: a file name in it may contain line breaks.
fn line(message: &str) -> Cow<'_, str> {
    if message.contains('\n') { on_one_line(message).into() } else { message.into() }
}
