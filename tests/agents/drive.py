"""Drives the MCP server with the official Python SDK: every tool, resource and prompt, over stdio and HTTP, in
both generations of the protocol.

usage: drive.py LORE
"""

import asyncio
import json
import tempfile
from pathlib import Path

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from sandbox import Sandbox

GENERATIONS = ["legacy", "2026-07-28"]


def text(result):
    return "\n".join(part.text for part in result.content)


async def call(client, tool, **arguments):
    """Makes a call that must succeed; returns its structured content."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, (tool, text(result))
    assert text(result).strip(), (tool, "returned no text")
    CALLED.add(tool)
    return result.structured_content


async def refused(client, tool, code, **arguments):
    """Makes a call that must fail with this code and a hint; returns the error."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, (tool, arguments, text(result))
    error = result.structured_content["error"]
    assert error["code"] == code, (tool, error)
    assert error["hint"] and error["hint"] in text(result), error
    return error


CALLED = set()


async def memory_tools(client, name):
    """Tests the page tools: reading, versioned writes, links, timeline, tags, gaps, checks."""
    ada, acme = f"people/{name}-ada", f"companies/{name}-acme"
    put = await call(client, "memory_put", slug=ada, expected_version=0,
                     content=f"---\ntitle: {name} Ada\ntype: person\n---\n# {name} Ada\n\n> Keeps the {name} lighthouse.\n")
    assert put["version"] == 1, put
    await call(client, "memory_put", slug=acme, expected_version=0, content=f"# {name} Acme\n\nMakes lamps.\n",
               assertions=[{"subject": f"{name} Acme", "predicate": "based_in", "object": "Oslo"}])
    assert "based_in:: Oslo" in (await call(client, "memory_get", slug=acme))["content"]
    error = await refused(client, "memory_put", "conflict", slug=ada, expected_version=0, content="# Other\n")
    assert error["current_version"] == 1, error
    await refused(client, "memory_put", "usage", slug=ada, content="x")
    parts = await call(client, "memory_put", slug=ada, expected_version=1, frontmatter={"status": "active"},
                       compiled_truth=f"# {name} Ada\n\n> Keeps two {name} lighthouses.\n",
                       timeline_append="- **2024-03-01** | visit — Saw the lamp.")
    page = await call(client, "memory_get", slug=ada)
    assert "two" in page["content"] and "Saw the lamp" in page["content"] and page["version"] == parts["version"]
    version = page["version"]
    linked = await call(client, "memory_link", **{"from": ada, "to": acme}, relationship="works_at",
                        valid_from="2020", page_version=version)
    await refused(client, "memory_link", "conflict", **{"from": ada, "to": acme}, relationship="knows", page_version=1)
    links = (await call(client, "memory_links", slug=ada))["links"]
    link = next(link for link in links if link["relationship"] == "works_at")
    assert (await call(client, "memory_backlinks", slug=acme))["links"]
    answer = await call(client, "memory_query", question=f"who works at {name} Acme?")
    assert answer["hits"][0]["slug"] == ada, answer["hits"][0]
    assert answer["total_tokens"] <= 4000 and "budget_remaining" in answer
    small = await call(client, "memory_query", question="lighthouse", token_budget=300, depth="summary", limit=3)
    assert small["total_tokens"] <= 300, small
    closed = await call(client, "memory_link_close", link_id=link["id"], valid_until="2023", page_version=linked["version"])
    history = await call(client, "memory_links", slug=ada, temporal="historical")
    assert any(link["relationship"] == "works_at" for link in history["links"])
    again = await call(client, "memory_link", **{"from": ada, "to": acme}, page_version=closed["version"])
    gone = await call(client, "memory_unlink", **{"from": ada, "to": acme}, relationship="related",
                      page_version=again["version"])
    added = await call(client, "memory_timeline_add", slug=ada, date="2024-04-02", summary="Lit it.", source="log",
                       page_version=gone["version"])
    await refused(client, "memory_timeline_add", "edit", slug=ada, date="someday", summary="x",
                  page_version=added["version"])
    entries = (await call(client, "memory_timeline", slug=ada))["entries"]
    assert len(entries) == 2, entries
    tagged = await call(client, "memory_tag", slug=ada, tag="keeper", page_version=added["version"])
    assert "keeper" in json.dumps((await call(client, "memory_tags", slug=ada))["tags"])
    untagged = await call(client, "memory_tag", slug=ada, tag="keeper", remove=True, page_version=tagged["version"])
    raw = await call(client, "memory_raw", slug=ada, source="registry", data={"height": 31},
                     page_version=untagged["version"])
    assert raw["sources"], raw
    assert (await call(client, "memory_search", query="lighthouses", type="person", limit=5))["hits"]
    assert (await call(client, "memory_list", type="person", limit=10))["pages"]
    graph = await call(client, "memory_graph", slug=ada, depth=1, temporal="all")
    assert {node["slug"] for node in graph["nodes"]} >= {ada, acme}
    ingested = await call(client, "memory_ingest", content=f"Minutes of {name}: Ada took Grace on.",
                          source_type="meeting", source_ref=f"meeting/{name}",
                          pages=[{"slug": f"people/{name}-grace", "content": f"# {name} Grace\n\nNew.\n",
                                  "expected_version": 0,
                                  "timeline_entries": [{"date": "2024-05-01", "summary": "Hired."}]}])
    assert ingested["outcome"] == "ingested", ingested
    twice = await call(client, "memory_ingest", content=f"Minutes of {name}: Ada took Grace on.",
                       source_type="meeting", source_ref=f"meeting/{name}", pages=[])
    assert twice["outcome"] != "ingested", twice
    gap = await call(client, "memory_gap", query_text=f"what does {name} eat?", confidence_score=0.1)
    approved = await call(client, "memory_gap_approve", gap_id=gap["id"], sensitivity="redacted", approver="tester",
                          redacted_query="what do they eat?")
    assert approved["redacted_query"] == "what do they eat?", approved
    assert (await call(client, "memory_gaps", limit=5))["gaps"]
    resolved = await call(client, "memory_gap_resolve", gap_id=gap["id"], slug=ada)
    assert resolved["resolved_by_slug"] == ada, resolved
    await call(client, "memory_check")
    await call(client, "memory_check", slug=ada)
    assert (await call(client, "memory_stats"))["pages"] >= 3
    return ada


