import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAgentSite, smallSite } from "../../../../../test/support/agent-site.ts";
import type { Author } from "../../../../../test/support/git-fixture.ts";

describe("read", () => {
  it("returns a file in exact parts", async (t) => {
    const site = await openAgentSite(t, { "index.mdx": "a\r\nb\n\nd" });
    const read = (input: object) =>
      site.call("read", { path: "index.mdx", numbers: false, ...input });
    assert.deepEqual(await read({}), {
      path: "index.mdx",
      text: "a\r\nb\n\nd",
      fromLine: 1,
      totalLines: 4,
    });
    assert.equal((await read({ fromLine: 2, lines: 2 })).text, "b\n\n");
    assert.match(String((await read({ fromLine: 9 })).error), /only 4 lines/);
    assert.match(String((await read({ fromLine: 0 })).error), /fromLine/);
    assert.match(String((await site.call("read", { path: "none.mdx" })).error), /no file/);
  });

  it("numbers the lines, as in the file", async (t) => {
    const site = await openAgentSite(t, { "index.mdx": "a\r\n\n7|d\n" });
    const read = (input: object) => site.call("read", { path: "index.mdx", ...input });
    assert.equal((await read({})).text, "1|a\r\n2|\n3|7|d\n");
    assert.equal((await read({ fromLine: 3 })).text, "3|7|d\n");
    const empty = await openAgentSite(t, { "index.mdx": "x", "empty.mdx": "" });
    assert.equal((await empty.call("read", { path: "empty.mdx" })).text, "");
  });

  it("is bounded, however long a line is", async (t) => {
    const site = await openAgentSite(t, { "index.mdx": "x".repeat(1_000_000) });
    const { text } = await site.call("read", { path: "index.mdx" });
    assert.equal(String(text).length, 41_741);
    const exact = await site.call("read", { path: "index.mdx", numbers: false });
    assert.equal(String(exact.text).length, 48_000);
  });
});

describe("a path that means one page", () => {
  const files = {
    ...smallSite,
    "both.mdx": "---\ntitle: Both\n---\n\nText.\n",
    "both/index.mdx": "---\ntitle: Both\n---\n\nText.\n",
    "folder/index.md": "---\ntitle: Folder\n---\n\nText.\n",
    "v1.2.mdx": "---\ntitle: Version\n---\n\nText.\n",
  };
  const replacements = [{ old: "title", new: "icon: x\ntitle" }];
  const named: readonly [path: string, file: string][] = [
    ["/guides/start", "guides/start.mdx"],
    ["./guides/start.mdx", "guides/start.mdx"],
    ["guides/start/", "guides/start.mdx"],
    ["docs/guides/start.mdx", "guides/start.mdx"],
    ["/docs/guides/start", "guides/start.mdx"],
    ["/folder", "folder/index.md"],
    ["v1.2", "v1.2.mdx"],
    ["/docs.json", "docs.json"],
    ["/both.mdx", "both.mdx"],
  ];
  for (const [path, file] of named) {
    it(`is understood by every tool, which says which: ${path}`, async (t) => {
      const inFolder = Object.fromEntries(
        Object.entries(files).map(([name, text]) => [`docs/${name}`, text]),
      );
      const site = await openAgentSite(t, inFolder, { siteDir: "docs" });
      const pathOf = async (tool: string, input: object) =>
        (await site.call(tool, { path, ...input })).path;
      assert.equal(await pathOf("read", {}), file);
      assert.equal(await pathOf("history", {}), file);
      assert.equal(await pathOf("blame", { fromLine: 1, toLine: 1 }), file);
      if (file === "docs.json") return;
      assert.equal(await pathOf("edit", { replacements }), file);
      assert.deepEqual((await site.call("diff", { path })).total, 1);
      assert.equal((await site.call("undo", { path })).restored, file);
      const content = "---\ntitle: Written\n---\n\nText.\n";
      assert.deepEqual(await site.call("write", { path, content }), { path: file, created: false });
      await site.call("undo", { path });
      const moved = await site.call("move", { from: path, to: "/moved" });
      assert.deepEqual([moved.from, moved.to], [file, `moved${file.slice(file.lastIndexOf("."))}`]);
      await site.call("undo", { path });
      assert.equal(await pathOf("delete", {}), file);
    });
  }

  it("has its candidates listed where it means several", async (t) => {
    const site = await openAgentSite(t, files);
    for (const [tool, input] of [
      ["read", {}],
      ["edit", { replacements }],
      ["write", { content: "x" }],
      ["delete", {}],
      ["history", {}],
    ] as const) {
      const { error } = await site.call(tool, { path: "/both", ...input });
      assert.equal(error, '"/both" can mean both.mdx or both/index.mdx. Name one of them.');
    }
    assert.equal((await site.call("write", { path: "./new.mdx", content: "x" })).path, "new.mdx");
    const inFolder = await site.call("write", { path: "/guides/new.mdx", content: "x" });
    assert.equal(inFolder.path, "guides/new.mdx");
    const { uses } = await site.call("picture", { path: "/images/lamp.png" });
    assert.equal(uses, undefined, "the picture is found, and is none");
  });
});

