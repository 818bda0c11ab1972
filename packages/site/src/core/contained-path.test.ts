import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { cleanRelativePath, resolveRealPath, resolveInside } from "./paths.ts";

test("a path stays below its folder, or is none", () => {
  assert.equal(cleanRelativePath("/a/./b//c/../d.png"), "a/b/d.png");
  for (const path of ["..", "../a", "a/../../b", "/../a", "C:/a", "c:a", "a\\..\\b", "a\0b"]) {
    assert.equal(cleanRelativePath(path), undefined, path);
    assert.throws(() => resolveInside("/root", path), /points outside its folder/, path);
  }
  assert.equal(resolveInside("/root", "/a/b"), "/root/a/b");
});

test("a link that leads out of its folder is not followed", async () => {
  await using folder = await temporaryFolder();
  const root = join(folder.path, "root");
  await mkdir(root);
  await writeFile(join(folder.path, "secret"), "secret");
  await writeFile(join(root, "own"), "own");
  await symlink("../secret", join(root, "out"));
  await symlink("own", join(root, "in"));
  assert.equal(await resolveRealPath(root, "in"), join(root, "own"));
  await assert.rejects(resolveRealPath(root, "out"), { code: "invalid_input" });
  await assert.rejects(resolveRealPath(root, "none"), { code: "not_found" });
});
