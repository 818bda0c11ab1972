import assert from "node:assert/strict";
import { test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { encodePacket, readPushHeader } from "./push-commands.ts";

const zero = "0".repeat(40);
const one = "1".repeat(40);
const asked = "report-status side-band-64k";

async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function read(lines: readonly string[], chunkBytes = 65_536) {
  const bytes = Buffer.concat([
    ...lines.map((line) => encodePacket(line)),
    Buffer.from("0000PACK"),
  ]);
  return readPushHeader(inChunks(bytes, chunkBytes));
}

for (const chunkBytes of [1, 7, 65_536]) {
  test(`a head in chunks of ${chunkBytes} bytes is read up to the objects`, async () => {
    const head = await read(
      [`${zero} ${one} refs/heads/main\0${asked}\n`, `${one} ${zero} refs/tags/ü\n`],
      chunkBytes,
    );
    assert.deepEqual(head.commands, [
      { oldCommit: zero, newCommit: one, ref: "refs/heads/main" },
      { oldCommit: one, newCommit: zero, ref: "refs/tags/ü" },
    ]);
    assert.deepEqual([...head.capabilities], ["report-status", "side-band-64k"]);
  });
}

const tooLong: [name: string, lines: string[], code: "too_large" | "invalid_input"][] = [
  [
    "commands",
    Array.from({ length: 20_001 }, (_, i) => `${zero} ${one} refs/heads/${i}\0${asked}`),
    "too_large",
  ],
  ["shallow lines", Array.from({ length: 90_000 }, () => `shallow ${one}\n`), "too_large"],
  ["names", Array.from({ length: 70 }, () => `${zero} ${one} ${"x".repeat(65_000)}`), "too_large"],
  [
    "capabilities",
    [
      `${zero} ${one} refs/heads/main\0${Array.from({ length: 30_000 }, (_, i) => i % 10).join(" ")}`,
    ],
    "invalid_input",
  ],
];
for (const [name, lines, code] of tooLong) {
  test(`a push with too many ${name} is refused`, async () => {
    await assert.rejects(read(lines), (error) => isOctavoError(error, code));
  });
}

test("a push is bounded in what it makes the service remember, whatever its lines hold", async () => {
  const offered = Array.from({ length: 9_000 }, (_, i) => i.toString(36)).join(" ");
  const lines = Array.from({ length: 70 }, (_, i) => `${zero} ${one} r/${i}\0${offered}${i}`);
  lines.unshift(`${zero} ${one} refs/heads/main\0${asked}`);
  const { capabilities } = await read(lines);
  assert.deepEqual([...capabilities], asked.split(" "));
});
