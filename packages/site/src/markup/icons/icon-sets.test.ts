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
    const names = [...packages.getNames(set)].toSorted();
    assert(names.length > 200, set);
    assert.deepEqual([...packed.getNames(set)], names);
    for (const name of names) {
      assert.equal(
        packed.findDrawing(set, name),
        packages.findDrawing(set, name),
        `${set}:${name}`,
      );
    }
    for (const name of ["no-such", "constructor", ""]) {
      assert.equal(packed.findDrawing(set, name), undefined);
      assert.equal(packages.findDrawing(set, name), undefined);
    }
  }
});
