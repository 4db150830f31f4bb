//! Files that lead out of the vault, never end, or are not files.

use super::{HostileVault, Trick};

/// The vaults.
pub const VAULTS: &[HostileVault] = &[
    (
        "template-link",
        Trick::Shape,
        "mkdir -p .lore/templates; ln -s \"$OUT/secret.md\" .lore/templates/note.md",
    ),
    ("template-pipe", Trick::Shape, "mkdir -p .lore/templates; mkfifo .lore/templates/note.md"),
    ("template-endless", Trick::Shape, "mkdir -p .lore/templates; ln -s /dev/zero .lore/templates/note.md"),
    (
        "templates-link",
        Trick::Shape,
        "mkdir .lore; ln -s \"$OUT\" .lore/templates; printf '[types]\\nn = \"secret\"\\n' >> lore.toml",
    ),
    ("type-traversal", Trick::Shape, "printf '[types]\\nn = \"../../../outside/secret\"\\n' >> lore.toml"),
    (
        "rotation-template",
        Trick::Shape,
        "mkdir -p .lore/templates; ln -s \"$OUT/secret.md\" .lore/templates/today.md; \
        printf '[rotate]\\ntoday = \"today\"\\nyesterday = \"yesterday\"\\n' >> lore.toml",
    ),
    (
        "rotation-traversal",
        Trick::Shape,
        "printf '[rotate]\\ntoday = \"../outside/secret\"\\nyesterday = \"y\"\\ninbox = \"../outside\"\\n' >> lore.toml",
    ),
    ("policy-link", Trick::Shape, "rm lore.toml; ln -s \"$OUT/secret.toml\" lore.toml"),
    ("policy-pipe", Trick::Shape, "rm lore.toml; mkfifo lore.toml"),
    ("policy-endless", Trick::Shape, "rm lore.toml; ln -s /dev/zero lore.toml"),
    ("policy-directory", Trick::Shape, "rm lore.toml; mkdir lore.toml"),
    ("policy-huge", Trick::Shape, "truncate -s 1T lore.toml"),
    ("ignore-pipe", Trick::Shape, "mkfifo .gitignore"),
    ("ignore-endless", Trick::Shape, "ln -s /dev/zero .loreignore"),
    ("ignore-link", Trick::Shape, "ln -s \"$OUT/secret.md\" .gitignore"),
    ("ignore-huge", Trick::Shape, "yes 'a*b?c[d-f]*/**/x*' | head -c 30000 > .loreignore"),
    ("ignore-sparse", Trick::Shape, "truncate -s 1T .gitignore; mkdir n; mkfifo n/.loreignore"),
    ("raw-traversal", Trick::Shape, "printf '[raw]\\nfolder = \"../outside\"\\n' >> lore.toml"),
    ("raw-link", Trick::Shape, "printf '[raw]\\nfolder = \"raw\"\\n' >> lore.toml; ln -s \"$OUT\" raw"),
    ("sidecar-link", Trick::Shape, "mkdir .raw; ln -s \"$OUT/secret.json\" .raw/a.json"),
    ("sidecar-pipe", Trick::Shape, "mkdir .raw; mkfifo .raw/a.json"),
    ("page-link", Trick::Shape, "rm a.md; ln -s \"$OUT/secret.md\" a.md"),
    ("page-pipe", Trick::Shape, "rm a.md; mkfifo a.md"),
    ("page-device", Trick::Shape, "rm a.md; ln -s /dev/zero a.md"),
    ("page-huge", Trick::Shape, "truncate -s 1T c.md"),
    ("folder-link", Trick::Shape, "ln -s \"$OUT\" n"),
    ("folder-loop", Trick::Shape, "ln -s . n; ln -s .. m"),
    ("expectations-link", Trick::Shape, "ln -s \"$OUT/secret.toml\" expectations.toml"),
    ("expectations-pipe", Trick::Shape, "mkfifo expectations.toml"),
    ("skills-link", Trick::Shape, "mkdir -p .lore/skills; ln -s \"$OUT\" .lore/skills/evil"),
    ("skill-pipe", Trick::Shape, "mkdir -p .lore/skills/evil; mkfifo .lore/skills/evil/SKILL.md"),
    (
        "inject-traversal",
        Trick::Shape,
        "printf '[[inject]]\\npath = \"../outside/secret.md\"\\nas = \"x\"\\n' >> lore.toml",
    ),
    ("lore-link", Trick::Shape, "ln -s \"$OUT\" .lore"),
    ("staging-link", Trick::Shape, "mkdir .lore; ln -s \"$OUT\" .lore/staging"),
    // Unfinished writes of somebody else.
    (
        "staging-create",
        Trick::Shape,
        "staged '[{\"path\":\"evil.md\",\"old\":null,\"new\":\"HASH\",\"sole_author\":true}]'",
    ),
    (
        "staging-delete",
        Trick::Shape,
        "staged '[{\"path\":\"b.md\",\"old\":\"BHASH\",\"new\":null,\"sole_author\":true}]'",
    ),
    (
        "staging-outside",
        Trick::Shape,
        "staged '[{\"path\":\"../outside/secret.md\",\"old\":null,\"new\":\"HASH\",\"sole_author\":true}]'",
    ),
    (
        "staging-committed",
        Trick::Shape,
        "repo; staged '[{\"path\":\"evil.md\",\"old\":null,\"new\":\"HASH\",\"sole_author\":true}]'; \
        git add -f .lore; git -c user.name=x -c user.email=x commit -qm staged",
    ),
    ("staging-pipe", Trick::Shape, "mkdir -p .lore/staging/x; mkfifo .lore/staging/x/intent.json"),
    ("staging-huge", Trick::Shape, "mkdir -p .lore/staging/x; truncate -s 1T .lore/staging/x/intent.json"),
    (
        "staging-many",
        Trick::Shape,
        "for n in $(seq 300); do mkdir -p .lore/staging/$n; echo '{' > .lore/staging/$n/intent.json; done",
    ),
];
