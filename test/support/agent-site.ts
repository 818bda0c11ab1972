import { join } from "node:path";
import type { TestContext } from "node:test";
import { folderFor, openAuthor } from "./git-fixture.ts";
import type { Author, FixtureChange } from "./git-fixture.ts";
import { findGuides } from "../../packages/octavo/src/agent/testing.ts";
import {
  createFolderReader,
  createSiteView,
  createTools,
  openWorkspace,
} from "../../packages/octavo/src/agent/index.ts";
import { createFolderHistory } from "../../packages/octavo/src/git/index.ts";
import type { ToolOutput } from "../../packages/octavo/src/agent/index.ts";
import { sharedChildren } from "./shared-children.ts";

const children = sharedChildren();

export type SiteFileTexts = Readonly<Record<string, FixtureChange>>;

/** The configuration of `smallSite`. */
export const smallConfiguration = `{
  "name": "Lantern",
  "navigation": {
    "tabs": [
      {
        "tab": "Docs",
        "groups": [
          { "group": "Start", "pages": ["index", "guides/start"] },
          {
            "group": "More",
            "pages": [
              "guides/more",
              { "group": "Deep", "pages": ["guides/deep/one"] }
            ]
          }
        ]
      },
      { "$ref": "./config/reference.json" }
    ]
  },
  "navbar": { "links": [{ "label": "Start here", "href": "/guides/start" }] },
  "redirects": [
    { "source": "/begin", "destination": "/guides/start" }
  ]
}
`;

/** A small site with what upkeep has to follow: nested navigation, `$ref`, snippets, links of every form. */
export const smallSite: SiteFileTexts = {
  "docs.json": smallConfiguration,
  "config/reference.json": `{
\t"tab": "Reference",
\t"pages": [
\t\t"reference/api"
\t]
}
`,
  "index.mdx": `---
title: Lantern
description: See /guides/start in frontmatter
---

import Hint from "/snippets/hint.mdx";

Begin with [the start](/guides/start), [its end](/guides/start#end) or [more](./guides/more.mdx?x=1).

<Card title="Start" href="/guides/start">See [it](guides/start) there.</Card>

\`\`\`md
[not a link](/guides/start)
\`\`\`

Inline \`[code](/guides/start)\` and [by name][s]. <Hint />

[s]: /guides/start "Start"
`,
  "guides/start.mdx": `---
title: Start
---

import Hint from "../snippets/hint.mdx";

## End

[More](more), [deep](./deep/one#top-part), [home](/) and [self](#end).

![Lamp](../images/lamp.png)

Fill the lamp before dusk, trim its wick, and light it with a long match.
Keep it away from curtains, and never leave it alone while it burns.

<Hint />
`,
  "guides/more.mdx": `---\ntitle: More\n---\n\n[Back](start) to <a href="../guides/start.mdx">start</a>.\n`,
  "guides/deep/one.mdx": `---\ntitle: One\n---\n\n## Top part\n\n[Up](../start).\n`,
  "reference/api.mdx": `---\ntitle: API\n---\n\nText.\n`,
  "snippets/hint.mdx": "A hint: [start](/guides/start) and [more](/guides/more).\n",
  "snippets/unused.mdx": "Nobody shows [this](/guides/start).\n\n```\n[nor](/guides/start)\n```\n",
  "images/lamp.png": new Uint8Array([0x89, 0x50, 0x4e, 0x47]),
};

export interface AgentSiteOptions {
  readonly siteDir?: string;
  readonly changedFiles?: number;
  /** Commits further changes after the files and before the work begins. */
  readonly evolve?: (author: Author) => Promise<unknown>;
}

/** A repository with the site, and the tools bound to it. */
export async function openAgentSite(
  t: TestContext,
  files: SiteFileTexts = smallSite,
  { siteDir = ".", changedFiles = 100, evolve }: AgentSiteOptions = {},
) {
  const folder = await folderFor(t);
  const author = await openAuthor(join(folder, "checkout"));
  await author.commit(files);
  await evolve?.(author);
  const checkout = author.folder;
  const workspace = await openWorkspace({ checkout, siteDir, changedFiles });
  const cacheDir = join(folder, "cache");
  const view = createSiteView(workspace, { cacheDir, workers: 1, children });
  const guides = await findGuides({
    reader: createFolderReader(checkout),
    siteFolder: siteDir === "." ? "" : siteDir,
    files: await workspace.listFiles(),
    pages: new Set(),
  });
  const history = await createFolderHistory({ folder: workspace.root }).readContentHistory();
  const tools = createTools(workspace, view, { guides, history });
  const { signal } = new AbortController();
  return {
    folder,
    checkout,
    workspace,
    view,
    tools,
    async call(name: string, input: unknown): Promise<ToolOutput> {
      const tool = tools.find((candidate) => candidate.name === name);
      if (!tool) throw new Error(`no tool ${name}`);
      return (await tool.call(input, signal)).output;
    },
    /** Returns the changes with renames and each removed or added line, without context and positions. */
    async diff(): Promise<string> {
      await author.git("add", "--all");
      const text = await author.git("diff", "--cached", "--unified=0", "--find-renames=30%");
      const noise = /^(?:diff|index|---|@@|similarity|new file|deleted file|\+\+\+ \/dev)/;
      return text
        .split("\n")
        .filter((line) => !noise.test(line))
        .join("\n");
    },
  };
}
