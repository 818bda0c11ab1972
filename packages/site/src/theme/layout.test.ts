import { layoutIds } from "../site/index.ts";
import { createIconRenderer } from "../markup/index.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { allWords } from "../markup/testing.ts";
import {
  attribute,
  elementsIn,
  parseDocument,
  documentText,
  type ParsedDocument,
} from "../../../../test/support/document.ts";
import {
  division,
  group,
  sampleContent,
  sampleSite,
  type SampleSite,
} from "../../../../test/support/sample-site.ts";
import type { PageContent } from "../page/index.ts";
import { createLayout } from "./layout.ts";
import type { LayoutOptions } from "./layout-options.ts";
import { sampleFirstScript as firstScript } from "./head/first-script.test-support.ts";

const guides = division("tab", "Guides", {
  entries: [
    group("Start", ["index", "guides/first steps"]),
    group("More", [
      "guides/tables",
      group("Deep", ["guides/deep/one", "guides/deep/two"], { root: "guides/deep/index" }),
      { type: "link", label: "Status", href: "https://status.example.com" },
    ]),
  ],
});
const reference = division("tab", "Reference", { entries: [group("Calls", ["api/list"])] });
const plain: SampleSite = {
  navigation: division("root", "", {
    divisions: [guides, reference, division("anchor", "Blog", { href: "https://example.com" })],
  }),
  frontmatter: {
    index: { title: "Welcome", description: "What it is" },
    "api/list": { openapi: "openapi.json get /v1/{id}/items", deprecated: true, tag: "Beta" },
  },
  unlisted: ["guides/deep/aside"],
};

interface Written extends ParsedDocument {
  readonly html: string;
}

function write(
  sample: SampleSite,
  path: string,
  more: { content?: PageContent; options?: Partial<LayoutOptions> } = {},
): Written {
  const site = sampleSite(sample);
  const page = site.pages.find((candidate) => candidate.path === path);
  assert(page, `no page ${path}`);
  const layout = createLayout(site, {
    generator: "Octavo 0.0.0",
    words: allWords,
    firstScript,
    ...more.options,
  });
  const html = layout.renderPage(page, more.content ?? sampleContent("<p>Text</p>"));
  return { html, ...parseDocument(html) };
}

function hrefs(document: ParsedDocument): string[] {
  return document.elements.flatMap((element) => {
    const value = attribute(element, "href") ?? attribute(element, "src");
    return value === undefined ? [] : [value];
  });
}

function currentIn(document: ParsedDocument): string[] {
  return document.elements
    .filter((element) => attribute(element, "aria-current") === "page")
    .map(documentText);
}

const openDetails = (document: ParsedDocument) =>
  elementsIn(document.byId("navigation-items"))
    .filter(
      ({ tagName, attrs }) => tagName === "details" && attrs.some(({ name }) => name === "open"),
    )
    .map((details) => {
      const [summary] = elementsIn(details).filter(({ tagName }) => tagName === "summary");
      assert(summary);
      // Beside a link it has the link's name.
      return attribute(summary, "aria-label") ?? documentText(summary);
    });

function inlineScripts(path: string): string[] {
  return write(plain, path)
    .byTag("script")
    .filter((script) => attribute(script, "src") === undefined)
    .map(documentText);
}

function policyOf(content: Partial<PageContent>, options: Partial<LayoutOptions> = {}): string[] {
  return write(plain, "index", { content: sampleContent("<p>x</p>", content), options })
    .byTag("meta")
    .filter((meta) => attribute(meta, "http-equiv") === "Content-Security-Policy")
    .map((meta) => attribute(meta, "content") ?? "");
}

function referenceTo(target: string, kind: "media" | "frame"): PageContent["references"][number] {
  return { kind, target, file: "index.mdx", line: 1, column: 1 };
}