describe("edit", () => {
  const before = "One two two.\r\nThree.\r\n";
  const cases: [name: string, replacements: object[], after: string | RegExp][] = [
    ["one place", [{ old: "One", new: "1" }], "1 two two.\r\nThree.\r\n"],
    ["all places", [{ old: "two", new: "2", all: true }], "One 2 2.\r\nThree.\r\n"],
    [
      "one after the other",
      [
        { old: "One", new: "Three" },
        { old: "Three two", new: "x" },
      ],
      "x two.\r\nThree.\r\n",
    ],
    [
      "over a line end, as a model writes it",
      [{ old: "two.\nThree", new: "two.\n\nFour" }],
      "One two two.\r\n\r\nFour.\r\n",
    ],
    [
      "a replacement with signs of patterns",
      [{ old: "Three.", new: "$& $1" }],
      "One two two.\r\n$& $1\r\n",
    ],
    ["several places", [{ old: "two", new: "2" }], /2 times/],
    ["no place", [{ old: "four", new: "4" }], /does not contain/],
    [
      "one that cannot be made after one that can",
      [
        { old: "One", new: "1" },
        { old: "x", new: "" },
      ],
      /Nothing was changed/,
    ],
    ["nothing", [{ old: "One", new: "One" }], /do not change/],
    ["an empty text", [{ old: "", new: "x" }], /old/],
    ["no replacement", [], /replacements/],
    [
      "what would fill the memory",
      [
        { old: "e", new: "x".repeat(200_000), all: true },
        { old: "x", new: "y".repeat(200_000), all: true },
      ],
      /larger/,
    ],
  ];
  for (const [name, replacements, after] of cases) {
    it(`changes ${name}`, async (t) => {
      const site = await openAgentSite(t, { "index.mdx": before });
      const answer = await site.call("edit", { path: "index.mdx", replacements });
      const text = await site.workspace.readText("index.mdx");
      assert.equal(text, typeof after === "string" ? after : before);
      if (typeof after !== "string") assert.match(String(answer.error), after);
    });
  }

  it("keeps a byte order mark, and refuses what is not UTF-8", async (t) => {
    const site = await openAgentSite(t, {
      "index.mdx": "\uFEFFa",
      "b.mdx": new Uint8Array([0xff, 0xfe, 0x61]),
    });
    await site.call("edit", { path: "index.mdx", replacements: [{ old: "a", new: "b" }] });
    assert.equal(await site.workspace.readText("index.mdx"), "\uFEFFb");
    assert.match(String((await site.call("read", { path: "b.mdx" })).error), /UTF-8/);
  });
});

