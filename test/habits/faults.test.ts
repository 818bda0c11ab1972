import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { checkSite } from "../../packages/site/src/check/index.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { writeSite } from "../sites/temporary-site.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { habitSites } from "./sites.ts";

/**
 * Faults that people make, planted into the sites that have none: each is found where it is, and nothing else is
 * reported. All faults of a site are planted together, except those that change what the others mean.
 */
const children = sharedChildren();

interface Fault {
  readonly code: string;
  readonly file: string;
  /** Returns the file with the fault; `text` is empty for a new file. */
  readonly edit: (text: string) => string;
  /** The words at whose first occurrence in the edited file the problem is; without them it is that of a whole file. */
  readonly at?: string | undefined;
  /** The file that the problem names, if it is not the edited one. */
  readonly blamed?: string;
}

/** Text after the end of a file; the problem is where it begins, or at some of its words. */
function append(code: string, file: string, added: string, at = added.split("\n", 1)[0]): Fault {
  const edit = (text: string) => {
    const whole = `${text.trimEnd()}\n\n${added}\n`;
    return text.includes("\r\n") ? whole.replaceAll(/\r?\n/g, "\r\n") : whole;
  };
  return { code, file, edit, at };
}

/** A passage of a file that is another one now; the problem is there, or at some of its words. */
function swap(
  code: string,
  file: string,
  [from, to, at]: readonly [string, string, (string | undefined)?],
): Fault {
  const edit = (text: string) => {
    assert.ok(text.includes(from), `${file} has no ${JSON.stringify(from)}`);
    return text.replace(from, () => to);
  };
  return { code, file, edit, at: at ?? to.split("\n", 1)[0] };
}

/** A new file. */
function put(code: string, file: string, content: string, at?: string): Fault {
  return { code, file, edit: () => content, at };
}

/** A file that a fault needs, which is none itself. */
function need(file: string, content: string): Fault {
  return put("", file, content);
}

/** The problem is one of a whole file. */
function ofFile({ code, file, edit }: Fault, blamed = file): Fault {
  return { code, file, edit, blamed };
}

const config = "docs.json";

/** A new setting of the configuration. */
function set(code: string, setting: string, at?: string): Fault {
  return swap(code, config, [
    `"colors": {`,
    `${setting},\n  "colors": {`,
    at ?? setting.split("\n", 1)[0],
  ]);
}

type Row = readonly [site: string, what: string, faults: readonly Fault[]];