describe("a page's policy", () => {
  const nobody = policyOf({});

  it("allows nobody by default, and is the first that a browser reads", () => {
    assert.equal(nobody.length, 1);
    assert.doesNotMatch(nobody.join(), /https?:|\*|img-src|frame-src/);
    const { html } = write(plain, "index");
    assert.ok(html.indexOf("Content-Security-Policy") < html.indexOf("<link"));
    assert.ok(html.indexOf("Content-Security-Policy") < html.indexOf("<script"));
  });

  it("allows pictures where the page shows some from their hosts, and frames that it names", () => {
    const references = [
      referenceTo("https://a.example/x.png", "media"),
      referenceTo("//player.example:8443/embed?v=1", "frame"),
    ];
    const [policy = ""] = policyOf({ references });
    assert.match(policy, /; img-src [^;]* https: http:; media-src [^;]* https: http:;/);
    assert.match(policy, /; frame-src 'self' file: data: blob: https:\/\/player\.example:8443$/);
    assert.doesNotMatch(policy, /(?:default|script|style)-src[^;]* https?:/);
    const copied = { findCopy: () => undefined };
    assert.deepEqual(policyOf({ references }, copied), nobody);
    assert.match(policyOf({}, { hasRemoteImages: true }).join(), /img-src/);
    assert.deepEqual(policyOf({ references: [referenceTo("/own.png", "media")] }), nobody);
  });

  it("allows the hosts that the owner named, and their sockets, for everything", () => {
    const [policy = ""] = policyOf({}, { remoteOrigins: ["https://*.a.example"] });
    for (const name of ["default-src", "script-src", "style-src"])
      assert.match(
        policy,
        new RegExp(`${name} [^;]* https://\\*\\.a\\.example wss://\\*\\.a\\.example`),
      );
  });
});

