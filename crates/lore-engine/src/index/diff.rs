//! Compares the disk with the index, as pure functions: first by mtime and size, then by hash.

use std::collections::{HashMap, HashSet};

use lore_ports::Fingerprint;
use lore_text::ContentHash;
use lore_vault::DiskFile;

/// Files that may have changed, judged by mtime and size alone.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ChangedCandidates<'a> {
    /// On disk but not in the index.
    pub new: Vec<&'a DiskFile>,
    /// In both, and possibly different.
    pub changed: Vec<(&'a DiskFile, &'a Fingerprint)>,
    /// In the index but not on disk.
    pub gone: Vec<&'a Fingerprint>,
}

/// A difference between disk and index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<'a> {
    /// A new page.
    Added(&'a DiskFile),
    /// A page that may have changed; its hash decides when it is read.
    Modified(&'a DiskFile, &'a Fingerprint),
    /// The same bytes under another path.
    Moved(&'a DiskFile, &'a Fingerprint),
    /// A deleted page.
    Removed(&'a Fingerprint),
}

/// Whether mtime and size are trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScanMode {
    /// A file whose mtime and size did not change is unchanged.
    Stat,
    /// Every file is read again.
    Nothing,
}

/// Compares two lists, both sorted by path.
pub fn changed_candidates<'a>(
    disk: &'a [DiskFile],
    indexed: &'a [Fingerprint],
    trust: ScanMode,
) -> ChangedCandidates<'a> {
    let mut found = ChangedCandidates::default();
    let (mut disk, mut indexed) = (disk.iter().peekable(), indexed.iter().peekable());
    loop {
        match (disk.peek(), indexed.peek()) {
            (Some(file), Some(known)) if file.path == known.path => {
                let same = file.mtime == known.mtime && file.size == known.size && trust == ScanMode::Stat;
                if !same {
                    found.changed.push((*file, *known));
                }
                disk.next();
                indexed.next();
            }
            (Some(file), Some(known)) if file.path < known.path => {
                found.new.push(*file);
                disk.next();
            }
            (_, Some(known)) => {
                found.gone.push(*known);
                indexed.next();
            }
            (Some(file), None) => {
                found.new.push(*file);
                disk.next();
            }
            (None, None) => return found,
        }
    }
}

/// Turns suspects into changes. A new file with the bytes of a removed one is a move; if several match, one with the
/// same file name is preferred. The `known` moves, as (from, to), need no matching bytes. `hash_of` is called only when
/// a file is gone, since only then can there be a move.
pub fn changes<'a>(
    changed_candidates: ChangedCandidates<'a>,
    known: &[(String, String)],
    mut hash_of: impl FnMut(&DiskFile) -> Option<ContentHash>,
) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    let ChangedCandidates { mut new, mut gone, changed } = changed_candidates;
    for (from, to) in known {
        let from = gone.iter().position(|page| page.path == *from);
        let to = new.iter().position(|file| file.path == *to);
        if let (Some(from), Some(to)) = (from, to) {
            changes.push(Change::Moved(new.remove(to), gone.remove(from)));
        }
    }
    let sizes: HashSet<u64> = gone.iter().map(|page| page.size).collect();
    let mut gone_by_hash: HashMap<ContentHash, Vec<&Fingerprint>> = HashMap::new();
    for page in gone {
        gone_by_hash.entry(page.hash).or_default().push(page);
    }
    let mut gone = gone_by_hash;
    for file in new {
        let hash = if sizes.contains(&file.size) { hash_of(file) } else { None };
        let from = hash
            .and_then(|hash| gone.get_mut(&hash))
            .and_then(|candidates| take_best(candidates, &file.path));
        changes.push(from.map_or(Change::Added(file), |from| Change::Moved(file, from)));
    }
    changes.extend(changed.into_iter().map(|(file, known)| Change::Modified(file, known)));
    let mut removed: Vec<&Fingerprint> = gone.into_values().flatten().collect();
    removed.sort_by(|a, b| a.path.cmp(&b.path));
    // Removals come first, so that later pages can take the names they free.
    let mut all: Vec<Change<'a>> = removed.into_iter().map(Change::Removed).collect();
    all.append(&mut changes);
    all
}

