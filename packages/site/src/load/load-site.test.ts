import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { goldenSite, writeSite } from "../../../../test/sites/temporary-site.ts";
import { isOctavoError } from "../core/index.ts";
import { loadSite } from "./load-site.ts";
import type { NavDivision, NavEntry, Site } from "../site/index.ts";
import { describeMissingFile } from "./published-files.ts";

/** Formats the navigation as indented lines, so that a test reads like a table of contents. */
function outline(division: NavDivision, indent = ""): string[] {
  const marks = [
    division.hidden ? "hidden" : "",
    division.isDefault ? "default" : "",
    division.href === undefined ? "" : `→ ${division.href}`,
  ].filter((mark) => mark !== "");
  const below = division.kind === "root" ? indent : `${indent}  `;
  const own = [`${indent}${[division.kind, division.label, ...marks].join(" ")}`];
  return [
    ...(division.kind === "root" ? [] : own),
    ...division.entries.flatMap((entry) => outlineEntry(entry, below)),
    ...division.divisions.flatMap((child) => outline(child, below)),
  ];
}

function outlineEntry(entry: NavEntry, indent: string): string[] {
  if (entry.type === "page") return [`${indent}${entry.path}`];
  if (entry.type === "link") return [`${indent}${entry.label} → ${entry.href}`];
  const marks = [entry.hidden ? "hidden" : "", entry.expanded ? "expanded" : "", entry.root ?? ""];
  const head = [`[${entry.label}]`, ...marks.filter((mark) => mark !== "")].join(" ");
  return [
    `${indent}${head}`,
    ...entry.entries.flatMap((child) => outlineEntry(child, `${indent}  `)),
  ];
}

function codes(site: Site): string[] {
  return site.problems.map(({ code, file, line }) => `${code} ${file}:${line ?? "-"}`);
}

function pageAt(site: Site, path: string) {
  const page = site.pages.find((candidate) => candidate.path === path);
  assert.ok(page, `there is no page ${path}`);
  return page;
}

const minimal = { "docs.json": '{"name": "A", "navigation": {"pages": ["a"]}}', "a.mdx": "text" };