describe("line numbers that a model copies", () => {
  const before = "One.\n\nTwo.\nThree.\n5|five\n";
  const cases: [name: string, replacement: object, after: string | RegExp][] = [
    ["from both texts", { old: "3|Two.\n4|Three.", new: "3|Zwei.\n4|Three." }, "Zwei.\nThree."],
    ["with a new line", { old: "3|Two.\n", new: "3|Two.\n4|Again.\n" }, "Two.\nAgain.\nThree."],
    ["from the old text only", { old: "1|One.", new: "Eins." }, "Eins."],
    [
      "from a passage that begins within a line",
      { old: "ne.\n2|\n3|Two.", new: "N" },
      "ON\nThree.",
    ],
    ["from the new text only", { old: "Two.", new: "3|Zwei." }, /contains line numbers/],
    ["and are in the file", { old: "5|five", new: "5|V" }, "5|V"],
    ["and are meant", { old: "One.", new: "| a |\n9|nine" }, "| a |\n9|nine"],
  ];
  for (const [name, replacement, after] of cases) {
    it(`are understood or refused: ${name}`, async (t) => {
      const site = await openAgentSite(t, { "index.mdx": before });
      const answer = await site.call("edit", { path: "index.mdx", replacements: [replacement] });
      const text = await site.workspace.readText("index.mdx");
      if (typeof after === "string") assert.ok(text.includes(after), text);
      else assert.match(String(answer.error), after);
      assert.doesNotMatch(text, /^[1-4]\|/m);
    });
  }

  it("are refused in a whole text", async (t) => {
    const site = await openAgentSite(t, { "index.mdx": before });
    const content = "1|---\n2|title: X\n3|---\n";
    const answer = await site.call("write", { path: "index.mdx", content });
    assert.match(String(answer.error), /contains line numbers/);
    const other = await site.call("write", { path: "index.mdx", content: "1|2\n-|-\n" });
    assert.equal(other.error, undefined);
  });
});

describe("replace", () => {
  const files = {
    "docs.json": `{ "name": "N", "navigation": { "pages": ["index", "a/one"] } }`,
    "index.mdx": "A lamp.\r\nTwo lamps: lamp, and\r\nlamp-oil.\r\n",
    "a/one.mdx": "`lamp` and [lamp](/lamp) and\nlamp.\n",
    "AGENTS.md": "Say lamp.\n",
    "lamp.png": new Uint8Array([0x89, 0x50]),
  };
  const call = { old: "lamp", new: "lantern" };

  it("previews the matches, and replaces them if the count is confirmed", async (t) => {
    const site = await openAgentSite(t, files);
    const preview = await site.call("replace", call);
    assert.deepEqual(preview, {
      matches: 8,
      files: [
        { path: "a/one.mdx", matches: 4 },
        { path: "index.mdx", matches: 4 },
      ],
      examples: [
        { path: "a/one.mdx", line: 1, text: "`lamp` and [lamp](/lamp) and\nlamp.\n" },
        { path: "index.mdx", line: 1, text: "A lamp.\r\nTwo lamps: lamp, and\r\nlamp-oil.\r\n" },
      ],
      note: "Not replaced, because it may not change: AGENTS.md.",
    });
    assert.equal(await site.diff(), "");
    assert.match(
      String((await site.call("replace", { ...call, apply: 7 })).error),
      /now 8 matches/,
    );
    assert.equal(await site.diff(), "");
    const done = await site.call("replace", { ...call, apply: 8 });
    assert.deepEqual(done, { matches: 8, changedFiles: 2 });
    assert.equal(
      await site.workspace.readText("index.mdx"),
      "A lantern.\r\nTwo lanterns: lantern, and\r\nlantern-oil.\r\n",
    );
  });

  const counts: [input: object, matches: number][] = [
    [{ ...call, words: true }, 7],
    [{ ...call, pattern: "a/**" }, 4],
    [{ old: "and\nlamp", new: "x" }, 2],
    [{ old: "LAMP", new: "x" }, 0],
    [{ old: "$&", new: "x" }, 0],
  ];
  for (const [input, matches] of counts) {
    it(`counts ${JSON.stringify(input)}`, async (t) => {
      const site = await openAgentSite(t, files);
      assert.equal((await site.call("replace", input)).matches, matches);
      if (matches === 0) return;
      assert.equal((await site.call("replace", { ...input, apply: matches })).matches, matches);
      assert.equal((await site.call("replace", input)).matches, 0);
    });
  }

  it("is bounded, and refused beyond the number of files that may change", async (t) => {
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`p${at}.mdx`, "word ".repeat(1_000)]),
    );
    const site = await openAgentSite(t, many, { changedFiles: 10 });
    const input = { old: "word", new: "x" };
    const preview = await site.call("replace", input);
    assert.equal(preview.matches, 300_000);
    assert.match(String(preview.note), /At most 10 files/);
    assert.ok(JSON.stringify(preview).length < 30_000);
    const refusal = await site.call("replace", { ...input, apply: 300_000 });
    assert.match(String(refusal.error), /at most 10/);
    const numbered = await site.call("replace", { old: "1|word", new: "x" });
    assert.match(String(numbered.note), /line numbers/);
  });
});

