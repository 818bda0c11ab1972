import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { getHref, createSiteLinks, resolveLink, resolveMedia } from "./links.ts";
import { testNavigation, testSite } from "../../../../test/support/rendered-source.ts";

const origin = { page: "guides/start", file: "guides/start.mdx" };

suite("links", () => {
  const table: readonly [target: string, kind: string, address: string][] = [
    ["/guides/next", "page", "next.html"],
    ["/guides/next/", "page", "next.html"],
    ["/guides/next.mdx", "page", "next.html"],
    ["/guides/next.html", "page", "next.html"],
    ["guides/next", "page", "next.html"],
    ["./next", "page", "next.html"],
    ["next", "page", "next.html"],
    ["next.md", "page", "next.html"],
    ["next.mdx#part", "page", "next.html#part"],
    ["./next?tab=a#part", "page", "next.html?tab=a#part"],
    ["../guides/next", "page", "next.html"],
    ["../../../guides/next", "page", "next.html"],
    [" /guides/next ", "page", "next.html"],
    ["/guides//./next", "page", "next.html"],
    ["/", "page", "../index.html"],
    ["/#top", "page", "../index.html#top"],
    ["/index", "page", "../index.html"],
    ["../index.md", "page", "../index.html"],
    ["/folder", "page", "../folder/index.html"],
    ["/folder/", "page", "../folder/index.html"],
    ["/folder/index", "page", "../folder/index.html"],
    ["../folder/README.md", "page", "../folder/index.html"],
    ["deep", "page", "deep/index.html"],
    ["#here", "page", "#here"],
    ["#", "page", "#"],
    ["", "page", "start.html"],
    ["?a=b", "page", "start.html?a=b"],
    ["/guides/start#here", "page", "#here"],
    ["/guides/start", "page", "start.html"],
    ["#安装", "page", "#%E5%AE%89%E8%A3%85"],
    ["#%E5%AE%89%E8%A3%85", "page", "#%E5%AE%89%E8%A3%85"],
    ["#100%", "page", "#100%25"],
    ["/api/list users", "page", "../api/list%20users.html"],
    ["/api/list%20users", "page", "../api/list%20users.html"],
    ["/api/%C3%9Cn%C3%AF", "page", "../api/%C3%9Cn%C3%AF.html"],
    ["/api/U\u0308ni\u0308", "page", "../api/%C3%9Cn%C3%AF.html"],
    ["/plain.v2", "page", "../plain.v2.html"],
    ["/old", "page", "start.html"],
    ["/old/", "page", "start.html"],
    ["/old#mine", "page", "#mine"],
    ["/old-anchor", "page", "next.html#part"],
    ["/old-anchor#mine", "page", "next.html#mine"],
    ["/chain", "page", "start.html"],
    ["/v1/next", "page", "next.html"],
    ["/user/list%20users/edit", "page", "../api/list%20users.html"],
    ["/away", "external", "https://example.com/new"],
    ["/spec.json", "file", "../spec.json"],
    ["../spec.json?v=1#x", "file", "../spec.json?v=1#x"],
    ["/files/x.mdx", "file", "../files/x.mdx"],
    ["https://example.com/a?b=c&d#e", "external", "https://example.com/a?b=c&d#e"],
    ["//example.com/a", "external", "https://example.com/a"],
    ["mailto:a@example.com", "external", "mailto:a@example.com"],
    ["cursor://install?x=1", "external", "cursor://install?x=1"],
    ["/Guides/Next", "unknown", "../Guides/Next.html"],
    ["/guides/none#a", "unknown", "none.html#a"],
    ["none", "unknown", "none.html"],
    ["none.mdx", "unknown", "none.html"],
    ["/none.pdf", "unknown", "../none.pdf"],
    ["/v1.2", "unknown", "../v1.2.html"],
    ["/loop", "unknown", "../loop.html"],
    ["/%E0%A4%A", "unknown", "../%25E0%25A4%25A.html"],
    ["javascript:alert(1)", "unsafe", "#"],
    [" JavaScript:alert(1)", "unsafe", "#"],
    ["java\nscript:alert(1)", "unsafe", "#"],
    ["\u0001javascript:alert(1)", "unsafe", "#"],
    ["vbscript:x", "unsafe", "#"],
    ["data:text/html,<script>", "unsafe", "#"],
    ["data:image/png;base64,AA", "unsafe", "#"],
  ];
  for (const [target, kind, address] of table) {
    test(`${JSON.stringify(target)} is ${kind}: ${address}`, () => {
      const resolution = resolveLink(target, origin, testSite);
      assert.equal(resolution.kind, kind);
      assert.equal(getHref(resolution, origin.page, testSite), address);
    });
  }

  test("a resolution has page and anchor", () => {
    assert.deepEqual(resolveLink("./next#a%20b", origin, testSite), {
      kind: "page",
      path: "guides/next",
      suffix: "#a%20b",
      anchor: "a b",
    });
  });

  test("a link in a snippet may be relative to the page or to the snippet", () => {
    const inSnippet = { page: "index", file: "guides/snippets.mdx" };
    assert.equal(
      getHref(resolveLink("./next", inSnippet, testSite), "index", testSite),
      "guides/next.html",
    );
    assert.equal(
      getHref(resolveLink("./folder", inSnippet, testSite), "index", testSite),
      "folder/index.html",
    );
  });

  test("a name with a colon is not a scheme", () => {
    assert.equal(
      getHref(
        resolveLink("/a:b", { page: "index", file: "index.mdx" }, testSite),
        "index",
        testSite,
      ),
      "./a:b.html",
    );
  });

  test("the home of a site without an index is its first listed page", () => {
    const pages = ["a/unlisted", "b/first"].map((path) => ({ path })) as never;
    const navigation = testNavigation(["b/first"]);
    const links = createSiteLinks({ pages, navigation, assets: [], redirects: [] });
    assert.equal(
      getHref(resolveLink("/", { page: "a/x", file: "a/x.mdx" }, links), "a/x", testSite),
      "../b/first.html",
    );
  });
});

