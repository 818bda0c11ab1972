import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Problem } from "@octavo/site/core";
import { folderFor } from "../../../../../test/support/git-fixture.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import { brokenSite, run } from "../cli.test-support.ts";
import { toRepositoryPaths, reportFormats } from "./check-formats.ts";

const problems: readonly Problem[] = [
  {
    severity: "error",
    code: "link_broken",
    message: "No page.",
    file: "a b/ü.mdx",
    line: 3,
    column: 7,
  },
  { severity: "error", code: "link_broken", message: "No page.", file: "a b/ü.mdx", line: 9 },
  {
    severity: "warning",
    code: "anchor_broken",
    message: "100% no\nplace: a, b",
    file: "c,d:e.mdx",
  },
];
const report = { problems, version: "1.2.3" };

interface SarifLog {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: { readonly driver: { name: string; version: string; rules: { id: string }[] } };
    readonly columnKind: string;
    readonly originalUriBaseIds: Readonly<Record<string, object>>;
    readonly results: readonly SarifResult[];
  }[];
}

interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string; readonly uriBaseId: string };
      readonly region?: { readonly startLine: number; readonly startColumn?: number };
    };
  }[];
}

/** The rules of SARIF 2.1.0 that programs hold a log to; the numbers are the specification's sections. */
function assertSarif(log: SarifLog): void {
  assert.equal(log.version, "2.1.0"); // 3.13.2
  for (const { tool, results, originalUriBaseIds, columnKind } of log.runs) {
    assert.ok(tool.driver.name !== "" && tool.driver.version !== ""); // 3.19.8
    assert.ok(["utf16CodeUnits", "unicodeCodePoints"].includes(columnKind)); // 3.14.17
    const ids = tool.driver.rules.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length); // 3.49.3
    for (const result of results) {
      assert.equal(ids[result.ruleIndex], result.ruleId); // 3.27.6
      assert.ok(["none", "note", "warning", "error"].includes(result.level)); // 3.27.10
      assert.ok(result.message.text !== ""); // 3.11.8
      assert.equal(Object.keys(result.partialFingerprints).length, 1); // 3.27.17
      assert.equal(result.locations.length, 1); // 3.27.12
      for (const location of result.locations) assertLocation(location, originalUriBaseIds);
    }
  }
}

