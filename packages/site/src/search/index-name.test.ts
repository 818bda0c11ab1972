import assert from "node:assert/strict";
import { test } from "node:test";
import type { NavDivision, Site, SitePage } from "../site/index.ts";
import { createSearchScope } from "../site/index.ts";

function version(label: string, isDefault: boolean): NavDivision {
  return { kind: "version", label, isDefault, hidden: false, divisions: [], entries: [] };
}

const pages = [
  { searchable: true, version: "v1" },
  { searchable: true, version: "v2" },
  { searchable: true },
  { searchable: false, version: "secret" },
] as unknown as readonly SitePage[];
const navigation: NavDivision = {
  ...version("", false),
  kind: "root",
  divisions: [version("v1", false), version("v2", true)],
};
const scope = createSearchScope({ pages, navigation } as Site);

const cases: [of: string, page: Partial<SitePage> | undefined, names: string[]][] = [
  ["a version: it and what has none", { version: "v1" }, ["v1", "all"]],
  ["no version: what has none and the default", {}, ["all", "v2"]],
  ["an index that is not there: the rest", { version: "secret" }, ["all"]],
  ["no page at all", undefined, ["all", "v2"]],
];
for (const [of, page, names] of cases) {
  test(`readers of ${of}`, () => assert.deepEqual(scope(page as SitePage | undefined), names));
}

function language(label: string, isDefault: boolean): NavDivision {
  return { ...version(label, isDefault), kind: "language" };
}

test("readers of a page outside of all languages search the default one", () => {
  const scopeOf = createSearchScope({
    pages: [
      { searchable: true, language: "fr", version: "v1" },
      { searchable: true, language: "en", version: "v1" },
      { searchable: true, language: "en", version: "v2" },
      { searchable: false },
    ],
    navigation: {
      ...language("", false),
      kind: "root",
      divisions: [
        language("fr", false),
        { ...language("en", true), divisions: [version("v1", false), version("v2", true)] },
      ],
    },
  } as unknown as Site);
  assert.deepEqual(scopeOf({} as SitePage), ["en-v2"]);
  assert.deepEqual(scopeOf(undefined), ["en-v2"]);
  assert.deepEqual(scopeOf({ language: "fr" } as SitePage), ["fr-v1"]);
  assert.deepEqual(scopeOf({ language: "fr", version: "v1" } as SitePage), ["fr-v1"]);
});