describe("a page's document", () => {
  it("is valid and has the parts that sites style and script", () => {
    const content = sampleContent('<h2 id="a">A</h2>', {
      outline: [
        { depth: 2, id: "a", text: "A <b>" },
        { depth: 3, id: "b c", text: "B" },
      ],
    });
    const document = write(plain, "guides/tables", { content });
    assert.deepEqual(document.errors, []);
    const ids =
      "header navbar sidebar sidebar-content body-content content-container content-area content " +
      "mdx-content page-title pagination table-of-contents table-of-contents-content";
    for (const id of ids.split(" ")) document.byId(id);
    for (const name of ["mdx-content", "prose", "nav-logo", "nav-tabs", "nav-tabs-item"]) {
      assert(document.byClass(name).length > 0, name);
    }
    const [root] = document.byTag("html");
    assert(root);
    assert.equal(attribute(root, "data-current-path"), "/guides/tables");
    assert.equal(attribute(root, "data-page-mode"), "default");
    assert.equal(attribute(root, "data-root"), "../");
    assert.equal(attribute(root, "lang"), "en");
    assert.deepEqual(document.byClass("toc-item").map(documentText), ["A <b>", "B"]);
    assert.equal(attribute(document.byClass("toc-item")[1] ?? root, "href"), "#b%20c");
  });

  it("names its encoding where browsers look for it, whatever the language of its words", () => {
    for (const language of allWords.keys()) {
      const navigation = division("root", "", {
        divisions: [division("language", language, { entries: [group("Start", ["index"])] })],
      });
      const page = write({ navigation }, "index");
      const start = page.html.slice(0, page.html.indexOf("<meta charset") + 22);
      assert(Buffer.byteLength(start) <= 1024, `${language}: ${Buffer.byteLength(start)}`);
      const [body] = page.byTag("body");
      const words = JSON.parse((body && attribute(body, "data-words")) ?? "") as object;
      assert(Object.values(words).length > 10);
    }
  });

  it("is described by what it begins with where nobody described it", () => {
    const text = "The harbour opens when the tide is high enough for boats.";
    const content = sampleContent(`<p>${text}</p>`);
    const described = (parts: SampleSite) => {
      const metas = write(parts, "index", { content }).byTag("meta");
      const found = metas.find((element) => attribute(element, "name") === "description");
      return found && attribute(found, "content");
    };
    const navigation = division("root", "", { entries: [{ type: "page", path: "index" }] });
    assert.equal(described({ navigation, config: { description: "Of the site" } }), "Of the site");
    const { description: _, ...config } = sampleSite({ navigation }).config;
    assert.equal(described({ navigation, parts: { config } }), text);
  });

  it("leads only to pages of the site, to its files and to hosts that the author named", () => {
    const site = sampleSite(plain);
    const known = new Set([
      ...site.pages.map(({ path }) => `${path}.html`),
      "_octavo/octavo.css",
      "_octavo/octavo.js",
    ]);
    const authored = new Set(["https://example.com", "https://status.example.com"]);
    for (const { path } of site.pages) {
      for (const href of hrefs(write(plain, path))) {
        if (href.startsWith("#") || authored.has(href)) continue;
        const url = new URL(href, new URL(`http://x/${encodeURI(path)}.html`));
        assert(known.has(decodeURIComponent(url.pathname.slice(1))), `${path} leads to ${href}`);
      }
    }
  });

  it("finds the pictures of its navigation's icons from every folder", () => {
    const image = "images/a & b.svg";
    const entries = [group("Start", ["index", "guides/deep/one"], { icon: `/${image}` })];
    const sample = { navigation: division("root", "", { entries }), parts: { assets: [image] } };
    const options = { renderIcon: createIconRenderer({ library: "lucide" }) };
    for (const [path, root] of [
      ["index", ""],
      ["guides/deep/one", "../../"],
    ] as const) {
      const [icon] = write(sample, path, { options }).byClass("icon-image");
      assert.equal(icon && attribute(icon, "src"), `${root}images/a%20&%20b.svg`);
    }
  });

  it("marks its own entry once and opens the groups around it", () => {
    const document = write(plain, "guides/deep/two");
    assert.deepEqual(currentIn(document), ["Two"]);
    assert.deepEqual(openDetails(document), ["Deep"]);
    assert.deepEqual(openDetails(write(plain, "guides/tables")), []);
  });

  it("marks the group whose page it is", () => {
    assert.deepEqual(currentIn(write(plain, "guides/deep/index")), ["Deep"]);
  });

  it("borrows the sidebar of its folder where no sidebar lists it", () => {
    const document = write(plain, "guides/deep/aside");
    assert.deepEqual(currentIn(document), []);
    assert.match(documentText(document.byId("navigation-items")), /Tables/);
  });

  it("shows method and path of an endpoint, its tag and that it is deprecated", () => {
    const document = write(plain, "api/list");
    assert.deepEqual(document.byClass("operation").map(documentText), ["GET/v1/{id}/items"]);
    assert.deepEqual(document.byClass("page-tag").map(documentText), ["Beta", "Deprecated"]);
    const [method] = elementsIn(document.byId("navigation-items")).filter(
      (element) => attribute(element, "class") === "method method-get",
    );
    assert(method);
  });

  it("leads on to its neighbors in the sidebar", () => {
    const document = write(plain, "guides/tables");
    assert.deepEqual(document.byClass("pagination-previous").map(documentText), [
      "PreviousFirst steps",
    ]);
    assert.deepEqual(document.byClass("pagination-next").map(documentText), ["NextIndex"]);
  });

  it("says in a line what they are about", () => {
    const lines = [
      ["Tie <b>up</b>", "NextATie up"],
      ["A rope ".repeat(1000), `NextA${"A rope ".repeat(14)}A…`],
    ] as const;
    for (const [description, text] of lines) {
      const sample = {
        navigation: division("root", "", { entries: [group("Start", ["index", "guides/a"])] }),
        frontmatter: { "guides/a": { description } },
      };
      assert.deepEqual(write(sample, "index").byClass("pagination-next").map(documentText), [text]);
    }
  });

  it("shows the text of elements and components in a page's description, and other tags as text", () => {
    const lines = [
      ["Tie <b>up</b> *now*", "Tie <strong>up</strong> <em>now</em>"],
      [
        'Call the <Tooltip tip="An API">API <b>now</b></Tooltip>.',
        "Call the API <strong>now</strong>.",
      ],
      ["<Badge>New</Badge> ropes", "New ropes"],
      ['<Badge color="red">New</Badge>', "New"],
      ['<Icon icon="rope" /> One<br/>two<!-- three -->', " One<br>two"],
      [
        "Returns `Promise<Error>`, Promise<Error> or <token>",
        "Returns <code>Promise&lt;Error&gt;</code>, Promise&lt;Error&gt; or &lt;token&gt;",
      ],
      ["</b> <b>a <i>b</b>", "&lt;/b&gt; <strong>a <em>b</em></strong>"],
      ["<script>a</script> b", "&lt;script&gt;a&lt;/script&gt; b"],
    ] as const;
    for (const [description, expected] of lines) {
      const { html } = write({ ...plain, frontmatter: { index: { description } } }, "index");
      assert.ok(html.includes(`<p class="page-description">${expected}</p>`), description);
    }
  });

  it("has one inline script, which is the same in every document", () => {
    assert.deepEqual(inlineScripts("index"), [firstScript.text]);
    assert.deepEqual(inlineScripts("guides/deep/two"), [firstScript.text]);
  });

  it("has addresses for previews only where it is known where it will stand", () => {
    assert.doesNotMatch(write(plain, "index").html, /canonical|og:/);
    const { html } = write(plain, "guides/first steps", {
      options: { baseUrl: "https://docs.example.com/manual/" },
    });
    assert.match(
      html,
      /<link rel="canonical" href="https:\/\/docs\.example\.com\/manual\/guides\/first%20steps\.html">/,
    );
    assert.match(html, /<meta property="og:title" content="First steps - Aurora">/);
  });

  it("keeps what authors write from becoming markup", () => {
    const evil = '"><script>alert(1)</script>';
    const document = write(
      {
        ...plain,
        config: {
          name: evil,
          navbar: {
            links: [
              { type: "link", label: evil, href: evil },
              { type: "link", label: "runs", href: "javascript:alert(1)" },
            ],
          },
          banner: {
            content: `<b>${evil}</b> [x](javascript:alert(1))`,
            dismissible: true,
            type: "info",
          },
        },
        frontmatter: {
          index: { title: evil, description: evil, tag: evil, openapi: `GET ${evil}` },
        },
      },
      "index",
    );
    assert.deepEqual(document.errors, []);
    assert.equal(document.byTag("script").length, 2);
    assert.deepEqual(
      hrefs(document).filter((href) => href.startsWith("javascript")),
      [],
    );
  });
});

