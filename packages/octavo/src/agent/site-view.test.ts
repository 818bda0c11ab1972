import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { openAgentSite, smallSite } from "../../../../test/support/agent-site.ts";
import { createRandom, type Random } from "../../../../test/support/random.ts";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import type { ContentChange } from "./changes/text-changes.ts";
import { createSiteView, type SiteView } from "./site-view.ts";

const children = sharedChildren();

const operation = (path: string) => ({
  get: { summary: path, description: "See [it](/guides/start#end).", responses: {} },
});
const described = {
  openapi: "3.1.0",
  info: { title: "Lamps", version: "1" },
  paths: { "/lamps": operation("/lamps") },
};

const site = {
  ...smallSite,
  "reference/lamps.mdx": "---\ntitle: Lamps\nopenapi: openapi.json GET /lamps\n---\n",
  "openapi.json": JSON.stringify(described),
  "faulty.mdx": "---\ntitle: [unclosed\n---\n\n![No](/images/none.png) [Up](/nowhere)\n",
  "plain.md": "# Plain\n\n## Place\n\n[Start](/guides/start#end)\n",
  ...Object.fromEntries(
    Array.from({ length: 12 }, (_, at) => [`more/${at}.mdx`, `# ${at}\n\n[A](/plain#place)\n`]),
  ),
};

/** Texts of pages that differ in what other pages depend on: titles, anchors, links, snippets and frontmatter. */
const texts = [
  "---\ntitle: Other\ndescription: Different\n---\n\n## End\n\n## Place\n\n[More](/guides/more)\n",
  "---\ntitle: Other\nhidden: true\n---\n\n## Reworded\n\n[Gone](/guides/gone#place)\n",
  "---\ntitle: [unclosed\n---\n\n[Begin](/begin#nowhere)\n",
  'import Hint from "/snippets/hint.mdx";\n\n<Hint />\n\n## Place\n',
  "# Heading\n\n![Lamp](/images/lamp.png) ![No](../images/none.png)\n",
  "---\ntitle: API\nopenapi: openapi.json GET /lamps\n---\n",
  "---\ntitle: API\nopenapi: openapi.json GET /gone\n---\n",
];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}

function pickChange(random: Random, files: readonly string[], number: number): ContentChange {
  const pages = files.filter((file) => /\.mdx?$/.test(file));
  const path = pick(random, pages);
  const kind = random();
  if (kind < 0.4) return { type: "write", path, text: pick(random, texts) };
  if (kind < 0.5) return { type: "write", path: `new/${number}.mdx`, text: pick(random, texts) };
  if (kind < 0.6) return { type: "delete", path };
  if (kind < 0.75) {
    const from = pick(random, [path, "images/lamp.png", "snippets/hint.mdx"]);
    const to = `moved/${number}${from.slice(from.lastIndexOf("."))}`;
    return files.includes(from) ? { type: "move", from, to } : { type: "delete", path };
  }
  if (kind < 0.85) {
    const paths = { [pick(random, ["/lamps", "/gone"])]: operation(pick(random, ["A", "B"])) };
    return {
      type: "write",
      path: "openapi.json",
      text: JSON.stringify({ ...described, paths }),
    };
  }
  const navigation = { pages: pages.filter(() => random() < 0.6).map((page) => page.slice(0, -4)) };
  const redirects = [{ source: "/begin", destination: pick(random, ["/plain#place", "/gone"]) }];
  const text = JSON.stringify({
    name: pick(random, ["A", "B"]),
    navigation,
    ...(random() < 0.5 && { redirects }),
  });
  return { type: "write", path: "docs.json", text };
}

/** Lists the references as data, without the functions that look for the places of some of them. */
async function listReferences(view: SiteView): Promise<unknown> {
  return JSON.parse(JSON.stringify(await view.references()));
}

describe("the problems and references of a site after changes", () => {
  for (const seed of [1, 2, 3]) {
    it(`are those of a site that is read for the first time (${seed})`, async (t) => {
      const random = createRandom(seed);
      const { workspace, view, folder } = await openAgentSite(t, site);
      await view.problems();
      for (let round = 0; round < 8; round += 1) {
        for (let count = 0; count < 3; count += 1) {
          const files = await workspace.listFiles();
          await workspace.apply([pickChange(random, files, round * 10 + count)]);
        }
        if (random() < 0.3) await view.problemsOf("index.mdx");
        const cacheDir = join(folder, `fresh-${round}`);
        const fresh = createSiteView(workspace, { cacheDir, workers: 1, children });
        assert.deepEqual(await view.problems(), await fresh.problems());
        assert.deepEqual(await listReferences(view), await listReferences(fresh));
        assert.deepEqual(await view.site(), await fresh.site());
        assert.deepEqual(view.pagesOfFiles(), fresh.pagesOfFiles());
      }
    });
  }

  it("are those of files that were changed back", async (t) => {
    const { workspace, view } = await openAgentSite(t, site);
    const before = await view.problems();
    const path = "plain.md";
    for (const text of ["# Other\n", site[path]]) {
      await workspace.apply([{ type: "write", path, text }]);
      if (text === site[path]) assert.deepEqual(await view.problems(), before);
      else assert.notDeepEqual(await view.problems(), before);
    }
  });
});
