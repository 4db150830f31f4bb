//! Checks that the paths and names in a policy stay inside the vault: it may come from somebody else.

use super::Policy;

/// Maximum length of a type's name, which is also the name of its template.
const TYPE_LENGTH: usize = 100;

impl Policy {
    /// Returns an error that names the first setting that leads out of the vault.
    pub(super) fn check_paths(&self) -> Result<(), String> {
        let mut paths = vec![
            ("capture.folder", self.capture.folder.as_str()),
            ("ingest.folder", &self.ingest.folder),
            ("compact.folder", &self.compact.folder),
        ];
        paths.extend(self.ingest.folders.values().map(|folder| ("ingest.folders", folder.as_str())));
        paths.extend(self.inject.iter().map(|file| ("inject.path", file.path.as_str())));
        paths.extend(self.rollup.iter().map(|log| ("rollup.path", log.path.as_str())));
        paths
            .extend(self.generated.iter().filter_map(|made| Some(("generated.from", made.from.as_deref()?))));
        paths.extend(self.tables.values().map(|table| ("table.path", table.path.as_str())));
        for routine in &self.routines {
            paths.extend(routine.paths().map(|path| ("routine", path)));
        }
        if let Some(custom) = &self.custom_routines {
            paths.extend([("custom_routines.folder", custom.folder.as_str())]);
            paths.extend([("custom_routines.dossiers", custom.dossiers.as_str())]);
        }
        paths.extend(self.mirrors.values().filter_map(|one| Some(("mirror.rules", one.rules.as_deref()?))));
        paths.extend(
            self.namespaces
                .values()
                .filter_map(|namespace| Some(("namespaces.folder", namespace.folder.as_deref()?))),
        );
        paths.extend(self.raw.iter().map(|raw| ("raw.folder", raw.folder.as_str())));
        paths.extend(self.aliases.values().map(|now| ("aliases", now.as_str())));
        if let Some(rotate) = &self.rotate {
            paths.extend([("rotate.today", rotate.today.as_str()), ("rotate.yesterday", &rotate.yesterday)]);
            paths.extend(rotate.inbox.iter().map(|folder| ("rotate.inbox", folder.as_str())));
            paths.extend(rotate.scratch.iter().map(|folder| ("rotate.scratch", folder.as_str())));
        }
        if let Some((key, path)) = paths.into_iter().find(|(_, path)| !is_inside(path)) {
            return Err(format!("{key} is {path:?}, which is not a path inside the vault"));
        }
        match self.types.values().find(|kind| !is_type_name(kind)) {
            Some(kind) => Err(format!("{kind:?} is not the name of a type: it must not contain a path")),
            None => Ok(()),
        }
    }
}

/// Whether a path cannot leave the vault by its names alone.
fn is_inside(path: &str) -> bool {
    !path.starts_with(['/', '~'])
        && !path.contains('\\')
        && !path.chars().any(char::is_control)
        && path.split('/').all(|name| name != "..")
}

/// Whether a text can be the name of a type, and so of a template's file.
pub(crate) fn is_type_name(kind: &str) -> bool {
    !kind.is_empty()
        && kind.len() <= TYPE_LENGTH
        && !kind.starts_with('.')
        && !kind.chars().any(|letter| matches!(letter, '/' | '\\' | ':') || letter.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_leave_the_vault_are_refused() {
        for text in [
            "[types]\npeople = \"../../../diary\"\n",
            "[types]\npeople = \".hidden\"\n",
            "[types]\npeople = \"a/b\"\n",
            "[raw]\nfolder = \"../private\"\n",
            "[raw]\nfolder = \"/etc\"\n",
            "[capture]\nfolder = \"a/../../b\"\n",
            "[ingest]\nfolder = \"~/x\"\n",
            "[ingest.folders]\nmeeting = \"../x\"\n",
            "[compact]\nfolder = \"..\"\n",
            "[rotate]\ntoday = \"../today\"\nyesterday = \"yesterday\"\n",
            "[aliases]\ntoday = \"../today\"\n",
            "[aliases]\n\"a/*\" = \"/etc/*\"\n",
            "[[inject]]\npath = \"../../.ssh/id\"\nas = \"x\"\n",
        ] {
            let (_, message) = Policy::parse(text).expect_err(text);
            assert!(message.contains("is not"), "{text}: {message}");
        }
        Policy::parse("[types]\npeople = \"person\"\n[raw]\nfolder = \"raw/files\"\n").expect("a policy");
    }
}
