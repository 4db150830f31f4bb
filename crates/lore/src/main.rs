//! The binary `lore`.

use std::process::ExitCode;

fn main() -> ExitCode {
    lore::main()
}
