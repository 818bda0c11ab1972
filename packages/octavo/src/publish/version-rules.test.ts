import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  checkVersionRules,
  describeVersion,
  listMatchedRefs,
  findStableRef,
  parseVersion,
  planVersions,
  type VersionRule,
} from "./version-rules.ts";

const toRefs = (names: readonly string[]) =>
  names.map((name) => ({ name: `refs/${name}`, target: `target of ${name}` }));

function plan(
  rules: readonly VersionRule[],
  names: readonly string[],
  more: {
    readonly known?: Readonly<Record<string, string>>;
    readonly taken?: readonly string[];
  } = {},
) {
  return planVersions({
    refs: toRefs(names),
    rules,
    branch: "refs/heads/main",
    knownSlugs: new Map(Object.entries(more.known ?? {})),
    takenNames: new Set(more.taken),
  });
}

const slugs = (versions: ReturnType<typeof plan>) => versions.map(({ slug, ref }) => slug ?? ref);
const allTags: VersionRule = { type: "tag", pattern: "*", action: "publish" };
const allBranches: VersionRule = { type: "branch", pattern: "*", action: "publish" };

describe("the versions that rules make", () => {
  const matches: readonly (readonly [rule: Omit<VersionRule, "action">, matched: string])[] = [
    [{ type: "tag", pattern: "*" }, "v2.0.0 v2.0.0-rc.1 v1.10.0 v1.9.0 docs-1.2 nightly"],
    [{ type: "tag", pattern: "v1.*" }, "v1.10.0 v1.9.0"],
    [{ type: "tag", pattern: "*.0" }, "v2.0.0 v1.10.0 v1.9.0"],
    [{ type: "tag", pattern: "v*0*" }, "v2.0.0 v2.0.0-rc.1 v1.10.0 v1.9.0"],
    [{ type: "tag", pattern: "v1.9.0" }, "v1.9.0"],
    [{ type: "tag", pattern: "V1.9.0" }, ""],
    [{ type: "tag", pattern: "v1.9" }, ""],
    [{ type: "tag", range: "*" }, "v2.0.0 v1.10.0 v1.9.0 docs-1.2"],
    [{ type: "tag", range: ">=1.10" }, "v2.0.0 v1.10.0"],
    [{ type: "tag", range: "1.x" }, "v1.10.0 v1.9.0 docs-1.2"],
    [{ type: "tag", range: ">=2.0.0-0" }, "v2.0.0 v2.0.0-rc.1"],
    [{ type: "branch", pattern: "*" }, "release/2.x release/1.x feature main"],
    [{ type: "branch", pattern: "release/*" }, "release/2.x release/1.x"],
    [{ type: "branch", range: ">=2" }, "release/2.x"],
  ];
  const refs = toRefs([
    ...["v1.9.0", "v2.0.0", "v1.10.0", "nightly", "v2.0.0-rc.1", "docs-1.2"].map(
      (name) => `tags/${name}`,
    ),
    ...["main", "release/1.x", "feature", "release/2.x"].map((name) => `heads/${name}`),
  ]);
  for (const [rule, matched] of matches) {
    test(`${rule.type} ${rule.pattern ?? rule.range}`, () => {
      const found = listMatchedRefs({ ...rule, action: "publish" }, refs);
      assert.equal(found.join(" "), matched);
    });
  }

  test("a pattern with many stars is compared in steps that grow with its length alone", () => {
    const rule: VersionRule = { type: "tag", pattern: `${"*a".repeat(120)}b`, action: "publish" };
    assert.deepEqual(listMatchedRefs(rule, toRefs([`tags/${"a".repeat(250)}`])), []);
  });

  test("the first rule that matches decides, and no rule makes a ref no version", () => {
    const rules: readonly VersionRule[] = [
      { type: "tag", pattern: "*-rc*", action: "remove" },
      { type: "tag", range: "<2", action: "hide" },
      { ...allTags, pattern: "v*" },
    ];
    const versions = plan(rules, [
      "tags/v2.0.0",
      "tags/v2.1.0-rc.1",
      "tags/v1.0.0",
      "tags/nightly",
    ]);
    assert.deepEqual(
      versions.map(({ slug, action }) => [slug, action]),
      [
        ["v2.0.0", "publish"],
        ["v1.0.0", "hide"],
      ],
    );
  });

  test("one version is the default: the newest of those that a rule makes it", () => {
    const rule: VersionRule = { type: "tag", range: "*", action: "default" };
    const versions = plan([rule], ["tags/1.9.0", "tags/1.10.0", "tags/1.2.0"]);
    assert.deepEqual(
      versions.map(({ slug, action }) => [slug, action]),
      [
        ["1.10.0", "default"],
        ["1.9.0", "publish"],
        ["1.2.0", "publish"],
      ],
    );
  });

  test("the branch that the project publishes is never another version", () => {
    assert.deepEqual(slugs(plan([allBranches], ["heads/main", "heads/next"])), ["next"]);
  });
});