test("a folder without an index is the first page below it that the navigation lists", () => {
  const pages = ["api", "api/v1/a", "api/v1/b", "api/z", "other/unlisted"].map((path) => ({
    path,
  }));
  const links = createSiteLinks({
    pages: pages as never,
    navigation: testNavigation(["api/missing/x", "api/v1/b", "api/v1/a", "api/z"]),
    assets: [],
    redirects: [{ source: "/api/v1/old", destination: "/api/v1/", permanent: true }],
  });
  const address = (target: string) =>
    getHref(resolveLink(target, { page: "api", file: "api.mdx" }, links), "api", testSite);
  assert.equal(address("/api/v1/#part"), "api/v1/b.html#part");
  assert.equal(address("api/v1"), "api/v1/b.html");
  assert.equal(address("/api/v1/old"), "api/v1/b.html");
  assert.equal(address("/api"), "api.html");
  assert.equal(resolveLink("/other", { page: "api", file: "api.mdx" }, links).kind, "unknown");
  assert.equal(resolveMedia("/api/v1", { page: "api", file: "api.mdx" }, links).kind, "unknown");
});

suite("media", () => {
  const table: readonly [target: string, kind: string, address: string][] = [
    ["/images/a.png", "file", "../images/a.png"],
    ["images/a.png", "file", "../images/a.png"],
    ["../images/a.png", "file", "../images/a.png"],
    ["./local.png", "file", "local.png"],
    ["local.png?raw=true", "file", "local.png?raw=true"],
    ["/images/with space.png", "file", "../images/with%20space.png"],
    ["/images/with%20space.png", "file", "../images/with%20space.png"],
    ["/images/A.png", "unknown", "../images/A.png"],
    ["/images/none", "unknown", "../images/none.html"],
    ["/guides/next", "page", "next.html"],
    ["https://example.com/a.png", "external", "https://example.com/a.png"],
    ["data:image/png;base64,AA==", "external", "data:image/png;base64,AA=="],
    ["data:text/html,x", "unsafe", "#"],
    ["javascript:x", "unsafe", "#"],
  ];
  for (const [target, kind, address] of table) {
    test(`${target} is ${kind}: ${address}`, () => {
      const resolution = resolveMedia(target, origin, testSite);
      assert.equal(resolution.kind, kind);
      assert.equal(getHref(resolution, origin.page, testSite), address);
    });
  }
});

