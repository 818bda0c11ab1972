import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { joinCrc } from "./deflate.ts";

test("joined checksums are the checksum of the joined texts", () => {
  const texts = ["", "a", "größe", "\0".repeat(1024), "long ".repeat(100_000)];
  for (const first of texts) {
    for (const second of texts) {
      const joined = joinCrc(crc32(first), crc32(second), Buffer.byteLength(second));
      assert.equal(joined, crc32(first + second));
    }
  }
});
