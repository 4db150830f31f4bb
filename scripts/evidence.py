#!/usr/bin/env python3
"""Measures whether an answer contains the lines that prove it, and what it costs.

usage: evidence.py LORE [BUDGET...]

Generates a vault of work sessions from a seed: code reviews and meetings of a small team, one page each. Every question
is asked over MCP with `memory_query`; the text that an agent reads is searched for the lines that prove the answer. Prints
a line per budget: questions with any and with all of the proving lines, and the mean tokens (bytes / 4). Fails if a figure
is below its floor.
"""

import json
import os
import random
import re
import subprocess
import sys
import tempfile

# Share of the questions with any and with all of their lines, in percent.
FLOORS = {500: (80, 75), 1000: (88, 83), 2000: (90, 85)}

PEOPLE = ["Mara", "Tobias", "Ines", "Okan"]

# Each fact: who says it, the lines, and a question that uses other words where it can.
FACTS = [
    ("Mara", ["The timeout in the upload handler was too short, so I raised it to ninety seconds."],
     "What did Mara change in the upload handler?"),
    ("Tobias", ["I replaced the recursive directory walk with an explicit stack because deep trees overflowed."],
     "Why did Tobias rewrite the directory walk?"),
    ("Ines", ["Our nightly build is red since the linker was upgraded on the arm machines."],
     "What broke the nightly build according to Ines?"),
    ("Okan", ["I moved the rate limiter from the gateway into the billing service."],
     "Where does the rate limiter live after Okan's change?"),
    ("Mara", ["I'm allergic to peanuts, so please no satay at the offsite."], "Which food must Mara avoid?"),
    ("Tobias", ["The customer in Rotterdam signed for three years yesterday."], "When did the Rotterdam customer sign?"),
    ("Ines", ["I start my parental leave in October.", "My parental leave will last five months."],
     "When does Ines go on leave and for how long?"),
    ("Okan", ["Postgres ran out of connections because the pool ignored its maximum."],
     "What caused the connection exhaustion that Okan investigated?"),
    ("Mara", ["We agreed to drop support for the old XML export in March."], "When is the XML export removed?"),
    ("Tobias", ["I benchmarked zstd against lz4 and zstd level three won by a third."],
     "Which compression won in Tobias's benchmark?"),
    ("Ines", ["The board wants the pricing page rewritten before the fair in Hanover."],
     "What does the board want done before the fair?"),
    ("Okan", ["My sister opened a bakery near the harbour last month."], "When did Okan's sister open her bakery?"),
    ("Mara", ["I learned sailing on the lake in Annecy.", "This summer I want to sail to Corsica."],
     "What do we know about Mara and sailing?"),
    ("Tobias", ["The flaky test waits on a wall clock; I made it use the fake clock."],
     "How did Tobias fix the flaky test?"),
    ("Ines", ["Procurement approved two more graphics cards for the lab."], "What hardware did procurement approve?"),
    ("Okan", ["I would rather keep the monorepo, splitting it cost us a quarter last time."],
     "What is Okan's opinion on splitting the repository?"),
    ("Mara", ["The parser panicked on a lone carriage return, fixed with a regression test."],
     "Which input crashed the parser?"),
    ("Tobias", ["I adopted a greyhound called Pixel."], "What is the name of Tobias's dog?"),
    ("Ines", ["We will present the roadmap to the Lisbon office on 12 June."], "When is the roadmap shown in Lisbon?"),
    ("Okan", ["Feature flags older than a year get deleted from now on.", "I deleted forty stale feature flags."],
     "What happened to the old feature flags?"),
    ("Mara", ["Let's name the release Kingfisher."], "What will the release be called?"),
    ("Tobias", ["Memory doubled because the cache kept every revision; I capped it at two hundred."],
     "Why did memory consumption double?"),
    ("Ines", ["Our auditor is Mrs. Lindqvist from now on."], "Who audits us?"),
    ("Okan", ["I turned the cron job into a queue worker after it ran twice."],
     "Why did Okan convert the cron job?"),
]

SMALL_TALK = ["Thanks, see you tomorrow!", "Good morning everyone, how are you?", "Sounds good to me.", "Have a nice evening, bye!",
              "Great, thank you for the update.", "No problem at all."]
