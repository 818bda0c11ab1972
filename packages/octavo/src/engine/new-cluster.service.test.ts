import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { zstdDecompressSync } from "node:zlib";
import { packedClusterUrl } from "./new-cluster.ts";
import { folderFor } from "../../../../test/support/git-fixture.ts";
import { runtimeFlags } from "../../../../test/support/program.ts";

test("the committed cluster is what the installed PGlite creates", async (t) => {
  const made = join(await folderFor(t), "cluster.zst");
  const program = resolve(import.meta.dirname, "../../../../tools/pack-cluster.ts");
  execFileSync(process.execPath, [...runtimeFlags, program, made], { stdio: "inherit" });
  const [expected, found] = [made, packedClusterUrl].map((file) =>
    zstdDecompressSync(readFileSync(file)),
  );
  assert.ok(expected?.equals(found ?? Buffer.of()), "Run npm run pack:cluster.");
});
