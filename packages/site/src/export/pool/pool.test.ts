import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { loadSite } from "../../load/index.ts";
import type { Site } from "../../site/index.ts";
import { openPool } from "./pool.ts";
import type { PoolOptions } from "./pool.ts";
import { createTestSetup } from "./render-setup.test-support.ts";

const trap = 'import Trap from "/snippets/trap.mdx"\n\n<Trap />\n';

/** Sources by page; a page that imports the trap lets the test act while that page is being rendered. */
async function renderAll(
  sources: Readonly<Record<string, string>>,
  options: Pick<PoolOptions, "readFile"> & Partial<PoolOptions>,
) {
  await using folder = await temporaryFolder();
  const files = Object.entries(sources).map(([path, source]) => [`${path}.mdx`, source] as const);
  await writeFiles(folder.path, Object.fromEntries(files));
  const site: Site = await loadSite(folder.path, {});
  await using pool = openPool({
    setup: createTestSetup(site),
    workers: 1,
    ...options,
  });
  const outcomes = await Promise.all(
    site.pages.map(async (page) => {
      const source = readFileSync(join(folder.path, page.file), "utf8");
      return [page.path, await pool.render({ page, source })] as const;
    }),
  );
  return new Map(outcomes);
}

/**
 * Kills the render children of this process, as a crash of the native parser does: their requests are never answered.
 */
function killChildren(signal: NodeJS.Signals): Promise<never> {
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, "utf8");
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8");
      const isChild = status.includes(`PPid:\t${process.pid}\n`) && command.includes("child.ts");
      if (isChild) process.kill(Number(name), signal);
    } catch {
      // It has just ended.
    }
  }
  return new Promise(() => {});
}

const plain = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`page-${index}`, `# Page ${index}\n\nText ${index}.`]),
);

test("pages are rendered as documents with their texts", async () => {
  const outcomes = await renderAll(plain, { readFile: async () => undefined });
  for (const [path, outcome] of outcomes) {
    assert.equal(outcome.type, "rendered");
    assert.match(
      outcome.type === "rendered" ? new TextDecoder().decode(outcome.page.html) : "",
      new RegExp(path.replace("page-", "Text ")),
    );
  }
});

test(
  "a page that crashes its child costs itself alone",
  { skip: process.platform !== "linux" },
  async () => {
    const outcomes = await renderAll(
      { ...plain, "page-5": trap },
      {
        readFile: () => killChildren("SIGSEGV"),
      },
    );
    const failed = [...outcomes].filter(([, outcome]) => outcome.type === "failed");
    assert.deepEqual(
      failed.map(([path]) => path),
      ["page-5"],
    );
    assert.equal(outcomes.size, 20);
  },
);

test(
  "a page that was at work when its child was ended by chance is rendered after all",
  { skip: process.platform !== "linux" },
  async () => {
    let crashes = 0;
    const outcomes = await renderAll(
      { ...plain, "page-5": trap },
      {
        readFile: () =>
          crashes++ === 0 ? killChildren("SIGKILL") : Promise.resolve("The snippet."),
      },
    );
    assert.equal(
      [...outcomes.values()].every((outcome) => outcome.type === "rendered"),
      true,
    );
  },
);

test("a page that hangs is ended, and the others go on", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.mock.method(performance, "now", () => 0);
  const outcomes = await renderAll(
    { ...plain, "page-5": trap },
    {
      // The time of the other pages does not pass, however long they take.
      readFile() {
        t.mock.timers.tick(1_500);
        return new Promise(() => {});
      },
      pageTimeoutMs: 1_500,
    },
  );
  const hung = outcomes.get("page-5");
  assert.ok(hung?.type === "failed");
  assert.match(hung.reason, /longer than 1.5 seconds/);
  assert.equal([...outcomes.values()].filter((outcome) => outcome.type === "rendered").length, 19);
});

test("an aborted pool rejects its pages and ends its children", async () => {
  const controller = new AbortController();
  await assert.rejects(
    renderAll(
      { ...plain, "page-5": trap },
      {
        readFile: async () => {
          controller.abort(new Error("enough"));
          return undefined;
        },
        signal: controller.signal,
      },
    ),
    /enough/,
  );
});

test("a renewed pool renders later pages with the new setup", async () => {
  await using folder = await temporaryFolder();
  await writeFiles(folder.path, { "docs.json": '{ "name": "First" }', "index.mdx": "Text." });
  const setupNow = async () => createTestSetup(await loadSite(folder.path, {}));
  const setup = await setupNow();
  await using pool = openPool({ setup, workers: 1, readFile: () => Promise.resolve(undefined) });
  const titleOf = async (page = setup.site.pages[0]) => {
    assert.ok(page);
    const outcome = await pool.render({ page, source: "Text." });
    assert.equal(outcome.type, "rendered");
    return /<title>(.*?)<\/title>/.exec(new TextDecoder().decode(outcome.page.html))?.[1];
  };
  assert.match((await titleOf()) ?? "", /First/);
  await writeFiles(folder.path, { "docs.json": '{ "name": "Second" }' });
  pool.renew(await setupNow());
  assert.match((await titleOf()) ?? "", /Second/);
});
