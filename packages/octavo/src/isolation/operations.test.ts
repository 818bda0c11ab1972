import assert from "node:assert/strict";
import { it } from "node:test";
import type { Isolation, Operations } from "./isolation.ts";
import type { TestOperations } from "./program.test-support.ts";

type Operation<Argument, Result = void> = { work(argument: Argument): Promise<Result> };
type IsValid<Program> = Program extends Operations<Program> ? true : false;
/** Checks each member of a union. */
type AreAll<Answer extends boolean, Programs> = [IsValid<Programs>] extends [Answer] ? true : false;
class Page {
  render(): string {
    return "";
  }
}

/** The compiler compares types with values, so `npm run check` is the test. */
it("has a type that holds in both processes", () => {
  const areValid: AreAll<
    true,
    | Operation<{ readonly file: string; readonly days: ReadonlyMap<string, Date> }, Error | null>
    | Operation<AbortSignal, Uint8Array>
    | Operation<(line: string) => void>
    | Operation<{ readonly read?: (path: string) => Promise<readonly string[]> }>
  > = true;
  const areInvalid: AreAll<
    false,
    | { work(): string }
    | { readonly name: string }
    | Operation<(line: string) => string>
    | Operation<{ readonly open: () => Promise<() => void> }>
    | Operation<Page>
    | Operation<string, Page>
    | Operation<string, { readonly close: () => Promise<void> }>
    | Operation<string, AbortSignal>
  > = true;
  assert.ok(areValid && areInvalid);
});

const few: Pick<TestOperations, "id"> = { id: async () => 1 };

async function callWrongly(isolation: Isolation<TestOperations>): Promise<void> {
  // @ts-expect-error There is no such operation.
  await isolation.run((program) => program.missing());
  // @ts-expect-error The argument is a number.
  await isolation.run((program) => program.keep("much"));
  // @ts-expect-error The argument is missing.
  await isolation.run((program) => program.keep());
  // @ts-expect-error The result is a number.
  await isolation.run<string>((program) => program.keep(1));
}

function narrow(isolation: Isolation<TestOperations>): Isolation<typeof few> {
  return isolation;
}

function widen(isolation: Isolation<typeof few>): Isolation<TestOperations> {
  // @ts-expect-error An isolation of few operations is none of more.
  return isolation;
}

it("is called by names, with arguments and for results that its type has", () => {
  // @ts-expect-error A program that lacks operations is not one of this type.
  const program: TestOperations = few;
  assert.ok([program, callWrongly, narrow, widen]);
});