describe("navigation", () => {
  const shapes: Record<string, string> = {
    "nav-products": `
product Press default
  tab Guides default
    [Start]
      press/start
      press/ink
  tab API
    press/api
product Bindery
  item Sewing default
    bindery/sewing
  item Glueing
    [Glue]
      bindery/glue
  item Shop → https://shop.example.com
product Archive → https://archive.example.com`,
    "nav-versions": `
version 1.0
  dropdown Manual default
    [Start]
      v1/start
      shared
  dropdown Reference
    anchor Python default
      v1/python
version 2.0 default
  dropdown Manual default
    [Start]
      v2/start
      v2/install
      shared
  dropdown Reference
    anchor Python default
      v2/python
version 3.0-draft hidden
  v3/start`,
    "nav-languages": `
language en default
  tab Guide default
    [Start] index
      guide/first
      guide/second
language fr
  tab Guide default
    [Débuter] fr/index
      fr/guide/first`,
    "nav-global": `
tab Guides default
  item Printing default
    [Ink] expanded
      ink/black
      [Colors] ink/colors
        ink/red
        ink/blue
  item Binding
    binding
tab Internal hidden
  [Notes]
    notes/open
  [Drafts] hidden
    notes/draft
    notes/shown
tab Status → https://status.example.com
anchor Blog default → https://blog.example.com
anchor News → /news`,
    "nav-refs": `
tab Guides default
  start
  [More]
    install
    api
anchor Blog default → https://blog.example.com`,
    "plain-folder": `
index
01-introduction
02-setup
glossary
[Guides] guides/index
  guides/9-early
  guides/10-late
  [Deep folder]
    guides/deep_folder/note`,
    "legacy-mint": `
tab Documentation default
  [Start]
    introduction
tab API
  [Endpoints]
    api/users
    [Books]
      api/books
anchor Community default → https://example.com/chat`,
  };
  for (const [name, expected] of Object.entries(shapes)) {
    test(name, async () => {
      const site = await loadSite(goldenSite(name));
      assert.equal(`\n${outline(site.navigation).join("\n")}`, expected);
      assert.deepEqual(structuredClone(site), site, "a site is plain data");
    });
  }

  test("languages override the parts around their pages", async () => {
    const site = await loadSite(goldenSite("nav-languages"));
    const [en, fr] = site.navigation.divisions;
    assert.equal(en?.overrides, undefined);
    assert.deepEqual(fr?.overrides, {
      banner: { content: "Nouvelle édition", dismissible: true, type: "info" },
      footer: {
        socials: { github: "https://github.com/example" },
        columns: [
          { header: "Maison", items: [{ label: "Boutique", href: "https://example.com/fr" }] },
        ],
      },
      navbar: {
        links: [{ type: "link", label: "Aide", href: "/fr/guide/first" }],
        primary: { type: "button", label: "Essayer", href: "https://example.com" },
      },
    });
    assert.equal(pageAt(site, "fr/guide/first").language, "fr");
  });

  test("the canonical place of a page is in the default version", async () => {
    const site = await loadSite(goldenSite("nav-versions"));
    const { positions, version } = pageAt(site, "shared");
    assert.equal(version, "2.0");
    assert.deepEqual(positions, [
      { divisions: [1, 0], entries: [0, 2] },
      { divisions: [0, 0], entries: [0, 1] },
    ]);
  });

  test("invalid entries of the navigation are reported with their places", async (t) => {
    const root = await writeSite(t, {
      "docs.json": JSON.stringify(
        {
          name: "A",
          navigation: {
            groups: [
              { group: "Good", pages: ["a", "/a.mdx", "guides", "https://example.com"] },
              { group: "Bad", pages: ["nowhere", "../../etc/passwd", 7, "ignored/x"] },
              { group: "API", openapi: "spec.json", pages: ["POST /chat", "GET /chat"] },
              { pages: ["b"], icon: 5 },
            ],
            tabs: [
              { tab: "Spec", openapi: "spec.json" },
              { tab: "X", href: "javascript:alert(1)" },
            ],
          },
        },
        undefined,
        1,
      ),
      "a.mdx": "",
      "b.mdx": "",
      "guides/index.mdx": "",
      "ignored/x.mdx": "",
      ".mintignore": "ignored/",
    });
    const site = await loadSite(root);
    assert.deepEqual(outline(site.navigation), [
      "[Good]",
      "  a",
      "  guides/index",
      "  https://example.com → https://example.com",
      "[API]",
      "  api-reference/post-chat",
      "  api-reference/get-chat",
      "[]",
      "  b",
      "tab Spec default",
      "  api-reference/spec",
    ]);
    assert.deepEqual(codes(site), [
      "navigation_duplicate docs.json:9",
      "navigation_empty docs.json:14",
      "page_missing docs.json:17",
      "page_missing docs.json:18",
      "navigation_invalid docs.json:19",
      "page_missing docs.json:20",
      "description_missing docs.json:25",
      "operation_missing docs.json:27",
      "operation_missing docs.json:28",
      "navigation_invalid docs.json:31",
      "navigation_invalid docs.json:35",
      "navigation_mixed docs.json:38",
      "navigation_empty docs.json:43",
      "navigation_invalid docs.json:45",
    ]);
    const missing = site.problems.filter(({ code }) => code === "page_missing");
    assert.deepEqual(
      missing.map(({ severity, column }) => [severity, column]),
      [
        ["error", 6],
        ["error", 6],
        ["error", 6],
      ],
    );
    assert.match(missing[2]?.message ?? "", /ignore rules/);
  });
});

