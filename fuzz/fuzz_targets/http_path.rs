//! Checks `/api/context/PATH` with any path: never a server error, nothing outside the vault is read or changed, and a
//! request changes no other file than the one it names.

#![no_main]

use std::cell::RefCell;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use lore::fuzzing::HttpClient;
use lore_fuzz::{OUTSIDE, Scene};

#[derive(Debug, Arbitrary)]
struct Input<'a> {
    requests: Vec<Sent<'a>>,
}

#[derive(Debug, Arbitrary)]
struct Sent<'a> {
    method: Method,
    /// Whether every byte is sent percent-encoded.
    encoded: bool,
    path: &'a str,
    body: &'a str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Arbitrary)]
enum Method {
    Get,
    Head,
    Put,
    Patch,
    Delete,
}

/// A vault is used for this many inputs, so that it does not grow without end.
const USES: usize = 400;

thread_local! {
    static SERVED: RefCell<Option<(Scene, HttpClient, usize)>> = const { RefCell::new(None) };
}

fuzz_target!(|input: Input<'_>| {
    SERVED.with_borrow_mut(|served| {
        if served.as_ref().is_none_or(|(_, _, uses)| *uses >= USES) {
            let scene = Scene::new();
            let client = scene.instance.http();
            *served = Some((scene, client, 0));
        }
        let Some((scene, client, uses)) = served else { return };
        *uses += 1;
        for sent in input.requests.iter().take(4) {
            send(scene, client, sent);
        }
        scene.check_surroundings();
    });
});

fn send(scene: &Scene, client: &HttpClient, sent: &Sent<'_>) {
    let method = match sent.method {
        Method::Get => "GET",
        Method::Head => "HEAD",
        Method::Put => "PUT",
        Method::Patch => "PATCH",
        Method::Delete => "DELETE",
    };
    let encode = |byte: u8| match sent.encoded {
        false if matches!(byte, b'!'..=b'~') && !matches!(byte, b'#' | b'?') => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    let path: String = sent.path.bytes().map(encode).collect();
    let before = scene.files();
    let Some(answer) = client.request(method, &format!("/api/context/{path}"), sent.body.as_bytes()) else {
        return;
    };
    assert!(answer.status < 500, "{sent:?}: {answer:?}");
    let text = String::from_utf8_lossy(&answer.body);
    assert!(!text.contains(OUTSIDE), "{sent:?}: {text}");
    let after = scene.files();
    let changed: Vec<_> = before.iter().filter(|file| !after.contains(file)).map(|(path, _)| path).collect();
    let gained: Vec<_> = after.iter().filter(|file| !before.contains(file)).map(|(path, _)| path).collect();
    let writes = !matches!(sent.method, Method::Get | Method::Head);
    assert!(writes || changed.is_empty() && gained.is_empty(), "{sent:?} changed {changed:?} {gained:?}");
    let mut all: Vec<_> = changed.into_iter().chain(gained).collect();
    all.sort();
    all.dedup();
    assert!(all.len() <= 1, "{sent:?} changed {all:?}");
    if answer.status >= 400 {
        assert!(all.is_empty(), "{sent:?} was refused and changed {all:?}: {text}");
    }
}