suite("addresses on a host that serves the site below a folder", () => {
  const links = createSiteLinks({
    navigation: testNavigation(["guides/start"]),
    pages: ["docs/own", "guides/start", "index", "own", "team/help/guides/x"].map((path) => ({
      path,
    })) as never,
    assets: ["docs/own.png", "images/a.png", "own.png"],
    redirects: [
      { source: "/old", destination: "/docs/guides/start", permanent: true },
      { source: "/moved/:slug*", destination: "/docs/guides/:slug*", permanent: true },
    ],
    basePaths: ["docs", "team/help"],
  });
  const table: readonly [target: string, link: string, media?: string][] = [
    ["/docs/guides/start", "page guides/start"],
    ["/docs/guides/start.mdx", "page guides/start"],
    ["/docs/guides/start/#part", "page guides/start"],
    ["/guides/start", "page guides/start"],
    ["/docs/images/a.png", "file images/a.png"],
    ["/images/a.png?v=1", "file images/a.png"],
    ["/team/help/guides/start", "page guides/start"],
    ["/team/help", "page index"],
    ["/team/help/", "page index"],
    ["/team", "unknown team"],
    // What the site itself has at the address.
    ["/docs/own", "page docs/own"],
    ["/docs/own.png", "file docs/own.png"],
    ["/docs/docs/own", "page docs/own"],
    ["/team/help/guides/x", "page team/help/guides/x"],
    // Redirects, by either address.
    ["/docs/old", "page guides/start", "unknown old"],
    ["/old", "page guides/start", "unknown old"],
    ["/docs/moved/start", "page guides/start", "unknown moved/start"],
    // What neither has.
    ["/docs/gone", "unknown gone"],
    ["/docs/llms.txt", "unknown llms.txt"],
    ["/docsx/guides/start", "unknown docsx/guides/start"],
    // Only addresses from the root are those of the host.
    ["docs/guides/start", "unknown guides/docs/guides/start"],
    ["../docs/images/a.png", "unknown docs/images/a.png"],
  ];
  for (const [target, link, media = link] of table) {
    test(`${target} is ${link}`, () => {
      const from = { page: "guides/start", file: "guides/start.mdx" };
      const [asLink, asMedia] = [
        resolveLink(target, from, links),
        resolveMedia(target, from, links),
      ];
      assert.equal("path" in asLink ? `${asLink.kind} ${asLink.path}` : asLink.kind, link);
      assert.equal("path" in asMedia ? `${asMedia.kind} ${asMedia.path}` : asMedia.kind, media);
    });
  }

  test("keep a folder of the site, whose first page its address shows", () => {
    const own = createSiteLinks({
      navigation: testNavigation(["docs/first", "index"]),
      pages: ["docs/first", "index"].map((path) => ({ path })) as never,
      assets: [],
      redirects: [],
      basePaths: ["docs"],
    });
    const resolution = resolveLink("/docs", { page: "index", file: "index.mdx" }, own);
    assert.equal("path" in resolution && resolution.path, "docs/first");
  });
});

for (const [home, kind] of [
  ["index", "page"],
  ["adding", "unknown"],
] as const) {
  test(`a README leads to the home page ${home}: ${kind}`, () => {
    const links = createSiteLinks({
      navigation: testNavigation([home]),
      pages: [home, "style"].map((path) => ({ path })) as never,
      assets: [],
      redirects: [],
    });
    const from = { page: "style", file: "style.md" };
    assert.equal(resolveLink("../../README.md#a", from, links).kind, kind);
    assert.equal(resolveLink("/index.html", from, links).kind, "page");
  });
}

suite("numbers that set the order of a folder's pages", () => {
  const paths = [
    "01-start",
    "02-guides/1. first",
    "02-guides/index",
    "02-guides/second",
    "2026-01-news",
  ];
  const site = {
    navigation: testNavigation(paths),
    pages: paths.map((path) => ({ path })) as never,
    assets: [],
    redirects: [],
    basePaths: ["docs"],
  };
  const rows: readonly [target: string, path: string | undefined][] = [
    ["/start", "01-start"],
    ["start.md#x", "01-start"],
    ["/docs/guides/first", "02-guides/1. first"],
    ["/guides", "02-guides/index"],
    ["/guides/second/", "02-guides/second"],
    ["/02-guides/second", "02-guides/second"],
    ["/2026-01-news", "2026-01-news"],
    ["/news", undefined],
    ["/guides/third", undefined],
  ];
  for (const [target, path] of rows) {
    test(`need not be in ${target}`, () => {
      const resolve = (configFile: "none" | "docs.json") => {
        const links = createSiteLinks({ ...site, configFile });
        return resolveLink(target, { page: "01-start", file: "01-start.md" }, links);
      };
      const found = resolve("none");
      assert.equal(found.kind === "page" ? found.path : undefined, path);
      const isWritten = path !== undefined && target.includes(path);
      assert.equal(resolve("docs.json").kind, isWritten ? "page" : "unknown");
    });
  }
});

test("hostile targets and redirects are resolved in linear time", () => {
  const redirects = [
    { source: `/${":a*x".repeat(50)}`, destination: "/x", permanent: true },
    { source: "/:a*-:b*-:c*!", destination: "/x", permanent: true },
  ];
  const links = createSiteLinks({
    pages: [],
    navigation: testNavigation([]),
    assets: [],
    redirects,
  });
  for (const target of [
    "../".repeat(1_000_000),
    "/-".repeat(1_000_000),
    `${"a".repeat(1_000_000)}:`,
  ]) {
    assert.notEqual(resolveLink(target, origin, links).kind, "page");
  }
});