describe("visibility", () => {
  test("follows the matrix of the format", async () => {
    const site = await loadSite(goldenSite("nav-global"));
    const rows = site.pages.map(({ path, hidden, indexed, searchable, crawlable, boost }) => [
      path,
      [
        hidden && "hidden",
        indexed && "indexed",
        searchable && "searchable",
        crawlable && "crawlable",
      ]
        .filter((word) => word !== false)
        .join(" "),
      boost,
    ]);
    const all = "indexed searchable crawlable";
    assert.deepEqual(rows, [
      ["binding", all, undefined],
      ["ink/black", all, undefined],
      ["ink/blue", all, undefined],
      ["ink/colors", all, undefined],
      ["ink/red", all, undefined],
      ["news", "hidden crawlable", undefined],
      ["notes/draft", "hidden", undefined],
      ["notes/open", `hidden ${all}`, 2],
      ["notes/shown", `hidden ${all}`, undefined],
      ["quiet", "hidden", undefined],
    ]);
  });

  for (const [frontmatter, expected] of [
    ["noindex: true", "page"],
    ["searchable: false", "page indexed"],
    ["hidden: true", "hidden"],
    ['hidden: "true"', "hidden"],
    ["boost: 3", "page indexed searchable"],
  ] as const) {
    test(`a listed page with ${frontmatter}`, async (t) => {
      const root = await writeSite(t, { ...minimal, "a.mdx": `---\n${frontmatter}\n---\n` });
      const page = pageAt(await loadSite(root), "a");
      const words = [page.hidden ? "hidden" : "page"];
      if (page.indexed) words.push("indexed");
      if (page.searchable) words.push("searchable");
      assert.equal(words.join(" "), expected);
    });
  }

  test("seo.indexing all adds hidden and unlisted pages to search and sitemap", async (t) => {
    const root = await writeSite(t, {
      ...minimal,
      "docs.json": '{"name":"A","seo":{"indexing":"all"},"navigation":{"pages":["a"]}}',
      "hidden.mdx": "---\nhidden: true\n---\n",
      "unlisted.mdx": "",
    });
    const site = await loadSite(root);
    for (const path of ["hidden", "unlisted"]) {
      const { hidden, indexed, searchable } = pageAt(site, path);
      assert.deepEqual([hidden, indexed, searchable], [true, true, true], path);
    }
  });
});