describe("search", () => {
  const text = "Alpha beta\nalphabet gamma\n\u00C4rger (x) a.b\n";
  const cases: [input: object, places: string[]][] = [
    [{ query: "alpha" }, ["2:1"]],
    [{ query: "alpha", ignoreCase: true }, ["1:1", "2:1"]],
    [{ query: "a.b" }, ["3:11"]],
    [{ query: "(x)" }, ["3:7"]],
    [{ query: String.raw`\balpha\b`, isRegex: true, ignoreCase: true }, ["1:1"]],
    [{ query: "^a|gam+a$", isRegex: true }, ["2:1"]],
    [{ query: "b(e|x)t", isRegex: true }, ["1:7", "2:6"]],
    [{ query: "[A-Z]l", isRegex: true }, ["1:1"]],
    [{ query: String.raw`a{2,}|\(x\)`, isRegex: true }, ["3:7"]],
    [{ query: "(?:m){2}a", isRegex: true }, ["2:12"]],
    [{ query: "\u00E4rger", ignoreCase: true }, ["3:1"]],
    [{ query: "[^a-z ]r", isRegex: true }, ["3:1"]],
    [{ query: "(?<n>m)+a", isRegex: true }, ["2:12"]],
    [{ query: String.raw`^\p{Lu}r`, isRegex: true }, ["3:1"]],
    [{ query: "(?:^|\\PL)\u00E4rger", isRegex: true, ignoreCase: true }, ["3:1"]],
    [{ query: "A.B", ignoreCase: true }, ["3:11"]],
    [{ query: "a", pattern: "guides/**" }, []],
  ];
  for (const [input, places] of cases) {
    it(`finds ${JSON.stringify(input)}`, async (t) => {
      const site = await openAgentSite(t, { "index.mdx": text });
      const { matches, total } = await site.call("search", input);
      const found = (matches as { line: number; column: number }[]).map(
        ({ line, column }) => `${line}:${column}`,
      );
      assert.deepEqual(found, places);
      assert.equal(total, places.length);
    });
  }

  for (const query of [
    "(a",
    "a)",
    "[a",
    "*",
    "a**",
    String.raw`(a)\1`,
    "(?=a)",
    "(?<!a)b",
    "[z-a]",
    "a{1001}",
    "[ab]{1000}[cd]{1000}[ef]{1000}",
    String.raw`\p{Nothing}`,
    "\\b\u00E4rger\\b",
    "(".repeat(99),
    "((a{200}){200}){200}",
    "\\",
  ]) {
    it(`refuses the pattern ${query.slice(0, 30)}`, async (t) => {
      const site = await openAgentSite(t, { "index.mdx": text });
      assert.match(String((await site.call("search", { query, isRegex: true })).error), /pattern/);
    });
  }

  it("ends, whatever the pattern and the text are", async (t) => {
    const site = await openAgentSite(t, { "index.mdx": `${"a".repeat(19_000)}\n`.repeat(20) });
    for (const query of ["(a*)*b", "(a|a)*b", "(a|aa)+$b", "(.*)*x(.*)*y", "(a?){200}(a?){200}b"]) {
      const answer = await site.call("search", { query, isRegex: true });
      if (answer.error === undefined) assert.equal(answer.total, 0, query);
      else assert.match(JSON.stringify(answer.error), /too long/);
    }
  });

  it("returns no more than a tool result may contain", async (t) => {
    const site = await openAgentSite(t, { "index.mdx": `${"a".repeat(400)}\n`.repeat(2_000) });
    const answer = await site.call("search", { query: "a", limit: 500 });
    assert.equal(answer.total, 2_000);
    assert.ok(JSON.stringify(answer).length < 60_000);
  });
});

