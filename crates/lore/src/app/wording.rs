//! How a face words the commands that hints name.

/// Translates hints, which are written for the command line, into the words of another face.
pub trait Wording {
    /// Returns a hint in the words of the face.
    fn hint(&self, hint: &str) -> String;

    /// Returns a message in the words of the face. Quoted text stays as it is.
    fn message(&self, message: &str) -> String;

    /// Returns the call that does the same as a command; `None` if the face does not offer it.
    fn call(&self, command: &str) -> Option<String>;
}
