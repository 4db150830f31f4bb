//! Slug collisions: the assignment depends only on the files.

use lore_engine::Action;

use super::fixture::{World, move_to, problems, same, state};

/// Returns all permutations of some files.
fn orders<'a>(files: &[&'a str]) -> Vec<Vec<&'a str>> {
    let Some((first, rest)) = files.split_first() else { return vec![Vec::new()] };
    let mut all = Vec::new();
    for order in orders(rest) {
        for at in 0..=order.len() {
            let mut order = order.clone();
            order.insert(at, *first);
            all.push(order);
        }
    }
    all
}

/// Formats slugs as `path=slug`.
fn slugs(world: &World) -> String {
    let pages = world.pages();
    let own = pages.iter().filter(|page| page.path != "linking.md");
    own.map(|page| format!("{}={}", page.path, page.slug)).collect::<Vec<_>>().join(" ")
}

/// Adds the files one by one in every order, then removes each in turn; after every step the index equals a fresh one.
#[track_caller]
fn check(files: &[&str], expected: &str) {
    for order in orders(files) {
        let world = World::new("-- linking.md --\n[[x-y]] [[x-y-1]] [[x-y-2]]\n");
        for path in &order {
            world.file(path, format!("text of {path}\n"));
            world.sync();
            assert_eq!(problems(&world.context), [""; 0], "{order:?}");
        }
        assert_eq!(slugs(&world), expected, "{order:?}");
        assert_eq!(world.state(), state(&world.fresh()), "{order:?}");
    }
    for removed in files {
        let world = World::new("-- linking.md --\n[[x-y]] [[x-y-1]] [[x-y-2]]\n");
        files.iter().for_each(|path| world.file(path, format!("text of {path}\n")));
        world.sync();
        world.remove(removed);
        world.sync();
        assert_eq!(world.state(), state(&world.fresh()), "without {removed}");
        assert_eq!(problems(&world.context), [""; 0]);
    }
}

#[test]
fn the_file_named_like_the_slug_gets_it() {
    check(&["x-y.md", "x y.md"], "x y.md=x-y-1 x-y.md=x-y");
    check(&["X-Y.md", "x y.md", "x-y.md"], "X-Y.md=x-y-1 x y.md=x-y-2 x-y.md=x-y");
}

#[test]
fn otherwise_the_first_path_gets_it() {
    check(&["X Y.md", "x y.md", "x_y.markdown"], "X Y.md=x-y x y.md=x-y-1 x_y.markdown=x-y-2");
}

#[test]
fn extensions_are_not_part_of_slugs() {
    check(&["x-y.md", "x-y.markdown"], "x-y.markdown=x-y x-y.md=x-y-1");
}

#[test]
fn folders_can_collide() {
    check(&["A b/n.md", "a-b/n.md"], "A b/n.md=a-b/n-1 a-b/n.md=a-b/n");
}

#[test]
fn numbered_slugs_yield_to_a_file_of_that_name() {
    let world = World::new("");
    for (path, expected) in [
        ("x-y.md", "x-y.md=x-y"),
        ("x y.md", "x y.md=x-y-1 x-y.md=x-y"),
        ("x-y-1.md", "x y.md=x-y-2 x-y-1.md=x-y-1 x-y.md=x-y"),
        ("x-y-2.md", "x y.md=x-y-3 x-y-1.md=x-y-1 x-y-2.md=x-y-2 x-y.md=x-y"),
    ] {
        world.file(path, path);
        world.sync();
        assert_eq!(slugs(&world), expected);
        world.check_consistency();
    }
}

#[test]
fn numbered_slugs_return_when_the_file_is_removed() {
    check(&["x-y.md", "x y.md", "x-y-1.md"], "x y.md=x-y-2 x-y-1.md=x-y-1 x-y.md=x-y");
}

