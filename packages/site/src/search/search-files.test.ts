import assert from "node:assert/strict";
import { test } from "node:test";
import {
  openSearch,
  searchFilesOf,
  searchPage,
} from "../../../../test/support/search-in-bundle.ts";

const guide = searchPage("guides/start", "Getting started", [
  ["", "Getting started", "Install the tool with npm and run it."],
  ["configure", "Configure", "Set the naïve résumé option in getUserName()."],
]);
const reference = searchPage("reference", "Reference", [
  ["", "Reference", "Every option, and how to install plugins."],
]);
const oddNames = searchPage("what#is/50% off?", "Odd", [["", "Odd", "The wombat of names."]]);

const cases: [query: string, firstHref: string | undefined][] = [
  ["install", "guides/start.html"],
  ["configure", "guides/start.html#configure"],
  ["CONFIG", "guides/start.html#configure"],
  ["resume", "guides/start.html#configure"],
  ["username", "guides/start.html#configure"],
  ["getusern", "guides/start.html#configure"],
  ["user", "guides/start.html#configure"],
  ["plugins install", "reference.html"],
  ["confgiure", "guides/start.html#configure"],
  ["refrence", "reference.html"],
  ["wombat", "what%23is/50%25%20off%3F.html"],
  ["zzzz", undefined],
  ["!?", undefined],
  ["", undefined],
];

for (const [query, href] of cases) {
  test(`"${query}" finds ${href ?? "nothing"}`, async () => {
    const engine = await openSearch([guide, reference, oddNames]);
    const results = await engine.query(query);
    assert.equal(results[0]?.href, href);
  });
}

test("a heading with the words in order comes first, however often others contain the words", async () => {
  const pages = [
    searchPage("a", "Pages", [["", "Pages", "static pages to render; ".repeat(9)]]),
    searchPage("b", "B", [["x", "Static render pools", "Of something else."]]),
    searchPage("c", "C", [["y", "Static render", "Of something else."]]),
    searchPage("d", "D", [["z", "Render what is static", "Of something else."]]),
  ];
  const results = await (await openSearch(pages)).query("static render");
  assert.deepEqual(
    results.map(({ href }) => href),
    ["c.html#y", "b.html#x", "d.html#z", "a.html"],
  );
});

test("an excerpt is cut between words", async () => {
  const text = `${"before it stands something ".repeat(6)}needle${" and something else".repeat(20)}`;
  const [result] = await (
    await openSearch([searchPage("a", "A", [["", "A", text]])])
  ).query("needle");
  const words = new Set(text.split(" "));
  const shown = result?.excerpt.replaceAll(/[[\]…]/g, "").split(" ") ?? [];
  assert.ok(shown.length > 10);
  assert.deepEqual(
    shown.filter((word) => !words.has(word)),
    [],
  );
});

const marked: [text: string, query: string, excerpt: string][] = [
  ["a <script>alert(1)</script> needle", "needle", "a <script>alert(1)</script> [needle]"],
  ["Ünïcode needle ﬁ", "needle unicode", "[Ünïcode] [needle] ﬁ"],
  ["ﬁve needles", "five", "[ﬁve] needles"],
  ["getUserName and user", "user", "getUserName and [user]"],
  ["Reads and reading", "rea", "[Reads] and [reading]"],
  ["データをＡＰＩで送る", "api", "データを[ＡＰＩ]で送る"],
  ["ｻｰﾊﾞｰの設定", "サーバー", "[ｻｰﾊﾞ]ｰの設定"],
  ["安装文档服务并运行", "文档服务", "安装[文档服务]并运行"],
  ["서버에서 문서를 설치합니다", "문서는", "서버에서 [문서]를 설치합니다"],
];
for (const [text, query, excerpt] of marked) {
  test(`marks "${query}" in "${text}"`, async () => {
    const engine = await openSearch([searchPage("a", "A", [["", "A", text]])]);
    assert.equal((await engine.query(query))[0]?.excerpt, excerpt);
  });
}

test("an excerpt starts with the text if that is near", async () => {
  const near = `${"a storm ".repeat(10).slice(-74)}needle`;
  const far = `a${near}`;
  const pages = [searchPage("a", "A", [["", "A", near]]), searchPage("b", "B", [["", "B", far]])];
  const results = await (await openSearch(pages)).query("needle");
  const shown = new Map(results.map(({ href, excerpt }) => [href, excerpt]));
  assert.equal(shown.get("a.html"), near.replace("needle", "[needle]"));
  assert.match(shown.get("b.html") ?? "", /^…/);
});

test("matches are marked in titles and headings too", async () => {
  const [result] = await (await openSearch([guide])).query("start conf");
  assert.equal(result?.title, "Getting [started]");
  assert.equal(result?.heading, "[Configure]");
});

test("a page excluded from search is not found", async () => {
  const secret = searchPage("secret", "Hidden", [["", "Hidden", "unicorn"]], { searchable: false });
  assert.deepEqual([...(await (await openSearch([guide, secret])).query("unicorn"))], []);
});