function assertLocation(
  { physicalLocation: place }: SarifResult["locations"][number],
  baseIds: Readonly<Record<string, object>>,
): void {
  const { uri, uriBaseId } = place.artifactLocation;
  assert.ok(uriBaseId in baseIds); // 3.4.4
  // 3.4.3: a relative URI of RFC 3986
  assert.doesNotMatch(uri, /^\/|\\|^\.\.?\/|[\s<>"{}|^`]|[^\p{ASCII}]/u);
  assert.equal(new URL(uri, "file:///root/").pathname, `/root/${uri}`);
  const { startLine, startColumn = 1 } = place.region ?? { startLine: 1 };
  assert.ok(startLine >= 1 && startColumn >= 1); // 3.30.5, 3.30.6
}

describe("a report", () => {
  it("in SARIF conforms to its specification", () => {
    const log = JSON.parse(reportFormats.sarif(report)) as SarifLog;
    assertSarif(log);
    const [{ tool, results } = assert.fail()] = log.runs;
    assert.deepEqual(
      tool.driver.rules.map(({ id }) => id),
      ["anchor_broken", "link_broken"],
    );
    assert.deepEqual(
      results.map(({ ruleIndex, level, locations }) => [
        ruleIndex,
        level,
        locations[0]?.physicalLocation.artifactLocation.uri,
        locations[0]?.physicalLocation.region,
      ]),
      [
        [1, "error", "a%20b/%C3%BC.mdx", { startLine: 3, startColumn: 7 }],
        [1, "error", "a%20b/%C3%BC.mdx", { startLine: 9 }],
        [0, "warning", "c%2Cd%3Ae.mdx", undefined],
      ],
    );
    assertSarif(JSON.parse(reportFormats.sarif({ ...report, problems: [] })) as SarifLog);
  });

  it("for GitHub escapes what would end a property or a line", () => {
    assert.deepEqual(reportFormats.github(report).split("\n"), [
      "::error file=a b/ü.mdx,line=3,col=7,title=link_broken::No page.",
      "::error file=a b/ü.mdx,line=9,title=link_broken::No page.",
      "::warning file=c%2Cd%3Ae.mdx,title=anchor_broken::100%25 no%0Aplace: a, b",
    ]);
    assert.equal(reportFormats.github({ ...report, problems: [] }), "");
  });

  it("for GitLab has fingerprints that stay while lines move, and differ", () => {
    interface Issue {
      readonly fingerprint: string;
    }
    const issues = JSON.parse(reportFormats.gitlab(report)) as Issue[];
    const names = issues.map(({ fingerprint }) => fingerprint);
    assert.equal(new Set(names).size, 3);
    const [first, , third] = issues;
    assert.deepEqual(
      { ...first, fingerprint: "" },
      {
        description: "No page.",
        check_name: "link_broken",
        fingerprint: "",
        severity: "major",
        location: { path: "a b/ü.mdx", lines: { begin: 3 } },
      },
    );
    assert.deepEqual(Object.entries(third ?? {})[3], ["severity", "minor"]);
    const moved = problems.map((problem) => ({ ...problem, line: (problem.line ?? 0) + 5 }));
    const again = JSON.parse(reportFormats.gitlab({ ...report, problems: moved })) as Issue[];
    assert.deepEqual(
      again.map(({ fingerprint }) => fingerprint),
      names,
    );
  });
});

describe("paths of a report", () => {
  const found: Problem = { severity: "error", code: "x", message: "x", file: "a/b.mdx" };
  const cases: [what: string, repository: string, site: string, file: string][] = [
    ["the root of the repository", "", "", "a/b.mdx"],
    ["a folder of the repository", "", "web/docs", "web/docs/a/b.mdx"],
    ["a repository in another", "web", "web/docs", "docs/a/b.mdx"],
  ];
  for (const [what, repository, site, file] of cases) {
    it(`of a site in ${what}`, async (t) => {
      const folder = await folderFor(t);
      const siteDir = join(folder, site);
      await mkdir(siteDir, { recursive: true });
      await writeFiles(folder, { ".git/HEAD": "x", [join(repository, ".git/HEAD")]: "x" });
      const [placed] = toRepositoryPaths([found], { siteDir, invocationDir: folder });
      assert.equal(placed?.file, file);
    });
  }
});

describe("octavo check --format", () => {
  it("prints only the report on standard output, with the same exit code", async (t) => {
    const cwd = await folderFor(t);
    await writeFiles(join(cwd, "docs"), brokenSite);
    await writeFiles(cwd, { ".git/HEAD": "x" });
    const check = (...args: string[]) => run(["check", "docs", ...args], { cwd });
    const sarif = await check("--format", "sarif");
    assertSarif(JSON.parse(sarif.stdout) as SarifLog);
    assert.ok(sarif.stdout.includes('"uri": "docs/index.mdx"'));
    const gitlab = await check("--format", "gitlab");
    assert.equal((JSON.parse(gitlab.stdout) as unknown[]).length, 2);
    const github = await check("--format", "github");
    assert.match(github.stdout, /^::error file=docs\/index\.mdx,line=5,col=5,title=link_broken::/);
    for (const { code, stderr } of [sarif, gitlab, github]) {
      assert.equal(code, 1);
      assert.match(stderr, /Checked 2 pages: 1 error and 1 warning\. Readers lose 1 link\.\n$/);
    }
    const json = await check("--format", "json");
    assert.equal(json.stdout, (await check("--json")).stdout);
    const both = await check("--json", "--format", "sarif");
    assert.equal(both.code, 2);
    assert.match(both.stderr, /--json is the same as --format json; use either/);
  });
});
