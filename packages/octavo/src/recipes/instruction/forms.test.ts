import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { forms } from "./forms.ts";
import { parseInstruction } from "./parse-instruction.ts";

const manual = join(import.meta.dirname, "../../../../../docs/agent/recipes.mdx");

test("the manual's table is the table of forms", async () => {
  const text = await readFile(manual, "utf8");
  const rows = [...text.matchAll(/^\| `(.+)` \| (.+) \|$/gm)].map(([, form, does]) => [form, does]);
  assert.deepEqual(
    rows,
    forms.flatMap((form) => ("purpose" in form ? [[form.wordings[0], form.purpose]] : [])),
  );
});

test("the manual's refusal is the one that the model gives", async () => {
  const text = await readFile(manual, "utf8");
  const [, shown = "", prompt = ""] = /```text\n(I cannot do this: I do not understand “(.+)”[^]*?)\n```/.exec(text) ?? []; // prettier-ignore
  assert.throws(
    () => parseInstruction(prompt),
    (error: Error) => error.message.startsWith(`${shown}\n`),
  );
});
