import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { setUp } from "../cli.test-support.ts";

/**
 * Output of `octavo check` for sites with the mistakes of a beginner, a file each. `OCTAVO_TEST_UPDATE=1` writes these
 * files anew; read them as someone who has to correct the site.
 */
const expected = join(import.meta.dirname, "../../../../../test/broken-sites");
const isUpdate = process.env["OCTAVO_TEST_UPDATE"] === "1";

type Files = Readonly<Record<string, string>>;

function configuration(more: object = {}): string {
  const groups = [{ group: "Guides", pages: ["index", "guides/install", "guides/deploy"] }];
  const colors = { primary: "#0f766e" };
  const whole = { name: "Harbor", theme: "mint", colors, navigation: { groups }, ...more };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

function page(title: string, text: string): string {
  return `---\ntitle: ${title}\n---\n\n${text}\n`;
}

const sound: Files = {
  "docs.json": configuration(),
  "index.mdx": page("Home", "Welcome."),
  "guides/install.mdx": page("Install", "## First step\n\nRun it."),
  "guides/deploy.mdx": page("Deploy", "Push it."),
};

const orders = { get: { summary: "List orders", responses: { 200: { description: "OK" } } } };
const description = {
  openapi: "3.1.0",
  info: { title: "Harbor", version: "1" },
  paths: { "/orders": orders, "/orders/{id}": orders },
};

/** The files of each site that differ from the sound one. */
const sites: Readonly<Record<string, Files>> = {
  links: {
    "index.mdx": page(
      "Home",
      "Start with [the installation](/guides/instal), then\n[deploy](/guide/deploy#rollback).\n\nThe [first step](/guides/install#frist-step) takes a minute; see [the team](/team).",
    ),
    "guides/deploy.mdx": page(
      "Deploy",
      "Back to [the start](../index.md) or [the old page](./legacy.mdx).",
    ),
  },
  "configuration-not-json": {
    "docs.json": '{\n  "name": "Harbor",\n  "navigation": {\n    "pages": ["index",]\n  }\n}\n',
  },
  settings: {
    "docs.json": configuration({
      theme: "mintt",
      colrs: { primary: "#0f766e" },
      colors: { primary: "teal" },
      favicon: 3,
      logo: "/logo.svg",
      navbar: { links: [{ label: "Install", href: "/guides/instal" }] },
    }),
  },
  navigation: {
    "docs.json": configuration({
      navigation: {
        groups: [
          { group: "Guides", pages: ["index", "guides/instal", "guides/deploy", "guides/deploy"] },
          { group: "Empty", pages: [] },
          { pages: ["guides/nowhere"] },
        ],
      },
    }),
  },
  frontmatter: {
    "index.mdx": "---\ntitle: Harbor: the guide\ndescripton: A short text\n---\n\nWelcome.\n",
    "guides/install.mdx": '---\ntitle: "Install\n---\n\nText.\n',
    "guides/deploy.mdx":
      '---\ntitle: Deploy\ndescription: "See [the steps](/guides/instal)."\n---\n\nText.\n',
  },
  components: {
    "index.mdx": page(
      "Home",
      '<Crad title="Install">\n  Read on.\n</Crad>\n\n<Steps>\n  <Step title="One">\n    Do it.\n</Steps>',
    ),
    "guides/install.mdx": page("Install", '<Tabs>\n  <Tab title="npm">\n  Run it.\n  </Tab>\n'),
    "guides/deploy.mdx": page(
      "Deploy",
      '<Card title="Docs" icon="hous" href="/guides/instal">\n  All of it.\n</Card>\n\n<Spaceship />',
    ),
  },
  syntax: {
    "index.mdx": page("Home", "The limit is {count per minute.\n\nMore text."),
    "guides/install.mdx": page(
      "Install",
      "Versions <5 are not supported.\n\n<!-- a comment --> stays.",
    ),
  },
  files: {
    "images/Map.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
    "index.mdx": page(
      "Home",
      '![The harbor](/images/map.svg)\n\n![A chart](./chart.png)\n\n<img src="/images/ship.png" />',
    ),
    "guides/install.mdx": page(
      "Install",
      'import Hint from "/snippets/hint.mdx";\n\n# Install\n\n<Hint />',
    ),
  },
  "api-description": {
    "docs.json": configuration({ api: { openapi: "openapi.json" } }),
    "openapi.json": JSON.stringify(description, null, 2),
    "index.mdx": "---\ntitle: Order\nopenapi: GET /order/{number}\n---\n",
    "guides/install.mdx": "---\ntitle: Orders\nopenapi: GET /ordrs\n---\n",
    "guides/deploy.mdx": "---\ntitle: Ships\nopenapi: ships.json GET /ships\n---\n",
  },
  redirects: {
    "docs.json": configuration({
      redirects: [
        { source: "/start", destination: "/guides/instal" },
        { source: "/a", destination: "/b" },
        { source: "/b", destination: "/a" },
        { source: "/guides/deploy", destination: "/" },
        { source: "/old/:page*", destination: "/guide/:page*" },
      ],
    }),
  },
};

suite("the check of a broken site", { concurrency: 2 }, () => {
  for (const [name, files] of Object.entries(sites)) {
    test(name, async (t) => {
      const { octavo } = await setUp(t, { ...sound, ...files });
      const { code, stdout, stderr } = await octavo("check", "docs", "--no-cache");
      const lines = `${stdout}${stderr}`.split("\n");
      // The progress depends on the machine.
      const printed = lines.filter((line) => !line.startsWith("Rendering: ")).join("\n");
      const file = join(expected, `${name}.txt`);
      if (isUpdate) await writeFile(file, printed);
      assert.equal(printed, await readFile(file, "utf8"));
      assert.equal(code, 1);
    });
  }
});
