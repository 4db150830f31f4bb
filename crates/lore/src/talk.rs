//! Talk to the person: everything that is not data goes to standard error, here.

use std::cell::RefCell;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use lore_engine::{Error, Result};

/// Work shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_millis(700);

/// How much is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Errors only.
    Quiet,
    /// What a person should know.
    #[default]
    Normal,
    /// Every detail.
    Verbose,
}

/// Who waits for an answer somewhere else than at this terminal.
pub struct Listener {
    /// Whether nobody waits any more.
    pub gone: Box<dyn Fn() -> bool>,
    /// Told how far the work is: what is done, how much of it, and how much there is.
    pub told: Box<dyn Fn(&'static str, usize, usize)>,
}

/// Standard error.
#[derive(Default)]
pub struct Talk {
    level: Level,
    bar: RefCell<Option<ProgressBar>>,
    listener: RefCell<Option<Listener>>,
}

impl Talk {
    /// Talk at a level.
    pub fn new(level: Level) -> Talk {
        Talk { level, bar: RefCell::default(), listener: RefCell::default() }
    }

    /// Lets somebody hear how far the work is, until it is somebody else's.
    pub fn listen(&self, listener: Option<Listener>) {
        self.listener.replace(listener);
    }

    /// Something worth knowing.
    pub fn note(&self, message: &str) {
        self.say(Level::Normal, message);
    }

    /// Something that may need attention.
    pub fn warn(&self, message: &str) {
        self.say(Level::Normal, &format!("warning: {message}"));
    }

    /// Something only of interest when looking closely.
    pub fn detail(&self, message: &str) {
        self.say(Level::Verbose, message);
    }

    /// What went wrong, always said.
    pub fn error(&self, message: &str) {
        self.say(Level::Quiet, message);
    }

    /// Asks a question; only `y` and `yes` agree.
    pub fn ask(&self, question: &str) -> bool {
        let mut error = std::io::stderr().lock();
        let _ = write!(error, "{question} [y/N] ");
        let _ = error.flush();
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        read.is_ok() && matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
    }

    /// A bar that appears when the work takes long and somebody is watching. The work ends when nobody waits for it.
    pub fn progress<'a>(&'a self, doing: &'static str) -> impl Fn(usize, usize) -> Result<()> + 'a {
        let started = Instant::now();
        move |done, total| {
            if let Some(listener) = &*self.listener.borrow() {
                if (listener.gone)() {
                    return Err(Error::Cancelled);
                }
                (listener.told)(doing, done, total);
            }
            if started.elapsed() < PATIENCE || self.level < Level::Normal || !std::io::stderr().is_terminal()
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

    /// Takes the bar away.
    pub fn finish(&self) {
        if let Some(bar) = self.bar.borrow_mut().take() {
            bar.finish_and_clear();
        }
    }

    fn say(&self, level: Level, message: &str) {
        if level <= self.level {
            let _ = writeln!(std::io::stderr().lock(), "{message}");
        }
    }
}
