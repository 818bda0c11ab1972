import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { openTestSite, work } from "./site.test-support.ts";
import type { Files } from "./site.test-support.ts";

/** Edits that pass every check and are still wrong, by kind, with the expected result of each prompt. */
interface Trap {
  readonly kind: string;
  readonly prompt: string;
  readonly files?: Files;
  /** The complete content of the files that differ afterwards; null for a deleted file. Omitted if no file differs. */
  readonly after?: Readonly<Record<string, string | null>>;
  /** The forms that the refusal shows. */
  readonly shown?: readonly string[];
}

const docs = `{
  "name": "Kiln",
  "navigation": {
    "groups": [
      { "group": "Guides", "pages": ["guides/start", { "group": "Advanced", "pages": ["guides/advanced/tuning"] }] },
      { "group": "Images", "pages": ["images"] }
    ]
  }
}
`;
const start = "---\ntitle: Introduction\n---\n\nText.\n";
const site: Files = {
  "docs.json": docs,
  "guides/start.mdx": start,
  "guides/advanced/tuning.mdx": "---\ntitle: Introduction\n---\n\nText.\n",
  "images.mdx": "---\ntitle: Images\n---\n\nText.\n",
};

const traps: readonly Trap[] = [
  ...[
    "Update the description of guides/start to be more descriptive",
    "Change the description of guides/start to something shorter",
    "Set the description of guides/start to mention templates",
  ].map((prompt) => ({
    kind: "an instruction taken for the value",
    prompt,
    shown: [],
  })),
  {
    kind: "an instruction taken for the value",
    prompt: "Update the title of guides/start to title case",
    shown: [],
  },
  {
    kind: "a place in the navigation taken for a path",
    prompt: "Move guides/start to top",
    shown: [],
  },
  {
    kind: "a form put together from words that have no place in it",
    prompt: 'Set the description of the Introduction page to "How to begin."',
    shown: [
      'Set the description of the guides/advanced/tuning page to "How to begin."',
      'Set the description of the guides/start page to "How to begin."',
    ],
  },
  {
    kind: "a path taken for a title",
    prompt: 'Add a page "guides/stop" to the group Guides',
    shown: ['Add a page "Stop" to the group "Guides" at guides/stop'],
  },
  {
    kind: "a word taken for a field",
    prompt: 'Set the heading of images to "Pictures"',
    shown: [],
  },
  {
    kind: "a placeholder in the output",
    prompt: 'Set the title of guides/start to "Say \\"hi\\" to \'it\'"',
    after: { "guides/start.mdx": start.replace("Introduction", '"Say \\"hi\\" to \'it\'"') },
  },
  {
    kind: "a placeholder in the output",
    prompt: 'Set the title of guides/start to "Say "hi" now"',
    after: { "guides/start.mdx": start.replace("Introduction", '"Say \\"hi\\" now"') },
  },
  {
    kind: "a doubled term",
    prompt: 'Rename the term "Inspector" to "MCP Inspector"',
    files: { "a.mdx": "---\ntitle: MCP Inspector\n---\n\n## MCP Inspector\n\nThe Inspector.\n" },
    after: {
      "a.mdx": "---\ntitle: MCP Inspector\n---\n\n## MCP Inspector\n\nThe MCP Inspector.\n",
    },
  },
  {
    kind: "a doubled term",
    prompt: 'Rename the term "navigation" to "menu"',
    files: { "a.mdx": "The navigation, not navigation menus.\n" },
    after: { "a.mdx": "The menu, not navigation menus.\n" },
  },
  {
    kind: "a doubled term",
    prompt: 'Rename the term "OAuth" to "OAuth 2.1"',
    files: { "a.mdx": "With OAuth, OAuth 2.0 and OAuth 2.1.\n" },
    after: { "a.mdx": "With OAuth 2.1, OAuth 2.0 and OAuth 2.1.\n" },
  },
  {
    kind: "a verb or another word renamed",
    prompt: 'Rename the term "host" to "client application"',
    files: {
      "a.mdx":
        "Servers MUST host their metadata. Each host starts on a host machine, where you host it.\n",
      "changelog.mdx": "The host was new.\n",
      "blog/2025-01-01-host.mdx": "The host is here.\n",
    },
    after: {
      "a.mdx":
        "Servers MUST host their metadata. Each client application starts on a host machine, where you host it.\n",
    },
  },
  {
    kind: "a verb or another word renamed",
    prompt: 'Rename the term "preview" to "draft"',
    files: {
      "a.mdx": "## Preview your changes\n\nShare a preview.\n",
      "b.mdx": "It is previewed.\n",
    },
    after: { "a.mdx": "## Preview your changes\n\nShare a draft.\n" },
  },
  {
    kind: "a verb or another word renamed",
    prompt: 'Rename the term "developer" to "engineer"',
    files: { "a.mdx": "The developer opens developer tools.\n" },
    after: {
      "a.mdx": "The developer opens developer tools.\n".replace("The developer", "The engineer"),
    },
  },
  {
    kind: "a verb or another word renamed",
    prompt: 'Rename the term "Markdown" to "MDX"',
    files: { "a.mdx": "You write Markdown as in [Markdown syntax](https://markdown.example/).\n" },
    after: { "a.mdx": "You write MDX as in [Markdown syntax](https://markdown.example/).\n" },
  },
  {
    kind: "a verb or another word renamed",
    prompt: 'Rename "Guides" to "Tutorials"',
    shown: ['Rename the term "Guides" to "Tutorials"', 'Rename the group "Guides" to "Tutorials"'],
  },
  {
    kind: "a second title",
    prompt: 'Set the title of a to "Begin"',
    files: { "a.md": "# Start\n\nText.\n" },
    after: { "a.md": "# Begin\n\nText.\n" },
  },
  ...['Replace "--" with "—"', 'Replace "1" with "2"', 'Replace "Text" with "A | B"'].map(
    (prompt) => ({
      kind: "a sign taken for a term",
      prompt,
      shown: [],
    }),
  ),
  {
    kind: "the version of another product",
    prompt: 'Replace the version "1.2.3" with "1.2.4"',
    files: { "docs.json": docs, "a.mdx": "```bash\nnpm i kiln@1.2.3 oven@1.2.3\n```\n" },
    shown: [
      'Replace the version "1.2.3" with "1.2.4" for kiln',
      'Replace the version "1.2.3" with "1.2.4" for oven',
    ],
  },
  {
    kind: "the version of another product",
    prompt: 'Replace the version "1.2.3" with "1.2.4" for kiln',
    files: {
      "docs.json": docs,
      "a.mdx": "## v1.2.3\n\n```bash\nnpm i kiln@1.2.3 oven@1.2.3\n```\n",
    },
    after: { "a.mdx": "## v1.2.3\n\n```bash\nnpm i kiln@1.2.4 oven@1.2.3\n```\n" },
  },
  {
    kind: "a version with a sign that patterns escape otherwise",
    prompt: 'Replace the version "1.2.3-rc.1" with "1.2.3"',
    files: { "docs.json": docs, "a.mdx": "Install 1.2.3-rc.1, not 1.2.3-rc.10.\n" },
    after: { "a.mdx": "Install 1.2.3, not 1.2.3-rc.10.\n" },
  },
  {
    kind: "a new page of a nested group at the site's root",
    prompt: 'Add a page "Safety" to the group Advanced',
    after: {
      "docs.json": docs.replace('tuning"]', 'tuning", "guides/advanced/safety"]'),
      "guides/advanced/safety.mdx": '---\ntitle: "Safety"\n---\n',
    },
  },
  {
    kind: "a page whose title others bear",
    prompt: 'Delete the page "Introduction"',
    shown: ["Delete the page guides/advanced/tuning", "Delete the page guides/start"],
  },
  {
    kind: "a page whose title others bear",
    prompt: "Delete the Introduction page",
    shown: [],
  },
  {
    kind: "a page moved onto another",
    prompt: 'Move the page "Introduction" to guides/start',
    shown: ["Move the page guides/start to guides/start"],
  },
  ...(
    [
      [
        "host",
        "MCP host",
        "A host runs a host, an API and this host.",
        "An MCP host runs an MCP host, an API and this MCP host.",
      ],
      ["application", "host", "An application.", "A host."],
      ["account", "user", "An account.", "A user."],
      ["address", "URL", "An address.", "A URL."],
      ["app", "npm package", "An app.", "An npm package."],
      ["SEP", "MCP proposal", "A SEP.", "An MCP proposal."],
      ["SDK", "toolkit", "An SDK.", "A toolkit."],
    ] as const
  ).map(([old, next, text, after]) => ({
    kind: "an article that does not fit",
    prompt: `Rename the term "${old}" to "${next}"`,
    files: { "a.mdx": `${text}\n` },
    after: { "a.mdx": `${after}\n` },
  })),
  {
    kind: "a sentence that begins with a small letter",
    prompt: 'Rename the term "API key" to "access token" including plurals',
    files: { "a.mdx": "# API keys\n\nAPI keys expire. Get an API key.\n" },
    after: { "a.mdx": "# Access tokens\n\nAccess tokens expire. Get an access token.\n" },
  },
  {
    kind: "a sentence that begins with a small letter",
    prompt: 'Rename the term "AI agent" to "agent"',
    files: { "a.mdx": "AI agent pages. The Agent, an AI agent.\n" },
    after: { "a.mdx": "Agent pages. The Agent, an agent.\n" },
  },
  {
    kind: "a sentence that begins with a small letter",
    prompt: 'Rename the term "Yarn" to "npm"',
    files: { "a.mdx": "Yarn installs it. With Yarn it is quick.\n" },
    after: { "a.mdx": "Yarn installs it. With npm it is quick.\n" },
  },
  {
    kind: "two things with one name",
    prompt: 'Rename the term "Kiln Desktop" to "Kiln"',
    files: {
      "a.mdx":
        "Open Kiln Desktop or Kiln in a browser. Kiln Desktop and **Kiln**, not Kiln Desktop.\n",
    },
    after: {
      "a.mdx": "Open Kiln Desktop or Kiln in a browser. Kiln Desktop and **Kiln**, not Kiln.\n",
    },
  },
  {
    kind: "a name taken for a word because addresses write it small",
    prompt: 'Rename the term "Kiln" to "Forge"',
    files: {
      "a.mdx": "Kiln fires. Ask help@kiln.example, see kiln.example/start or get.kiln.example.\n",
      "es/a.mdx": "Kiln cuece.\n",
    },
    after: {
      "a.mdx": "Forge fires. Ask help@kiln.example, see kiln.example/start or get.kiln.example.\n",
      "es/a.mdx": "Forge cuece.\n",
    },
  },
  {
    kind: "a name taken for a word because it is written small once",
    prompt: 'Rename the term "Kiln" to "Forge"',
    files: {
      "a.mdx": `${"Use Kiln. ".repeat(30)}Kiln fires. Ask kiln.\n`,
      "es/a.mdx": "Kiln cuece.\n",
    },
    after: {
      "a.mdx": `${"Use Forge. ".repeat(30)}Forge fires. Ask kiln.\n`,
      "es/a.mdx": "Forge cuece.\n",
    },
  },
  {
    kind: "a name renamed in translations alone",
    prompt: 'Rename the term "Badge" to "Pill"',
    files: { "a.mdx": "## Badge\n\nA badge.\n", "es/a.mdx": "Atributos de Badge.\n" },
  },
  {
    kind: "a title taken from what was to be renamed",
    prompt: "Update all references to `kiln run` to `kiln start`",
    files: { ...site, "kiln-start.mdx": "With `kiln run`.\n" },
    shown: [],
  },
  ...["Remove images", "Delete guides/", "Remove pages"].map((prompt) => ({
    kind: "a page that was not named",
    prompt,
    shown: [],
  })),
];

describe("no prompt is answered by a wrong edit", () => {
  for (const { kind, prompt, files = site, after = {}, shown } of traps) {
    it(`${kind}: ${prompt}`, async () => {
      const opened = openTestSite(files);
      assert.deepEqual(await formsShown(opened, prompt), shown);
      const expected = Object.entries({ ...files, ...after }).filter(([, text]) => text !== null);
      assert.deepEqual(Object.fromEntries(opened.files), Object.fromEntries(expected));
    });
  }
});

/** Returns the forms that a refusal shows; undefined if the prompt is carried out. */
async function formsShown(
  opened: ReturnType<typeof openTestSite>,
  prompt: string,
): Promise<unknown> {
  try {
    await work(opened, prompt);
    return undefined;
  } catch (error) {
    assert.ok(isOctavoError(error, "invalid_input"));
    return error.details.send;
  }
}
