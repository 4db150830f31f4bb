"""Records what the tools of Basic Memory take and answer, for the test `basic_memory` of the binary.

    PYTHON tests/agents/record_basic_memory.py CASES RECORD

PYTHON has the packages basic-memory and mcp. CASES is crates/lore/tests/it/basic_memory/cases.json: the files of a vault
and the calls to make on it. RECORD is written: the parameters of each tool with defaults and aliases, and the shape of each
answer, which is its fields with their types, and for a text the labels of its lines. No text of an answer is recorded.
"""

import asyncio
import inspect
import json
import os
import re
import sys
import tempfile
from pathlib import Path

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import Implementation

LABEL = re.compile(r"^[-*\s]*([a-z][a-z_]+):(?:\s|$)")


def shape(value):
    if isinstance(value, dict):
        return {key: shape(one) for key, one in sorted(value.items())}
    if isinstance(value, list):
        return [shape(value[0])] if value else []
    return {"str": "string", "int": "number", "float": "number", "bool": "boolean", "NoneType": "null"}[type(value).__name__]


def answer(result):
    text = "\n".join(block.get("text", "") for block in result.get("content", []))
    recorded = {"error": bool(result.get("isError")), "structured": "structuredContent" in result}
    try:
        recorded["shape"] = shape(json.loads(text))
    except ValueError:
        labels = [match.group(1) for match in map(LABEL.match, text.splitlines()) if match]
        recorded["labels"] = sorted(set(labels))
    return recorded


def aliases(module, name):
    function = getattr(module, name)
    function = getattr(function, "fn", function)
    found = {}
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        for note in getattr(parameter.annotation, "__metadata__", ()):
            choices = getattr(getattr(note, "validation_alias", None), "choices", None)
            if choices:
                found[parameter.name] = [one for one in choices if one != parameter.name]
    return found


async def record(cases, folder):
    vault = folder / "vault"
    for path, text in cases["files"].items():
        file = vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    environment = {
        **os.environ,
        "HOME": str(folder),
        "BASIC_MEMORY_HOME": str(vault),
        "BASIC_MEMORY_CONFIG_DIR": str(folder / "config"),
        "BASIC_MEMORY_NO_PROMOS": "1",
    }
    program = str(Path(sys.executable).parent / "basic-memory")
    server = StdioServerParameters(command=program, args=["mcp"], env=environment)
    client = Implementation(name="openai-mcp", version="1")
    import basic_memory
    import basic_memory.mcp.tools as module

    recorded = {"version": basic_memory.__version__, "tools": {}, "answers": []}
    with open(os.devnull, "w") as quiet:
        async with stdio_client(server, errlog=quiet) as (read, write):
            async with ClientSession(read, write, client_info=client) as session:
                await session.initialize()
                for tool in (await session.list_tools()).tools:
                    described = tool.model_dump(mode="json", by_alias=True)["inputSchema"]
                    other = aliases(module, tool.name)
                    recorded["tools"][tool.name] = {
                        name: {
                            "required": name in described.get("required", []),
                            "default": schema.get("default"),
                            "aliases": other.get(name, []),
                        }
                        for name, schema in described["properties"].items()
                    }
                probe = {"query": cases["ready"], "search_type": "text", "output_format": "json"}
                while "permalink" not in str(await session.call_tool("search_notes", probe)):
                    await asyncio.sleep(0.2)
                for tool, arguments in cases["calls"]:
                    sent = json.loads(json.dumps(arguments).replace("@ROOT@", str(folder)))
                    result = await session.call_tool(tool, sent)
                    recorded["answers"].append(answer(result.model_dump(mode="json", by_alias=True, exclude_none=True)))
    return recorded


def main():
    cases = json.loads(Path(sys.argv[1]).read_text())
    with tempfile.TemporaryDirectory() as folder:
        recorded = asyncio.run(record(cases, Path(folder)))
    Path(sys.argv[2]).write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n")
    print(f"{len(recorded['tools'])} tools, {len(recorded['answers'])} answers of basic-memory {recorded['version']}")


if __name__ == "__main__":
    main()
