import assert from "node:assert/strict";
import { test } from "node:test";
import { filesAroundParts, gather, openMemoryCache } from "./archive.test-support.ts";
import { tarGz } from "./tar-gz.ts";
import { zip } from "./zip.ts";

for (const pack of [tarGz, zip]) {
  test(`${pack.name}: after a change of one part, what is around it is packed again and nothing else`, async () => {
    const cache = openMemoryCache();
    await gather(pack(filesAroundParts(), cache));
    cache.puts = 0;
    const again = await gather(pack(filesAroundParts(2_500), cache));
    assert.equal(cache.puts, 1);
    const expected = await gather(pack(filesAroundParts(2_500)));
    assert.ok(again.equals(expected), "the bytes are those without a cache");
  });
}
