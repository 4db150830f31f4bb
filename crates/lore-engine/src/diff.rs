//! What changed between the disk and the index, as pure functions: first by time and size, then by checksum.

use std::collections::{HashMap, HashSet};

use crate::hash::ContentHash;
use crate::index::Fingerprint;
use crate::vault::DiskFile;

/// Which files must be looked at, from their times and sizes alone.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Suspects<'a> {
    /// On disk and not in the index.
    pub new: Vec<&'a DiskFile>,
    /// In both, and not surely the same.
    pub changed: Vec<(&'a DiskFile, &'a Fingerprint)>,
    /// In the index and not on disk.
    pub gone: Vec<&'a Fingerprint>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change<'a> {
    /// A new page.
    Added(&'a DiskFile),
    /// A page that may have new bytes; the checksum decides when it is read.
    Modified(&'a DiskFile, &'a Fingerprint),
    /// The same bytes under another path.
    Moved(&'a DiskFile, &'a Fingerprint),
    /// A page that is no more.
    Removed(&'a Fingerprint),
}

/// Whether times and sizes are believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// A file with the time and size it had is the same.
    Stat,
    /// Every file is read again.
    Nothing,
}

/// Merges two lists, both in the order of their paths.
pub fn suspects<'a>(disk: &'a [DiskFile], indexed: &'a [Fingerprint], trust: Trust) -> Suspects<'a> {
    let mut found = Suspects::default();
    let (mut disk, mut indexed) = (disk.iter().peekable(), indexed.iter().peekable());
    loop {
        match (disk.peek(), indexed.peek()) {
            (Some(file), Some(known)) if file.path == known.path => {
                let same = file.mtime == known.mtime && file.size == known.size && trust == Trust::Stat;
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

/// Turns suspects into changes. A new file with the bytes of one that is gone was moved; between several such,
/// one that kept its name comes first. Moves that are `known`, from and to, need no such proof. `hash_of` is asked
/// only when something is gone, since only then can there be a move.
pub fn changes<'a>(
    suspects: Suspects<'a>,
    known: &[(String, String)],
    mut hash_of: impl FnMut(&DiskFile) -> Option<ContentHash>,
) -> Vec<Change<'a>> {
    let mut changes = Vec::new();
    let Suspects { mut new, mut gone, changed } = suspects;
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
    // Removals come first, so that a name that is free again can be taken by the pages after them.
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

    /// `path:content@time` for the disk, the same for the index.
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
    fn check(on_disk: &[&str], in_index: &[&str], trust: Trust, expected: &str) {
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
        let found: Vec<String> = changes(suspects(&files, &indexed, trust), &[], hash_of)
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
    fn equal_lists_have_no_difference() {
        check(&["a:x@1", "b:y@1"], &["a:x@1", "b:y@1"], Trust::Stat, "");
        check(&[], &[], Trust::Stat, "");
    }

    #[test]
    fn time_size_and_distrust_make_a_suspect() {
        check(&["a:x@2"], &["a:x@1"], Trust::Stat, "~a");
        check(&["a:xx@1"], &["a:x@1"], Trust::Stat, "~a");
        check(&["a:x@1"], &["a:x@1"], Trust::Nothing, "~a");
        check(&["a:x@1"], &["a:x@0"], Trust::Stat, "~a");
    }

    #[test]
    fn additions_and_removals_are_told_apart_anywhere() {
        check(&["a:1@1", "c:3@1", "e:5@1"], &["b:22@1", "c:3@1", "d:44@1"], Trust::Stat, "-b -d +a +e");
    }

    #[test]
    fn the_same_bytes_elsewhere_are_a_move() {
        check(&["new:x@1"], &["old:x@1"], Trust::Stat, "old>new");
        check(&["new:x@1"], &["old:y@1"], Trust::Stat, "-old +new");
    }

    #[test]
    fn twins_are_moved_one_to_one_and_by_name_first() {
        check(&["q/a:x@1", "q/b:x@1"], &["p/a:x@1", "p/b:x@1"], Trust::Stat, "p/a>q/a p/b>q/b");
        check(&["q/b:x@1"], &["p/a:x@1", "p/b:x@1"], Trust::Stat, "-p/a p/b>q/b");
        check(&["q/a:x@1", "q/b:x@1"], &["p/z:x@1"], Trust::Stat, "p/z>q/a +q/b");
    }
}
