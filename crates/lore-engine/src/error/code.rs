//! The stable codes of errors.

/// The stable name of a kind of error. Agents branch on it; the faces map it to their own status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// No such page.
    NotFound,
    /// More than one page matches.
    Ambiguous,
    /// Invalid input.
    Usage,
    /// The page changed in the meantime.
    Conflict,
    /// It already exists.
    Exists,
    /// Forbidden by policy or by path.
    Denied,
    /// Nobody has trusted the vault.
    Untrusted,
    /// An invalid page, or a credential in it.
    Lint,
    /// The state of git's work tree or remote prevents it.
    Diverged,
    /// git failed.
    Git,
    /// A model cannot be used or does not answer.
    Model,
    /// Over a limit.
    TooLarge,
    /// An edit that does not apply to the page.
    Edit,
    /// Another process is writing.
    Locked,
    /// The caller cancelled the request.
    Cancelled,
    /// A file system error.
    Io,
    /// A configuration file that cannot be read.
    Config,
    /// The policy of the vault is invalid.
    Policy,
    /// No such project, or no vault.
    NoVault,
    /// The index failed, or is too new.
    Index,
    /// The index is damaged.
    IndexBroken,
}

impl Code {
    /// All codes, in the order of the published table.
    pub const ALL: [Code; 21] = [
        Code::NotFound,
        Code::Ambiguous,
        Code::Usage,
        Code::Conflict,
        Code::Exists,
        Code::Denied,
        Code::Untrusted,
        Code::Lint,
        Code::Diverged,
        Code::Git,
        Code::Model,
        Code::TooLarge,
        Code::Edit,
        Code::Locked,
        Code::Cancelled,
        Code::Io,
        Code::Config,
        Code::Policy,
        Code::NoVault,
        Code::Index,
        Code::IndexBroken,
    ];

    /// The name that appears in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Code::NotFound => "not_found",
            Code::Ambiguous => "ambiguous",
            Code::Usage => "usage",
            Code::Conflict => "conflict",
            Code::Exists => "exists",
            Code::Denied => "denied",
            Code::Untrusted => "untrusted",
            Code::Lint => "lint",
            Code::Diverged => "diverged",
            Code::Git => "git",
            Code::Model => "model",
            Code::TooLarge => "too_large",
            Code::Edit => "edit",
            Code::Locked => "locked",
            Code::Cancelled => "cancelled",
            Code::Io => "io",
            Code::Config => "config",
            Code::Policy => "policy",
            Code::NoVault => "no_vault",
            Code::Index => "index",
            Code::IndexBroken => "index_broken",
        }
    }
}
