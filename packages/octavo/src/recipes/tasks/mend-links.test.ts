import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openTestSite, work } from "../site.test-support.ts";
import type { Files } from "../site.test-support.ts";

/** What speaks for a page or a heading where no history tells. */
interface Story {
  readonly name: string;
  readonly files: Files;
  /** Links of `index.mdx`, as they are and as they are to be; the same for those that are left. */
  readonly links: readonly (readonly [before: string, after: string])[];
  /** Parts of the summary. */
  readonly told?: readonly string[];
}

const stories: readonly Story[] = [
  {
    name: "the same path but for its form, with its extension",
    files: { "guides/start.mdx": "text\n" },
    links: [["[x](./guides/Start.MDX)", "[x](./guides/start.mdx)"]],
  },
  {
    name: "a folder was made flat, or a prefix became one",
    files: { "guides/install-linux.mdx": "text\n", "guides/deploy/on-mac.mdx": "text\n" },
    links: [
      ["[x](/guides/install/linux)", "[x](/guides/install-linux)"],
      ["[x](/guides/deploy-on/mac)", "[x](/guides/deploy/on-mac)"],
    ],
  },
  {
    name: "another version has a page of that title at the address",
    files: {
      "servers/work-behind.mdx": "---\ntitle: Background tasks\n---\n",
      "v2/servers/tasks.mdx": "---\ntitle: Background tasks\n---\n",
    },
    links: [["[tasks](/servers/tasks)", "[tasks](/servers/work-behind)"]],
    told: ["another version has a page of this title at that address"],
  },
  {
    name: "not where pages of that version share the title",
    files: {
      "clients/using-tools.mdx": "---\ntitle: Tools\n---\n",
      "v2/servers/tools.mdx": "---\ntitle: Tools\n---\n",
      "v2/clients/tools.mdx": "---\ntitle: Tools\n---\n",
    },
    links: [["[x](/servers/tools)", "[x](/servers/tools)"]],
  },
  {
    name: "a page of that name is no other's where another version has it at the same address",
    files: {
      "security/sign-in-rules.mdx": "---\ntitle: Sign-in rules\n---\n",
      "v2/security/sign-in-rules.mdx": "text\n",
    },
    links: [["[Sign-in rules](/tools/sign-in-rules)", "[Sign-in rules](/tools/sign-in-rules)"]],
    told: ["other versions have that page, too"],
  },
  {
    name: "a page was renamed beside, and has the places that links name",
    files: {
      "servers/what-to-know.mdx": "## Tools\n\n## Prompts\n",
      "servers/storage.mdx": "## Tools\n",
    },
    links: [
      ["[x](/servers/concepts#tools)", "[x](/servers/what-to-know#tools)"],
      ["[x](/servers/concepts#prompts)", "[x](/servers/what-to-know#prompts)"],
      ["[x](/servers/concepts)", "[x](/servers/what-to-know)"],
    ],
  },
  {
    name: "not where two pages have those places",
    files: {
      "servers/one.mdx": "## Tools\n\n## Prompts\n",
      "servers/two.mdx": "## Tools\n\n## Prompts\n",
    },
    links: [
      ["[x](/servers/concepts#tools)", "[x](/servers/concepts#tools)"],
      ["[x](/servers/concepts#prompts)", "[x](/servers/concepts#prompts)"],
    ],
  },
  {
    name: "a page became a section of another, with its places below",
    files: {
      "servers/tools.mdx":
        "---\ntitle: Tools\n---\n\n## Tools by name\n\n## Sampling\n\n### Rate limits\n",
      "servers/other.mdx": "## Rate limits\n",
    },
    links: [
      ["[x](/servers/sampling#rate-limits)", "[x](/servers/tools#rate-limits)"],
      ["[x](/servers/sampling)", "[x](/servers/tools)"],
    ],
  },
  {
    name: "a title is the name that the link has",
    files: { "servers/handling-scopes.mdx": "---\ntitle: Protocol scopes\n---\n\n## Which\n" },
    links: [
      ["[protocol scopes](/servers/protocol-scope)", "[protocol scopes](/servers/handling-scopes)"],
    ],
  },
  {
    name: "an address from which a redirect leads, with a slip of the hand, may be a page of that name, too",
    files: {
      "docs.json": JSON.stringify({
        name: "Lamps",
        navigation: { pages: ["index"] },
        redirects: [{ source: "/basic/safety-rules", destination: "/v2/safety-rules" }],
      }),
      "v2/safety-rules.mdx": "text\n",
      "learn/safety-rules.mdx": "text\n",
    },
    links: [["[safety rules](/bsic/safety-rules)", "[safety rules](/bsic/safety-rules)"]],
    told: ["either could be meant: perhaps `/v2/safety-rules` (nearly the same path"],
  },
  {
    name: "a heading says the same in more words, and no other page has it",
    files: {
      "a.mdx":
        "## Understanding night rates\n\n## Partial wild cards\n\n## How lamps work\n\n## Day rates\n",
      "b.mdx": "## Moved away\n",
      "c.mdx": "## About moved away\n",
    },
    links: [
      ["[x](/a#night-rates)", "[x](/a#understanding-night-rates)"],
      ["[x](/a#wild-cards)", "[x](/a#wild-cards)"],
      ["[Lamps](/a#lamps)", "[Lamps](/a#lamps)"],
      ["[x](/c#moved-away)", "[x](/c#moved-away)"],
    ],
    told: ["`/a#wild-cards`: not sure enough: perhaps `#partial-wild-cards`"],
  },
];

function linesOf(links: Story["links"], at: 0 | 1): string {
  return links.map((link) => `${link[at]}\n`).join("\n");
}

describe("a broken link in a site without history", () => {
  for (const { name, files, links, told = [] } of stories) {
    it(name, async () => {
      const site = openTestSite({ ...files, "index.mdx": linesOf(links, 0) });
      const { summary } = await work(site, "Fix the broken links");
      assert.equal(site.files.get("index.mdx"), linesOf(links, 1), summary);
      for (const part of told) assert.ok(summary.includes(part), `${part}\nis not in\n${summary}`);
    });
  }
});