async def note_tools(client, sandbox, name):
    """Tests the note tools with the cases of their specification."""
    written = await call(client, "write_note", title=f"{name} Test", content="Hello", tags=["a"])
    file = Path(sandbox.vault, f"{name}-test.md")
    assert written["file_path"] == file.name and written["permalink"] == f"{name}-test", written
    assert file.read_text() == f"---\ntitle: {name} Test\ntype: note\ntags: [a]\n---\n\nHello\n", file.read_text()
    deep = await call(client, "write_note", title=f"{name} Deep", content="...", directory="research/ai",
                      metadata={"reviewed": "2024-01-01"}, note_type="idea")
    assert deep["file_path"] == f"research/ai/{name}-deep.md", deep
    before = file.read_bytes()
    await refused(client, "write_note", "exists", title=f"{name} Test", content="Other")
    assert file.read_bytes() == before
    await call(client, "write_note", title=f"{name} Test", content="Other", overwrite=True)
    research = await call(client, "write_note", title=f"{name} Research",
                          content="- [fact] Water boils at 100 #physics\n- supports [[Test]]\n")
    read = await call(client, "read_note", path=research["permalink"])
    assert read["observations"] and read["links"], read
    await call(client, "edit_note", path=research["permalink"], content_updates="## Later\nMore to come.")
    await call(client, "edit_note", path=research["permalink"], content_updates='{"section": "Later", "with": "Nothing came."}')
    read = await call(client, "read_note", path=f"memory://{research['permalink']}")
    assert "Nothing came." in read["content"] and "More to come." not in read["content"]
    as_json = await client.call_tool("search_notes", {"query": "boils", "output_format": "json"})
    assert json.loads(text(as_json))["hits"], text(as_json)
    for kind in ["fts", "vector", "hybrid"]:
        found = await call(client, "search_notes", query="boils water", search_type=kind)
        assert found["hits"], kind
    around = await call(client, "build_context", path=f"memory://{research['permalink']}")
    assert around["page"]["slug"] == research["permalink"]
    assert (await call(client, "list_directory", path="research"))["entries"]
    assert (await call(client, "recent_activity"))["pages"]
    assert (await call(client, "list_memory_projects"))["projects"]
    made = await call(client, "create_memory_project", name=f"{name}-second", path=str(Path(sandbox.home, name)))
    assert made["name"] == f"{name}-second", made
    await call(client, "write_note", title="There", content="In the other project.", project=f"{name}-second")
    assert Path(sandbox.home, name, "there.md").exists()
    await call(client, "delete_note", path=research["permalink"])
    await refused(client, "read_note", "not_found", path=research["permalink"])


