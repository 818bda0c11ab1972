import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { keepScript } from "./kept-script.ts";

test("a script is made once for the same sources, and again where what was kept is damaged", async (t) => {
  const folder = await writeSite(t, {});
  let made = 0;
  const read = (...sources: string[]) =>
    keepScript(sources, () => `script ${++made} of ${sources.join()}`, folder);
  assert.equal(await read("a", "b"), "script 1 of a,b");
  assert.equal(await read("a", "b"), "script 1 of a,b");
  assert.equal(await read("ab", ""), "script 2 of ab,");
  const files = await readdir(join(folder, "scripts"));
  assert.equal(files.length, 2);
  for (const file of files) await writeFile(join(folder, "scripts", file), "alert(1)");
  assert.equal(await read("a", "b"), "script 3 of a,b");
});

test("where nothing can be kept a script is made each time", async (t) => {
  const folder = await writeSite(t, { scripts: "a file" });
  let made = 0;
  for (const expected of ["1", "2"]) {
    assert.equal(await keepScript(["a"], () => String(++made), folder), expected);
  }
});
