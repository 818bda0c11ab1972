import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openTestSite, work } from "../../site.test-support.ts";
import type { Files } from "../../site.test-support.ts";

/** A site and its expected repairs, without a history. */
interface Story {
  readonly name: string;
  readonly files: Files;
  /** The page with the links. Defaults to `index.mdx`. */
  readonly page?: string;
  /** The links before and after the repair; the same for links that are not changed. */
  readonly links: readonly (readonly [before: string, after: string])[];
  /** Parts that the summary must contain. */
  readonly told?: readonly string[];
}

const text = "Whoever trims the wick in time has a light that does not smoke, all night long.";

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
    name: "a folder of which one page went elsewhere, and others did not",
    files: {
      "docs.json": JSON.stringify({
        name: "Lamps",
        navigation: { pages: ["index"] },
        redirects: [{ source: "/lamps/wicks", destination: "/guides/wicks" }],
      }),
      "lamps/overview.mdx": "---\ntitle: Lamps overview\n---\n",
      "guides/index.mdx": "---\ntitle: Guides\n---\n",
      "guides/wicks.mdx": "text\n",
    },
    links: [["[Lamps](/lamps/)", "[Lamps](/lamps/overview)"]],
  },
  {
    name: "another version has a page of that title at the address",
    files: {
      "servers/work-behind.mdx": "---\ntitle: Background tasks\n---\n",
      "v2/servers/tasks.mdx": "---\ntitle: Background tasks\n---\n",
    },
    links: [["[tasks](/servers/tasks)", "[tasks](/servers/work-behind)"]],
    told: ["another version has a page with this title at that address"],
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
    name: "not by the former address of a page if another page of the name has the title, too",
    files: {
      "docs/learn/lamp-designs.mdx":
        "---\ntitle: Lamp design overview\nsidebarTitle: Lamp design\n---\n",
      "docs/learn/wicks.mdx": "---\ntitle: Wicks\n---\n",
      "specification/lamp-design/index.mdx": "---\ntitle: Lamp design\n---\n",
    },
    page: "specification/index.mdx",
    links: [
      [
        "[Lamp design overview](/docs/learn/lamp-design)",
        "[Lamp design overview](/docs/learn/lamp-designs)",
      ],
      ["[Lamp design](/docs/lamp-design)", "[Lamp design](/docs/lamp-design)"],
    ],
  },
  {
    name: "not by a title that another page has, too",
    files: {
      "docs/platform/architecture.mdx":
        "---\ntitle: Architecture overview\nsidebarTitle: Architecture\n---\n",
      "specification/architecture/index.mdx": "---\ntitle: Architecture\n---\n",
    },
    page: "specification/index.mdx",
    links: [
      ["[Architecture](/docs/architecture)", "[Architecture](/docs/architecture)"],
      ["[x](/learn/architecture)", "[x](/learn/architecture)"],
    ],
  },
  {
    name: "not a page of that title in another part",
    files: {
      "v3/lamps/safety/rules.mdx": "---\ntitle: Rules of safety\n---\n",
      "v3/lamps/safety/glass.mdx": "---\ntitle: Glass\n---\n",
      "lamps/safety/glass.mdx": "---\ntitle: Glass\n---\n",
      "shop/rules.mdx": "---\ntitle: Rules of safety\n---\n",
      "v3/lamps/wicks.mdx": "---\ntitle: Wicks of lamps\n---\n",
      "v2/shop/wicks.mdx": "---\ntitle: Wicks of lamps\n---\n",
      "v2/lamps/oils.mdx": "---\ntitle: Oils\n---\n",
    },
    links: [
      ["[Rules](/lamps/safety/rules)", "[Rules](/lamps/safety/rules)"],
      ["[Wicks](/v2/lamps/wicks)", "[Wicks](/v2/lamps/wicks)"],
    ],
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
    name: "a parameter of the section's name is meant unless the section is elsewhere by now",
    files: {
      "lamps/fields.mdx":
        "<ParamField body='wicks'>w</ParamField><ParamField body='oil'>o</ParamField><ParamField body='size'>s</ParamField>\n",
      "lamps/care.mdx": "## Wicks\n\n## Size\n",
      "lamps/boxes.mdx": "## Size\n",
    },
    links: [
      ["[x](/lamps/fields#wicks)", "[x](/lamps/fields#wicks)"],
      ["[x](/lamps/fields#oil)", "[x](/lamps/fields#param-oil)"],
      // A section that is on many pages did not move to one of them.
      ["[x](/lamps/fields#size)", "[x](/lamps/fields#param-size)"],
    ],
    told: ["perhaps `/lamps/care#wicks`"],
  },
  {
    name: "of the ids that a heading answers to, the one that the link is but for case and signs",
    files: {
      "lamps.mdx":
        '<div id="burn-lowtxt">\n\n## Burn-low.txt\n\n</div>\n\n## Oil and care.txt files\n',
    },
    links: [
      ["[x](/lamps#oil_and_caretxt_files)", "[x](/lamps#oil-and-caretxt-files)"],
      ["[x](/lamps#Burn-Low-Txt)", "[x](/lamps#burn-low-txt)"],
      ["[x](/lamps#Oil-And-Care-Txt-Files)", "[x](/lamps#oil-and-care-txt-files)"],
    ],
  },
  {
    name: "not on a page that a link without a slash led to by now, where its own language has that page",
    files: {
      "lamps.mdx": "## About wicks\n",
      "es/lights/lamps.mdx": '<div id="wicks">\n## Mechas\n</div>\n',
    },
    page: "es/index.mdx",
    links: [["[x](lamps#wicks)", "[x](lamps#wicks)"]],
  },
  {
    name: "not where the same address in another language has the place that a moved page may have led to",
    files: {
      "lamps.mdx": "## About wicks\n",
      "fr/lamps.mdx": '<div id="wicks">\n## Mèches\n</div>\n',
    },
    page: "core/news.mdx",
    links: [
      ["[x](lamps#wicks)", "[x](lamps#wicks)"],
      ["[x](/lamps#wicks)", "[x](/lamps#about-wicks)"],
    ],
  },
  {
    name: "not a page of the folder that has a word more in its name, where another folder has one of just that name",
    files: {
      "lamps/oil-burner.mdx": "---\ntitle: Burner\n---\n",
      "stoves/burner.mdx": "---\ntitle: Burner of stoves\n---\n",
      "lamps/oil-cap.mdx": "---\ntitle: Cap\n---\n",
    },
    links: [
      ["[Burner](/lamps/burner)", "[Burner](/lamps/burner)"],
      ["[Cap](/lamps/cap)", "[Cap](/lamps/oil-cap)"],
    ],
  },
  {
    name: "not for the headings that pages of a folder have in common",
    files: {
      "lamps/wicks.mdx": "---\ntitle: Wicks\n---\n\n## Error handling\n\n## Safety rules\n",
      "lamps/caps.mdx": "---\ntitle: Caps\n---\n\n## Error handling\n",
    },
    links: [
      ["[Oils](/lamps/oils)", "[Oils](/lamps/oils)"],
      ["[oils](/lamps/oils#error-handling)", "[oils](/lamps/oils#error-handling)"],
      ["[oils](/lamps/oils#safety-rules)", "[oils](/lamps/oils#safety-rules)"],
    ],
  },
  {
    name: "what the link's text names, unless another place is a letter off",
    files: { "lamps.mdx": '## Oil level\n\n## Wick size\n\n<div id="the-cap">Cap</div>\n' },
    links: [
      ["[Oil level](/lamps#fill-mark)", "[Oil level](/lamps#oil-level)"],
      ["[Wick size](/lamps#the-cup)", "[Wick size](/lamps#the-cup)"],
    ],
    told: ["ambiguous"],
  },
  {
    name: "the link's own version has the heading, unless the page has one like it",
    page: "v2/index.mdx",
    files: {
      "lamps.mdx": "## Wicks\n\n## Overview of oils\n",
      "v2/lamps.mdx": "## Oils\n\n## Night rates\n",
    },
    links: [
      ["[x](/lamps#night-rates)", "[x](/v2/lamps#night-rates)"],
      ["[oils](/lamps#oils)", "[oils](/lamps#oils)"],
    ],
    told: ["perhaps `/v2/lamps#oils` or `/lamps#overview-of-oils`"],
  },
  {
    name: "not a heading of nearly that spelling, where the link's own version has just that",
    page: "v2/index.mdx",
    files: { "lamps.mdx": "## Night rates\n", "v2/lamps.mdx": "## Night rate\n" },
    links: [["[x](/lamps#night-rate)", "[x](/lamps#night-rate)"]],
    told: ["perhaps `/v2/lamps#night-rate` or `/lamps#night-rates`"],
  },
  {
    name: "not the own version's heading, where another stands in its place",
    page: "v2/index.mdx",
    files: {
      "lamps.mdx": "## Wicks\n\n## In short\n\n## Oils\n",
      "v2/lamps.mdx": "## Wicks\n\n## Night rates\n\n## Oils\n",
    },
    links: [["[x](/lamps#night-rates)", "[x](/lamps#night-rates)"]],
    told: ["perhaps `/v2/lamps#night-rates` or `/lamps#in-short`"],
  },
  {
    name: "not the own version's heading, where another stands before the same one",
    page: "v2/index.mdx",
    files: {
      "lamps.mdx": "## Wicks\n\n## Caps\n\n## In short\n\n## Oils\n",
      "v2/lamps.mdx": "## Wicks\n\n## Glass\n\n## Night rates\n\n## Oils\n",
    },
    links: [["[x](/lamps#night-rates)", "[x](/lamps#night-rates)"]],
    told: ["perhaps `/v2/lamps#night-rates` or `/lamps#in-short`"],
  },
  {
    name: "a page was cut up, unless it has a heading that is like it",
    files: {
      "lamps/index.mdx": "## Oil levels\n",
      "lamps/care.mdx": "## Clean the wick\n\n## Oil level lamps\n",
    },
    links: [
      ["[x](/lamps#clean-the-wick)", "[x](/lamps/care#clean-the-wick)"],
      ["[x](/lamps#oil-level-lamps)", "[x](/lamps#oil-level-lamps)"],
    ],
  },
  {
    name: "not the part that had such a heading all along, as another version shows",
    files: {
      "lamps/index.mdx": "## What to know\n\n## Wicks\n",
      "lamps/care.mdx": "## Clean the wick\n",
      "v2/lamps/index.mdx": "## Clean the wick\n\n## Wicks\n",
      "v2/lamps/care.mdx": "## Clean the wick\n",
    },
    links: [["[x](/lamps#clean-the-wick)", "[x](/lamps#clean-the-wick)"]],
  },
  {
    name: "a translation has the section between the same two headings",
    files: {
      "lamps.mdx":
        "## Wicks\n\n## Behind the scenes\n\n## Oils\n\n## Delete a\n\n## Delete the lamp\n",
      "es/lamps.mdx":
        '<div id="wicks">\n  ## Mechas\n</div>\n\n<div id="night-rates">\n  ## Tarifas\n</div>\n\n<div id="oils">\n  ## Aceites\n</div>\n\n<div id="delete-a-lamp">\n  ## Una\n</div>\n\n<div id="delete-the-lamp">\n  ## La\n</div>\n',
    },
    links: [
      ["[x](/lamps#night-rates)", "[x](/lamps#behind-the-scenes)"],
      ["[x](/lamps#delete-a-lamp)", "[x](/lamps#delete-a)"],
    ],
    told: ["another language has the section in that position"],
  },
  {
    name: "not the only other page with a section that a translation has where the link says",
    files: {
      "lamps.mdx": "## Wicks\n\n## In short\n\n## Behind the scenes\n\n## Oils\n",
      "care.mdx": "## Night rates\n",
      "es/lamps.mdx": '## Wicks\n\n<div id="night-rates">\n  ## Tarifas\n</div>\n\n## Oils\n',
      "es/care.mdx": '<div id="night-rates">\n  ## Tarifas\n</div>\n',
    },
    links: [["[Night rates](/lamps#night-rates)", "[Night rates](/lamps#night-rates)"]],
  },
  {
    name: "not where two headings stand there, or none",
    files: {
      "lamps.mdx": "## Wicks\n\n## Behind the scenes\n\n## In short\n\n## Oils\n\n## Glass\n",
      "es/lamps.mdx":
        '<div id="wicks">\n  ## Mechas\n</div>\n\n<div id="night-rates">\n  ## Tarifas\n</div>\n\n<div id="oils">\n  ## Aceites\n</div>\n\n<div id="caps">\n  ## Tapas\n</div>\n\n<div id="glass">\n  ## Vidrio\n</div>\n',
    },
    links: [
      ["[x](/lamps#night-rates)", "[x](/lamps#night-rates)"],
      ["[x](/lamps#caps)", "[x](/lamps#caps)"],
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
    name: "a page became a section, whose places have their ids from elements",
    files: {
      "servers/tools.mdx": '## Sampling\n\n<div id="rate-limits">\n\n### Limites\n\n</div>\n',
    },
    links: [["[x](/servers/sampling#rate-limits)", "[x](/servers/tools#rate-limits)"]],
  },
  {
    name: "not where the element is around a section beside that of its name",
    files: {
      "servers/tools.mdx":
        '## Sampling\n\nShort.\n\n<div id="rate-limits">\n\n## Limites\n\n</div>\n',
    },
    links: [["[x](/servers/sampling#rate-limits)", "[x](/servers/sampling#rate-limits)"]],
  },
  {
    name: "not where the places stand below another section than that of its name",
    files: {
      "servers/tools.mdx":
        "---\ntitle: Tools\n---\n\n## Sampling\n\nShort.\n\n## Errors\n\n### Rate limits\n",
      "servers/other.mdx": "## Rate limits\n",
    },
    links: [
      ["[x](/servers/sampling#rate-limits)", "[x](/servers/sampling#rate-limits)"],
      ["[x](/servers/sampling)", "[x](/servers/sampling)"],
    ],
  },
  {
    name: "a page that is gone is no slip of the hand, which makes a word that the text has not, and makes it once",
    files: {
      "lamps/glass.mdx": "---\ntitle: Glass\n---\n",
      "lamps/candle.mdx": "text\n",
      "lamps/wicks.mdx": "text\n",
    },
    links: [
      ["[Grass](/lamps/grass)", "[Grass](/lamps/grass)"],
      ["[x](/lamps/candel)", "[x](/lamps/candle)"],
      ["[x](/lamps/wics)", "[x](/lamps/wics)"],
      ["[y](/lamps/wics)", "[y](/lamps/wics)"],
    ],
  },
  {
    name: "not the first page of a folder to which other links lead: it was there all along",
    files: {
      "lamps/overview.mdx": "---\ntitle: Lamps overview\n---\n",
      "a.mdx": "[x](/lamps/overview)\n",
    },
    links: [["[Lamps](/lamps)", "[Lamps](/lamps)"]],
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
    told: ["ambiguous: perhaps `/v2/safety-rules` (nearly the same path"],
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
  {
    name: "an anchor has all words of one heading in a row",
    files: {
      "a.mdx":
        "## Response types\n\n## Client field access\n\n## Data layer\n\n## Disk cache\n\n## Log levels\n",
    },
    links: [
      ["[x](/a#supported-response-type)", "[x](/a#response-types)"],
      ["[x](/a#old-client-field-access-works)", "[x](/a#client-field-access)"],
      // The last words indicate the subject of a heading, and these words change it.
      ["[x](/a#data-layer-protocol)", "[x](/a#data-layer-protocol)"],
      ["[x](/a#without-disk-cache)", "[x](/a#without-disk-cache)"],
      ["[x](/a#log)", "[x](/a#log)"],
    ],
    told: ["`/a#data-layer-protocol`: not sure enough: perhaps `#data-layer`, in"],
  },
  {
    name: "an anchor names the page, too",
    files: { "guides/lamps.mdx": "## Wicks\n\n## Burning\n\n## Clean the wick\n" },
    links: [["[x](/guides/lamps#burning-lamps)", "[x](/guides/lamps#burning)"]],
  },
  {
    name: "not where another version has both headings",
    files: {
      "a.mdx": "## Response types\n",
      "v2/a.mdx": "## Response types\n\n## Supported response types\n",
    },
    links: [["[x](/a#supported-response-types)", "[x](/a#supported-response-types)"]],
    told: ["not sure enough: perhaps `#response-types`"],
  },
  {
    name: "another version has the text below its heading",
    files: {
      "a.mdx": `## Behind the scenes\n\n${text}\n\n## Wicks\n`,
      "v2/a.mdx": `## Night rates\n\n${text}\n\n## Wicks\n\n## Oil\n\n${text}\n`,
    },
    links: [["[x](/a#night-rates)", "[x](/a#behind-the-scenes)"]],
    told: ["(another version has the section's text below that heading)"],
  },
  {
    name: "a section has the text that it has elsewhere in another version",
    files: {
      "a.mdx": "## Wicks\n",
      "b.mdx": `## Oil\n\n${text}\n`,
      "c.mdx": "## Oil\n\nAnother text.\n",
      "v2/a.mdx": `## Oil\n\n${text}\n`,
    },
    links: [["[x](/a#oil)", "[x](/b#oil)"]],
  },
  {
    name: "only one page of the link's own version has a section that the other version has there",
    page: "v2/index.mdx",
    files: {
      "servers/tools.mdx": "text\n",
      "v2/servers/tools.mdx": "text\n",
      "v2/servers/injection.mdx": "## HTTP request\n\n## Night rates\n",
      "v1/servers/tools.mdx": "## HTTP requests\n\n## Night rates\n",
      "v1/servers/injection.mdx": "## Night rates\n",
    },
    links: [
      ["[HTTP requests](/servers/tools#http-requests)", "[HTTP requests](/v2/servers/injection#http-request)"], // prettier-ignore
      // The other version has the section on both pages.
      ["[Night rates](/servers/tools#night-rates)", "[Night rates](/servers/tools#night-rates)"],
    ],
  },
  {
    name: "not the only page with the section, where its own page has a heading that the other version has not",
    files: {
      "releases.mdx": "## Night rates in short\n",
      "install.mdx": "## Night rates\n",
      "v2/releases.mdx": "## Night rates\n",
    },
    links: [["[Night rates](/releases#night-rates)", "[Night rates](/releases#night-rates)"]],
    told: ["perhaps `/install#night-rates`, the only page with it"],
  },
  {
    name: "a redirect leads from the page that has the section to the one that the link names",
    page: "v2/index.mdx",
    files: {
      "docs.json": JSON.stringify({
        name: "Lamps",
        navigation: { pages: ["index", "cli/overview"] },
        redirects: [{ source: "/cli", destination: "/cli/overview" }],
      }),
      "cli/overview.mdx": "text\n",
      "v2/cli/overview.mdx": "text\n",
      "v2/cli.mdx": "## Lamp factory\n",
    },
    links: [
      ["[lamp factories](/cli/overview#lamp-factories)", "[lamp factories](/v2/cli#lamp-factory)"],
    ],
  },
  {
    name: "not the page itself, which the reason names",
    page: "quickstart.mdx",
    files: { "guides/wicks.mdx": "text\n" },
    links: [
      ["[the first steps](/quickstrat)", "[the first steps](/quickstrat)"],
      ["[oil](/oil)", "[oil](/oil)"],
    ],
    told: [
      "`/quickstrat`: only `/quickstart` is similar, and that page contains the link itself, in",
      "`/oil`: no similar page was found, in",
    ],
  },
];

function linesOf(links: Story["links"], at: 0 | 1): string {
  return links.map((link) => `${link[at]}\n`).join("\n");
}

describe("a broken link in a site without history", () => {
  for (const { name, files, page = "index.mdx", links, told = [] } of stories) {
    it(name, async () => {
      const site = openTestSite({ ...files, [page]: linesOf(links, 0) });
      const { summary } = await work(site, "Fix the broken links");
      assert.equal(site.files.get(page), linesOf(links, 1), summary);
      for (const part of told) assert.ok(summary.includes(part), `${part}\nis not in\n${summary}`);
    });
  }
});