fn take_best<'a>(candidates: &mut Vec<&'a Fingerprint>, path: &str) -> Option<&'a Fingerprint> {
    let name = |path: &str| path.rsplit('/').next().map(str::to_owned);
    let same_name = candidates.iter().position(|known| name(&known.path) == name(path));
    let at = same_name.or(if candidates.is_empty() { None } else { Some(0) })?;
    Some(candidates.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `path:content@mtime`, used for both disk and index.
    fn disk(files: &[&str]) -> Vec<DiskFile> {
        files
            .iter()
            .map(|file| {
                let (path, rest) = file.split_once(':').expect("path:content@time");
                let (content, time) = rest.split_once('@').expect("content@time");
                DiskFile { path: path.into(), size: content.len() as u64, mtime: time.parse().expect("time") }
            })
            .collect()
    }

    fn content(files: &[&str], path: &str) -> String {
        let file = files.iter().find(|file| file.starts_with(&format!("{path}:"))).expect("listed");
        file[path.len() + 1..].split('@').next().expect("content").to_owned()
    }

    #[track_caller]
    fn check(on_disk: &[&str], in_index: &[&str], trust: ScanMode, expected: &str) {
        let files = disk(on_disk);
        let indexed: Vec<Fingerprint> = disk(in_index)
            .into_iter()
            .enumerate()
            .map(|(page, file)| Fingerprint {
                page: page as i64,
                hash: ContentHash::of(content(in_index, &file.path).as_bytes()),
                path: file.path,
                size: file.size,
                mtime: file.mtime,
            })
            .collect();
        let hash_of = |file: &DiskFile| Some(ContentHash::of(content(on_disk, &file.path).as_bytes()));
        let found: Vec<String> = changes(changed_candidates(&files, &indexed, trust), &[], hash_of)
            .into_iter()
            .map(|change| match change {
                Change::Added(file) => format!("+{}", file.path),
                Change::Modified(file, _) => format!("~{}", file.path),
                Change::Moved(file, from) => format!("{}>{}", from.path, file.path),
                Change::Removed(known) => format!("-{}", known.path),
            })
            .collect();
        assert_eq!(found.join(" "), expected);
    }

    #[test]
    fn equal_lists_give_no_changes() {
        check(&["a:x@1", "b:y@1"], &["a:x@1", "b:y@1"], ScanMode::Stat, "");
        check(&[], &[], ScanMode::Stat, "");
    }

    #[test]
    fn mtime_size_or_distrust_make_a_suspect() {
        check(&["a:x@2"], &["a:x@1"], ScanMode::Stat, "~a");
        check(&["a:xx@1"], &["a:x@1"], ScanMode::Stat, "~a");
        check(&["a:x@1"], &["a:x@1"], ScanMode::Nothing, "~a");
        check(&["a:x@1"], &["a:x@0"], ScanMode::Stat, "~a");
    }

    #[test]
    fn additions_and_removals_are_found_anywhere() {
        check(&["a:1@1", "c:3@1", "e:5@1"], &["b:22@1", "c:3@1", "d:44@1"], ScanMode::Stat, "-b -d +a +e");
    }

    #[test]
    fn same_bytes_at_another_path_are_a_move() {
        check(&["new:x@1"], &["old:x@1"], ScanMode::Stat, "old>new");
        check(&["new:x@1"], &["old:y@1"], ScanMode::Stat, "-old +new");
    }

    #[test]
    fn identical_files_move_one_to_one_preferring_equal_names() {
        check(&["q/a:x@1", "q/b:x@1"], &["p/a:x@1", "p/b:x@1"], ScanMode::Stat, "p/a>q/a p/b>q/b");
        check(&["q/b:x@1"], &["p/a:x@1", "p/b:x@1"], ScanMode::Stat, "-p/a p/b>q/b");
        check(&["q/a:x@1", "q/b:x@1"], &["p/z:x@1"], ScanMode::Stat, "p/z>q/a +q/b");
    }
}