describe("list", () => {
  it("says where the site is in its repository, and how many files may change", async (t) => {
    const site = await openAgentSite(t, { "index.mdx": "" });
    const { folder, maxChangedFiles } = await site.call("list", {});
    assert.deepEqual(
      [folder, maxChangedFiles],
      [site.workspace.folder || undefined, site.workspace.maxChangedFiles],
    );
  });

  const files = {
    "index.mdx": "",
    "guides/a.mdx": "",
    "guides/deep/b.md": "",
    "images/a.png": "x",
  };
  const cases: [pattern: string, found: string[]][] = [
    ["**", Object.keys(files).toSorted()],
    ["guides/*", ["guides/a.mdx"]],
    ["guides/**", ["guides/a.mdx", "guides/deep/b.md"]],
    ["*.md", ["guides/deep/b.md"]],
    ["**/*.{md,png}", ["guides/deep/b.md", "images/a.png"]],
    ["./guides/?.mdx", ["guides/a.mdx"]],
    ["a", []],
  ];
  for (const [pattern, found] of cases) {
    it(`finds ${pattern}`, async (t) => {
      const site = await openAgentSite(t, files);
      const { files: listed, total } = await site.call("list", { pattern });
      assert.deepEqual([listed, total], [found, found.length]);
    });
  }

  it("counts what it does not show, and refuses an invalid pattern", async (t) => {
    const site = await openAgentSite(t, files);
    const first = await site.call("list", { limit: 1 });
    assert.deepEqual([first.files, first.total], [["guides/a.mdx"], 4]);
    const rest = await site.call("list", { limit: 2, skip: 1 });
    assert.deepEqual([rest.files, rest.total], [["guides/deep/b.md", "images/a.png"], 4]);
    assert.match(String((await site.call("list", { pattern: "(a+)+$" })).error), /wildcards/);
  });
});

describe("guide", () => {
  it("reads what the repository tells its writers, in parts, and no other file", async (t) => {
    const lines = "A line of style.\n".repeat(5_000);
    const site = await openAgentSite(t, {
      "index.mdx": "",
      "AGENTS.md": "Say lamp.\n",
      ".cursor/rules/code.mdc": `---\nglobs: src/**\n---\n${lines}`,
    });
    const read = (path: string, fromLine = 1) => site.call("guide", { path, fromLine });
    assert.equal((await read("AGENTS.md")).text, "Say lamp.");
    const { text, totalLines } = await read(".cursor/rules/code.mdc", 10);
    assert.deepEqual([String(text).length, totalLines], [34_000, 5_000]);
    for (const path of ["index.mdx", ".git/config", "/etc/passwd", "CLAUDE.md"]) {
      assert.match(String((await read(path)).error), /Guides: AGENTS\.md, \.cursor/);
    }
  });
});

describe("check", () => {
  it("reports what is wrong, errors first", async (t) => {
    const site = await openAgentSite(t, {
      "docs.json": `{ "name": "L", "color": 1, "navigation": { "pages": ["index"] } }`,
      "index.mdx": "---\ntitle: I\n---\n\n[x](/none)\n",
    });
    const answer = await site.call("check", {});
    assert.equal(answer.errors, 1);
    const [first] = answer.problems as { code: string; file: string; line: number }[];
    assert.deepEqual([first?.code, first?.file, first?.line], ["link_broken", "index.mdx", 5]);
  });

  it("lists only the problems of given codes, part by part", async (t) => {
    const links = Array.from({ length: 230 }, (_, index) => `[x](#none-${index})`).join(" ");
    const pictures = Array.from({ length: 220 }, (_, index) => `![x](/none-${index}.png)`).join(
      "\n",
    );
    const site = await openAgentSite(t, { "index.md": `# I\n\n${links}\n\n${pictures}\n` });
    const all = await site.call("check", {});
    assert.deepEqual(all.counts, { anchor_broken: 230, media_missing: 220 });
    const listed = [];
    for (let skip = 0; skip < 230;) {
      const answer = await site.call("check", { codes: ["anchor_broken"], skip });
      assert.deepEqual([answer.errors, answer.warnings, answer.total], [220, 230, 230]);
      const problems = answer.problems as { code: string; message: string }[];
      assert.ok(problems.length > 0 && problems.length <= 200);
      listed.push(...problems);
      skip += problems.length;
    }
    assert.equal(new Set(listed.map(({ message }) => message)).size, 230);
    assert.ok(listed.every(({ code }) => code === "anchor_broken"));
  });

  it("says so when there is no site", async (t) => {
    const site = await openAgentSite(t, { "docs.json": "{", "index.mdx": "x" });
    const answer = await site.call("check", {});
    assert.equal(answer.errors, 1);
    await site.call("write", {
      path: "docs.json",
      content: `{ "name": "L", "navigation": { "pages": ["index"] } }`,
    });
    assert.equal((await site.call("check", {})).errors, 0);
  });
});

