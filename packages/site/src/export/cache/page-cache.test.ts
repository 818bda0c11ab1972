import assert from "node:assert/strict";
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { collectGarbage } from "../../../../../test/support/collect-garbage.ts";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { sha256 } from "../../core/index.ts";
import type { RenderedPage } from "../page/rendered-page.ts";
import { indexPageTerms } from "../../search/index.ts";
import { CacheDamagedError } from "./cache-damaged.ts";
import { openPageCache } from "./page-cache.ts";

const page: RenderedPage = {
  html: Buffer.from("<p>größe</p>"),
  schemaScript: Buffer.from("octavoSchemas([]);"),
  markdown: Buffer.from("größe"),
  terms: indexPageTerms([{ id: "", heading: "Größe", text: "one two one" }]),
  outline: [{ depth: 2, id: "a", text: "A" }],
  anchors: ["größe"],
  references: [{ kind: "link", target: "#a", file: "a.md", line: 1, column: 2 }],
  remoteFiles: ["https://example.com/a.png"],
  icons: ["lucide:star"],
  scripts: [{ name: "a", text: "b" }],
  classNames: ["p-4"],
  problems: [{ severity: "error", code: "x", message: "ü", file: "a.md" }],
  barriers: [],
  dependencies: { "snippets/a.md": "1" },
};
const day = 24 * 60 * 60 * 1_000;

async function setUp(t: TestContext): Promise<string> {
  const folder = join(await writeSite(t, {}), "cache");
  using cache = openPageCache(folder, "1");
  cache.put(sha256("a"), page);
  return folder;
}

async function segmentIn(folder: string): Promise<string | undefined> {
  const [name] = await readdir(join(folder, "pages"));
  return name === undefined ? undefined : join(folder, "pages", name);
}

test("returns a page as it was put, except its outline", async (t) => {
  const folder = await setUp(t);
  using cache = openPageCache(folder, "1");
  const found = cache.get(sha256("a"));
  assert.ok(found);
  const { texts, shown, postings, ...counts } = found.terms;
  const terms = { ...counts, shown, texts: Buffer.from(texts), postings };
  const { html, markdown, schemaScript, hasSchemaScript, anchors, references, ...others } = found;
  assert.equal(hasSchemaScript, true);
  assert.deepEqual(
    { ...others, html, markdown, schemaScript, anchors, references, terms },
    {
      ...page,
      outline: [],
      markdownBytes: 7,
      anchorsHash: sha256(JSON.stringify(page.anchors)).slice(0, 16),
      hasFrames: false,
    },
  );
  assert.equal(cache.get(sha256("b")), undefined);
});

test("removes a page a month after its last use, and no sooner", async (t) => {
  const folder = await setUp(t);
  const file = (await segmentIn(folder)) ?? "";
  const used = (await stat(file)).mtimeMs;
  const steps: [days: number, isThere: boolean][] = [
    [29, true],
    // Not inspected again on the same day.
    [29.5, true],
    [31, false],
  ];
  for (const [days, isThere] of steps) {
    using cache = openPageCache(folder, "1");
    const now = Math.round(used + days * day);
    await cache.prune(now);
    await utimes(join(folder, "pruned"), now / 1_000, now / 1_000);
    assert.equal((await segmentIn(folder)) !== undefined, isThere, `after ${days} days`);
  }
});

test("removes what a killed process left after a day", async (t) => {
  const folder = await setUp(t);
  const partial = join(folder, "pages", "x.part");
  await writeFile(partial, "half of it");
  using cache = openPageCache(folder, "1");
  await cache.prune(Date.now() + 2 * day);
  assert.equal((await readdir(join(folder, "pages"))).length, 1);
});

test("distinguishes a damaged page from a missing one", async (t) => {
  const folder = await setUp(t);
  const file = (await segmentIn(folder)) ?? "";
  const bytes = await readFile(file);
  bytes.write("<b>", bytes.indexOf("<p>"));
  await writeFile(file, bytes);
  {
    using cache = openPageCache(folder, "1");
    assert.throws(() => cache.get(sha256("a"))?.html, CacheDamagedError);
  }
  using cache = openPageCache(folder, "1");
  assert.equal(cache.get(sha256("a")), undefined);
});

test("holds nothing of a page that it can read again", async (t) => {
  using cache = openPageCache(join(await writeSite(t, {}), "cache"), "1");
  const held: WeakRef<object>[] = [];
  const stored = [1, 2].map((number) => {
    const own = { ...page, html: Buffer.alloc(1_000, number), anchors: [`a${number}`] };
    held.push(new WeakRef(own.html), new WeakRef(own.anchors), new WeakRef(own));
    return cache.put(sha256(String(number)), own);
  });
  // References that are held in this turn of the event loop are released in the next.
  await nextTurn();
  collectGarbage();
  assert.deepEqual(
    held.map((reference) => reference.deref()),
    held.map(() => undefined),
  );
  assert.deepEqual(
    stored.map((one) => [one?.html.at(-1), one?.anchors]),
    [
      [1, ["a1"]],
      [2, ["a2"]],
    ],
  );
});

test("keeps references in memory up to a limit, and reads the others again", async (t) => {
  const folder = join(await writeSite(t, {}), "cache");
  using cache = openPageCache(folder, "1", 2);
  const position = { file: "a.mdx", line: 1, column: 1 };
  const lists = ["/a /b", "/c"].map((targets) =>
    targets.split(" ").map((target) => ({ kind: "link" as const, target, ...position })),
  );
  const stored = lists.map((references, number) =>
    cache.put(sha256(String(number)), { ...page, references }),
  );
  assert.deepEqual(
    stored.map((one) => one?.references),
    lists,
  );
  assert.deepEqual(
    stored.map((one, number) => one?.references === lists[number]),
    [true, false],
  );
  cache.flush();
  using later = openPageCache(folder, "1", 2);
  const found = lists.map((_, number) => later.get(sha256(String(number))));
  const [first, second] = [0, 1].map(() => found.map((one) => one?.references));
  assert.deepEqual(first, lists);
  assert.deepEqual(second, lists);
  assert.deepEqual(
    second?.map((references, number) => references === first?.[number]),
    [true, false],
  );
});

test("blocks of archives are found at once, and by the next export", async (t) => {
  const folder = await setUp(t);
  const block = { content: Buffer.from("packed"), facts: [1, 2.5] };
  for (const isPut of [true, false]) {
    using cache = openPageCache(folder, "1");
    if (isPut) cache.blocks.put(sha256("block"), block);
    assert.deepEqual(cache.blocks.factsOf(sha256("block")), block.facts);
    const found = cache.blocks.get(sha256("block"));
    assert.deepEqual(found && { ...found, content: Buffer.from(found.content) }, block);
    assert.equal(cache.blocks.get(sha256("other")), undefined);
  }
});