describe("files", () => {
  test("pages, assets and injected files of a configured site", async () => {
    const site = await loadSite(goldenSite("nav-global"));
    assert.deepEqual(site.assets, ["images/press.svg", "styles.css"]);
    assert.deepEqual(site.styles, ["styles.css"]);
    assert.deepEqual(codes(site), ["redirect_unused docs.json:26"]);
    assert.equal(
      site.pages.some(({ path }) => /snippets|drafts|README/.test(path)),
      false,
    );
  });

  test("a plain folder takes its name and titles from headings and injects no scripts", async () => {
    const site = await loadSite(goldenSite("plain-folder"));
    assert.equal(site.configFile, "none");
    assert.equal(site.config.name, "The Press manual");
    assert.deepEqual(
      site.pages.map(({ path, title }) => `${path}: ${title}`),
      [
        "01-introduction: Introduction",
        "02-setup: Setting up the press",
        "glossary: Glossary",
        "guides/10-late: Late",
        "guides/9-early: Early",
        "guides/deep_folder/note: A note",
        "guides/index: All guides",
        "index: The Press manual",
      ],
    );
    assert.deepEqual([site.assets, site.scripts], [["image.png"], []]);
    assert.deepEqual(site.problems, []);
  });

  test("a number in front of a name gives its order, a date or a version is part of the name", async (t) => {
    const root = await writeSite(t, {
      "index.md": "# Home\n",
      "2024-11-05/01-first.md": "",
      "2025-03-26/1.2.0.md": "",
    });
    const site = await loadSite(root);
    assert.deepEqual(
      site.pages.map(({ title }) => title),
      ["First", "1.2.0", "Home"],
    );
    const labels = site.navigation.entries.flatMap((entry) =>
      entry.type === "group" ? [entry.label] : [],
    );
    assert.deepEqual(labels, ["2024-11-05", "2025-03-26"]);
  });

  test("names with spaces and in other scripts are pages, names that break paths are not", async (t) => {
    const root = await writeSite(t, {
      ...minimal,
      "two words.mdx": "",
      "指南/开始.mdx": "",
      "back\\slash.mdx": "",
      "line\nbreak.mdx": "",
      "a.md/inner.mdx": "",
      "a.md.mdx": "",
      "_octavo/page.mdx": "",
      ".hidden/page.mdx": "",
      ".well-known/security.txt": "",
      ".env": "SECRET=1",
      "b.md": "from md",
      "b.mdx": "from mdx",
    });
    const site = await loadSite(root);
    assert.deepEqual(
      site.pages.map(({ file }) => file),
      ["a.mdx", "a.md.mdx", "b.mdx", "two words.mdx", "指南/开始.mdx"],
    );
    assert.deepEqual(site.assets, [".well-known/security.txt"]);
    assert.deepEqual(codes(site), [
      "file_name_invalid _octavo:-",
      "file_name_invalid a.md:-",
      "page_duplicate b.md:-",
      "file_name_invalid back\\slash.mdx:-",
      "file_name_invalid line\u{FFFD}break.mdx:-",
    ]);
  });

  test("symbolic links are followed inside the site and never out of it", async (t) => {
    const outside = await writeSite(t, { "secret.mdx": "secret", "docs.json": "{}" });
    const root = await writeSite(t, { ...minimal, ".git/config": "token", "guides/b.mdx": "b" });
    await symlink(join(outside, "secret.mdx"), join(root, "out.mdx"));
    await symlink(outside, join(root, "out-folder"));
    await symlink("/etc/passwd", join(root, "passwd.txt"));
    await symlink(".git/config", join(root, "config.txt"));
    await symlink("guides/b.mdx", join(root, "inside.mdx"));
    await symlink("guides", join(root, "folder"));
    await symlink("nowhere", join(root, "broken.mdx"));
    await symlink("..", join(root, "guides/circle"));
    const site = await loadSite(root);
    assert.deepEqual(
      site.pages.map(({ path }) => path),
      ["a", "guides/b", "inside"],
    );
    assert.deepEqual(site.assets, []);
    assert.deepEqual(codes(site), [
      "link_unused broken.mdx:-",
      "link_unused config.txt:-",
      "link_unused folder:-",
      "link_unused guides/circle:-",
      "link_outside out-folder:-",
      "link_outside out.mdx:-",
      "link_outside passwd.txt:-",
    ]);
  });

  test("a page of the navigation that is such a link cannot be read", async (t) => {
    const root = await writeSite(t, {
      "docs.json": JSON.stringify({ name: "A", navigation: { pages: ["a", "out", "none"] } }),
      "a.mdx": "",
    });
    await symlink("/etc/passwd", join(root, "out.mdx"));
    const { problems } = await loadSite(root);
    assert.deepEqual(
      problems.flatMap(({ code, message }) => (code === "page_missing" ? [message] : [])),
      [
        'The page "out" in the navigation cannot be read.',
        'The page "none" in the navigation does not exist.',
      ],
    );
  });

  test("the format's default files are ignored, unless .mintignore negates that", async (t) => {
    const root = await writeSite(t, {
      ...minimal,
      "README.md": "",
      "CHANGELOG.md": "",
      "changelog.mdx": "",
      "build/x.mdx": "",
      "node_modules/x/y.mdx": "",
      "a-draft.mdx": "",
      ".mintignore": "\uFEFF*-draft.mdx\r\n!CHANGELOG.md\r\n*a*b*c*d.mdx\r\n",
    });
    const site = await loadSite(root);
    assert.deepEqual(
      site.pages.map(({ path }) => path),
      ["CHANGELOG", "a", "changelog"],
    );
    assert.deepEqual(codes(site), ["ignore_pattern_unused .mintignore:3"]);
  });

  test("media in folders of built files are at hand, unless .mintignore has them", async (t) => {
    const root = await writeSite(t, {
      ...minimal,
      "build/deep/a.png": "",
      "build/a.js": "",
      "build/b.mdx": "",
      "build/.hidden/a.png": "",
      "build/node_modules/a.png": "",
      "guides/dist/a.css": "",
      "node_modules/x/a.png": "",
      "tmp/a.pdf": "",
      "coverage/a.svg": "",
      "dist/_octavo/report.json": "{}",
      "dist/picture.png": "",
      ".mintignore": "coverage/\n",
    });
    const site = await loadSite(root);
    assert.deepEqual(site.assets, []);
    assert.deepEqual(site.styles, []);
    assert.deepEqual(site.spareAssets, ["build/deep/a.png", "guides/dist/a.css", "tmp/a.pdf"]);
  });

  test("a default never beats the configuration, at any depth; .mintignore does", async (t) => {
    const root = await writeSite(t, {
      "docs.json": JSON.stringify({
        name: "A",
        logo: "/temp/logo.svg",
        redirects: [{ source: "/tmp/a", destination: "/a" }],
        navigation: {
          groups: [
            { group: "build", pages: ["a", "README", "guides/build/dist/x", "coverage/y"] },
            { group: "dist", root: "dist/index", pages: ["node_modules/z"] },
          ],
        },
      }),
      "a.mdx": "",
      "README.md": "",
      "guides/README.md": "",
      "guides/build/unlisted.mdx": "",
      "guides/build/picture.svg": "",
      "guides/build/dist/x.mdx": "",
      "guides/build/tmp/no.mdx": "",
      "build/no.mdx": "",
      "tmp/a.mdx": "",
      "temp/logo.svg": "",
      "dist/index.mdx": "",
      "node_modules/z.mdx": "",
      "node_modules/z.css": "",
      "coverage/y.mdx": "",
      ".mintignore": "coverage/\n",
    });
    const site = await loadSite(root);
    assert.deepEqual(
      site.pages.map(({ path }) => path),
      ["README", "a", "dist/index", "guides/build/dist/x", "guides/build/unlisted"].concat(
        "node_modules/z",
      ),
    );
    assert.deepEqual(site.assets, [
      "guides/build/picture.svg",
      "node_modules/z.css",
      "temp/logo.svg",
    ]);
    assert.deepEqual(site.styles, []);
    assert.deepEqual(codes(site), ["page_missing docs.json:1"]);
  });

  test("a pattern longer than any path is a problem with a place", async (t) => {
    const long = `a${" ".repeat(50_000)}b`;
    const root = await writeSite(t, { ...minimal, ".mintignore": `x.mdx\n${long}\n${long}  \n` });
    const site = await loadSite(root);
    assert.deepEqual(codes(site), [
      "ignore_pattern_unused .mintignore:2",
      "ignore_pattern_unused .mintignore:3",
    ]);
  });
});

