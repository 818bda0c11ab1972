import assert from "node:assert/strict";
import { symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sha256 } from "@octavo/site/core";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { hashBundle } from "./build-bundle.ts";

test("a bundle is hashed as it is on the disk, and no link is followed", async () => {
  await using folder = await temporaryFolder();
  const [file, link] = [join(folder.path, "bundle.zip"), join(folder.path, "link.zip")];
  const content = Buffer.alloc(300_000, "bundle");
  await writeFile(file, content);
  await symlink(file, link);
  assert.deepEqual(await hashBundle(file), { bytes: content.length, sha256: sha256(content) });
  await assert.rejects(hashBundle(link), { code: "ELOOP" });
});
