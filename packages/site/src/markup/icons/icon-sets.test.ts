import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { writeSite } from "../../../../../test/sites/temporary-site.ts";
import { createIconPackageSets } from "../../../build/icon-packages.ts";
import { packIcons } from "../../../build/pack-icons.ts";
import { createPackedIconSets, iconSets } from "./icon-renderer.ts";

test("packed sets have every name and drawing of their packages, and no others", async (t) => {
  const folder = await writeSite(t, {});
  const packages = createIconPackageSets();
  packIcons(packages, folder);
  const packed = createPackedIconSets(pathToFileURL(join(folder, "/")));
  for (const set of iconSets) {
    const names = [...packages.names(set)].toSorted();
    assert(names.length > 200, set);
    assert.deepEqual([...packed.names(set)], names);
    for (const name of names) {
      assert.equal(packed.drawing(set, name), packages.drawing(set, name), `${set}:${name}`);
    }
    for (const name of ["no-such", "constructor", ""]) {
      assert.equal(packed.drawing(set, name), undefined);
      assert.equal(packages.drawing(set, name), undefined);
    }
  }
});
