import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { openAuthor } from "../../../../../test/support/git-fixture.ts";
import { goodSite, setUp } from "../cli.test-support.ts";

/** The product's files at the tag v2.1. */
const before = {
  "package.json": JSON.stringify({ name: "@acme/engine", bin: { lampctl: "cli.js" } }),
  "src/cli.ts":
    'program.option("--depth <n>");\nprogram.option("--dry-run");\nflag("brightness");\nflag("help");\nconst run = spawn("docker", ["run", "--rm"]);\nprogram.option("--no-dusk");\n',
  "src/env.ts":
    "process.env.ENGINE_WICK;\nprocess.env.NODE_GLOW;\nprocess.env.ENGINE_COLOR_MODE;\nprocess.env.ENGINE_LAMP_COUNT;\n",
  "src/routes.ts":
    "app.get('/v1/lamps/:id/wattage', a);\napp.post('/v1/ping', b);\napp.get('/v1/moths', c);\n",
  "src/index.ts": "export function createLantern() {}\nexport function openShade() {}\n",
  "lib/lamp.py": "def trim_wick():\n    pass\n",
  "scripts/release.ts": 'program.option("--publish-all");\n',
};
/** The product's files today. */
const now = {
  ...before,
  "src/cli.ts":
    'program.option("--max-depth <n>");\nconst dryRun = true;\nprogram.option("--no-dusk");\n',
  "src/env.ts": "read(`color_mode`);\nconst { count } = settings;\n",
  "src/routes.ts": "router.use('/v1', routes);\nroutes.post('/ping', b);\n",
  "src/index.ts": "export function openShades() {}\nexport const open_shade = 1;\n",
  "lib/lamp.py": "",
  "scripts/release.ts": "",
  "CHANGELOG.md": "Removed --depth, --brightness, ENGINE_WICK and createLantern.\n",
};

/** Pages by what they say, and what is to be reported of them. */
const cases: readonly (readonly [text: string, ...reported: string[]])[] = [
  ["Engine limits the depth with `--depth`.", "--depth"],
  ["Run `lampctl run --depth 5`.", "--depth"],
  ["```bash\n$ npx @acme/engine run \\\n  --brightness=3\n```", "--brightness"],
  ["Set `ENGINE_WICK`.", "ENGINE_WICK"],
  ["```bash\nexport ENGINE_WICK=1\n```", "ENGINE_WICK"],
  ["Call `GET /v1/lamps/{id}/wattage`.", "/v1/lamps/{id}/wattage"],
  ["```bash\ncurl http://127.0.0.1:4400/v1/moths\n```", "/v1/moths"],
  ["The engine exports `createLantern()`.", "createLantern"],
  ['```js\nimport { createLantern } from "@acme/engine";\n```', "createLantern"],
  ["```python\nfrom engine.lamp import trim_wick\n```", "trim_wick"],
  // There is another spelling of it, or it may be built from parts.
  ["Engine takes `--dry-run` and `--no-dusk`."],
  ["Set `ENGINE_COLOR_MODE`."],
  ["Set `ENGINE_LAMP_COUNT`."],
  ["Run `engine --help`."],
  ["Call `POST /v1/ping`."],
  ["The engine exports `openShade`."],
  // The source never had it.
  ["Engine takes `--candle`, `ENGINE_CANDLE`, `GET /v1/candles` and `lightCandle()`."],
  // It is of another program, or of the source's own tools.
  [
    "```bash\ngit clone --depth 1 https://git.example/engine\n```\n\nUse `--depth`, then run engine.",
  ],
  ["For a shallow clone of engine, tell git: `--depth`."],
  ["```bash\ndocker run --rm engine\n```"],
  ["Engine reads `NODE_GLOW`."],
  ["Engine is published with `--publish-all`."],
  ["```bash\ncurl https://api.other.example/v1/moths\n```"],
  ['Of engine.\n\n```js\nimport { createLantern } from "other";\n```\n\nCall `createLantern`.'],
  ["Of engine.\n\n```js\nfunction createLantern() {}\n```\n\nCall `createLantern`."],
  // The page knows it, or is not about the present.
  ["Engine's `--depth` was removed; use `--max-depth`."],
  ["## Upgrade\n\nEngine: `--depth`."],
  ["Up to 2.1, engine took `--depth`."],
  ["| `--depth` | deprecated, of engine |\n| --- | --- |"],
  ['<Update label="May">\n\nEngine: `--depth`.\n\n</Update>'],
  // It is no code.
  ["Engine's depth, --depth, createLantern and ENGINE_WICK."],
];

