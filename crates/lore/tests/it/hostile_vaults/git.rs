//! Repositories whose settings, hooks or shape try to have git run a command, or to be taken for another repository.

use super::{HostileVault, Trick};

/// The vaults.
pub const VAULTS: &[HostileVault] = &[
    // Settings and hooks. Whoever trusts such a vault accepts them for writes; no read ever runs them.
    ("fsmonitor", Trick::Setting, "repo; git config core.fsmonitor \"$EVIL\""),
    ("hooks-path", Trick::Setting, "repo; hooks h; git config core.hooksPath h"),
    ("hooks", Trick::Setting, "repo; hooks .git/hooks"),
    ("ssh-command", Trick::Setting, "repo; git config core.sshCommand \"$EVIL\"; remote ssh://127.0.0.1:1/x"),
    ("pager", Trick::Setting, "repo; git config core.pager \"$EVIL\"; git config pager.log \"$EVIL\""),
    (
        "editor",
        Trick::Setting,
        "repo; git config core.editor \"$EVIL\"; git config sequence.editor \"$EVIL\"",
    ),
    ("ask-pass", Trick::Setting, "repo; git config core.askPass \"$EVIL\"; remote http://127.0.0.1:1/x"),
    ("git-proxy", Trick::Setting, "repo; git config core.gitProxy \"$EVIL\"; remote git://127.0.0.1:1/x"),
    ("external-diff", Trick::Setting, "repo; git config diff.external \"$EVIL\"; dirty"),
    ("diff-command", Trick::Setting, "repo; attribute diff=e; git config diff.e.command \"$EVIL\"; dirty"),
    ("textconv", Trick::Setting, "repo; attribute diff=e; git config diff.e.textconv \"$EVIL\"; dirty"),
    ("filter-clean", Trick::Setting, "repo; attribute filter=e; git config filter.e.clean \"$EVIL\"; dirty"),
    (
        "filter-smudge",
        Trick::Setting,
        "repo; attribute filter=e; git config filter.e.smudge \"$EVIL\"; dirty",
    ),
    (
        "filter-process",
        Trick::Setting,
        "repo; attribute filter=e; git config filter.e.process \"$EVIL\"; dirty",
    ),
    (
        "filter-odd-name",
        Trick::Setting,
        "repo; attribute 'filter=a=b.c'; git config 'filter.a=b.c.clean' \"$EVIL\"; \
         git config 'filter.a=b.c.required' true; dirty",
    ),
    (
        "filter-in-info",
        Trick::Setting,
        "repo; echo '*.md filter=e' > .git/info/attributes; git config filter.e.clean \"$EVIL\"; dirty",
    ),
    ("merge-driver", Trick::Setting, "repo; attribute merge=e; git config merge.e.driver \"$EVIL\"; dirty"),
    (
        "credential-helper",
        Trick::Setting,
        "repo; git config credential.helper \"!$EVIL\"; remote http://127.0.0.1:1/x",
    ),
    ("gpg-program", Trick::Setting, "repo; git config gpg.program \"$EVIL\"; git config commit.gpgsign true"),
    (
        "show-signature",
        Trick::Setting,
        "repo; git config gpg.program \"$EVIL\"; git config log.showSignature true",
    ),
    (
        "alias",
        Trick::Setting,
        "repo; for a in status log diff add commit; do git config alias.$a \"!$EVIL\"; done",
    ),
    ("ext-remote", Trick::Setting, "repo; git config protocol.ext.allow always; remote \"ext::$EVIL x\""),
    (
        "option-remote",
        Trick::Setting,
        "repo; remote .; git config branch.main.remote \"--upload-pack=$EVIL\"",
    ),
    ("option-url", Trick::Setting, "repo; git config remote.origin.url \"-oProxyCommand=$EVIL\"; follow"),
    ("ssh-option-host", Trick::Setting, "repo; remote \"ssh://-oProxyCommand=$EVIL/x\""),
    ("upload-pack", Trick::Setting, "repo; remote .; git config remote.origin.uploadpack \"$EVIL\""),
    ("receive-pack", Trick::Setting, "repo; remote .; git config remote.origin.receivepack \"$EVIL\""),
    ("remote-helper", Trick::Setting, "repo; git config remote.origin.vcs evil; remote x"),
    (
        "instead-of",
        Trick::Setting,
        "repo; git config protocol.ext.allow always; git config \"url.ext::$EVIL .insteadOf\" https://; \
         remote https://127.0.0.1:1/x",
    ),
    ("include", Trick::Setting, "repo; setting > inc; git config include.path ../inc"),
    ("include-if", Trick::Setting, "repo; setting > inc; git config 'includeIf.gitdir:/.path' ../inc"),
    (
        "worktree-config",
        Trick::Setting,
        "repo; git config extensions.worktreeConfig true; setting > .git/config.worktree",
    ),
    (
        "alternate-refs",
        Trick::Setting,
        "repo; git config core.alternateRefsCommand \"$EVIL\"; alternates; remote .",
    ),
    (
        "partial-clone",
        Trick::Setting,
        "repo; remote \"ext::$EVIL x\"; git config extensions.partialClone origin; \
         git config remote.origin.promisor true; rm -rf .git/objects/??",
    ),
    (
        "other-attributes",
        Trick::Setting,
        "repo; echo '*.md filter=e' > attr; \
         git config core.attributesFile \"$PWD/attr\"; git config filter.e.clean \"$EVIL\"; dirty",
    ),
    ("work-tree", Trick::Setting, "repo; git config core.worktree \"$OUT\""),
    (
        "huge-config",
        Trick::Setting,
        "repo; yes '[a] b = c' | head -c 3000000 >> .git/config; setting >> .git/config",
    ),
    ("odd-config", Trick::Setting, "repo; printf '[core] fsmonitor = \\\\\\n%s\\n' \"$EVIL\" >> .git/config"),
    // The shape of the repository.
    ("bare-in-a-clone", Trick::Shape, "git -C .. init -q; bare .; setting >> config"),
    ("bare-alone", Trick::Shape, "bare .; setting >> config"),
    ("bare-below", Trick::Shape, "repo; mkdir sub; cd sub; bare .; setting >> config; cp ../a.md ."),
    (
        "nested-repository",
        Trick::Shape,
        "repo; mkdir sub; cd sub; cp ../a.md .; repo; setting >> .git/config",
    ),
    ("git-file", Trick::Shape, "echo \"gitdir: $OUT/other/.git\" > .git"),
    ("git-file-relative", Trick::Shape, "echo 'gitdir: ../outside/other/.git' > .git"),
    ("git-link", Trick::Shape, "ln -s \"$OUT/other/.git\" .git"),
    (
        "git-objects-link",
        Trick::Shape,
        "repo; rm -rf .git/objects; ln -s \"$OUT/other/.git/objects\" .git/objects",
    ),
    ("git-refs-link", Trick::Shape, "repo; rm -rf .git/refs; ln -s \"$OUT/other/.git/refs\" .git/refs"),
    (
        "git-heads-link",
        Trick::Shape,
        "repo; rm -rf .git/refs/heads; ln -s \"$OUT/other/.git/refs/heads\" .git/refs/heads",
    ),
    ("git-logs-link", Trick::Shape, "repo; rm -rf .git/logs; ln -s \"$OUT\" .git/logs"),
    ("git-index-link", Trick::Shape, "repo; rm .git/index; ln -s \"$OUT/other/.git/index\" .git/index"),
    ("git-pipe", Trick::Shape, "mkfifo .git"),
    ("git-config-pipe", Trick::Shape, "repo; rm .git/config; mkfifo .git/config"),
    ("git-head-pipe", Trick::Shape, "repo; rm .git/HEAD; mkfifo .git/HEAD"),
    ("git-exclude-pipe", Trick::Shape, "repo; rm .git/info/exclude; mkfifo .git/info/exclude"),
    ("common-dir", Trick::Shape, "repo; echo \"$OUT/other/.git\" > .git/commondir"),
    (
        "false-worktree",
        Trick::Shape,
        "mkdir -p g/worktrees/w; cp \"$OUT/other/.git/HEAD\" g/worktrees/w; echo \"$PWD/.git\" > g/worktrees/w/gitdir; \
         echo \"$OUT/other/.git\" > g/worktrees/w/commondir; echo 'gitdir: g/worktrees/w' > .git",
    ),
    ("alternates", Trick::Shape, "repo; alternates"),
    ("upper-case-git", Trick::Shape, "repo; mv .git .GIT; setting >> .GIT/config"),
    (
        "submodule-name",
        Trick::Shape,
        "repo; mkdir -p .git/modules sub; printf '[submodule \"../../outside\"]\\n\\tpath = sub\\n\\turl = ./x\\n\\tupdate = !%s\\n' \
         \"$EVIL\" > .gitmodules; cp -r .git/objects .git/refs .git/HEAD .git/modules; setting > .git/modules/config; \
         echo 'gitdir: ../.git/modules' > sub/.git; cp a.md sub",
    ),
    (
        "odd-names",
        Trick::Shape,
        "repo; printf x > \"$(printf 'a\\nb.md')\"; printf x > '--help.md'; printf x > '$(touch x).md'; git add .",
    ),
];
