#!/usr/bin/env python3
"""Converts a packed granite-embedding model to the files that Lore reads.

usage: granite.py PACK FOLDER

A pack is a JSON header, a tokenizer and tensors. A tensor of bytes is followed by one scale per 64 numbers of a row. The
folder gets `model.safetensors` with 16-bit floats, `tokenizer.json`, `config.json` and `1_Pooling/config.json`.
"""

import array
import json
import os
import struct
import sys

# The names of a layer's parts in the pack and in the model.
PARTS = {
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "f1": "intermediate.dense",
    "f2": "output.dense",
    "fln": "output.LayerNorm",
}
EMBEDDINGS = {
    "word_emb": "word_embeddings.weight",
    "pos_emb": "position_embeddings.weight",
    "type_emb": "token_type_embeddings.weight",
    "emb_ln.w": "LayerNorm.weight",
    "emb_ln.b": "LayerNorm.bias",
}


def numbers(tensor, data):
    """Returns the numbers of a tensor."""
    if tensor["dtype"] == "f32":
        return array.array("f", data)
    if tensor["dtype"] != "i8":
        sys.exit(f"error: {tensor['name']} has the unknown type {tensor['dtype']}")
    count, group = tensor["shape"][0] * tensor["shape"][1], tensor["group"]
    values, scales = array.array("b", data[:count]), array.array("f", data[count:])
    found = array.array("f")
    for at, scale in enumerate(scales):
        found.extend([value * scale for value in values[at * group : (at + 1) * group]])
    return found


def parts(name, shape, values):
    """Yields the tensors of the model for one of the pack: the queries, keys and values are packed together."""
    if name in EMBEDDINGS:
        yield "embeddings." + EMBEDDINGS[name], shape, values
        return
    layer, part, kind = name.split(".")
    prefix = f"encoder.layer.{layer[1:]}."
    kind = {"w": "weight", "b": "bias"}[kind]
    if part != "qkv":
        yield f"{prefix}{PARTS[part]}.{kind}", shape, values
        return
    third = len(values) // 3
    for at, own in enumerate(["query", "key", "value"]):
        yield f"{prefix}attention.self.{own}.{kind}", [shape[0] // 3] + shape[1:], values[at * third : (at + 1) * third]


def main():
    pack, folder = sys.argv[1:]
    data = open(pack, "rb").read()
    if data[:8] != b"HMSEMB01":
        sys.exit(f"error: {pack} is not a packed model")
    size = struct.unpack("<Q", data[8:16])[0]
    header = json.loads(data[16 : 16 + size])
    start = 16 + size + header["tokenizer_len"]
    tokenizer = data[16 + size : start]
    directory, bodies, offset = {}, [], 0
    for tensor in header["tensors"]:
        raw = data[start : start + tensor["len"]]
        start += tensor["len"]
        for name, shape, values in parts(tensor["name"], tensor["shape"], numbers(tensor, raw)):
            body = struct.pack(f"<{len(values)}e", *values)
            directory[name] = {"dtype": "F16", "shape": shape, "data_offsets": [offset, offset + len(body)]}
            offset += len(body)
            bodies.append(body)
    sizes = header["arch"]
    config = {
        "architectures": ["RobertaModel"],
        "model_type": "roberta",
        "hidden_act": "gelu",
        "position_embedding_type": "absolute",
        "pad_token_id": sizes["position_offset"] - 1,
        "layer_norm_eps": sizes["layer_norm_eps"],
        "vocab_size": sizes["vocab"],
        "max_position_embeddings": sizes["max_positions"],
        "type_vocab_size": sizes["type_vocab"],
        "hidden_size": sizes["hidden"],
        "num_hidden_layers": sizes["layers"],
        "num_attention_heads": sizes["heads"],
        "intermediate_size": sizes["intermediate"],
    }
    os.makedirs(os.path.join(folder, "1_Pooling"), exist_ok=True)
    listing = json.dumps(directory).encode()
    listing += b" " * (-len(listing) % 8)
    with open(os.path.join(folder, "model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(listing)) + listing)
        file.writelines(bodies)
    with open(os.path.join(folder, "tokenizer.json"), "wb") as file:
        file.write(tokenizer)
    for path, content in [("config.json", config), ("1_Pooling/config.json", {"pooling_mode_cls_token": True})]:
        with open(os.path.join(folder, path), "w") as file:
            json.dump(content, file, indent=1)


main()