#[test]
fn moves_into_and_out_of_collisions_update_both_ends() {
    let world = World::synced("-- x-y.md --\none\n-- z.md --\ntwo [[x-y]] [[x-y-1]]\n");
    world.rename("z.md", "x y.md");
    assert_eq!(world.sync(), "z.md>x y.md");
    assert_eq!(slugs(&world), "x y.md=x-y-1 x-y.md=x-y");
    world.check_consistency();
    world.rename("x-y.md", "w.md");
    assert_eq!(world.sync(), "x-y.md>w.md");
    assert_eq!(slugs(&world), "w.md=w x y.md=x-y");
    world.check_consistency();
}

#[test]
fn slug_changes_are_not_new_versions() {
    let world = World::synced("-- x y.md --\none\n");
    world.files("-- x-y.md --\ntwo\n");
    world.sync();
    let page = world.page("x y.md");
    assert_eq!((page.slug.as_str(), page.version), ("x-y-1", 1));
}

#[test]
fn links_follow_the_slug() {
    let world = World::synced("-- from.md --\n[[x-y]]\n-- x y.md --\none\n");
    let link_line = || world.state().lines().find(|line| line.contains("->")).unwrap().trim().to_owned();
    assert_eq!(link_line(), "links_to x-y -> x y.md");
    world.files("-- x-y.md --\ntwo\n");
    world.sync();
    assert_eq!(link_line(), "links_to x-y -> x-y.md");
    world.remove("x-y.md");
    world.sync();
    assert_eq!(link_line(), "links_to x-y -> x y.md");
    world.check_consistency();
}

#[test]
fn names_without_letters_get_stable_slugs() {
    let world = World::synced("-- 💥.md --\nx\n-- !!!.md --\ny\n-- 世界.md --\nz\n");
    let slugs: Vec<String> = world.pages().into_iter().map(|page| page.slug).collect();
    assert!(slugs.contains(&"世界".to_owned()), "{slugs:?}");
    assert!(slugs.iter().all(|slug| !slug.is_empty()), "{slugs:?}");
    world.check_consistency();
}

/// Puts a page and formats the result.
fn put(world: &World, path: &str, expected: Option<u64>) -> String {
    let change = world.change(path, Action::Put(format!("new text of {path}\n").into()), expected);
    change.map_or_else(|error| error.to_string(), |written| format!("{} v{}", written.slug, written.version))
}

#[test]
fn writes_do_not_take_the_slug_of_another_page() {
    let world = World::synced("-- Root Note.md --\nroot\n-- x y.md --\nsecond\n-- x-y.md --\nfirst\n");
    let before = world.state();
    for (path, holder) in [
        ("root-note.md", "root-note from Root Note.md"),
        ("Root (Note).md", "root-note from Root Note.md"),
        ("x-y-1.md", "x-y-1 from x y.md"),
    ] {
        let refused = format!("{path} would take the slug {holder}");
        assert_eq!(put(&world, path, None), refused);
        assert_eq!(put(&world, path, Some(0)), refused);
        let moved = world.change("x-y.md", move_to(path, same), None).map_err(|error| error.to_string());
        assert_eq!(moved.map(|_| ()), Err(refused));
    }
    assert_eq!(world.state(), before);
    assert_eq!(world.listing(), "Root Note.md x y.md x-y.md");
    assert_eq!(put(&world, "root_note.md", None), "root-note-1 v1", "it does not take the slug");
    assert_eq!(world.page("Root Note.md").slug, "root-note");
}

#[test]
fn slug_and_version_name_one_text() {
    let world = World::synced("-- Root Note.md --\none\n");
    world.put("Root Note.md", "two\n");
    world.put("Root Note.md", "three\n");
    world.files("-- root-note.md --\nby hand\n");
    world.sync();
    assert_eq!(world.page("root-note.md").version, 4, "version 3 of this slug is the other page");
    assert_eq!(put(&world, "root-note.md", Some(1)), "root-note is at version 4, not 1");
    world.remove("root-note.md");
    world.sync();
    let page = world.page("Root Note.md");
    assert_eq!((page.slug.as_str(), page.version), ("root-note", 5));
    world.check_consistency();
}