async def common_tools(client, ada, name):
    kept = await call(client, "capture", text=f"We decided that the {name} lamp is lit at dusk, not at eight.", keep=True)
    assert kept, kept
    await call(client, "context")
    await call(client, "check")
    await call(client, "lifecycle")
    assert (await call(client, "lifecycle", slug=ada))["status"]
    await call(client, "lifecycle", slug=ada, status="active")
    await call(client, "compact_plan")
    await client.call_tool("compact_apply", {"summaries": [], "dry_run": True})
    CALLED.add("compact_apply")
    # Both are empty in a vault without an inbox and routines.
    assert (await call(client, "triage"))["unread"] == 0
    assert (await call(client, "routine"))["routines"] == []


async def bad_calls(client):
    await refused(client, "memory_get", "usage", slug="x", nonsense=1)
    await refused(client, "memory_search", "usage", query=7)
    await refused(client, "memory_get", "not_found", slug="../../etc/passwd")
    await refused(client, "write_note", "denied", title="x", content="x", directory="../outside")
    secret = "".join(["AKIA", "J5X2", "Q7LM", "RT3V", "KP6Z"])
    await refused(client, "memory_put", "lint", slug="notes/secret", expected_version=0, content=f"key {secret}\n")
    try:
        await client.call_tool("no_such_tool", {})
        raise AssertionError("an unknown tool was called")
    except MCPError as error:
        assert "unknown tool" in str(error), error


async def resources_and_prompts(client, ada):
    listed = [resource.uri for resource in (await client.list_resources()).resources]
    assert {"memory://index", "memory://project_info", f"memory://pages/{ada}"} <= {str(uri) for uri in listed}, listed
    templates = (await client.list_resource_templates()).resource_templates
    assert [template.uri_template for template in templates] == ["memory://pages/{slug}", "memory://id/{id}"]
    page = (await client.read_resource(f"memory://pages/{ada}")).contents[0].text
    assert "lighthouses" in page, page
    assert ada in (await client.read_resource("memory://index")).contents[0].text
    assert "pages" in json.loads((await client.read_resource("memory://project_info")).contents[0].text)["stats"]
    try:
        await client.read_resource("memory://pages/nobody/here")
        raise AssertionError("a missing page was read")
    except MCPError as error:
        assert "no page matches" in str(error), error
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    assert prompts == ["memory_briefing", "memory_ingest_meeting", "continue_conversation", "recent_activity",
                       "search", "ai_assistant_guide"], prompts
    for prompt in prompts:
        arguments = {"query": "lighthouse"} if prompt == "search" else {}
        assert (await client.get_prompt(prompt, arguments)).messages[0].content.text.strip(), prompt


async def session(transport, generation, sandbox, name):
    async with Client(transport, mode=generation) as client:
        assert client.server_info is None or client.server_info.name == "lore"
        tools = (await client.list_tools()).tools
        assert len(tools) == 41, len(tools)
        for tool in tools:
            assert tool.title and tool.description and tool.output_schema["type"] == "object", tool.name
            hints = tool.annotations
            given = [hints.read_only_hint, hints.destructive_hint, hints.idempotent_hint, hints.open_world_hint]
            assert None not in given, (tool.name, given)
        ada = await memory_tools(client, name)
        await note_tools(client, sandbox, name)
        await common_tools(client, ada, name)
        await bad_calls(client)
        await resources_and_prompts(client, ada)
        assert CALLED == {tool.name for tool in tools}, {tool.name for tool in tools} ^ CALLED


async def main():
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(folder)
        for generation in GENERATIONS:
            CALLED.clear()
            await session(sandbox.stdio("--allow-machine"), generation, sandbox, f"stdio{generation[:2]}")
            print(f"stdio {generation}: ok", flush=True)
        with sandbox.http("--allow-machine") as (address, token):
            for generation in GENERATIONS:
                CALLED.clear()
                async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as web:
                    transport = streamable_http_client(f"{address}/mcp", http_client=web)
                    await session(transport, generation, sandbox, f"http{generation[:2]}")
                print(f"http {generation}: ok", flush=True)


asyncio.run(main())
