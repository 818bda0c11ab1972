import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import type { TestContext } from "node:test";
import { loadSite } from "../load/index.ts";
import type { Problem } from "../core/index.ts";
import type { Reference } from "../page/index.ts";
import { checkSite } from "./check-site.ts";
import type { CheckedPage } from "./check-site.ts";

const config = {
  name: "Test",
  theme: "mint",
  colors: { primary: "#112233" },
  navigation: { pages: ["index", "guides/start", "guides/advanced", "en/start"] },
};
const files: Readonly<Record<string, string>> = {
  "docs.json": JSON.stringify(config),
  "index.mdx": "text",
  "guides/start.mdx": "text",
  "guides/advanced.mdx": "text",
  "en/start.mdx": "text",
  "images/Logo.png": "png",
  "files/manual.pdf": "pdf",
};

interface Given {
  readonly files?: Readonly<Record<string, string>>;
  readonly config?: Readonly<Record<string, unknown>>;
  /** The links on the page `guides/start`, each on a separate line. */
  readonly links?: readonly string[];
  readonly media?: readonly string[];
  readonly anchors?: Readonly<Record<string, readonly string[]>>;
  readonly problems?: readonly Problem[];
  readonly isPart?: boolean;
  readonly link?: { readonly target: string; readonly path: string };
}