describe("modes", () => {
  const content = sampleContent("<p>Text</p>", { outline: [{ depth: 2, id: "a", text: "A" }] });
  const cases = {
    default: { title: 1, toc: 1, pagination: 1 },
    wide: { title: 1, toc: 0, pagination: 1 },
    center: { title: 1, toc: 0, pagination: 1 },
    frame: { title: 0, toc: 0, pagination: 0 },
    custom: { title: 0, toc: 0, pagination: 0 },
    assistant: { title: 1, toc: 1, pagination: 1 },
  } as const;
  for (const [mode, expected] of Object.entries(cases)) {
    it(mode, () => {
      const frontmatter =
        mode === "default" ? {} : { index: { mode: mode as keyof typeof cases & "wide" } };
      const { elements } = write({ ...plain, frontmatter }, "index", { content });
      const count = (id: string) =>
        elements.filter((element) => attribute(element, "id") === id).length;
      assert.deepEqual(
        {
          title: count("page-title"),
          toc: count("table-of-contents"),
          pagination: count("pagination"),
        },
        expected,
      );
    });
  }
});

describe("examples and panels", () => {
  it("stand at the side instead of the table of contents", () => {
    const content = sampleContent(
      '<p>One</p><aside class="example" data-example="request"><aside>in</aside>A</aside><p>Two</p>' +
        '<aside>mine</aside><aside class="panel x" data-panel>B</aside>',
      { outline: [{ depth: 2, id: "a", text: "A" }] },
    );
    const document = write(plain, "index", { content });
    assert.equal(documentText(document.byId("side-panel")), "inAB");
    assert.equal(documentText(document.byId("content")), "OneTwomine");
    assert.throws(() => document.byId("table-of-contents"), /0 times/);
  });

  it("come before the links to other pages, for phones show them below the text", () => {
    const content = sampleContent('<p>One</p><aside class="panel" data-panel>B</aside>');
    const { html } = write(plain, "index", { content });
    const places = ['id="content"', 'id="side-panel"', 'id="pagination"'].map((id) =>
      html.indexOf(id),
    );
    const [text = -1, side = -1, pages = -1] = places;
    assert(text !== -1 && text < side && side < pages);
  });

  for (const [mode, text, side] of [
    ["wide", "One", "A"],
    ["center", "One", "A"],
    ["custom", "OneA", ""],
    ["frame", "OneA", ""],
  ] as const) {
    it(`have no panel on a page whose mode is ${mode}`, () => {
      const content = sampleContent(
        '<p>One</p><aside class="example" data-example="request">A</aside>' +
          '<aside class="panel" data-panel>B</aside>',
      );
      const sample = { ...plain, frontmatter: { index: { mode } } };
      const document = write(sample, "index", { content });
      assert.equal(documentText(document.byId("content")), text);
      if (side !== "") assert.equal(documentText(document.byId("side-panel")), side);
    });
  }

  it("stand in order, but requests before all else", () => {
    const kinds = ["response", "request", "response", "request"];
    const content = sampleContent(
      kinds
        .map((kind, at) => `<aside class="example" data-example="${kind}">${at}</aside>`)
        .join(""),
    );
    assert.equal(documentText(write(plain, "index", { content }).byId("side-panel")), "1302");
  });

  it("stay where they are when they never end", () => {
    const content = sampleContent('<p>One</p><aside class="example" data-example="request">A');
    assert.equal(documentText(write(plain, "index", { content }).byId("content")), "OneA");
  });
});

