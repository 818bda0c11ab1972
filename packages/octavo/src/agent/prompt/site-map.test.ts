import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { loadSite } from "@octavo/site";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { formatSiteMap } from "./site-facts.ts";

const page = (title: string) => `---\ntitle: ${JSON.stringify(title)}\n---\n\nText.\n`;

async function drawMap(
  t: TestContext,
  navigation: unknown,
  options: {
    readonly pages: Readonly<Record<string, string>>;
    readonly maxLength?: number;
    readonly files?: Readonly<Record<string, string>>;
  },
): Promise<string> {
  const texts = Object.entries(options.pages).map(([path, title]) => [`${path}.mdx`, page(title)]);
  const root = await writeSite(t, {
    "docs.json": JSON.stringify({ name: "Lantern", navigation }),
    ...Object.fromEntries(texts),
    ...options.files,
  });
  return formatSiteMap(await loadSite(root), options.maxLength ?? 10_000);
}

const numbered = (count: number, pathOf: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => pathOf(index));
const titled = (paths: readonly string[]) =>
  Object.fromEntries(paths.map((path) => [path, `All about ${path}`]));

const language = (code: string, names: readonly string[]) => ({
  language: code,
  groups: [
    { group: "Guides", pages: names.map((name) => (code === "en" ? name : `${code}/${name}`)) },
  ],
});

describe("the map of a site", () => {
  it("names every page of a small site, below its folder, with the title that its name does not say", async (t) => {
    const map = await drawMap(
      t,
      {
        tabs: [
          {
            tab: "Docs",
            groups: [
              { group: "Start", pages: ["index", "guides/fill-the-lamp"] },
              {
                group: "More",
                pages: ["guides/oil", { group: "Deep", pages: ["guides/deep/wick"] }],
              },
            ],
          },
          { tab: "Blog", href: "https://blog.example" },
        ],
      },
      {
        pages: {
          index: "Welcome",
          "guides/fill-the-lamp": "Fill the lamp",
          "guides/oil": 'Which "oil"?',
          "guides/deep/wick": "Wick",
          "old/lost": "Lost",
        },
      },
    );
    assert.equal(
      map,
      [
        "[tab] Docs (default)",
        '  Start: index "Welcome"; guides/fill-the-lamp',
        "  More (guides/): oil \"Which 'oil'?\"",
        "    Deep (guides/deep/): wick",
        "[tab] Blog → https://blog.example",
        "Pages outside the navigation (old/): lost",
      ].join("\n"),
    );
  });

  it("shows one language, and of the others how they differ", async (t) => {
    const paths = ["start", "oil", "wick"];
    const languages = [
      language("en", paths),
      language("de", paths),
      language("fr", ["start", "oil", "bougie"]),
    ];
    const all = [
      ...paths,
      ...paths.map((path) => `de/${path}`),
      "fr/start",
      "fr/oil",
      "fr/bougie",
      "fr/loose",
    ];
    const map = await drawMap(
      t,
      { languages },
      { pages: Object.fromEntries(all.map((path) => [path, path])) },
    );
    assert.deepEqual(map.split("\n"), [
      "[language] en (default)",
      "  Guides: start; oil; wick",
      "[language] de (de/): 3 pages, the same as in en",
      "[language] fr (fr/): 3 pages, 2 as in en; it lacks wick; it adds bougie",
      "Pages outside the navigation",
      "  Translations in fr/: 1 page",
    ]);
  });

  it("names generated pages by their API and tag", async (t) => {
    const paths = Object.fromEntries(
      ["lamps", "wicks"].flatMap((tag) =>
        numbered(20, (index) => `/${tag}/${index}`).map((path) => [
          path,
          {
            get: { tags: [tag], summary: `Get ${path}`, responses: { 200: { description: "ok" } } },
          },
        ]),
      ),
    );
    const api = { openapi: "3.1.0", info: { title: "API", version: "1" }, paths };
    const map = await drawMap(
      t,
      {
        tabs: [
          { tab: "Guides", pages: ["index"] },
          { tab: "API", openapi: "api.json" },
        ],
      },
      { pages: { index: "Home" }, files: { "api.json": JSON.stringify(api) } },
    );
    assert.deepEqual(map.split("\n").slice(1), [
      "[tab] API (api-reference/)",
      "  lamps (api-reference/lamps/): 20 generated from api.json",
      "  wicks (api-reference/wicks/): 20 generated from api.json",
    ]);
  });

  it("counts what does not fit, and hides no group behind a large one", async (t) => {
    const large = numbered(3_000, (index) => `large/page-${index}`);
    const small = numbered(40, (index) => `small-${index}/page`);
    const groups = [
      { group: "Large", pages: large },
      ...small.map((path, index) => ({ group: `Small ${index}`, pages: [path] })),
    ];
    const pages = titled([...large, ...small]);
    const map = await drawMap(t, { groups }, { pages, maxLength: 6_000 });
    assert.ok(map.length <= 6_000, String(map.length));
    for (const [index, path] of small.entries()) {
      assert.ok(map.includes(`Small ${index} (${path.slice(0, -4)}): page "All about`), path);
    }
    assert.match(map, /^Large \(large\/\): page-0 ".*; … \d{4} more$/m);
    const shown = [...map.matchAll(/page-\d+/g)].length / 2;
    assert.ok(shown > 24, `${shown} pages of the large group`);
  });

  it("keeps within any length, and is the same for the same site", async (t) => {
    const paths = numbered(400, (index) => `part-${index % 20}/sub-${index % 60}/page-${index}`);
    const parts = Map.groupBy(paths, (path) => path.split("/")[0] ?? "");
    const groups = Array.from(parts, ([group, own]) => ({
      group,
      pages: Array.from(
        Map.groupBy(own, (path) => path.split("/")[1] ?? ""),
        ([sub, pages]) => ({
          group: sub,
          pages,
        }),
      ),
    }));
    const pages = titled(paths);
    for (const maxLength of [300, 1_000, 4_000, 20_000]) {
      const map = await drawMap(t, { groups }, { pages, maxLength });
      assert.ok(map.length <= maxLength, `${map.length} of ${maxLength}`);
      assert.equal(await drawMap(t, { groups }, { pages, maxLength }), map);
    }
    const tiny = await drawMap(t, { groups }, { pages, maxLength: 300 });
    assert.match(tiny, /^… \d+ more parts with \d+ pages$/m);
  });
});
