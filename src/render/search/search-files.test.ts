import assert from "node:assert/strict";
import { test } from "node:test";
import vm from "node:vm";
import type { RenderedPage } from "../bundle.ts";
import type { SearchSection } from "../page/page.ts";
import type { Site, SitePage } from "../site/site.ts";
import { searchFiles } from "./search-files.ts";
import { pageTerms } from "./terms.ts";

type Engine = {
  open(options: { root: string; name: string }): void;
  query(text: string): Promise<{ href: string; title: string; excerptHtml: string }[]>;
};

function page(path: string, sections: SearchSection[], more: Partial<SitePage> = {}) {
  const site = { path, title: path, searchable: true, places: [], ...more } as unknown as SitePage;
  return { page: site, rendered: { terms: pageTerms(sections, more.boost) } as RenderedPage };
}

const site = { navigation: { divisions: [], entries: [] } } as unknown as Site;

/** Runs the bundle's own scripts as a browser would: script elements are loaded from the files. */
async function openSearch(pages: ReturnType<typeof page>[], name = "all"): Promise<Engine> {
  const files = new Map((await searchFiles(site, pages)).map((file) => [file.path, file.content]));
  const context = vm.createContext({
    document: {
      createElement: () => Object.assign(new EventTarget(), { src: "" }),
      head: {
        append(script: EventTarget & { src: string }) {
          const content = files.get(decodeURIComponent(script.src));
          if (content === undefined) return script.dispatchEvent(new Event("error"));
          vm.runInContext(String(content), context);
          return script.dispatchEvent(new Event("load"));
        },
      },
    },
  });
  vm.runInContext(String(files.get("_octavo/search/search.js")), context);
  const engine = vm.runInContext("octavoSearch", context) as Engine;
  engine.open({ root: "", name });
  return engine;
}

const guide = page("guides/start", [
  { id: "", heading: "Getting started", text: "Install the tool with npm and run it." },
  { id: "configure", heading: "Configure", text: "Set the naïve résumé option in getUserName()." },
]);
const reference = page("reference", [
  { id: "", heading: "Reference", text: "Every option, and how to install plugins." },
]);
const oddNames = page("what#is/50% off?", [
  { id: "", heading: "Odd", text: "The wombat of names." },
]);
const chinese = page("zh/start", [{ id: "", heading: "快速开始", text: "安装文档服务并运行它。" }]);

const cases: [query: string, firstHref: string | undefined][] = [
  ["install", "guides/start.html"],
  ["configure", "guides/start.html#configure"],
  ["CONFIG", "guides/start.html#configure"],
  ["resume", "guides/start.html#configure"],
  ["username", undefined],
  ["getusern", "guides/start.html#configure"],
  ["user", "guides/start.html#configure"],
  ["plugins install", "reference.html"],
  ["confgiure", "guides/start.html#configure"],
  ["refrence", "reference.html"],
  ["文档", "zh/start.html"],
  ["快速", "zh/start.html"],
  ["wombat", "what%23is/50%25%20off%3F.html"],
  ["zzzz", undefined],
  ["", undefined],
];

for (const [query, href] of cases) {
  test(`"${query}" finds ${href ?? "nothing"}`, async () => {
    const engine = await openSearch([guide, reference, chinese, oddNames]);
    const results = await engine.query(query);
    assert.equal(results[0]?.href, href);
  });
}

test("puts a heading of the words in their order before others, however often they have them", async () => {
  const pages = [
    page("a", [{ id: "", heading: "Pages", text: "static pages to render; ".repeat(9) }]),
    page("b", [{ id: "x", heading: "Static render pools", text: "Of something else." }]),
    page("c", [{ id: "y", heading: "Static render", text: "Of something else." }]),
    page("d", [{ id: "z", heading: "Render what is static", text: "Of something else." }]),
  ];
  const results = await (await openSearch(pages)).query("static render");
  assert.deepEqual(
    Array.from(results, ({ href }) => href),
    ["c.html#y", "b.html#x", "d.html#z", "a.html"],
  );
});

