import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import type { SiteOrigin } from "../site/index.ts";
import { readSite } from "./load-site.ts";
import type { SiteSettings } from "./site-settings.ts";

const known = { edit: "https://e.example/{path}", issue: "https://i.example/{title}" };

/** Opens an origin that knows all files and records the calls. */
function openOrigin() {
  const asked: string[] = [];
  const origin: SiteOrigin = {
    async lastChanges(files) {
      asked.push(...files);
      return new Map([...files, "unasked.mdx"].map((file) => [file, "2026-01-02"]));
    },
    async links() {
      asked.push("links");
      return known;
    },
  };
  return { origin, asked };
}

async function read(
  t: TestContext,
  configuration: object,
  settings: Omit<SiteSettings, "siteDir">,
) {
  const folder = await temporaryFolder();
  t.after(() => folder[Symbol.asyncDispose]());
  await writeFiles(folder.path, {
    "docs.json": JSON.stringify({ navigation: { pages: ["plain"] }, ...configuration }),
    "plain.mdx": "Text.",
    "wants.mdx": "---\ntimestamp: true\n---\n\nText.",
    "refuses.mdx": "---\ntimestamp: false\n---\n\nText.",
    "dated.mdx": "---\nlastUpdatedDate: 2020-01-01\n---\n\nText.",
    "unasked.mdx": "---\ntimestamp: false\n---\n\nText.",
  });
  const { site } = await readSite({ ...settings, siteDir: folder.path });
  const dated = site.pages.filter(({ changedOn }) => changedOn !== undefined);
  return { site, dated: dated.map(({ path }) => path) };
}

describe("the origin of a site's files", () => {
  it("is asked for all indexed pages without a date of their own, if there will be a sitemap", async (t) => {
    const { origin, asked } = openOrigin();
    const { dated } = await read(t, {}, { origin, baseUrl: "https://docs.example.com" });
    assert.deepEqual(asked.toSorted(), ["plain.mdx", "wants.mdx"]);
    assert.deepEqual(dated, ["plain", "wants"]);
  });

  const rows: [name: string, configuration: object, asked: string[], dated: string[]][] = [
    ["is asked for pages that show a date", {}, ["wants.mdx"], ["wants"]],
    [
      "is asked for all pages that do not opt out, if the site shows dates",
      { metadata: { timestamp: true } },
      ["plain.mdx", "wants.mdx"],
      ["plain", "wants"],
    ],
  ];
  for (const [name, configuration, wanted, dates] of rows) {
    it(name, async (t) => {
      const { origin, asked } = openOrigin();
      const { dated } = await read(t, configuration, { origin });
      assert.deepEqual(asked, wanted);
      assert.deepEqual(dated, dates);
    });
  }

  const links: [name: string, feedback: object, editUrl: string | undefined, expected: object][] = [
    ["no link if none is configured", {}, undefined, {}],
    ["an edit link", { suggestEdit: true }, undefined, { editUrl: known.edit }],
    ["a link to issues", { raiseIssue: true }, undefined, { issueUrl: known.issue }],
    [
      "the edit link of the settings, even if none is configured",
      {},
      "https://o.example/{path}",
      { editUrl: "https://o.example/{path}" },
    ],
    [
      "the edit link of the settings instead of the origin's",
      { suggestEdit: true, raiseIssue: true },
      "https://o.example/{path}",
      { editUrl: "https://o.example/{path}", issueUrl: known.issue },
    ],
  ];
  for (const [name, feedback, editUrl, expected] of links) {
    it(`gives ${name}`, async (t) => {
      const { origin, asked } = openOrigin();
      const { site } = await read(t, { feedback }, { origin, editUrl });
      const { editUrl: edit, issueUrl: issue } = site;
      assert.deepEqual(JSON.parse(JSON.stringify({ editUrl: edit, issueUrl: issue })), expected);
      const isKnown = Object.values(expected).some((link) => Object.values(known).includes(link));
      assert.equal(asked.includes("links"), isKnown);
    });
  }
});
