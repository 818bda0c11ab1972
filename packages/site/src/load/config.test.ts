import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { goldenSite, writeSite } from "../../../../test/sites/temporary-site.ts";
import { limits } from "../core/index.ts";
import { loadSite } from "./load-site.ts";
import type { Site, SiteConfig } from "../site/index.ts";

async function configured(t: TestContext, settings: object, files = {}): Promise<Site> {
  const config = { name: "A", navigation: { pages: ["a"] }, ...settings };
  const text = JSON.stringify(config, undefined, 1);
  return loadSite(await writeSite(t, { "docs.json": text, "a.mdx": "", ...files }));
}

const wordings: readonly [setting: object, message: string][] = [
  [{ description: 5 }, 'The setting "description" is ignored: expected text in quotes.'],
  [{ navbar: { links: {} } }, 'The setting "navbar.links" is ignored: expected a list.'],
  [{ footer: [] }, 'The setting "footer" is ignored: expected an object in braces.'],
  [
    { banner: { content: "a", dismissible: "yes" } },
    'The setting "banner.dismissible" is ignored: expected true or false.',
  ],
  [
    { banner: { content: "a", type: "loud" } },
    'The setting "banner.type" is ignored: expected "info", "warning", "critical".',
  ],
];
for (const [setting, message] of wordings) {
  test(`the message about ${JSON.stringify(setting)} is plain`, async (t) => {
    const site = await configured(t, setting);
    assert.deepEqual(
      site.problems.map((problem) => problem.message),
      [message],
    );
  });
}

function problems(site: Site): string[] {
  return site.problems.map(({ code, line, message }) => `${code} ${line}: ${message}`);
}

