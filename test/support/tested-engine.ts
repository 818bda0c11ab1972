import { describe, test } from "node:test";
import type { TestContext } from "node:test";
import { startPostgres } from "./postgres.ts";
import type { TestPostgres } from "./postgres.ts";

type Engine = "pglite" | "postgres";

/**
 * The database of a suite that runs on both: the embedded one in `x.test.ts`, PostgreSQL in `x.postgres.test.ts`,
 * which imports it.
 */
export const testedEngine: Engine = process.argv[1]?.endsWith(".postgres.test.ts")
  ? "postgres"
  : "pglite";

/** A PostgreSQL where the suite runs on it. */
export async function startTestedPostgres(): Promise<TestPostgres | undefined> {
  return testedEngine === "postgres" ? await startPostgres() : undefined;
}

/** A test of what only one database has, or of what the database does not decide. */
export function testOn(
  engine: Engine,
  name: string,
  body: (t: TestContext) => Promise<void>,
): void {
  if (engine === testedEngine) void test(name, body);
}

/** Such tests as a suite. */
export function describeOn(engine: Engine, name: string, body: () => void): void {
  if (engine === testedEngine) void describe(name, body);
}