function inLanguage(code: string, prefix: string) {
  return division("language", code, {
    divisions: [
      division("tab", "A", { entries: [group("G", [`${prefix}index`, `${prefix}guide`])] }),
      division("tab", "B", { entries: [group("H", [`${prefix}other`])] }),
    ],
  });
}

describe("switches", () => {
  const site: SampleSite = {
    navigation: division("root", "", {
      divisions: [inLanguage("en", ""), inLanguage("ar", "ar/"), inLanguage("cn", "cn/")],
    }),
  };

  it("lead to the same page in the other language, which they call by its own name", () => {
    const document = write(site, "guide");
    const [menu] = document.byClass("menu-language");
    assert(menu);
    const links = elementsIn(menu).filter(({ tagName }) => tagName === "a");
    assert.deepEqual(
      links.map((link) => [documentText(link), attribute(link, "href"), attribute(link, "lang")]),
      [
        ["English", "guide.html", "en"],
        ["العربية", "ar/guide.html", "ar"],
        ["简体中文", "cn/guide.html", "zh-Hans"],
      ],
    );
  });

  it("speak the page's language and follow its direction", () => {
    const document = write(site, "ar/other");
    const [root] = document.byTag("html");
    assert(root);
    assert.equal(attribute(root, "lang"), "ar");
    assert.equal(attribute(root, "dir"), "rtl");
    assert.equal(attribute(root, "data-search"), "ar");
    assert.equal(documentText(document.byClass("skip-link")[0] ?? root), "انتقل إلى المحتوى");
  });

  it("search the language in which a page outside of the navigation is shown", () => {
    const frontmatter = { "ar/lone": { hidden: true }, lone: { hidden: true } };
    const unlisted = { ...site, unlisted: Object.keys(frontmatter), frontmatter };
    for (const [path, expected] of [
      ["ar/lone", "ar"],
      ["lone", "en"],
    ] as const) {
      const [root] = write(unlisted, path).byTag("html");
      assert(root);
      assert.equal(attribute(root, "data-search"), expected);
    }
  });
});

