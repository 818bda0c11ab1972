import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { readSecret } from "../../packages/octavo/src/config/index.ts";
import { createFileStorage } from "../../packages/octavo/src/storage/index.ts";
import { createRandom } from "../support/random.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { cutPower } from "./power-cuts.ts";
import { record } from "./recording.ts";

interface Case {
  readonly name: string;
  /** Resolves with what must be in `file` from then on. */
  readonly store: (folder: string) => Promise<string>;
  readonly file: string;
}

const cases: readonly Case[] = [
  {
    name: "a bundle",
    file: "storage/bundles/a/b.zip",
    async store(folder) {
      const source = join(folder, "work.zip");
      await writeFile(source, "the bundle");
      await createFileStorage(join(folder, "storage")).put("bundles/a/b.zip", source);
      return "the bundle";
    },
  },
  {
    name: "the secret",
    file: "new/data/secret",
    async store(folder) {
      const path = join(folder, "new", "data", "secret");
      return `${await readSecret({ kind: "file", path, createIfMissing: true })}\n`;
    },
  },
];

for (const { name, store, file } of cases) {
  test(`${name} survives a loss of power once it is stored`, async () => {
    await using folder = await temporaryFolder();
    const data = join(folder.path, "data");
    await mkdir(data);
    let expected = "";
    const recording = await record(data, join(folder.path, "recording"), async (acknowledge) => {
      expected = await store(data);
      acknowledge(name);
    });
    const cuts = { count: 30, isLate: true, random: createRandom(1) };
    let count = 0;
    for (const cut of cutPower(recording, cuts)) {
      const state = join(folder.path, `state-${(count += 1)}`);
      cut.leave(state);
      assert.equal(await readFile(join(state, file), "utf8"), expected);
    }
    const unflushed = recording.operations.filter(({ kind }) => kind !== "sync");
    const kept: unknown[] = [];
    for (const cut of cutPower(recording, { ...cuts, operations: unflushed })) {
      const state = join(folder.path, `state-${(count += 1)}`);
      cut.leave(state);
      kept.push(await readFile(join(state, file), "utf8").catch(() => undefined));
    }
    assert.ok(kept.some((content) => content !== expected));
  });
}