describe("settings", () => {
  const rows: [name: string, settings: object, expected: Partial<SiteConfig>][] = [
    [
      "the defaults",
      {},
      {
        name: "A",
        theme: "mint",
        colors: { primary: "#2563EB", light: "#2563EB", dark: "#2563EB" },
        appearance: { default: "system", strict: false },
        iconLibrary: "fontawesome",
        background: {},
        eyebrows: "section",
        navbar: { links: [] },
        footer: { socials: {}, columns: [] },
        contextual: { options: [], display: "header" },
        seo: { indexing: "navigable", metatags: {} },
        notFound: { redirect: false },
        showTimestamps: false,
        feedback: { suggestEdit: false, raiseIssue: false },
        variables: {},
        extra: {},
      },
    ],
    [
      "one logo for both schemes",
      { logo: "/logo.svg" },
      { logo: { light: "/logo.svg", dark: "/logo.svg" } },
    ],
    [
      "a pair of logos with a link",
      { logo: { light: "l.svg", dark: "d.svg", href: "https://example.com" } },
      {
        logo: { light: "l.svg", dark: "d.svg", href: "https://example.com" },
      },
    ],
    [
      "colors without #",
      { colors: { primary: "ff713c", dark: "#000" } },
      {
        colors: { primary: "#ff713c", light: "#ff713c", dark: "#000" },
      },
    ],
    [
      "a font for all and one for headings",
      {
        fonts: {
          family: "Inter",
          source: "/inter.woff2",
          heading: { family: "Lora", weight: 600, source: "/lora.woff2" },
        },
      },
      {
        fonts: {
          heading: { family: "Lora", weight: 600, source: "/lora.woff2" },
          body: { family: "Inter", source: "/inter.woff2" },
        },
      },
    ],
    [
      "a theme for code",
      {
        styling: {
          codeblocks: { theme: { light: "github-light", dark: "nord" } },
          eyebrows: "breadcrumbs",
        },
      },
      {
        codeTheme: { light: "github-light", dark: "nord" },
        eyebrows: "breadcrumbs",
      },
    ],
    ["code as the system has it", { styling: { codeblocks: "system" } }, {}],
    [
      "a link of a network without label",
      {
        navbar: {
          links: [{ type: "github", href: "https://github.com/a" }],
          primary: { label: "Go", href: "/a" },
        },
      },
      {
        navbar: {
          links: [{ type: "github", label: "GitHub", href: "https://github.com/a" }],
          primary: { type: "button", label: "Go", href: "/a" },
        },
      },
    ],
    [
      "a banner of one color",
      { banner: { content: "Hi", color: "#123456", type: "warning" } },
      {
        banner: {
          content: "Hi",
          dismissible: false,
          type: "warning",
          color: { light: "#123456", dark: "#123456" },
        },
      },
    ],
    [
      "a 404 page",
      { errors: { "404": { redirect: false, title: "Gone" } } },
      { notFound: { redirect: false, title: "Gone" } },
    ],
    [
      "variables and texts that are numbers",
      { variables: { version: 2, "api-url": "https://x" }, seo: { metatags: { "og:x": 1 } } },
      {
        variables: { version: "2", "api-url": "https://x" },
        seo: { indexing: "navigable", metatags: { "og:x": "1" } },
      },
    ],
    [
      "menus, search and times",
      {
        contextual: {
          options: ["copy", { title: "Own", icon: "plus", href: "/own" }],
          display: "toc",
        },
        search: { prompt: "Find" },
        metadata: { timestamp: true },
        feedback: { suggestEdit: true },
        interaction: { drilldown: false },
      },
      {
        contextual: {
          options: ["copy", { title: "Own", icon: "plus", href: "/own", query: [] }],
          display: "toc",
        },
        searchPrompt: "Find",
        showTimestamps: true,
        feedback: { suggestEdit: true, raiseIssue: false },
        drilldown: false,
      },
    ],
    [
      "sections for later stages, as authored",
      { api: { url: "full" } },
      {
        extra: { api: { url: "full" } },
      },
    ],
  ];
  for (const [name, settings, expected] of rows) {
    test(name, async (t) => {
      const fonts = { "inter.woff2": "", "lora.woff2": "" };
      const { config, problems } = await configured(t, settings, fonts);
      assert.deepEqual({ ...config, ...expected }, config);
      if (!("codeTheme" in expected)) assert.equal(config.codeTheme, undefined);
      assert.deepEqual(problems, []);
    });
  }

  test("settings without effect in a bundle are reported once, with their places", async (t) => {
    const { problems } = await configured(t, {
      fonts: { family: "Inter", heading: { family: "Lora" } },
      integrations: { ga4: { measurementId: "G-1" }, posthog: {} },
      thumbnails: { background: "/card.png" },
      contextual: { options: ["copy", { title: "Leads nowhere" }] },
    });
    assert.deepEqual(
      problems.map(({ code, line, message }) => `${code} ${line} ${message.slice(0, 45)}`),
      [
        'font_not_included 8 The font "Inter" is used only if readers have',
        'font_not_included 8 The font "Lora" is used only if readers have ',
        "setting_left_out 14 Integrations are ignored (ga4, posthog), beca",
        'setting_left_out 20 The setting "thumbnails" has no effect: previ',
        'setting_invalid 26 The setting "contextual.options.1" is ignored',
      ],
    );
  });

  test("only the invalid parts are ignored, and reported with their places", async (t) => {
    const site = await configured(t, {
      colors: { primary: "red", light: "#abcdef" },
      navbar: {
        links: [
          { label: "One", href: "/one" },
          { label: "Two" },
          { label: "Three", href: "javascript:alert(1)" },
        ],
      },
      theme: "mapel",
      favicon: 5,
      color: "#fff",
    });
    assert.deepEqual(site.config.colors, { primary: "#2563EB", light: "#abcdef", dark: "#2563EB" });
    assert.deepEqual(site.config.navbar.links, [{ type: "link", label: "One", href: "/one" }]);
    assert.equal(site.config.theme, "mint");
    assert.equal(site.config.favicon, undefined);
    assert.deepEqual(problems(site), [
      'setting_invalid 9: The setting "colors.primary" is ignored: expected a hex color such as "#16A34A".',
      'setting_invalid 18: The setting "navbar.links.1.href" is missing; the part that requires it is ignored.',
      'setting_invalid 23: The setting "navbar.links.2.href" is ignored: expected a path or an address that begins with https:.',
      'setting_invalid 27: The setting "theme" is ignored: expected one of mint, maple, palm, willow, linden, almond, aspen, sequoia, luma. Did you mean "maple"?',
      'setting_invalid 28: The setting "favicon" is ignored: expected a path or { light, dark }.',
      'setting_unknown 29: The format has no setting "color"; it has no effect. Did you mean "colors"?',
    ]);
  });

  test("a link without an address is removed, and its neighbors are kept", async (t) => {
    const site = await configured(t, {
      navbar: { links: [{ label: "No address" }, { label: "One", href: "/one" }] },
    });
    assert.deepEqual(site.config.navbar.links, [{ type: "link", label: "One", href: "/one" }]);
  });

  test("mint.json is converted to the form of docs.json", async () => {
    const { config, configFile } = await loadSite(goldenSite("legacy-mint"));
    assert.equal(configFile, "mint.json");
    assert.deepEqual(config.navbar, {
      links: [{ type: "link", label: "Support", href: "mailto:help@example.com" }],
      primary: { type: "button", label: "Start", href: "https://example.com" },
    });
    assert.deepEqual(config.footer.socials, { x: "https://x.com/example" });
    assert.deepEqual(config.appearance, { default: "dark", strict: true });
    assert.deepEqual(config.feedback, { suggestEdit: true, raiseIssue: true });
  });
});

