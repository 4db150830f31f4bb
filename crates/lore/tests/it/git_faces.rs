//! The vault's repository from the outside: what is committed, what is left alone, and what happens with a remote.

mod beside;
mod commits;
mod remote;
mod trouble;