test("cuts what it shows of a text between words", async () => {
  const text = `${"before it stands something ".repeat(6)}needle${" and something else".repeat(20)}`;
  const [result] = await (
    await openSearch([page("a", [{ id: "", heading: "A", text }])])
  ).query("needle");
  const words = new Set(text.split(" "));
  const shown = result?.excerptHtml.replaceAll(/<\/?mark>|…/g, "").split(" ") ?? [];
  assert.ok(shown.length > 10);
  assert.deepEqual(
    shown.filter((word) => !words.has(word)),
    [],
  );
});

test("marks what was found and escapes the rest", async () => {
  const evil = page("evil", [{ id: "", heading: "x", text: "a <script>alert(1)</script> needle" }]);
  const [result] = await (await openSearch([evil])).query("needle");
  assert.match(result?.excerptHtml ?? "", /&lt;script&gt;.*<mark>needle<\/mark>/);
});

test("marks words in texts that are cut, and in other scripts", async () => {
  const long = page("long", [
    { id: "", heading: "x", text: `Ünïcode needle ﬁ ${"word ".repeat(300)}` },
  ]);
  const [result] = await (await openSearch([long])).query("needle unicode");
  assert.match(result?.excerptHtml ?? "", /<mark>Ünïcode<\/mark> <mark>needle<\/mark> ﬁ/);
});

test("a page that is left out of search is not found", async () => {
  const secret = page("secret", [{ id: "", heading: "Hidden", text: "unicorn" }], {
    searchable: false,
  });
  assert.deepEqual([...(await (await openSearch([guide, secret])).query("unicorn"))], []);
});

test("languages and versions have indexes of their own", async () => {
  const spanish = page("es/inicio", [{ id: "", heading: "Inicio", text: "instalar" }], {
    language: "es",
    version: "v2",
  });
  const engine = await openSearch([guide, spanish], "es-v2");
  assert.equal((await engine.query("instalar"))[0]?.href, "es/inicio.html");
});

test("a label that is a sentence makes an index that can be written", async () => {
  const version = "The version that we would rather not name ".repeat(12);
  const labelled = page("a", [{ id: "", heading: "A", text: "needle" }], { version });
  for (const { path } of await searchFiles(site, [labelled])) {
    assert.ok(
      path.split("/").every((part) => part.length < 100),
      path,
    );
  }
});

test("several indexes are searched as one", async () => {
  const versioned = page("v2/setup", [{ id: "", heading: "Setup", text: "install once" }], {
    version: "v2",
  });
  const engine = await openSearch([guide, versioned], "v2 all");
  const found = new Set(Array.from(await engine.query("install"), ({ href }) => href));
  assert.deepEqual(found, new Set(["guides/start.html", "v2/setup.html"]));
});

test("boost lifts a page above its equals", async () => {
  const text = [{ id: "", heading: "Words", text: "alpha beta gamma" }];
  const [first] = await (
    await openSearch([page("a", text), page("b", text, { boost: 3 })])
  ).query("beta");
  assert.equal(first?.href, "b.html");
});

test("a big site is cut into chunks and still finds its last page", async () => {
  const pages = Array.from({ length: 600 }, (_, number) =>
    page(`p${number}`, [
      {
        id: "",
        heading: `Page ${number}`,
        text: `common words unique${number} ${"lorem ".repeat(50)}`,
      },
      {
        id: "more",
        heading: "More",
        text: Array.from({ length: 60 }, (__, i) => `w${number}x${i}`).join(" "),
      },
    ]),
  );
  const paths = (await searchFiles(site, pages)).map((file) => file.path);
  assert.ok(paths.filter((path) => path.includes("/terms-")).length > 2);
  const engine = await openSearch(pages);
  assert.equal((await engine.query("unique599"))[0]?.href, "p599.html");
  assert.equal((await engine.query("common words")).length, 12);
});