test("languages and versions have indexes of their own", async () => {
  const spanish = searchPage("es/inicio", "Inicio", [["", "Inicio", "instalar"]], {
    language: "es",
    version: "v2",
  });
  const engine = await openSearch([guide, spanish], "es-v2");
  assert.equal((await engine.query("instalar"))[0]?.href, "es/inicio.html");
  assert.deepEqual(await engine.query("configure"), []);
});

test("an index whose version has a very long label can be written", async () => {
  const version = "The version that we would rather not name ".repeat(12);
  const labeled = searchPage("a", "A", [["", "A", "needle"]], { version });
  for (const { path } of await searchFilesOf([labeled])) {
    assert.ok(
      path.split("/").every((part) => part.length < 100),
      path,
    );
  }
});

test("several indexes are searched as one", async () => {
  const versioned = searchPage("v2/setup", "Setup", [["", "Setup", "install once"]], {
    version: "v2",
  });
  const engine = await openSearch([guide, versioned], "v2 all");
  const found = (await engine.query("install")).map(({ href }) => href);
  assert.deepEqual(new Set(found), new Set(["guides/start.html", "v2/setup.html"]));
});

test("a word that one of several indexes contains is not taken for a typing error in the others", async () => {
  const versioned = searchPage("v2/setup", "Setup", [["", "Setup", "instill order"]], {
    version: "v2",
  });
  const engine = await openSearch([guide, versioned], "v2 all");
  const found = (await engine.query("install")).map(({ href }) => href);
  assert.deepEqual(found, ["guides/start.html"]);
});

test("a boost ranks a page above its equals", async () => {
  const text = [["", "Words", "alpha beta gamma"]] as const;
  const [first] = await (
    await openSearch([searchPage("a", "Words", text), searchPage("b", "Words", text, { boost: 3 })])
  ).query("beta");
  assert.equal(first?.href, "b.html");
});

test("an index that cannot be loaded fails the search with its address", async () => {
  await assert.rejects(openSearch([guide], "gone"), /_octavo\/search\/gone\/index\.js/);
});

/** Sections with unique words and words that all of them have. */
const manyPages = Array.from({ length: 2_000 }, (_, number) =>
  searchPage(`p${number}`, `Page ${number}`, [
    ["", `Page ${number}`, `common words unique${number} ${"lorem ".repeat(50)}`],
    ["more", "More", Array.from({ length: 30 }, (__, i) => `w${number}x${i}`).join(" ")],
    ["rest", `Rest ${number % 7}`, "and the common end"],
  ]),
);

test("every page of a big site is found", async () => {
  const engine = await openSearch(manyPages);
  assert.equal((await engine.query("unique1999"))[0]?.href, "p1999.html");
  assert.equal((await engine.query("page 1234"))[0]?.href, "p1234.html");
  assert.equal((await engine.query("common words")).length, 12);
});

test("a prefix of ten thousand words loads no more than a word", async () => {
  for (const query of ["w", "w1", "w12", "common", "unique77"]) {
    const engine = await openSearch(manyPages);
    assert.ok((await engine.query(query)).length > 0, query);
    const terms = engine.loaded.filter((path) => path.includes("/terms-"));
    assert.ok(terms.length <= 3, `${query}: ${terms.join(" ")}`);
    const docs = engine.loaded.filter((path) => path.includes("/docs-"));
    assert.ok(docs.length <= 16, `${query}: ${docs.join(" ")}`);
  }
});

test("a word in more sections than its line names finds the best of them", async () => {
  const pages = Array.from({ length: 9_000 }, (_, number) =>
    searchPage(`p${number}`, `T${number}`, [
      ["", `T${number}`, "the end"],
      ["a", number === 8_999 ? "The" : "Other", "of the end"],
    ]),
  );
  const engine = await openSearch(pages);
  assert.equal((await engine.query("the"))[0]?.href, "p8999.html#a");
  assert.equal((await engine.query("the t8000"))[0]?.href, "p8000.html");
});

test("terms are sorted by code units, as browsers look them up", async () => {
  const words = ["b", "abcd", "abc", "ab", "a", "abca", "abж", "\u{10428}\u{10428}", "\ufa0e", "1"];
  // 각 is the code after 가: however large the next code, the word sorts before 각.
  words.push("각", "가힣", "가각", "가가힣");
  const files = await searchFilesOf([searchPage("a", "", [["s", "", words.join(" ")]])]);
  const terms = files.find(({ path }) => path.endsWith("terms-0.js"))?.content.toString() ?? "";
  const lines: unknown = JSON.parse(terms.slice(terms.indexOf(',"terms-0",') + 11, -2));
  assert.deepEqual(
    String(lines)
      .split("\n")
      .map((line) => line.slice(0, line.indexOf(":"))),
    words.toSorted(),
  );
});
