import assert from "node:assert/strict";
import { test } from "node:test";
import { createFixPrompt } from "./problems.ts";

function promptFor(code: string): string | undefined {
  const problem = { severity: "warning" as const, code, message: "Here.", file: "a.mdx", line: 3 };
  return createFixPrompt({ ...problem, problems: [problem] }, "openai/gpt-5");
}

test("an agent is offered for what a change of the site can mend, and for nothing else", () => {
  assert.match(promptFor("description_reference") ?? "", /Here\.\n\n- a\.mdx, line 3$/);
  assert.equal(promptFor("description_not_fetched"), undefined);
  assert.equal(promptFor("remote_media_unavailable"), undefined);
});