function names(count: number, prefix: string): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}/${index}`);
}

describe("a large division", () => {
  const site: SampleSite = {
    navigation: division("root", "", {
      entries: [
        group("First", ["a/0", group("Inner", names(60, "a/inner"))]),
        group("Second", names(100, "b")),
        group("Flat", names(600, "c")),
      ],
    }),
  };

  it("is written as the branch that leads to the page, with links that work without scripts", () => {
    const document = write(site, "b/50");
    const navigation = document.byId("navigation-items");
    assert.equal(attribute(navigation, "data-nav"), "root");
    const links = elementsIn(navigation).filter(({ tagName }) => tagName === "a");
    assert.equal(links.length, 102);
    const branches = links.filter((link) => attribute(link, "data-branch") !== undefined);
    assert.deepEqual(
      branches.map((link) => [
        documentText(link),
        attribute(link, "href"),
        attribute(link, "data-branch"),
      ]),
      [
        ["First", "../a/0.html", "0"],
        ["Flat", "../c/0.html", "2"],
      ],
    );
    assert.deepEqual(currentIn(document), ["50"]);
  });

  it("shows of a long list what lies around the page", () => {
    const document = write(site, "c/300");
    const links = elementsIn(document.byId("navigation-items")).filter(
      ({ tagName }) => tagName === "a",
    );
    assert(links.length < 100, `${links.length} links`);
    const more = document.byClass("sidebar-more").map((link) => attribute(link, "href"));
    assert.deepEqual(more, ["../c/259.html", "../c/341.html"]);
    assert.deepEqual(currentIn(document), ["300"]);
  });
});

it("gives its own elements ids that no heading gets", () => {
  const site = sampleSite({
    navigation: division("root", "", {
      directory: "card",
      entries: [group("Start", ["a", "b"], { root: "index" })],
    }),
    config: {
      banner: { content: "News", dismissible: true, type: "info" },
      contextual: { options: ["copy"], display: "header" },
    },
  });
  const layout = createLayout(site, { generator: "Octavo 0.0.0", words: allWords, firstScript });
  const content = sampleContent('<aside class="panel" data-panel>B</aside>');
  const outlined = sampleContent("", { outline: [{ depth: 2, id: "x", text: "X" }] });
  const documents = site.pages.flatMap((page) => [
    layout.renderPage(page, content),
    layout.renderPage(page, outlined),
  ]);
  const ids = new Set(documents.join("").match(/(?<= id=")[^"]+/g));
  assert(ids.has("page-directory") && ids.has("side-panel") && ids.has("table-of-contents"));
  assert.deepEqual(
    [...ids].filter((id) => !layoutIds.has(id)),
    [],
  );
});

describe("without scripts", () => {
  it("every listed page of a large site is reached by links, also where pages stand at several places", () => {
    const shared = names(60, "b");
    const site: SampleSite = {
      navigation: division("root", "", {
        divisions: [
          division("tab", "One", {
            entries: [group("Start", ["index", ...shared]), group("Rest", names(200, "a"))],
          }),
          division("tab", "Two", {
            entries: [
              group("Shared", [
                "b/0",
                ...names(20, "c"),
                group("Deep", ["b/1", ...names(20, "d")]),
              ]),
              group("Long", [...names(41, "e"), ...shared, ...names(320, "f")]),
            ],
          }),
          division("tab", "Three", { entries: [group("Alone", ["b/1", "g/0"])] }),
        ],
      }),
    };
    const layout = createLayout(sampleSite(site), {
      generator: "Octavo 0.0.0",
      words: allWords,
      firstScript,
    });
    const pages = new Map(sampleSite(site).pages.map((page) => [`${page.path}.html`, page]));
    const reached = new Set(["index.html"]);
    for (const file of reached) {
      const page = pages.get(file);
      assert(page, file);
      const html = layout.renderPage(page, sampleContent(""));
      const sidebar = parseDocument(html.replace(/<nav id="pagination".*?<\/nav>/s, ""));
      for (const href of hrefs(sidebar)) {
        const target = decodeURI(new URL(href, `file:///${file}`).pathname.slice(1));
        if (pages.has(target)) reached.add(target);
      }
    }
    const missed = [...pages.keys()].filter((file) => !reached.has(file));
    assert.deepEqual(missed, []);
  });
});

