import assert from "node:assert/strict";
import { inspect } from "node:util";
import { isOctavoError } from "../../packages/site/src/core/index.ts";
import type { ErrorCode } from "../../packages/site/src/core/index.ts";

/** For `assert.rejects`: an error of this code with these words, and nowhere in it a planted secret (`hunter2`). */
export function fails(
  code: ErrorCode,
  words = /./,
  details?: Readonly<Record<string, unknown>>,
): (error: unknown) => boolean {
  return (error) => {
    const shown = inspect(error, { depth: 20, showHidden: true });
    assert.ok(isOctavoError(error, code), `${code} expected, not ${shown}`);
    assert.match(error.message, words);
    if (details) assert.deepEqual(error.details, details);
    assert.ok(!shown.includes("hunter2"));
    return true;
  };
}
