//! Archives that are broken or hostile end with a clear error, and nothing is imported.

use std::fs;
use std::io::Write as _;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{export, files, import, paths};
use crate::sandbox::Sandbox;

/// Returns the bytes of an archive.
pub(super) fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    for (name, bytes) in entries {
        writer.start_file(*name, options).expect("an entry");
        writer.write_all(bytes).expect("bytes");
    }
    writer.finish().expect("an archive").into_inner()
}

fn refused(bytes: &[u8], says: &str) {
    let sandbox = Sandbox::with_vault();
    fs::write(sandbox.root.join("x.zip"), bytes).expect("a file");
    let before = sandbox.files();
    sandbox.run(&["import", "../x.zip", "--from", "markdown"]).exits(2).says(says);
    assert_eq!(sandbox.files(), before);
    sandbox.run(&["imports"]).exits(1);
}

#[test]
fn archive_is_imported_and_given_back() {
    let sandbox = Sandbox::with_vault();
    let bytes = archive(&[("n/a.md", b"# A\n"), ("n/b.md", b"# B\n\n[[a]]\n"), ("__MACOSX/n/._a.md", b"x")]);
    fs::write(sandbox.root.join("x.zip"), &bytes).expect("a file");
    let output = import(&sandbox, &["../x.zip"]);
    assert_eq!(paths(&output, "pages"), ["n/a.md", "n/b.md"]);
    let id = output["import_id"].as_str().expect("an id");
    export(&sandbox, "raw", &["--raw", "--import-id", id]).ok();
    assert_eq!(
        files(&sandbox.root.join("raw")).into_iter().collect::<Vec<_>>(),
        [("x.zip".to_owned(), bytes)]
    );
}

#[test]
fn truncated_archive() {
    let bytes = archive(&[("a.md", b"# A\n"), ("b.md", &[b'x'; 5000])]);
    refused(&bytes[..bytes.len() - 30], "zip archive");
    refused(&bytes[..50], "zip archive");
    // The directory is whole, and an entry is damaged.
    let mut damaged = bytes.clone();
    for byte in &mut damaged[35..45] {
        *byte ^= 0xff;
    }
    refused(&damaged, "x.zip");
}

#[test]
fn entries_that_lead_out() {
    refused(&archive(&[("a.md", b"# A\n"), ("../../evil.md", b"# E\n")]), "leads outside");
    refused(&archive(&[("/etc/evil.md", b"# E\n")]), "leads outside");
    refused(&archive(&[("a\\..\\..\\evil.md", b"# E\n")]), "leads outside");
}

#[test]
fn archive_bomb() {
    let zeros = vec![0u8; 300 * 1024 * 1024];
    refused(&archive(&[("a.md", &zeros)]), "out of proportion");
}

/// Archives in an archive count together: each alone is below what is harmless.
#[test]
fn archive_bomb_in_parts() {
    let part = archive(&[("a.md", &vec![0u8; 200 * 1024 * 1024])]);
    refused(&archive(&[("1.zip", &part), ("2.zip", &part)]), "out of proportion");
}

/// An archive is not kept if an entry has a credential, which its bytes do not show, nor a file that has one where two of
/// its pieces meet.
#[test]
fn credentials_in_originals() {
    let sandbox = Sandbox::with_vault();
    let key = ["ghp_9dK2mQx7Lw4Rt8Yv", "1Bn5Cz3Hs6Jf0Gp2Wq4E"].concat();
    let leak = format!("# B\n\nThe key is {key}.\n").repeat(3);
    fs::write(sandbox.root.join("x.zip"), archive(&[("a.md", b"# A\n"), ("b.md", leak.as_bytes())]))
        .expect("a file");
    let mut long = vec![b'x'; 4 * 1024 * 1024 - 20];
    long.extend(format!("\n{key}\n").bytes());
    fs::create_dir(sandbox.root.join("src")).expect("a folder");
    fs::write(sandbox.root.join("src/long.bin"), long).expect("a file");
    for (source, kept) in [("../x.zip", "x.zip"), ("../src", "long.bin")] {
        let output = import(&sandbox, &[source, "--from", "markdown"]);
        assert_eq!(output["not_kept"][0]["path"], kept, "{output}");
        assert_eq!(output["originals"], 0, "{output}");
    }
}