describe("the page that says there is none", () => {
  it("leads from the host's root, or from the path where the bundle stands", () => {
    const site = sampleSite({
      ...plain,
      config: { notFound: { redirect: false, description: "Gone. [Home](/)" } },
    });
    for (const [baseUrl, root] of [
      [undefined, "/"],
      ["https://example.com/docs", "/docs/"],
    ] as const) {
      const options = baseUrl === undefined ? {} : { baseUrl };
      const html = createLayout(site, {
        generator: "Octavo 0.0.0",
        words: allWords,
        firstScript,
        ...options,
      }).renderNotFound();
      const document = parseDocument(html);
      assert.deepEqual(document.errors, []);
      for (const href of hrefs(document)) {
        const isBeside = href === "_octavo/octavo.css" && baseUrl === undefined;
        assert(isBeside || /^(#|https:|\/)/.test(href), href);
        if (href.startsWith("/")) assert(href.startsWith(root), href);
      }
      assert.match(html, /name="robots" content="noindex"/);
    }
  });
});

describe("the text of a banner", () => {
  const texts: readonly (readonly [content: string, expected: string])[] = [
    ["**New** [guide](/api/list)", '<strong>New</strong> <a href="../api/list.html">guide</a>'],
    [
      'See <a href="/api/list" className="cta">the <b>list</b></a><br/>soon',
      'See <a href="../api/list.html" class="cta">the <b>list</b></a><br>soon',
    ],
    [
      '![Star](/images/star.svg) <img src="/images/star.svg" alt="S" height="9" onerror="x">',
      '<img src="../images/star.svg" alt="Star"> <img src="../images/star.svg" alt="S" height="9">',
    ],
    ["x <b>open *em*", "x <b>open <em>em</em></b>"],
    ["a <b>b <i>c</b> d", "a <b>b <i>c</i></b> d"],
    ["<Badge>New</Badge> <Icon/>*now*<!-- soon -->", "New <em>now</em>"],
    ['<a href="/api/list">list</a>', '<a href="../api/list.html">list</a>'],
    ["a Promise<Error>", "a Promise&lt;Error&gt;"],
    ["x </b> <script>y</script>", "x &lt;/b&gt; &lt;script&gt;y&lt;/script&gt;"],
    ['x <a href="javascript:y">z</a> <u onclick="x">u</u>', "x z <u>u</u>"],
  ];
  for (const [content, expected] of texts) {
    it(content, () => {
      const { html } = write(
        {
          ...plain,
          config: { banner: { content, dismissible: false, type: "info" } },
          parts: { assets: ["images/star.svg"] },
        },
        "guides/first steps",
      );
      assert.equal(/<div class="banner-text">(.*?)<\/div>/s.exec(html)?.[1], expected);
    });
  }
});