async function check(t: TestContext, given: Given): Promise<Problem[]> {
  const root = await mkdtemp(join(tmpdir(), "octavo-check-"));
  t.after(() => rm(root, { recursive: true }));
  const docs = { "docs.json": JSON.stringify({ ...config, ...given.config }) };
  for (const [path, content] of Object.entries({ ...files, ...docs, ...given.files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  if (given.link) await symlink(given.link.target, join(root, given.link.path));
  const site = await loadSite(root);
  const references: Reference[] = [
    ...(given.links ?? []).map((target) => ({ kind: "link" as const, target })),
    ...(given.media ?? []).map((target) => ({ kind: "media" as const, target })),
  ].map((part, index) => ({ ...part, file: "guides/start.mdx", line: index + 1, column: 1 }));
  const pages = site.pages.map((page): CheckedPage => {
    const isHere = page.path === "guides/start";
    return {
      page,
      rendered: {
        anchors: given.anchors?.[page.path] ?? [],
        references: isHere ? references : [],
        problems: isHere ? (given.problems ?? []) : [],
      },
    };
  });
  return checkSite(site, pages, { isPart: given.isPart ?? false });
}

function told(problems: readonly Problem[]): string[] {
  return problems.map(({ line, code, message }) => `${line ?? "-"} ${code} ${message}`);
}

describe("checkSite", () => {
  it("takes every way to write a link that leads somewhere", async (t) => {
    const problems = await check(t, {
      links: [
        "/",
        "/guides/start",
        "/guides/advanced#über-uns",
        "/guides/advanced#%C3%BCber-uns",
        "/guides/advanced#u\u0308ber-uns",
        "advanced.mdx?x=1#alias",
        "./advanced/",
        "../index",
        "#here",
        "#",
        "#top",
        "/index#:~:text=words",
        "/files/manual.pdf",
        "/llms.txt",
        "/sitemap.xml",
        "https://example.com/nowhere#x",
        "mailto:ada@example.com",
        "//example.com/x",
        "/old",
        "/old#alias",
      ],
      media: [
        "/images/Logo.png",
        "../images/Logo.png",
        "https://example.com/x.png",
        "data:image/png;base64,AA",
      ],
      config: { redirects: [{ source: "/old", destination: "/guides/advanced" }] },
      anchors: { "guides/start": ["here"], "guides/advanced": ["über-uns", "alias"] },
    });
    assert.deepEqual(told(problems), []);
  });

  it("tells what leads nowhere, with its place and what was likely meant", async (t) => {
    const problems = await check(t, {
      links: [
        "/nowhere",
        "/Guides/Advanced",
        "/docs/en/start",
        "/other/advanced",
        "/other/start",
        "#Here",
        "/guides/advanced#gone",
        "/files/none.pdf",
        `/${"long/".repeat(2_000)}`,
      ],
      media: ["/images/logo.png", "/images/none.png"],
      anchors: { "guides/start": ["here!"] },
    });
    const expected = [
      `1 link_broken The link "/nowhere" does not lead to a page or file of this site.`,
      `2 link_broken The link "/Guides/Advanced" does not lead to a page or file of this site. Did you mean "/guides/advanced"?`,
      `3 link_broken The link "/docs/en/start" does not lead to a page or file of this site. Did you mean "/en/start"?`,
      `4 link_broken The link "/other/advanced" does not lead to a page or file of this site. Did you mean "/guides/advanced"?`,
      `5 link_broken The link "/other/start" does not lead to a page or file of this site.`,
      `6 anchor_broken The link "#Here" points to an anchor that this page does not have. Did you mean "#here!"?`,
      `7 anchor_broken The link "/guides/advanced#gone" points to an anchor that the page /guides/advanced does not have.`,
      `8 link_broken The link "/files/none.pdf" does not lead to a page or file of this site.`,
      `9 link_broken The link "/${"long/".repeat(40).slice(0, 199)}…" does not lead to a page or file of this site.`,
      `10 media_missing The file "/images/logo.png" is not in this site. Did you mean "/images/Logo.png"?`,
      `11 media_missing The file "/images/none.png" is not in this site.`,
    ];
    assert.deepEqual(told(problems), expected);
    assert.deepEqual(
      problems.map(({ severity }) => severity),
      expected.map((line) => (line.includes("anchor_broken") ? "warning" : "error")),
    );
    assert.ok(problems.every(({ file }) => file === "guides/start.mdx"));
  });

  it("suggests of a heading's ids the one with the fewest signs", async (t) => {
    const anchors = { "guides/start": ["$ref-resolution", "ref-resolution"] };
    const [problem] = await check(t, { links: ["#refresolution"], anchors });
    assert.match(problem?.message ?? "", /Did you mean "#ref-resolution"\?$/);
  });

  it("finds redirects that lead nowhere or in a circle", async (t) => {
    const problems = await check(t, {
      config: {
        redirects: [
          { source: "/good", destination: "/guides/start#x" },
          { source: "/away", destination: "https://example.com/x" },
          { source: "/chain", destination: "/good" },
          { source: "/a", destination: "/b" },
          { source: "/b", destination: "/a?again=1" },
          { source: "/lost", destination: "/nowhere" },
          { source: "/wild/:slug*", destination: "/guides/:slug*" },
          { source: "/gone/:slug*", destination: "/nowhere" },
          { source: "/here/:slug*", destination: "/there/:slug*" },
          { source: "/there/:slug*", destination: "/here/:slug*" },
          { source: "/grows/:slug*", destination: "/grows/more/:slug*" },
          { source: "/far", destination: "https://example.com/chain" },
        ],
      },
    });
    assert.deepEqual(
      told(problems).map((line) => line.split(" ").slice(1, 6).join(" ")),
      [
        `redirect_chain The redirect from "/chain"`,
        `redirect_loop The redirect from "/a"`,
        `redirect_loop The redirect from "/b"`,
        `redirect_broken The redirect from "/lost"`,
        `redirect_broken The redirect from "/gone/:slug*"`,
        `redirect_loop The redirect from "/here/:slug*"`,
        `redirect_loop The redirect from "/there/:slug*"`,
      ],
    );
    assert.ok(problems.every(({ file }) => file === "docs.json"));
  });

  it("finds wrong links of the configuration", async (t) => {
    const wrong = {
      navbar: {
        links: [
          { label: "Good", href: "/guides/start" },
          { label: "Wrong", href: "/bar" },
        ],
        primary: { type: "button", label: "Away", href: "https://example.com" },
      },
      footer: { links: [{ header: "More", items: [{ label: "Wrong", href: "/foot" }] }] },
    };
    const problems = await check(t, { config: wrong });
    assert.deepEqual(told(problems), [
      `1 link_broken The link "/bar" in the configuration does not lead to a page or file of this site.`,
      `1 link_broken The link "/foot" in the configuration does not lead to a page or file of this site.`,
    ]);
    // The configuration is one line.
    const line = JSON.stringify({ ...config, ...wrong });
    assert.deepEqual(
      problems.map(({ column = 0 }) => /^"[^"]*"/.exec(line.slice(column - 1))?.[0]),
      ['"/bar"', '"/foot"'],
    );
  });

  it("tells of a missing picture once for each page, and of those of the configuration", async (t) => {
    const problems = await check(t, {
      media: ["/images/none.png", "/images/none.png", "/images/Logo.png"],
      config: {
        logo: { light: "/images/Logo.png", dark: "/images/dark.png" },
        favicon: "/favicon.ico",
      },
    });
    assert.deepEqual(told(problems), [
      `1 media_missing The file "/images/dark.png" in the configuration is not in this site.`,
      `1 media_missing The file "/favicon.ico" in the configuration is not in this site.`,
      `1 media_missing The file "/images/none.png" is not in this site.`,
    ]);
  });

  it("does not miss pages that were left out on purpose", async (t) => {
    const problems = await check(t, {
      isPart: true,
      config: { redirects: [{ source: "/old", destination: "/left/out" }] },
      links: ["/left/out", "#gone"],
      media: ["/images/none.png"],
    });
    assert.deepEqual(
      problems.map(({ code }) => code),
      ["anchor_broken", "media_missing"],
    );
  });

  it("joins what others found, each once, in the order of files and lines", async (t) => {
    const found: Problem = {
      severity: "warning",
      code: "unknown_icon",
      message: "There is no icon x.",
      file: "guides/start.mdx",
      line: 1,
      column: 9,
    };
    const problems = await check(t, {
      config: { navigation: { pages: ["index", "guides/start", "missing"] } },
      links: ["/nowhere"],
      problems: [found, found],
    });
    assert.deepEqual(
      problems.map(({ file, code }) => `${file} ${code}`),
      ["docs.json page_missing", "guides/start.mdx link_broken", "guides/start.mdx unknown_icon"],
    );
  });

  it("says of a symbolic link that it is not followed", async (t) => {
    const outside = await mkdtemp(join(tmpdir(), "octavo-outside-"));
    t.after(() => rm(outside, { recursive: true }));
    await writeFile(join(outside, "a.png"), "png");
    const link = { target: join(outside, "a.png"), path: "images/out.png" };
    const problems = await check(t, { link, media: ["/images/out.png"] });
    assert.deepEqual(told(problems), [
      '1 media_missing The file "/images/out.png" is a symbolic link that is not followed.',
      "- link_outside This symbolic link points outside the site's folder; it was not read.",
    ]);
  });

  it("finds broken links and missing pictures in the texts of the configuration", async (t) => {
    const problems = await check(t, {
      config: {
        banner: { content: '[a](/guides/start) ![b](/images/none.png) <a href="/none">c</a>' },
        errors: { 404: { description: "[d](/gone)" } },
      },
    });
    assert.deepEqual(
      problems.map(
        ({ code, column = 0, message }) => `${code} ${column > 0} ${/"[^"]*"/.exec(message)?.[0]}`,
      ),
      [
        'link_broken true "/none"',
        'media_missing true "/images/none.png"',
        'link_broken true "/gone"',
      ],
    );
  });
});
