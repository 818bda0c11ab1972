import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { temporaryFolder, writeFiles } from "../../test/support/temporary-folder.ts";
import { addressOf, multiply, readCorpus, repeat, writePages } from "../corpus.ts";

/** The Markdown that a page becomes, beside one other page, `guides/start`. */
async function plainOf(source: string): Promise<string> {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "guides/a.mdx": source, "guides/start.md": "Start." });
  const corpus = await readCorpus(folder.path);
  return corpus.find(({ name }) => name === "guides/a")?.markdown ?? "";
}

const pages: readonly (readonly [what: string, source: string, expected: string])[] = [
  [
    "a component is its title and its text",
    '<Card title="One">\n\nText\n\n</Card>',
    "**One**\n\nText\n",
  ],
  [
    "imports, comments and expressions are dropped",
    'import A from "a"\n\n{/* no */}\n\nB {x} {"c"}',
    "B  c\n",
  ],
  [
    "what opens tags and expressions elsewhere is escaped",
    "A \\< b \\{c} &#123;&#123;d",
    "A \\< b \\{c} \\{ \\{d\n",
  ],
  ["a picture is its alternative text", "![A plan](plan.png)", "A plan\n"],
  [
    "links to pages stay, relative ones too",
    "[a](./start) [b](/guides/start#x)",
    "[a](page:guides/start) [b](page:guides/start)\n",
  ],
  [
    "links to nothing and to this machine are text",
    "[a](/gone) [b](#here) [c](http://localhost:1)",
    "a b c\n",
  ],
  ["links by name are links", "[a][s]\n\n[s]: /guides/start.md", "[a](page:guides/start)\n"],
  [
    "diagrams and unknown languages are text",
    "```mermaid\nA\n```\n\n```TS x={1}\nB\n```",
    "```text\nA\n```\n\n```typescript\nB\n```\n",
  ],
  ["what is no MDX is Markdown without tags", "a <br> b", "a  b\n"],
];

suite("toPlainPage", () => {
  for (const [what, source, expected] of pages) {
    test(what, async () => assert.equal(await plainOf(source), expected));
  }
});

test("copies have the same pages and links, and no block of code twice", async () => {
  await using folder = await temporaryFolder();
  const block = '```json\n{"name": true}\n```\n\n- In a list:\n\n  ```text\n  12\n  ```\n';
  const files = { "a/index.md": `[b](/b)\n\n${block}`, "b.md": `[a](/a)\n\n${block}` };
  await writeFiles(folder.path, files);
  const corpus = multiply(await readCorpus(folder.path), 3);
  const names = corpus.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.includes("copy-2/a/index"));
  const blocks = corpus
    .filter(({ name }) => !name.startsWith("copy-0/"))
    .flatMap(({ markdown }) => markdown.match(/(```\w+)[^`]+/g) ?? []);
  assert.equal(blocks.length, 8);
  assert.equal(new Set(blocks).size, 8);
  await writePages(corpus, folder.path, { link: (name) => `/${addressOf(name)}` });
  const text = await readFile(join(folder.path, "copy-1/b.md"), "utf8");
  assert.match(text, /^---\ntitle: "b"\n---\n\n\[a\]\(\/copy-1\/a\)/);
});

test("repeated pages are the same but for their folders, and links stay in them", async () => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "a.md": "# A\n\n[b](/b) [start](/)", "b.md": "# B\n\nText" });
  const corpus = repeat(await readCorpus(folder.path), 2);
  const names = ["copy-0/a", "copy-0/b", "copy-1/a", "copy-1/b"];
  assert.deepEqual(
    corpus.map(({ name }) => name),
    names,
  );
  await writePages(corpus, folder.path, { link: (name) => `/${addressOf(name)}` });
  const text = await readFile(join(folder.path, "copy-1/a.md"), "utf8");
  assert.match(text, /\[b\]\(\/copy-1\/b\) \[start\]\(\/\)/);
});