describe("a folder without a site", () => {
  const cases: Record<string, { files: Record<string, string>; message: RegExp }> = {
    "without pages": { files: { "docs.json": "{}" }, message: /no page/ },
    "with a comma too many": {
      files: { "docs.json": '{\n  "name": "A",\n}', "a.mdx": "" },
      message: /^docs\.json:2:14: there is an extra comma before "}"/,
    },
    "with a configuration that is a list": {
      files: { "docs.json": "[]", "a.mdx": "" },
      message: /^docs\.json:1:1/,
    },
    "with an open text": {
      files: { "docs.json": '{"name": "A', "a.mdx": "" },
      message: /^docs\.json:1:10: this string has no closing quote/,
    },
    "with navigation 10,000 deep": {
      files: {
        "docs.json": `{"navigation":${'{"groups":['.repeat(5_000)}${"]}".repeat(5_000)}}`,
        "a.mdx": "",
      },
      message: /^docs\.json:1:\d+: nested deeper than 64 levels/,
    },
  };
  for (const [name, { files, message }] of Object.entries(cases)) {
    test(name, async (t) => {
      const root = await writeSite(t, files);
      await assert.rejects(loadSite(root), (error) => {
        assert.ok(isOctavoError(error, "site_invalid"));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /octavo-site-/, "no path of this machine");
        return true;
      });
    });
  }

  test("that does not exist", async () => {
    await assert.rejects(loadSite("/nonexistent/site"), (error) =>
      isOctavoError(error, "site_invalid"),
    );
  });

  test("whose configuration is a symbolic link out of the folder", async (t) => {
    const outside = await writeSite(t, { "docs.json": '{"name":"Secret"}' });
    const root = await writeSite(t, { "a.mdx": "" });
    await symlink(join(outside, "docs.json"), join(root, "docs.json"));
    await assert.rejects(loadSite(root), (error) => isOctavoError(error, "site_invalid"));
  });
});