const table: readonly Row[] = [
  [
    "a product served below a folder",
    "addresses of pages",
    [
      append("link_broken", "guides/start.mdx", "One [dead link](/docs/guides/gone)."),
      append("link_broken", "guides/start.mdx", "Two [dead link](./gone.mdx)."),
      append("link_broken", "guides/install.mdx", '<Card title="Dead" href="/docs/nowhere" />'),
      append(
        "link_broken",
        "guides/install.mdx",
        "- A list\n- with a [dead link](/guides/none)",
        "/guides/none",
      ),
      append(
        "link_broken",
        "guides/upgrade.mdx",
        "| a | b |\n| - | - |\n| c | [d](/lost) |",
        "/lost",
      ),
      append(
        "link_broken",
        "guides/upgrade.mdx",
        'An <a href="/docs/Guides/Start">other case</a>.',
      ),
      append("link_broken", "snippets/promise.mdx", "[Dead](/docs/gone/too)"),
      append("link_broken", "help/support.mdx", "A [reference][dead].\n\n[dead]: /docs/dead"),
      append("anchor_broken", "help/support.mdx", "A [lost anchor](#nothing)."),
      append(
        "anchor_broken",
        "help/support.mdx",
        "A [lost anchor of another page](/docs/guides/start#nothing).",
      ),
      append("media_missing", "help/faq.mdx", "![Gone](/docs/images/gone.svg)"),
      append(
        "media_missing",
        "help/faq.mdx",
        '<img src="/docs/images/route.png" alt="Another kind" />',
      ),
      append("media_missing", "help/faq.mdx", '<video src="/docs/files/gone.mp4"></video>'),
      append(
        "media_missing",
        "help/faq.mdx",
        '<video src="/docs/files/tour.mp4" poster="/images/no-poster.png"></video>',
      ),
      append(
        "media_missing",
        "help/faq.mdx",
        '<Card title="A" img="/docs/images/card.svg">A</Card>',
      ),
      append(
        "media_missing",
        "help/faq.mdx",
        '<Card title="A" icon="/docs/images/icon.svg">A</Card>',
      ),
      append(
        "media_missing",
        "help/faq.mdx",
        '<div style={{ backgroundImage: "url(/docs/images/bg.svg)" }}>A</div>',
      ),
      append(
        "media_missing",
        "help/faq.mdx",
        '<img srcSet="/docs/images/route.svg 1x, /docs/images/two.svg 2x" alt="" />',
      ),
      append("media_missing", "guides/cloud/gcp.mdx", "![Beside](./beside.svg)"),
      swap("media_missing", "guides/cloud/gcp.mdx", [
        'title: "GCP"',
        'title: "GCP"\nicon: "/images/none.svg"',
        "/images/none.svg",
      ]),
      swap("media_missing", "guides/cloud/aws.mdx", [
        'title: "AWS"',
        'title: "AWS"\n"og:image": /docs/images/og.png',
        "og.png",
      ]),
      swap("media_missing", "style.css", ["route.svg", "lost.svg"]),
      append(
        "link_with_space",
        "guides/cloud/aws.mdx",
        "A [link](/guides/cloud/g cp) with a blank.",
      ),
      append(
        "link_broken",
        "guides/cloud/aws.mdx",
        '<Visibility for="agents">\n  ![A route](/docs/images/route.svg) and a [dead link](/docs/guides/agents#words).\n</Visibility>',
        "/docs/guides/agents",
      ),
      append(
        "media_missing",
        "guides/cloud/aws.mdx",
        '<Visibility for="agents">\n![A map](/docs/images/map.svg), [words](#only-agents)\n\n## Only agents\n</Visibility>',
        "/docs/images/map.svg",
      ),
      swap("link_broken", "help/support.mdx", [
        'title: "Support"',
        'title: "Support"\ncanonical: https://voyager.example.com/docs/help/phone',
        "canonical",
      ]),
      swap("link_broken", "guides/upgrade.mdx", [
        'title: "Upgrade to 4.0"',
        'title: "Upgrade to 4.0"\ncanonical: /docs/guides/upgraded',
        "canonical",
      ]),
      append("unsafe_address", "guides/cloud/aws.mdx", '<a href="javascript:alert(1)">Run</a>'),
    ],
  ],
  [
    "a product served below a folder",
    "addresses of the configuration",
    [
      swap("media_missing", config, ["/docs/logo/dark.svg", "/docs/logo/night.svg"]),
      swap("media_missing", config, [
        '"metatags": {',
        '"metatags": {\n      "og:image": "/docs/images/og.png",',
        "og:image",
      ]),
      swap("media_missing", config, [
        '"icon": "/docs/images/route.svg"',
        '"icon": "/docs/images/rout.svg"',
      ]),
      set("media_missing", '"background": { "image": "/docs/images/wall.svg" }'),
      set("media_missing", '"fonts": { "family": "Own", "source": "/docs/files/none.woff2" }'),
      swap("link_broken", config, [
        '"label": "Guides",\n        "href": "/docs/guides/start"',
        '"label": "Guides",\n        "href": "/docs/guides/begin"',
        "/docs/guides/begin",
      ]),
      swap("link_broken", config, ['"href": "/docs/help/support"', '"href": "/docs/help/phone"']),
      swap("link_broken", config, ["[here](/docs/guides/upgrade)", "[here](/docs/guides/four)"]),
      swap("link_broken", config, ['"href": "/docs"', '"href": "/docs/start-page"']),
      set("link_broken", '"errors": { "404": { "description": "Go [home](/docs/homepage)." } }'),
      swap("redirect_broken", config, [
        '"redirects": [',
        '"redirects": [\n    { "source": "/one", "destination": "/docs/guides/started" },',
        '"/one"',
      ]),
      swap("redirect_chain", config, [
        '"redirects": [',
        '"redirects": [\n    { "source": "/two", "destination": "/docs/quickstart" },',
        '"/two"',
      ]),
      swap("redirect_loop", config, [
        '"redirects": [',
        '"redirects": [\n    { "source": "/turn", "destination": "/docs/back" },',
        '"source": "/turn"',
      ]),
      swap("redirect_loop", config, [
        '"redirects": [',
        '"redirects": [\n    { "source": "/back", "destination": "/turn" },',
        '"source": "/back"',
      ]),
      swap("redirect_broken", config, [
        '"destination": "/docs/guides/cloud/:slug*"',
        '"destination": "/docs/guides/clouds/:slug*"',
        '"/docs/clouds/:slug*"',
      ]),
      swap("redirect_unused", config, [
        '"redirects": [',
        '"redirects": [\n    { "source": "/guides/install", "destination": "/docs/help/faq" },',
        '"/guides/install"',
      ]),
      swap("redirect_unused", config, [
        '"source": "/help",',
        '"source": "/self", "destination": "/self" },\n    { "source": "/help",',
        '"/self"',
      ]),
    ],
  ],
  [
    "APIs named in every way",
    "descriptions",
    [
      swap("operation_missing", "api/accounts/list.mdx", ["GET /accounts", "GET /account"]),
      swap("operation_missing", config, [
        '"GET /users"',
        '"GET /users",\n              "GET /nobody"',
        '"GET /nobody"',
      ]),
      put(
        "operation_missing",
        "api/accounts/more.mdx",
        '---\nopenapi: "admin/v2.json PUT /users"\n---\n',
        "openapi:",
      ),
      put(
        "operation_elsewhere",
        "api/accounts/other.mdx",
        '---\nopenapi: "specs/partner/v2.json GET /users"\n---\n',
        "openapi:",
      ),
      put(
        "schema_missing",
        "api/model.mdx",
        "---\nopenapi-schema: Nobody\n---\n",
        "openapi-schema",
      ),
      swap("channel_missing", "api/socket.mdx", ["events.yaml prices", "events.yaml price"]),
      swap("description_missing", config, ['"/specs/reports.yaml"', '"/specs/report.yaml"']),
      put(
        "description_invalid",
        "specs/broken.json",
        '{\n  "openapi": "3.1.0",\n  "info": \n}',
        "}",
      ),
      swap("description_reference", "specs/admin/v2.json", [
        "#/components/schemas/Robot",
        "#/components/schemas/Machine",
      ]),
      swap("description_value_invalid", "specs/ledger.json", [
        '{\n            "name": "id",\n            "in": "path"',
        '{ "name": "id",\n            "in": "nowhere"',
      ]),
      append(
        "link_broken",
        "errors.mdx",
        '<ResponseField name="see" type="string">See [more](/api/nothing).</ResponseField>',
      ),
      {
        ...swap("operation_excluded", "specs/ledger.json", [
          '"summary": "List notes"',
          '"x-excluded": true,\n        "summary": "List notes"',
          '"GET /accounts/{id}/notes"',
        ]),
        blamed: config,
      },
    ],
  ],
  [
    "components of its own",
    "components",
    [
      append("unknown_component", "index.mdx", "<Notte>Words</Notte>"),
      append("missing_import", "index.mdx", '<Snippet file="gone.mdx" />'),
      append("undefined_name", "index.mdx", "The {product} of today."),
      append("attribute_not_static", "colors.mdx", "<Card title={title}>Words</Card>"),
      append("component_value", "colors.mdx", "<Icon />"),
      append("unknown_icon", "colors.mdx", '<Icon icon="no-such-icon" />'),
      append("attribute_dropped", "tabs.mdx", '<p onClick="alert(1)">Words</p>'),
      append("element_dropped", "tabs.mdx", "<script>alert(1)</script>"),
      append(
        "duplicate_id",
        "tabs.mdx",
        '<p id="twice">One</p>\n\n<p id="twice">Two</p>',
        '<p id="twice">Two',
      ),
      append("expression_not_static", "tabs.mdx", "{null.title}"),
      append(
        "component_not_static",
        "since.mdx",
        "export const Broken = () => <p>{missing.value}</p>;\n\n<Broken />",
        "<Broken />",
      ),
      append(
        "missing_import",
        "quiz.mdx",
        'import { Lost } from "/snippets/bad.jsx";\n\n<Lost />',
        "<Lost />",
      ),
      put("invalid_script", "snippets/bad.jsx", "export const A = (\n", "export"),
      append("snippet_cycle", "snippets/intro.mdx", '<Snippet file="intro.mdx" />'),
      append("html_comment", "clock.mdx", "<!-- A remark -->"),
      append("heading_level_skipped", "clock.mdx", "#### Deep"),
      append("picture_without_text", "clock.mdx", "![](/images/a.svg)"),
    ],
  ],
  [
    "markup of every kind",
    "markup",
    [
      append("invalid_mdx", "index.mdx", "Words {of an open brace."),
      append("unclosed_tag", "html.mdx", "<Note>\nWords without an end."),
      append("fence_not_closed", "code.mdx", "```js\nconst a = 1;```", "const a = 1;```"),
      append("math_not_rendered", "math.mdx", "$$\n\\frac{1\n$$", "$$\n\\frac{1\n"),
      append(
        "diagram_not_rendered",
        "diagrams.mdx",
        "```mermaid\nflowchart TD\n  A[open --> B\n```",
        "A[open",
      ),
      append("anchor_broken", "headings.mdx", "A [wrong](#mine) anchor."),
      append("invalid_esm", "schema.mdx", "export const = 1;"),
      swap("font_not_included", config, [
        '"colors": {',
        '"fonts": { "family": "Inter" },\n  "colors": {',
        '"fonts"',
      ]),
      set("setting_left_out", '"integrations": { "ga4": { "measurementId": "G-1" } }'),
      set("setting_unknown", '"sidebarColor": "red"'),
      set("setting_invalid", '"favicon": 5'),
      set(
        "setting_invalid",
        '"seo": { "metatags": { "canonical": "docs.example.com" } }',
        "docs.example.com",
      ),
      append("style_from_elsewhere", "code.css", '@import url("https://fonts.example.com/a.css");'),
      put(
        "script_from_elsewhere",
        "load.js",
        "document.write('<script src=\"https://cdn.example.com/a.js\"></script>');\n",
        "document.write",
      ),
      append(
        "media_missing",
        "tables.mdx",
        '<svg width="1" height="1"><use href="/images/none.svg#a" /></svg>',
      ),
    ],
  ],
  [
    "a changelog beside products",
    "frontmatter and files",
    [
      swap("frontmatter_key_unknown", "press/index.mdx", [
        'title: "Press"',
        'title: "Press"\ndescripton: "Words"',
        "descripton",
      ]),
      swap("frontmatter_value_invalid", "press/layout.mdx", [
        'title: "Layout"',
        'title: "Layout"\nboost: much',
        "boost",
      ]),
      swap("frontmatter_repaired", "press/print.mdx", [
        'title: "Print"',
        'title: "Print"\ndescription: On: paper',
        "description",
      ]),
      put(
        "frontmatter_invalid",
        "press/bad.mdx",
        '---\ntitle: "Bad\nicon: [\n---\n\nWords\n',
        "title",
      ),
      put("frontmatter_unclosed", "press/open.mdx", "---\ntitle: Open\n\nWords\n", "---"),
      swap("access_not_restricted", "press/secret.mdx", [
        "hidden: true",
        "hidden: true\npublic: false",
        "public",
      ]),
      put("feed_empty", "press/feed.mdx", "---\ntitle: Feed\nrss: true\n---\n\nNo news.\n", "rss"),
      put("page_duplicate", "press/print.md", "# Again\n"),
      ofFile(
        put("folder_too_deep", `${"d/".repeat(65)}a.mdx`, "Words\n"),
        "d/".repeat(65).slice(0, -1),
      ),
      ofFile(put("file_name_invalid", "press/a.html/b.mdx", "Words\n"), "press/a.html"),
      append("ignore_pattern_unused", ".mintignore", "a".repeat(1_001)),
      append("unknown_icon", "ink/colors.mdx", '<Card title="A" icon="color-wheels">A</Card>'),
      append("link_broken", "README.md", "A [draft](drafts/a.mdx)."),
      append(
        "link_broken",
        "changelog.mdx",
        '<Update label="0.9">\n  Words of [a page](/gone).\n</Update>',
        "/gone",
      ),
      append("anchor_broken", "ink/colors.mdx", "See [0.8](/changelog#0-8)."),
    ],
  ],
  [
    "a navigation in parts",
    "the navigation",
    [
      swap("page_missing", "nav/groups.json", ['"use/b"', '"use/b",\n      "use/c"', '"use/c"']),
      swap("navigation_duplicate", "nav/current.json", ['"shared",', '"shared", "shared",']),
      swap("navigation_empty", config, [
        '{\n            "group": "Old"',
        '{ "group": "None", "pages": [] },\n          { "group": "Old"',
        '"None"',
      ]),
      swap("navigation_invalid", "nav/groups.json", [
        '"directory": "accordion"',
        '"directory": "table"',
      ]),
      swap("navigation_mixed", "nav/current.json", [
        '"anchors": [',
        '"tabs": [{ "tab": "T", "pages": ["shared"] }],\n  "anchors": [',
        '"anchors"',
      ]),
      swap("ref_missing", config, ['"nav/redirects.json"', '"nav/redirect.json"']),
      swap("link_broken", config, ['"href": "/start/index"', '"href": "/start/begin"']),
      swap("unknown_icon", "nav/current.json", ['"icon": "users"', '"icon": "userz"']),
      append("link_broken", "old/more.mdx", "Back to [the start](../starts)."),
    ],
  ],
  [
    "languages and versions",
    "translations",
    [
      append("link_broken", "fr/v1/index.mdx", "Vers [la suite](/fr/v1/suite)."),
      append("link_broken", "ja/v2/setup.mdx", "[設定](/ja/v3/setup)"),
      append("anchor_broken", "ja/v2/setup.mdx", "[方法](#方法)"),
      append("undefined_name", "en.mdx", "Words {count}."),
      swap("link_broken", config, ["(/fr/v2/index)", "(/fr/v3/index)"]),
      swap("link_broken", config, [
        '"language": "ja",',
        '"language": "ja",\n        "footer": { "links": [{ "header": "A", "items": [{ "label": "B", "href": "/ja/none" }] }] },',
        "/ja/none",
      ]),
      set(
        "link_broken",
        '"contextual": { "options": ["copy", { "title": "Ask", "href": "/ask" }] }',
      ),
      put("link_broken", "fr/link.mdx", "---\ntitle: Lien\nurl: /fr/rien\n---\n", "url"),
      swap("navigation_duplicate", config, [
        '"fr/v1/setup"',
        '"fr/v1/setup", "fr/link", "fr/link"',
      ]),
    ],
  ],
  [
    "odd names and line endings",
    "odd names",
    [
      append("link_broken", "guides/C# (new).mdx", "To [us](/guides/%C3%9Cber%20unss)."),
      append("media_missing", "guides/q&a.mdx", "![A](/images/a%20c.SVG)"),
      append("anchor_broken", "guides/it's.mdx", "To [a heading](/guides/日本語#見出)."),
      append("unclosed_tag", "guides/v1.2.mdx", "<Warning>\nWords"),
    ],
  ],
  [
    "a folder of plain Markdown",
    "Markdown",
    [
      append("link_broken", "joining.md", "See [the rules](rules.md)."),
      append("link_broken", "README.md", "Under [MIT](LICENSE)."),
      append("anchor_broken", "02-guides/2-hotfix.md", "See [hot](1-release.md#hot)."),
      append("media_missing", "tools/README.md", "![Gone](../assets/gone.png)"),
      put("config_in_folder", "site/docs.json", "{}"),
    ],
  ],
  [
    "an old configuration",
    "mint.json",
    [
      swap("page_missing", "mint.json", ['"api/create"', '"api/crate"']),
      swap("media_missing", "mint.json", ['"favicon": "/logo.svg"', '"favicon": "/icon.svg"']),
      swap("missing_import", "introduction.mdx", [
        '<Snippet file="note.mdx" />',
        '<Snippet file="notes.mdx" />',
      ]),
      swap("operation_missing", "api/generated.mdx", ["GET /people", "GET /persons"]),
    ],
  ],
  [
    "a navigation in parts",
    "files of the configuration",
    [
      set("ref_outside", '"errors": { "$ref": "../errors.json" }'),
      set("ref_invalid", '"seo": { "$ref": "https://example.com/seo.json" }'),
      swap("ref_cycle", "nav/current.json", [
        '"pages": [\n        "shared",',
        '"icon": { "$ref": "current.json" },\n      "pages": [\n        "shared",',
      ]),
      need("nav/broken.json", '{ "eyebrows": \n}\n'),
      set("ref_unreadable", '"styling": { "$ref": "nav/broken.json" }'),
    ],
  ],
  [
    "odd names and line endings",
    "a missing navigation",
    [
      ofFile(swap("navigation_missing", config, ['"navigation"', '"navigator"'])),
      swap("setting_unknown", config, ['"navigator"', '"navigator"']),
    ],
  ],
  [
    "components of its own",
    "packages and limits",
    [
      ...Array.from({ length: 34 }, (_, at) =>
        need(`snippets/s${at}.mdx`, `Words\n\n<Snippet file="s${at + 1}.mdx" />\n`),
      ),
      need("deep.mdx", '<Snippet file="s0.mdx" />\n'),
      {
        ...put("snippet_too_deep", "snippets/s34.mdx", "Words\n", "<Snippet"),
        blamed: "snippets/s31.mdx",
      },
      ...Array.from({ length: 100 }, (_, at) => need(`styles/${100 + at}.css`, ".a {}\n")),
      ofFile(put("too_many_injected_files", "styles/200.css", ".a {}\n")),
      put(
        "component_not_compiled",
        "snippets/chart.jsx",
        'import { draw } from "charts";\n\nexport const Chart = () => {\n  const [size] = useState(1);\n  return <p>{draw(size)}</p>;\n};\n',
        "import",
      ),
      append(
        "component_not_static",
        "quiz.mdx",
        'import { Chart } from "/snippets/chart.jsx";\n\n<Chart />',
        "<Chart />",
      ),
      append("page_too_deep", "clock.mdx", `${"> ".repeat(600)}x`),
      append("page_too_slow", "since.mdx", "{1} ".repeat(40_000)),
      ...Array.from({ length: 1_000 }, (_, at) => need(`snippets/many/${at}.mdx`, "Words\n")),
      put(
        "too_many_snippets",
        "many.mdx",
        `${Array.from({ length: 1_000 }, (_, at) => `<Snippet file="many/${at}.mdx" />`).join("\n\n")}\n`,
        "<Snippet",
      ),
      append("missing_import", "many.mdx", '<Snippet file="s34.mdx" />'),
      put("snippet_unreadable", "snippets/large.mdx", "word ".repeat(900_000), "word"),
      append("missing_import", "tabs.mdx", '<Snippet file="large.mdx" />'),
      ofFile(put("page_not_rendered", "large.mdx", "word ".repeat(900_000))),
      put("invalid_character", "nul.mdx", "Words \0 and more.\n", "Words"),
    ],
  ],
  [
    "APIs named in every way",
    "descriptions that cannot be used",
    [
      put("description_unsupported", "specs/old.json", '{ "swagger": "1.2", "apis": [] }\n'),
      swap("description_not_fetched", config, [
        '"openapi": "specs/partner/v2.json"',
        '"openapi": ["specs/old.json", "specs/partner/v2.json", "https://api.example.com/openapi.json"]',
      ]),
    ],
  ],
  [
    "APIs named in every way",
    "too many descriptions",
    [
      ...Array.from({ length: 200 }, (_, at) =>
        need(`many/${at}.json`, `{ "openapi": "3.1.0", "info": { "title": "Many ${at}" } }`),
      ),
      swap("description_limit", config, [
        '"openapi": "specs/partner/v2.json"',
        `"openapi": [${Array.from({ length: 200 }, (_, at) => `"many/${at}.json"`).join(", ")}]`,
      ]),
    ],
  ],
];

