import assert from "node:assert/strict";
import { test } from "node:test";
import {
  createTestFile,
  createFilesAroundParts,
  gather,
  openMemoryCache,
} from "./archive.test-support.ts";
import type { PackedFile } from "./packed-file.ts";
import { packTarGz } from "./tar-gz.ts";
import { packZip } from "./zip.ts";

for (const pack of [packTarGz, packZip]) {
  test(`${pack.name}: after a change of one part, what is around it is packed again and nothing else`, async () => {
    const cache = openMemoryCache();
    await gather(pack(createFilesAroundParts(), cache));
    cache.puts = 0;
    const again = await gather(pack(createFilesAroundParts(2_500), cache));
    assert.equal(cache.puts, 1);
    const expected = await gather(pack(createFilesAroundParts(2_500)));
    assert.ok(again.equals(expected), "the bytes are those without a cache");
  });

  test(`${pack.name}: a long file that the program makes is not made again for the file beside it that changed`, async () => {
    let made = 0;
    const long: PackedFile = {
      path: "nav.js",
      fingerprint: "nav",
      source() {
        made += 1;
        return Buffer.from(Array.from({ length: 1_000_000 }, (_, at) => at).join(" "));
      },
    };
    const filesOf = (version: string) => [createTestFile("a", version), long, createTestFile("z")];
    const cache = openMemoryCache();
    await gather(pack(filesOf("1"), cache));
    assert.equal(made, 1);
    const again = await gather(pack(filesOf("2"), cache));
    assert.equal(made, 1);
    const expected = await gather(pack(filesOf("2")));
    assert.ok(again.equals(expected), "the bytes are those without a cache");
    made = 0;
    const pieceless = { ...cache, get: () => undefined, put: () => {} };
    const remade = await gather(pack(filesOf("2"), pieceless));
    assert.equal(made, 1, "it is made once more if its pieces are lost");
    assert.ok(remade.equals(again), "the bytes are the same then");
    made = 0;
    const renewed = { ...long, fingerprint: "another" };
    await gather(pack([createTestFile("a", "2"), renewed, createTestFile("z")], cache));
    assert.equal(made, 1, "nothing is known of another content");
  });
}
