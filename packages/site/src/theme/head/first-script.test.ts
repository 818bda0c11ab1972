import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { firstScriptHash } from "./first-script.ts";

test("the manual tells the hash of the inline script", async () => {
  const manual = new URL("../../../../../docs/export/bundle.mdx", import.meta.url);
  assert.ok((await readFile(manual, "utf8")).includes(`'${firstScriptHash}'`), firstScriptHash);
});
