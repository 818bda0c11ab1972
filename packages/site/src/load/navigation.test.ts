import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { goldenSite } from "../../../../test/sites/temporary-site.ts";
import {
  listBreadcrumbs,
  findCounterpart,
  createPageFinder,
  findSitePage,
  findFirstPage,
  indexPages,
  findNeighborPages,
} from "../site/index.ts";
import { loadSite } from "./load-site.ts";
import type { NavDivision, Site, SitePage } from "../site/index.ts";

function pageAt(site: Site, path: string): SitePage {
  const page = findSitePage(site, path);
  assert.ok(page, path);
  return page;
}

function findDivisionByLabel(division: NavDivision, label: string): NavDivision | undefined {
  if (division.label === label) return division;
  for (const child of division.divisions) {
    const found = findDivisionByLabel(child, label);
    if (found) return found;
  }
  return undefined;
}

test("pages are found by path, one at a time or by index", async () => {
  const site = await loadSite(goldenSite("nav-global"));
  const index = indexPages(site);
  assert.equal(index.size, site.pages.length);
  for (const page of site.pages) assert.equal(findSitePage(site, page.path), page);
  for (const path of ["", "a", "zzz", "ink"]) assert.equal(findSitePage(site, path), undefined);
});

test("a page finder finds the same pages however often it is asked", async () => {
  const { pages } = await loadSite(goldenSite("nav-global"));
  const find = createPageFinder(pages);
  for (let round = 0; round * pages.length < 20_000; round += 1) {
    for (const page of pages) assert.equal(find(page.path), page);
    for (const path of ["", "a", "zzz", "ink"]) assert.equal(find(path), undefined);
  }
});

describe("the first page", () => {
  for (const [name, label, expected] of [
    ["nav-products", "", "press/start"],
    ["nav-products", "Bindery", "bindery/sewing"],
    ["nav-products", "Archive", undefined],
    ["nav-versions", "", "v2/start"],
    ["nav-languages", "fr", "fr/index"],
    ["nav-global", "Internal", "notes/open"],
    ["plain-folder", "", "index"],
  ] as const) {
    test(`of ${name} ${label}`, async () => {
      const site = await loadSite(goldenSite(name));
      const division = findDivisionByLabel(site.navigation, label);
      assert.ok(division);
      assert.equal(findFirstPage(division), expected);
    });
  }
});

describe("neighbors", () => {
  const orders: Record<string, string[]> = {
    "plain-folder": [
      "index",
      "01-introduction",
      "02-setup",
      "glossary",
      "guides/index",
      "guides/9-early",
      "guides/10-late",
      "guides/deep_folder/note",
    ],
    "nav-global": ["ink/black", "ink/colors", "ink/red", "ink/blue"],
    "nav-languages": ["index", "guide/first", "guide/second"],
    "nav-refs": ["start", "install", "api"],
  };
  for (const [name, order] of Object.entries(orders)) {
    test(`lead through ${name} in order and back`, async () => {
      const site = await loadSite(goldenSite(name));
      for (const [index, path] of order.entries()) {
        const { previous, next } = findNeighborPages(site, pageAt(site, path));
        assert.deepEqual([previous, next], [order[index - 1], order[index + 1]], path);
      }
    });
  }

  test("of a page that navigation does not show do not exist", async () => {
    const site = await loadSite(goldenSite("nav-global"));
    assert.deepEqual(findNeighborPages(site, pageAt(site, "quiet")), {});
  });
});

describe("breadcrumbs", () => {
  for (const [name, path, expected] of [
    [
      "nav-global",
      "ink/red",
      ["Guides: ink/black", "Printing: ink/black", "Ink: ink/black", "Colors: ink/colors"],
    ],
    ["nav-versions", "v1/python", ["Reference: v1/python", "Python: v1/python"]],
    [
      "plain-folder",
      "guides/deep_folder/note",
      ["Guides: guides/index", "Deep folder: guides/deep_folder/note"],
    ],
    ["plain-folder", "guides/index", []],
    ["nav-global", "quiet", []],
  ] as const) {
    test(`${name} ${path}`, async () => {
      const site = await loadSite(goldenSite(name));
      const crumbs = listBreadcrumbs(site, pageAt(site, path));
      assert.deepEqual(
        crumbs.map((crumb) => `${crumb.label}: ${crumb.path}`),
        expected,
      );
    });
  }
});

describe("the counterpart", () => {
  for (const [name, path, label, expected] of [
    ["nav-languages", "guide/first", "fr", "fr/guide/first"],
    ["nav-languages", "guide/second", "fr", "fr/index"],
    ["nav-languages", "fr/guide/first", "en", "guide/first"],
    ["nav-languages", "index", "fr", "fr/index"],
    ["nav-languages", "index", "en", "index"],
    ["nav-versions", "v2/start", "1.0", "v1/start"],
    ["nav-versions", "v2/python", "1.0", "v1/python"],
    ["nav-versions", "v2/install", "1.0", "v1/start"],
    ["nav-versions", "shared", "1.0", "shared"],
    ["nav-versions", "v1/start", "3.0-draft", "v3/start"],
    ["nav-products", "press/ink", "Bindery", "bindery/sewing"],
    ["nav-products", "press/ink", "Archive", undefined],
    ["nav-global", "quiet", "Guides", "ink/black"],
  ] as const) {
    test(`of ${path} in ${label} (${name})`, async () => {
      const site = await loadSite(goldenSite(name));
      const division = findDivisionByLabel(site.navigation, label);
      assert.ok(division);
      assert.equal(findCounterpart(site, pageAt(site, path), division), expected);
    });
  }
});

describe("real sites", () => {
  for (const name of ["mcp", "fastmcp", "mintlify"]) {
    test(name, async (t) => {
      const sites = process.env["OCTAVO_SITES"];
      if (sites === undefined) {
        t.skip("set OCTAVO_SITES to a folder of real sites");
        return;
      }
      const site = await loadSite(`${sites}/${name}`);
      // Translated descriptions of one site lack operations that its pages name. This is not a fault of the navigation.
      const errors = site.problems.filter(
        ({ severity, code }) => severity === "error" && code !== "operation_missing",
      );
      assert.deepEqual(errors, []);
      for (const page of site.pages) {
        const { previous, next } = findNeighborPages(site, page);
        for (const path of [previous, next]) if (path !== undefined) pageAt(site, path);
      }
      const listed = site.pages.filter((page) => page.positions.length > 0);
      t.diagnostic(`${site.pages.length} pages, ${listed.length} of them in the navigation`);
      assert.ok(listed.length > 300);
    });
  }
});