suite("planted faults", () => {
  for (const [site, what, faults] of table) {
    const count = faults.filter(({ code }) => code !== "").length;
    test(`${count} of ${what}, in ${site}`, async (t) => {
      const files = new Map(
        Object.entries(habitSites.find(({ name }) => name === site)?.files ?? {}),
      );
      assert.ok(files.size > 0, site);
      for (const { file, edit } of faults) files.set(file, edit(files.get(file) ?? ""));
      const expected = faults
        .filter(({ code }) => code !== "")
        .map(({ code, file, blamed = file, at }) => {
          const line = at === undefined ? undefined : findLine(files.get(blamed) ?? "", at);
          return `${code} ${blamed}:${line}`;
        });
      const found = await findProblems(t, Object.fromEntries(files));
      assert.deepEqual(
        found.map(({ place }) => place).toSorted(),
        expected.toSorted(),
        found.map(({ message }) => message).join("\n"),
      );
    });
  }
});

/** The codes of problems that no file of a site brings about, or only a very large one, with the reason. */
const unplanted: Readonly<Record<string, string>> = {
  asset_unreadable: "needs a file system that refuses to read",
  autolink: "names a mistake to the parser, not to people",
  code_settings_too_long: "tested with the limits that are reported",
  description_repaired: "tested beside the reader of descriptions",
  description_too_large: "tested beside the pages of descriptions",
  full_text_cut: "tested beside the outputs",
  folder_unreadable: "needs a file system that refuses to read",
  ignore_file_unreadable: "needs a file system that refuses to read",
  link_outside: "needs a symbolic link; tested beside the reader of folders",
  link_unused: "needs a symbolic link; tested beside the reader of folders",
  more_problems: "tested with the limits that are reported",
  page_too_large: "needs a million elements",
  page_unreadable: "needs a file system that refuses to read",
  redirect_limit: "tested beside the reader of the configuration",
  ref_limit: "tested beside the reader of the configuration",
  remote_media_unavailable: "needs another host",
  site_too_large: "tested beside the reader of folders",
  too_deep: "tested beside the renderer",
  too_many_tags: "tested with the limits that are reported",
  too_many_versions: "tested with the limits that are reported",
};

