import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findImportProblem, repository } from "./import-problem.ts";

function findProblem(file: string, specifier: string): string | undefined {
  return findImportProblem(join(repository, file), specifier);
}

const allowed: readonly (readonly [string, string])[] = [
  ["packages/octavo/src/api/api.ts", "../jobs/index.ts"],
  ["packages/octavo/src/api/api.ts", "./errors.ts"],
  ["packages/octavo/src/jobs/queue.test.ts", "../db/testing.ts"],
  ["packages/octavo/src/jobs/queue.test.ts", "../storage/index.ts"],
  ["packages/octavo/src/git/git.test.ts", "./mirror.ts"],
  ["test/e2e/rights.test.ts", "../../packages/octavo/src/db/testing.ts"],
  ["test/e2e/rights.test.ts", "../../packages/site/src/index.ts"],
];

const refused: readonly (readonly [string, string, RegExp])[] = [
  ["packages/octavo/src/jobs/jobs.ts", "../api/index.ts", /jobs\/ may not import api\//],
  ["packages/octavo/src/jobs/jobs.ts", "../db/migrate.ts", /door, octavo\/src\/db\/index\.ts,/],
  ["packages/octavo/src/jobs/jobs.ts", "../db/testing.ts", /door/],
  ["packages/octavo/src/db/migrate.ts", "./testing.ts", /Only tests may import/],
  ["packages/octavo/src/jobs/queue.test.ts", "../api/index.ts", /jobs\/ may not import api\//],
  ["packages/octavo/src/jobs/queue.test.ts", "../db/migrate.ts", /testing\.ts/],
  ["packages/octavo/src/jobs/jobs.ts", "node:child_process", /Only octavo\/src\/git\//],
  ["packages/octavo/src/unknown/one.ts", "../db/index.ts", /unknown\/ may not import/],
  ["packages/site/src/text/slug.ts", "../page/index.ts", /text\/ may not import page\//],
  ["test/e2e/rights.test.ts", "../../packages/octavo/src/db/migrate.ts", /testing\.ts/],
  ["bench/api.ts", "../packages/site/src/load/load-site.ts", /testing\.ts/],
];

describe("imports between rooms", () => {
  for (const [file, specifier] of allowed) {
    it(`allows ${file} to import ${specifier}`, () => {
      assert.equal(findProblem(file, specifier), undefined);
    });
  }
  for (const [file, specifier, message] of refused) {
    it(`refuses ${specifier} in ${file}`, () => {
      assert.match(findProblem(file, specifier) ?? "", message);
    });
  }
});