describe("the slug of a version", () => {
  const names: readonly (readonly [ref: string, slug: string])[] = [
    ["heads/release/2.x", "release-2.x"],
    ["heads/Feature/New Thing", "feature-new-thing"],
    ["heads/Überarbeitung", "uberarbeitung"],
    ["heads/日本語", "version"],
    ["heads/-_.x._-", "x"],
    ["heads/latest", "latest-2"],
    ["tags/stable", "stable-2"],
    ["heads/_octavo", "octavo"],
    [`heads/${"long-".repeat(30)}`, "long-".repeat(12).slice(0, -1)],
  ];
  for (const [ref, slug] of names) {
    test(ref.slice(0, 40), () =>
      assert.deepEqual(slugs(plan([allTags, allBranches], [ref])), [slug]),
    );
  }

  test("is unique, and stays when other versions come", () => {
    const refs = ["heads/a/b", "heads/a-b"];
    const first = plan([allBranches], refs);
    assert.deepEqual(slugs(first), ["a-b", "a-b-2"]);
    const known = { "refs/heads/a/b": "a-b" };
    assert.deepEqual(slugs(plan([allBranches], refs, { known })).toSorted(), ["a-b", "a-b-2"]);
    const kept = plan([allBranches], refs, { known }).find(({ ref }) => ref.endsWith("a/b"));
    assert.equal(kept?.slug, "a-b");
  });

  test("is never that of a page or folder of the default version", () => {
    const [version] = plan([allTags], ["tags/guides"], { taken: ["guides", "index"] });
    assert.equal(version?.slug, null);
    assert.match(version?.problem ?? "", /\/guides belongs to a page or folder/);
    const known = { "refs/tags/guides": "guides" };
    assert.deepEqual(slugs(plan([allTags], ["tags/guides"], { known, taken: ["guides"] })), [
      "guides",
    ]);
  });

  test("a site has at most 200 versions, the newest ones", () => {
    const refs = Array.from({ length: 210 }, (_, index) => `tags/v1.${index}.0`);
    const versions = plan([allTags], refs);
    assert.equal(versions.filter(({ slug }) => slug !== null).length, 200);
    assert.deepEqual([versions[0]?.slug, versions[209]?.slug], ["v1.209.0", null]);
    assert.match(versions[209]?.problem ?? "", /at most 200/);
  });
});

const toNamed = (list: string) =>
  list.split(" ").map((text) => ({
    ref: text.replace(/[!?]$/, "").replace(/^latest$/, "latest"),
    isDefault: text.endsWith("!"),
    isHidden: text.endsWith("?"),
  }));

describe("the state of a version", () => {
  const numbers: readonly (readonly [name: string, version: string | undefined])[] = [
    ["v1.2.3", "1.2.3"],
    ["1.2", "1.2.0"],
    ["release/2.x", "2.0.0"],
    ["docs-3.0.1", "3.0.1"],
    ["v2.0.0-rc.1", "2.0.0-rc.1"],
    ["main", undefined],
    ["v", undefined],
    ["utf8", undefined],
  ];
  for (const [name, version] of numbers) {
    test(`the number of ${name}`, () => assert.equal(parseVersion(name), version));
  }

  const states: readonly (readonly [
    versions: string,
    states: string,
    stable: string | undefined,
  ])[] = [
    ["latest!", "current", undefined],
    ["latest! refs/tags/v1.0.0 refs/tags/v2.0.0", "current old current", "refs/tags/v2.0.0"],
    ["latest refs/tags/v1.0.0 refs/tags/v2.0.0!", "unreleased old current", "refs/tags/v2.0.0"],
    [
      "latest refs/tags/v1.0.0! refs/tags/v2.0.0",
      "unreleased current unreleased",
      "refs/tags/v2.0.0",
    ],
    [
      "latest! refs/tags/v1.0.0 refs/tags/v2.0.0-rc.1",
      "current current unreleased",
      "refs/tags/v1.0.0",
    ],
    [
      "latest! refs/tags/v1.0.0 refs/tags/v2.0.0?",
      "current current unreleased",
      "refs/tags/v1.0.0",
    ],
    ["latest! refs/heads/release/1.x refs/heads/next", "current current current", undefined],
    ["latest! refs/heads/1.x refs/tags/2.0.0", "current old current", "refs/tags/2.0.0"],
  ];
  for (const [list, expected, stable] of states) {
    test(list, () => {
      const versions = toNamed(list);
      const found = versions.map((version) => describeVersion(version, versions)).join(" ");
      assert.deepEqual([found, findStableRef(versions)], [expected, stable]);
    });
  }
});

describe("rules that can match nothing are refused", () => {
  const refused: readonly (readonly [
    rule: Omit<VersionRule, "type" | "action">,
    message: RegExp,
  ])[] = [
    [{}, /versionRules\[0\] needs either a pattern or a range/],
    [{ pattern: "a", range: "1" }, /needs either/],
    [{ range: "newest" }, /"newest" must be a SemVer range/],
  ];
  for (const [rule, message] of refused) {
    test(JSON.stringify(rule), () => {
      assert.throws(() => checkVersionRules([{ type: "tag", action: "hide", ...rule }]), message);
    });
  }
});