/** Returns thirty long lines that begin with a sign. */
function longLines(sign: string): string {
  return `${sign} ${"x".repeat(290)}\n`.repeat(30);
}

describe("history", () => {
  const words = "Fill the lamp before dusk.\nTrim its wick.\nLight it with a long match.\n";

  it("tells of a page that is there, by its file or as links name it", async (t) => {
    const files = { "guides/start.mdx": `# Start\n\n${words}` };
    const site = await openAgentSite(t, files, {
      async evolve(author) {
        await author.git("mv", "guides/start.mdx", "guides/begin.mdx");
        await author.commit({ "guides/begin.mdx": `# Begin\n\n${words}` }, "2026-03-03");
      },
    });
    const answer = await site.call("history", { path: "guides/begin", lines: "# " });
    const [last, first] = answer.commits as Record<string, unknown>[];
    assert.deepEqual([answer.path, answer.isWhole], ["guides/begin.mdx", true]);
    assert.deepEqual([last?.["date"], last?.["renamedFrom"]], ["2026-03-03", "guides/start.mdx"]);
    assert.deepEqual(last?.["changes"], [{ removed: ["# Start"], added: ["# Begin"] }]);
    assert.deepEqual([first?.["date"], first?.["subject"]], ["2026-01-02", "Change"]);
  });

  it("tells where a page went, and of one that was deleted when", async (t) => {
    const files = { "guides/start/index.mdx": words, "old.mdx": "x\n" };
    const site = await openAgentSite(t, files, {
      async evolve(author) {
        await author.git("mv", "guides/start/index.mdx", "begin.mdx");
        await author.commit({ "old.mdx": undefined }, "2026-03-03");
      },
    });
    const moved = await site.call("history", { path: "guides/start" });
    assert.deepEqual([moved.renamedTo, moved.similarity], ["begin.mdx", 1]);
    const { gone, renamedTo } = await site.call("history", { path: "old" });
    assert.deepEqual([(gone as { date: string }).date, renamedTo], ["2026-03-03", undefined]);
    assert.match(
      String((await site.call("history", { path: "never" })).error),
      /does not contain one/,
    );
  });

  it("returns no more than a tool result may contain", async (t) => {
    const site = await openAgentSite(
      t,
      { "index.mdx": "0\n" },
      {
        async evolve(author) {
          for (let at = 0; at < 8; at++)
            await author.commit({ "index.mdx": longLines(String(at)) });
        },
      },
    );
    const answer = await site.call("history", { path: "index.mdx", limit: 50, lines: "x" });
    assert.ok(JSON.stringify(answer).length < 60_000);
    assert.equal(answer.isWhole, false);
  });
});

describe("blame", () => {
  it("tells the commits of lines in runs", async (t) => {
    const site = await openAgentSite(
      t,
      { "index.mdx": "1\n2\n3\n" },
      { evolve: (author: Author) => author.commit({ "index.mdx": "1\ntwo\n3\n" }, "2026-03-03") },
    );
    const { lines } = await site.call("blame", { path: "index.mdx", fromLine: 2, toLine: 3 });
    const told = (lines as Record<string, unknown>[]).map((run) => [
      run["fromLine"],
      run["toLine"],
      run["date"],
      run["subject"],
    ]);
    assert.deepEqual(told, [
      [2, 2, "2026-03-03", "Change"],
      [3, 3, "2026-01-02", "Change"],
    ]);
    const call = (fromLine: number, toLine: number) =>
      site.call("blame", { path: "index.mdx", fromLine, toLine });
    assert.match(String((await call(3, 2)).error), /1 to 500/);
    assert.match(String((await call(1, 501)).error), /1 to 500/);
    assert.match(String((await call(9, 10)).error), /does not contain/);
  });
});
