import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { readFirstScript } from "./first-script.ts";

/** It is in every page of a bundle. */
const maxLength = 750;

test("the inline script is small, and cannot end the element around it", async () => {
  const { text } = await readFirstScript();
  assert.ok(text.length <= maxLength, `${text.length}`);
  assert.doesNotMatch(text, /<\/|<!--|\n/);
});

test("the manual tells the hash of the inline script", async () => {
  const { hash } = await readFirstScript();
  const manual = new URL("../../../../../docs/export/bundle.mdx", import.meta.url);
  assert.ok((await readFile(manual, "utf8")).includes(`'${hash}'`), hash);
});
