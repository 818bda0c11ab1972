import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import type { TemporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { openTestSource } from "../../../../../test/support/turn-source.ts";
import { openSources } from "../sources/open-sources.ts";
import type { OpenedSource } from "../sources/turn-source.ts";
import { createMemoryTranscript } from "../transcript.ts";
import { formatCitation } from "./citation-section.ts";
import { resolveCitations } from "./verify-answer.ts";

const { signal } = new AbortController();
let folder: TemporaryFolder;
let sources: readonly OpenedSource[];
/** Commits of the source `engine`. */
let [first, present] = ["", ""];

before(async () => {
  folder = await temporaryFolder();
  const engine = await openTestSource(folder.path, "engine.git", {
    "src/cli.ts": 'const old = "--depth";\n',
    "src/a:b.ts": "colon\n",
    "src/passwd": { link: "/etc/passwd" },
    "binary.bin": new Uint8Array([0, 1]),
  });
  first = engine.commit;
  present = await engine.author.commit({
    "src/cli.ts": 'const flag = "--max-depth";\nif (depth > 10) {\n  fail("too\tdeep");\n}\n',
  });
  await engine.author.git("branch", "abcdef1");
  const gone = {
    repository: "https://git.example/gone.git",
    ref: null,
    directory: ".",
    open: (commit: string | undefined, limit: AbortSignal) =>
      engine.open(commit ?? "0".repeat(40), limit),
  };
  const all = [engine, gone];
  sources = await openSources(all, createMemoryTranscript(), signal);
});
after(() => folder[Symbol.asyncDispose]());

/** Looks up citations in a text, with `@now` and `@old` replaced by the commits. */
async function lookUp(text: string) {
  const written = text.replaceAll(/(@|&#64;|&commat;)now/g, `$1${present.slice(0, 12)}`);
  const { citations, faults } = await resolveCitations(
    written.replaceAll("@old", `@${first}`),
    sources,
    signal,
  );
  const shown = citations.map(
    (citation) => `${formatCitation(citation).replace(/@[0-9a-f]+/, "@…")} ${citation.words}`,
  );
  return { shown, citations, faults };
}

describe("citations that stand", () => {
  const cases: [text: string, wanted: string][] = [
    ['engine@now:src/cli.ts:1 "--max-depth"', "engine@…:src/cli.ts:1 --max-depth"],
    ['Ends (see engine@now:src/cli.ts:1: "flag").', "engine@…:src/cli.ts:1 flag"],
    ["`engine@now:src/cli.ts:1` (`const flag`)", "engine@…:src/cli.ts:1 const flag"],
    ["**engine@now:src/cli.ts:3** — “too deep”", "engine@…:src/cli.ts:3 too deep"],
    ['engine@now:src/cli.ts:2-3\n"10) { fail"', "engine@…:src/cli.ts:2-3 10) { fail"],
    ['engine@now:src/cli.ts:3 `fail("too deep")`', 'engine@…:src/cli.ts:3 fail("too deep")'],
    ['engine@old:src/cli.ts:1 "--depth"', "engine@…:src/cli.ts:1 --depth"],
    ['engine@now:src/a:b.ts:1 "colon"', "engine@…:src/a:b.ts:1 colon"],
    ['engine\\@now:src/cli\\.ts:1 "flag"', "engine@…:src/cli.ts:1 flag"],
    ['\\*engine&#64;now:src/cli.ts:1\\* "flag"', "engine@…:src/cli.ts:1 flag"],
  ];
  for (const [text, wanted] of cases) {
    it(text, async () => {
      assert.deepEqual(await lookUp(text), {
        ...(await lookUp(text)),
        shown: [wanted],
        faults: [],
      });
    });
  }

  it("also by the repository's address, each once, with whole commits", async () => {
    const { repository = "" } = sources[0] ?? {};
    const { citations, faults } = await lookUp(
      `${repository}@now:src/cli.ts:1 "flag" and engine@now:src/cli.ts:1 "flag"`,
    );
    assert.deepEqual(faults, []);
    const position = { path: "src/cli.ts", line: 1, endLine: 1, words: "flag" };
    assert.deepEqual(citations, [{ source: "engine", repository, commit: present, ...position }]);
  });

  it("are not what only looks like one", async () => {
    const text =
      'Use engine@2.0: "x". Write to ada@example.com:80 or ada@deadbeef. Run image@sha256:0123456789abcdef "x", npm i engine@latest.';
    assert.deepEqual(await lookUp(text), { shown: [], citations: [], faults: [] });
  });
});

describe("citations that do not stand", () => {
  const cases: [text: string, fault: RegExp][] = [
    ['engine@now:src/cli.ts:2 "--max-depth"', /are not there; they are in line 1/],
    ['engine@now:src/cli.ts:1 "--min-depth"', /"--min-depth" are not there\. Line 1 is: "const/],
    ['engine@now:src/cli.ts:1 "fla"', /are not there/],
    ['engine@now:src/cli.ts:2 "1"', /are not there/],
    ['engine@old:src/cli.ts:1 "--max-depth"', /are not there/],
    ['engine@now:src/cli.ts:9 "flag"', /only 4 lines/],
    ['engine@now:src/cli.ts:0 "flag"', /1 to 20 lines/],
    ['engine@now:src/cli.ts:4-1 "flag"', /1 to 20 lines/],
    ['engine@now:src/cli.ts:1-4000 "flag"', /1 to 20 lines/],
    ["engine@now:src/cli.ts:1", /words of that line must follow/],
    ["engine@now:src/cli.ts:1. And “flag”", /words of that line must follow/],
    ['engine@now:src/cli.ts:1 "-"', /quote words/],
    ['engine@now:src/none.ts:1 "flag"', /There is no file/],
    ['engine@now:src/passwd:1 "root"', /symbolic link/],
    ['engine@now:../../etc/passwd:1 "root"', /not a path/],
    ['engine@now:/etc/passwd:1 "root"', /not a path/],
    ['engine@now:binary.bin:1 "x"', /not text/],
    ['engine@0123456789ab:src/cli.ts:1 "flag"', /has no commit/],
    ['engine@abcdef1:src/cli.ts:1 "flag"', /has no commit/],
    ['engine@main:src/cli.ts:1 "flag"', /name@commit:path:line/],
    ['engine@now:src/cli.ts "flag"', /name@commit:path:line/],
    ['motor@now:src/cli.ts:1 "flag"', /no such source/],
    ['engine\\@now:src/cli.ts:1 "--min-depth"', /are not there/],
    ['mo\\_tor\\@now:src/cli.ts:1 "flag"', /^mo_tor@.*no such source/],
    ["engine&commat;now:src/cli.ts:1", /words of that line must follow/],
    ['gone@now:src/cli.ts:1 "flag"', /cannot be read/],
  ];
  for (const [text, fault] of cases) {
    it(text, async () => {
      const { citations, faults } = await lookUp(text);
      assert.deepEqual(citations, []);
      assert.equal(faults.length, 1, faults.join("\n"));
      assert.match(faults[0] ?? "", fault);
    });
  }

  it("are looked for in linear time, and in bounded number", async () => {
    const long = `${"a\\_".repeat(50_000)} ${"a/".repeat(50_000)}@ ${"`".repeat(50_000)} engine@${"0:".repeat(50_000)}`;
    assert.equal((await lookUp(long)).citations.length, 0);
    const many = 'engine@now:src/cli.ts:1 "flag"\n'.repeat(201);
    assert.match((await lookUp(many)).faults.join(), /More than 200 citations/);
  });
});
