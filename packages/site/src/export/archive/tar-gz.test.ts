import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { extract } from "tar-stream";
import type { ArchiveBlock, BlockCache } from "./block-cache.ts";
import type { PackedFile } from "./packed-file.ts";
import { tarGz } from "./tar-gz.ts";

/** Files around one of 5,000 parts, of which one may have another text. */
function filesWith(changed = -1): PackedFile[] {
  const parts = Array.from({ length: 5_000 }, (_, at) => {
    const text = `Part ${at}${at === changed ? " has changed" : ""}.\n`;
    return {
      fingerprint: `${at}${at === changed ? "-changed" : ""}`,
      bytes: () => Buffer.from(text),
    };
  });
  const source = () => Buffer.concat(parts.map((part) => part.bytes()));
  return [fileOf("a"), { path: "full.txt", source, parts }, fileOf("z")];
}

function fileOf(path: string): PackedFile {
  return { path, fingerprint: path, source: () => Buffer.from(path) };
}

async function packed(files: readonly PackedFile[], cache?: BlockCache): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(tarGz(files, cache)));
}

async function unpacked(archive: Buffer): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  const entries = extract();
  entries.end(gunzipSync(archive));
  for await (const entry of entries) {
    const chunks = await Array.fromAsync(entry as AsyncIterable<Buffer>);
    contents.set(entry.header.name, Buffer.concat(chunks).toString());
  }
  return contents;
}

function memory(): BlockCache & { readonly put: BlockCache["put"]; puts: number } {
  const blocks = new Map<string, ArchiveBlock>();
  return {
    puts: 0,
    bytesOf: (key) => blocks.get(key)?.bytes,
    get: (key) => blocks.get(key),
    put(key, block) {
      this.puts += 1;
      blocks.set(key, block);
    },
  };
}

test("a file of many parts is packed as others are", async () => {
  const files = filesWith(17);
  const contents = await unpacked(await packed(files));
  assert.deepEqual([...contents.keys()], ["a", "full.txt", "z"]);
  const whole = Buffer.concat(files[1]?.parts?.map((part) => part.bytes()) ?? []);
  assert.equal(contents.get("full.txt"), whole.toString());
});

test("after a change of one part, what is around it is compressed again and nothing else", async () => {
  const cache = memory();
  await packed(filesWith(), cache);
  cache.puts = 0;
  const again = await packed(filesWith(2_500), cache);
  // A part may end a group or not: the change joins or splits at most two.
  assert.ok(cache.puts >= 1 && cache.puts <= 2, `${cache.puts} blocks`);
  assert.ok(again.equals(await packed(filesWith(2_500))), "the bytes are those without a cache");
});