describe("redirects", () => {
  test("keep their text; unusable ones are reported", async (t) => {
    const redirects = [
      { source: "/old", destination: "/a#part" },
      { source: "/x/:slug*", destination: "/y/:slug*", permanent: false },
      { source: "/with#hash", destination: "/a" },
      { source: "/js", destination: "javascript:alert(1)" },
      { source: "/line", destination: "/a\n/* /evil 301" },
      { source: "/*/a/*/b/*", destination: "/a" },
      { source: "/a", destination: "/old" },
      { source: "/self", destination: "/self/" },
      { source: "old/", destination: "/b" },
      { source: "/up/../../x", destination: "/a" },
      { source: "/none" },
    ];
    const site = await configured(t, { redirects });
    assert.deepEqual(site.redirects, [
      { source: "/old", destination: "/a#part", permanent: true },
      { source: "/x/:slug*", destination: "/y/:slug*", permanent: false },
    ]);
    assert.deepEqual(site.problems.map(({ code }) => code).toSorted(), [
      ...Array(3).fill("redirect_unused"),
      ...Array(6).fill("setting_invalid"),
    ]);
  });
});

describe("$ref", () => {
  test("is nested, relative to its file, and overridden by keys beside it", async () => {
    const site = await loadSite(goldenSite("nav-refs"));
    assert.deepEqual(site.config.appearance, { default: "dark", strict: true });
    assert.deepEqual(site.redirects, [
      { source: "/begin", destination: "/start", permanent: true },
    ]);
    assert.deepEqual(site.assets, [], "files of the configuration are not published");
    assert.deepEqual(site.problems, []);
  });

  const rows: [name: string, config: object, files: Record<string, string>, code: string][] = [
    ["out of the folder", { $ref: "../../etc/passwd.json" }, {}, "ref_outside"],
    ["an absolute path", { $ref: "/etc/passwd.json" }, {}, "ref_invalid"],
    ["an address", { $ref: "https://example.com/x.json" }, {}, "ref_invalid"],
    ["no .json file", { $ref: "../../etc/passwd" }, {}, "ref_invalid"],
    ["no text", { $ref: 5 }, {}, "ref_invalid"],
    ["a missing file", { $ref: "missing.json" }, {}, "ref_missing"],
    ["a file that is not JSON", { $ref: "broken.json" }, { "broken.json": "{" }, "ref_unreadable"],
    ["itself", { $ref: "docs.json" }, {}, "ref_cycle"],
    [
      "a circle",
      { $ref: "x/one.json" },
      {
        "x/one.json": '{"groups":[{"group":"One","pages":["a"]},{"$ref":"../two.json"}]}',
        "two.json": '{"$ref":"x/one.json"}',
      },
      "ref_cycle",
    ],
    [
      "a file that multiplies",
      { $ref: "bomb0.json" },
      Object.fromEntries(
        Array.from({ length: 8 }, (_, n) => [
          `bomb${n}.json`,
          `[${Array(10)
            .fill(n === 7 ? '"a"' : `{"$ref":"bomb${n + 1}.json"}`)
            .join(",")}]`,
        ]),
      ),
      "ref_limit",
    ],
  ];
  for (const [name, reference, files, code] of rows) {
    test(`to ${name} is a problem`, async (t) => {
      const site = await configured(t, { navigation: reference }, files);
      assert.ok(
        site.problems.some((problem) => problem.code === code && problem.line !== undefined),
        JSON.stringify(site.problems.slice(0, 3)),
      );
      assert.equal(site.pages.length, 1);
      assert.doesNotMatch(JSON.stringify(site.problems), /octavo-site-|root:/);
    });
  }

  test("through a symbolic link out of the folder is a problem", async (t) => {
    const outside = await writeSite(t, { "nav.json": '{"pages":["secret"]}' });
    const root = await writeSite(t, {
      "docs.json": '{"name":"A","navigation":{"$ref":"nav.json"}}',
      "a.mdx": "",
    });
    await symlink(join(outside, "nav.json"), join(root, "nav.json"));
    const codes = (await loadSite(root)).problems.map(({ code }) => code);
    assert.ok(codes.includes("ref_unreadable"));
    assert.ok(!codes.includes("page_missing"), "nothing of the file outside was read");
  });
});

test("a list of a million entries is read within its limits", async (t) => {
  const entries = `${'"a",'.repeat(999_999)}"b"`;
  const files = { "docs.json": `{"name":"A","navigation":{"pages":[${entries}]}}`, "a.mdx": "" };
  await assert.rejects(
    writeSite(t, files).then((root) => loadSite(root)),
    /more than 1000000 values/,
  );
});

test("a hundred thousand missing pages end in a bounded list of problems", async (t) => {
  const pages = ["a", ...Array.from({ length: 100_000 }, (_, n) => `missing/${n}`)];
  const site = await configured(t, { navigation: { pages } });
  assert.equal(site.problems.length, 1_001);
  assert.ok(site.problems.some(({ message }) => message.startsWith("99000 more problems")));
});

test("redirects beyond the limit are ignored, with an error", async (t) => {
  const redirects = Array.from({ length: limits.redirects + 1 }, (_, index) => ({
    source: `/old-${index}`,
    destination: "/a",
  }));
  const text = JSON.stringify({ name: "Site", navigation: { pages: ["a"] }, redirects });
  const site = await loadSite(await writeSite(t, { "docs.json": text, "a.mdx": "" }));
  assert.equal(site.redirects.length, limits.redirects);
  assert.ok(site.problems.some(({ code }) => code === "redirect_limit"));
});