async function setUpSources(t: TestContext, pages: Readonly<Record<string, string>>) {
  const site = await setUp(t, { ...goodSite, ...pages });
  const engine = await openAuthor(join(site.cwd, "engine"));
  const old = await engine.commit(before);
  await engine.git("tag", "v2.1");
  const present = await engine.commit(now);
  const check = (...more: readonly string[]) =>
    site.octavo(
      "agent",
      "docs",
      "Check the pages against the sources",
      "--no-cache",
      "--source",
      "engine",
      ...more,
    );
  return { ...site, check, old: old.slice(0, 12), present: present.slice(0, 12) };
}

describe("builtin/recipes with sources", () => {
  it("reports what pages mention and the source no longer has, and nothing else", async (t) => {
    const pages = cases.map(
      ([text], index) => [`p${index}.mdx`, `---\ntitle: P\n---\n\n${text}\n`] as const,
    );
    const moved = { "migration.mdx": pages[0]?.[1] ?? "", "changelog.mdx": pages[0]?.[1] ?? "" };
    const { check } = await setUpSources(t, { ...Object.fromEntries(pages), ...moved });
    const { code, stdout, stderr } = await check();
    assert.equal(code, 0, stderr);
    assert.equal(stdout, "");
    const lines = stderr.split("\n").filter((line) => line.startsWith("- "));
    const found = lines.flatMap((line) => {
      const [places = "", rest = ""] = line.split(": the ");
      const name = /`([^`]+)`/.exec(rest)?.[1] ?? "";
      return [...places.matchAll(/`([\w-]+)\.mdx:\d+`/g)].map(([, page = ""]) => `${page} ${name}`);
    });
    const wanted = cases.flatMap(([, ...names], index) => names.map((name) => `p${index} ${name}`));
    assert.deepEqual(found.toSorted(), wanted.toSorted());
  });

  it("tells each with its places, and a citation that was looked up", async (t) => {
    const page = "---\ntitle: P\n---\n\nEngine limits the depth with `--depth`.\n";
    const { check, old, present } = await setUpSources(t, { "a.mdx": page, "b.mdx": page });
    const { stderr } = await check();
    assert.ok(stderr.includes(`Compared 4 pages with \`engine@${present}\`: pages mention 1 flag`), stderr); // prettier-ignore
    assert.ok(
      stderr.includes(
        `- \`a.mdx:5\` and \`b.mdx:5\`: the flag \`--depth\`; it stood in \`v2.1\` at engine@${old}:src/cli.ts:1 \`--depth\``,
      ),
      stderr,
    );
    assert.match(stderr, /1 citation of a source was checked and found/);
  });

  it("says so where there is nothing to report, and where it cannot know", async (t) => {
    const page = "---\ntitle: P\n---\n\nEngine limits the depth with `--depth`.\n";
    const site = await setUpSources(t, { "a.mdx": page });
    const other = await openAuthor(join(site.cwd, "other"));
    await other.commit({ "main.go": 'var depth = flag.Int("depth", 1, "")\n' });
    const both = await site.check("--source", "other");
    assert.match(both.stderr, /no flag, setting, endpoint or exported name was found/);
    const unread = await site.check("--source", "engine@v9");
    assert.notEqual(unread.code, 0);
    assert.match(unread.stderr, /cannot be searched completely.*no branch, tag or commit "v9"/);
    const none = await site.octavo("agent", "docs", "Check the pages against the sources");
    assert.notEqual(none.code, 0);
    assert.match(none.stderr, /the project has no sources that can be read/);
  });
});