test("each code of a problem has a planted fault, or a reason why it has none", () => {
  const folder = join(import.meta.dirname, "../../packages/site/src");
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (path) => path.endsWith(".ts") && !path.endsWith(".test.ts"),
  );
  const pattern = /(?:\b(?:warn|fail|error)\(\s*|\bcode: )"([a-z_]+)"/g;
  const codes = sources.flatMap((path) =>
    Array.from(readFileSync(join(folder, path), "utf8").matchAll(pattern), ([, code = ""]) => code),
  );
  const planted = new Set(table.flatMap(([, , faults]) => faults.map(({ code }) => code)));
  assert.deepEqual(
    [...new Set(codes)].filter((code) => !planted.has(code)).toSorted(),
    Object.keys(unplanted).toSorted(),
  );
});

function findLine(text: string, words: string): number {
  const at = text.indexOf(words);
  assert.notEqual(at, -1, words);
  return text.slice(0, at).split("\n").length;
}

async function findProblems(t: TestContext, files: Readonly<Record<string, string>>) {
  const { problems } = await renderSite({
    siteDir: await writeSite(t, files),
    outDir: await writeSite(t, {}),
    workers: 1,
    children,
    accessibility: true,
    check: (site, pages) => checkSite(site, pages),
  });
  return problems.map(({ code, file, line, message }) => {
    const place = `${code} ${file}:${line}`;
    return { place, message: `${place} ${message}` };
  });
}