describe("a file that is there but cannot be read", () => {
  const makers: readonly [what: string, make: (path: string) => unknown, reason: RegExp][] = [
    [
      "a link that leads nowhere",
      (path) => symlink("nowhere", path),
      /symbolic link that leads nowhere/,
    ],
    [
      "a link to itself",
      (path) => symlink(basename(path), path),
      /symbolic link that leads nowhere/,
    ],
    ["a folder", (path) => mkdir(path), /is not a file/],
    ["a pipe", (path) => execFileSync("mkfifo", [path]), /is not a file/],
    [
      "a link that leads out",
      (path) => symlink("/etc/hostname", path),
      /link that points outside its folder/,
    ],
  ];
  const isWindows = process.platform === "win32";
  for (const [what, make, reason] of makers) {
    test(`is named: ${what}`, { skip: isWindows }, async (t) => {
      const configured = await writeSite(t, { "a.mdx": "" });
      await make(join(configured, "docs.json"));
      await assert.rejects(loadSite(configured), (error) => {
        assert.ok(isOctavoError(error, "site_invalid"));
        assert.match(error.message, reason);
        assert.match(error.message, /docs\.json/);
        return true;
      });
      // Without the rules, files would be published that their author excluded.
      const ignoring = await writeSite(t, {
        "docs.json": '{"name":"A","navigation":{"pages":["a"]}}',
        "a.mdx": "",
      });
      await make(join(ignoring, ".mintignore"));
      const { problems } = await loadSite(ignoring);
      const problem = problems.find(({ code }) => code === "ignore_file_unreadable");
      assert.match(problem?.message ?? "", reason);
      assert.equal(problem?.file, ".mintignore");
    });
  }

  test("is not said to be missing where it is named", { skip: isWindows }, async (t) => {
    const root = await writeSite(t, {
      "docs.json": '{"name":"A","navigation":{"pages":["a", "p"]}}',
      "a.mdx": "",
    });
    execFileSync("mkfifo", [join(root, "p.mdx"), join(root, "b.png")]);
    await mkdir(join(root, "c.png"));
    const { problems } = await loadSite(root);
    assert.deepEqual(
      problems.map(({ file, message }) => `${file}: ${message}`),
      [
        'docs.json: The page "p" in the navigation cannot be read.',
        "p.mdx: This is a pipe, a socket or a device, not a file; it is ignored.",
      ],
    );
    const at = { root, configFile: "docs.json", problems: [] } as const;
    assert.deepEqual(
      ["b.png", "c.png", "d.png"].map((path) => describeMissingFile(at, path)),
      ["is a pipe, a socket or a device, not a file", "is a folder", "is not in this site"],
    );
  });
});

test("loading can be aborted", async (t) => {
  const root = await writeSite(t, minimal);
  await assert.rejects(
    loadSite(root, { signal: AbortSignal.abort(new Error("enough")) }),
    /enough/,
  );
});