TOPICS = ["the upload page", "the build", "the parser", "the release notes", "the pricing page", "the test suite", "the cache",
          "the gateway", "the roadmap", "the export", "the offsite", "the customer portal", "the feature flags", "the database"]
CHATTER = ["I looked at {a} again and have no strong opinion yet.", "Can somebody review {a} before Friday?",
           "The ticket about {a} is still open, let's keep it for next week.", "I read the comments on {a}, most are about naming.",
           "Who is responsible for {a} this sprint?", "I think {a} and {b} should be discussed together.",
           "My draft for {a} is in the shared folder.", "We talked about {a} for too long, moving on to {b}.",
           "I will pair with you on {a} after lunch.", "Do we have numbers for {a}?"]
MONTHS = ["January", "February", "March", "April", "May"]


def write_vault(folder, seed=7):
    """Writes the sessions."""
    dice = random.Random(seed)
    count = 36
    said = [[] for _ in range(count)]
    for person, lines, _ in FACTS:
        for line, session in zip(lines, dice.sample(range(count), len(lines))):
            said[session].append(f"{person}: {line}")
    for number, facts in enumerate(said):
        turns = [f"{dice.choice(PEOPLE)}: {dice.choice(SMALL_TALK)}" for _ in range(4)]
        for _ in range(18):
            a, b = dice.sample(TOPICS, 2)
            turns.append(f"{dice.choice(PEOPLE)}: {dice.choice(CHATTER).format(a=a, b=b)}")
        turns += facts
        dice.shuffle(turns)
        kind = "Code review" if number % 2 else "Team meeting"
        title = f"{kind} {number + 1}, {1 + number % 28} {MONTHS[number % 5]} 2024"
        path = os.path.join(folder, f"{'reviews' if number % 2 else 'meetings'}", f"{number + 1:02}.md")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(f"# {title}\n\n" + "\n\n".join(turns) + "\n")


class Server:
    """An MCP client of `lore serve`."""

    def __init__(self, lore, folder, environment):
        self.process = subprocess.Popen([lore, "serve"], cwd=folder, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.number = 0
        client = {"name": "evidence", "version": "1"}
        self.call("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def call(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number:
                return message
        sys.exit("error: the server ended")

    def close(self):
        self.process.stdin.close()
        self.process.terminate()
        self.process.wait()


def flat(text):
    return re.sub(r"\W+", " ", text.lower())


def measure(server, budget):
    """Returns the share of questions with any and with all of their lines, and the mean tokens of text and of everything."""
    any_found = all_found = text_bytes = whole_bytes = 0
    for person, lines, question in FACTS:
        arguments = {"question": question, "token_budget": budget}
        result = server.call("tools/call", {"name": "memory_query", "arguments": arguments}).get("result", {})
        seen = "\n".join(part.get("text", "") for part in result.get("content", []))
        found = [flat(f"{person}: {line}") in flat(seen) for line in lines]
        any_found += any(found)
        all_found += all(found)
        text_bytes += len(seen.encode())
        whole_bytes += len(json.dumps(result))
    count = len(FACTS)
    return 100 * any_found / count, 100 * all_found / count, text_bytes / count / 4, whole_bytes / count / 4


def main():
    lore = os.path.abspath(sys.argv[1])
    budgets = [int(text) for text in sys.argv[2:]] or sorted(FLOORS)
    failed = []
    with tempfile.TemporaryDirectory() as work:
        environment = {**os.environ, "LORE_HOME": os.path.join(work, "home"), "LORE_MODELS": os.path.join(work, "none")}
        vault = os.path.join(work, "vault")
        os.makedirs(vault)
        write_vault(vault)
        subprocess.run([lore, "init", ".", "--name", "evidence", "--no-git"], cwd=vault, env=environment, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server = Server(lore, vault, environment)
        for budget in budgets:
            found_any, found_all, text, whole = measure(server, budget)
            print(f"budget {budget}: any {found_any:.1f} %, all {found_all:.1f} %, {text:.0f} tokens of text, "
                  f"{whole:.0f} with structured content")
            floor = FLOORS.get(budget, (0, 0))
            if found_any < floor[0] or found_all < floor[1] or text > budget * 1.05:
                failed.append(f"budget {budget}: expected at least {floor[0]} and {floor[1]} %, within the budget")
        server.close()
    if failed:
        sys.exit("error: " + "\nerror: ".join(failed))


main()
