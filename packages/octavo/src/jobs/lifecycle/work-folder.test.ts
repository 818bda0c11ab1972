import assert from "node:assert/strict";
import { mkdir, readdir, utimes } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { openProcessFolder } from "./work-folder.ts";

test("folders of dead processes go when another one starts, and a process's own when it ends", async () => {
  await using root = await temporaryFolder();
  await using alive = await openProcessFolder(root.path, { warn() {} });
  const dead = join(root.path, "dead");
  await mkdir(join(dead, "se_1-1/checkout"), { recursive: true });
  const anHourAgo = new Date(Date.now() - 60 * 60 * 1000);
  await utimes(dead, anHourAgo, anHourAgo);
  {
    await using other = await openProcessFolder(root.path, { warn() {} });
    const names = [basename(alive.path), basename(other.path)];
    assert.deepEqual((await readdir(root.path)).toSorted(), names.toSorted());
  }
  assert.deepEqual(await readdir(root.path), [basename(alive.path)]);
});
