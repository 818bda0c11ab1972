import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { after, before, beforeEach, describe, test } from "node:test";
import { isOctavoError } from "@octavo/site/core";
import { patienceMs } from "../../../../../test/support/patience.ts";
import { startS3 } from "../../../../../test/support/s3-stand-in.ts";
import type { S3Fault, S3StandIn } from "../../../../../test/support/s3-stand-in.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { storageContract } from "../storage.contract.ts";
import type { Storage } from "../storage.ts";
import { s3Times } from "./bucket.ts";
import type { S3StorageOptions } from "./bucket.ts";
import { createS3Storage } from "./s3-storage.ts";

/** The SDK reads credentials from the environment, as it does in the service. */
function useCredentials({ credentials }: S3StandIn, secret = credentials.secretAccessKey): void {
  process.env["AWS_ACCESS_KEY_ID"] = credentials.accessKeyId;
  process.env["AWS_SECRET_ACCESS_KEY"] = secret;
  process.env["AWS_SESSION_TOKEN"] = credentials.sessionToken ?? "";
}

const sentParts = (): (number | undefined)[] =>
  server.requests
    .filter(({ operation }) => operation === "UploadPart")
    .map(({ partNumber }) => partNumber);

/** Does not wait, for a storage that is known to hang. */
const hasty = {
  times: { connect: 400, request: 400, upload: 400, idle: 400, ping: 400, removal: 400 },
};

function open(server: S3StandIn, options: Partial<S3StorageOptions> = {}): Promise<Storage> {
  return createS3Storage({
    bucket: server.bucket,
    prefix: "octavo/eu",
    endpoint: server.url,
    region: server.region,
    isPathStyle: true,
    hasDirectLinks: false,
    ...options,
  });
}

let server: S3StandIn;
before(async () => {
  server = await startS3({ sessionToken: "a+session/token==" });
  useCredentials(server);
});
after(() => server[Symbol.asyncDispose]());

storageContract("S3 storage", () => open(server));

describe("S3 storage", () => {
  let storage: Storage;
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  before(async () => {
    folder = await temporaryFolder();
    storage = await open(server);
  });
  after(() => folder[Symbol.asyncDispose]());
  beforeEach(() => {
    useCredentials(server);
    server.setFault(undefined);
    server.setAhead(0);
    server.requests.length = 0;
    server.uploads.clear();
  });

  const write = async (content: Uint8Array): Promise<string> => {
    const file = join(folder.path, randomBytes(6).toString("hex"));
    await writeFile(file, content);
    return file;
  };

  test("keeps to its prefix", async () => {
    await storage.put("bundles/placed", await write(Buffer.from("x")));
    assert.ok(server.objects.has("octavo/eu/bundles/placed"));
  });

  test("an upload that was interrupted is continued by the next put, whole or not at all", async () => {
    const content = randomBytes(50_000_000);
    const file = await write(content);
    server.setFault(({ operation, partNumber = 0 }) =>
      operation === "UploadPart" && partNumber > 4
        ? { status: 400, code: "InvalidRequest" }
        : undefined,
    );
    await assert.rejects(storage.put("bundles/resumed", file), isUnavailable);
    assert.equal(await storage.stat("bundles/resumed"), undefined);
    const [upload] = server.uploads.values();
    assert.deepEqual(new Set(upload?.parts.keys()), new Set([1, 2, 3, 4]));
    server.setFault(undefined);
    server.requests.length = 0;
    // The size differs from the part of this file, so the part is sent again.
    upload?.parts.set(3, Buffer.alloc(10));
    await (await open(server)).put("bundles/resumed", file);
    assert.equal(sentParts().length, 3);
    assert.deepEqual(new Set(sentParts()), new Set([3, 5, 6]));
    assert.deepEqual(await buffer(await storage.read("bundles/resumed")), content);
    assert.equal(server.uploads.size, 0);
  });

  test("a file that another attempt completed meanwhile is stored", async () => {
    const content = randomBytes(9_000_000);
    const file = await write(content);
    server.setFault(({ operation, key }) => {
      if (operation !== "CompleteMultipartUpload" || server.uploads.size === 0) return undefined;
      server.uploads.clear();
      server.objects.set(key, { bytes: content, modifiedAt: new Date() });
      return undefined;
    });
    await storage.put("bundles/raced", file);
    server.setFault(({ operation }) => {
      if (operation === "CompleteMultipartUpload") server.uploads.clear();
      return undefined;
    });
    await assert.rejects(
      storage.put("bundles/aborted", file),
      /Another program aborted an upload to the S3 storage; try again/,
    );
  });

  test("uploads that nobody continued are aborted when they are old", async () => {
    const old = { startedAt: new Date(Date.now() - 86_400_000), parts: new Map() };
    for (const id of ["a", "b", "c"]) server.uploads.set(id, { ...old, key: `octavo/eu/${id}` });
    server.uploads.set("new", { ...old, key: "octavo/eu/new", startedAt: new Date() });
    server.uploads.set("other", { ...old, key: "elsewhere/file" });
    await storage.removeUnfinished(new Date(Date.now() - 3_600_000));
    assert.deepEqual([...server.uploads.keys()], ["new", "other"]);
  });

  test("a body that is cut, stalled or too short is an error, never a whole file", async () => {
    await storage.put("bundles/broken", await write(randomBytes(500_000)));
    const reader = await open(server, { times: { ...s3Times, idle: 400 } });
    for (const fault of ["cut", "stall"] as const) {
      server.setFault(({ operation }) => (operation === "GetObject" ? fault : undefined));
      for (const range of [undefined, { start: 10, end: 400_000 }]) {
        const reading = reader.read("bundles/broken", range).then(buffer);
        await assert.rejects(reading, isUnavailable, fault);
      }
    }
    server.setFault(undefined);
    const beyond = storage.read("bundles/broken", { start: 400_000, end: 600_000 });
    await assert.rejects(beyond, isUnavailable);
  });

  test("a slow reader is no fault of the storage", async () => {
    const content = randomBytes(6_000_000);
    await storage.put("bundles/slow", await write(content));
    const pieces: Buffer[] = [];
    const reader = await open(server, { times: { ...s3Times, idle: 5_000 } });
    // Longer than the storage may be idle, which is longer than a busy machine keeps it waiting.
    for await (const piece of await reader.read("bundles/slow")) {
      if (pieces.length === 0) await sleep(8_000);
      pieces.push(piece as Buffer);
    }
    assert.deepEqual(Buffer.concat(pieces), content);
  });

  test("reads that end early release their connections", async () => {
    await storage.put("bundles/left", await write(randomBytes(4_000_000)));
    for (let round = 0; round < 20; round++) {
      (await storage.read("bundles/left")).destroy();
    }
    const end = Date.now() + patienceMs;
    while ((await server.connections()) > 8) {
      assert.ok(Date.now() < end, `${await server.connections()} connections are open`);
      await sleep(20);
    }
  });

  test("a direct link gives the file to anybody for a while, and only to a GET", async () => {
    const linked = await open(server, { hasDirectLinks: true });
    await linked.put("bundles/a b+c.zip", await write(Buffer.from("bytes")));
    const options = { fileName: "docs-v1.zip", contentType: "application/zip", seconds: 60 };
    const link = (await linked.directLink?.("bundles/a b+c.zip", options)) ?? "";
    const response = await fetch(link);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), "bytes");
    assert.equal(response.headers.get("content-disposition"), 'attachment; filename="docs-v1.zip"');
    assert.equal(response.headers.get("content-type"), "application/zip");
    assert.equal((await fetch(link, { method: "HEAD" })).status, 403);
    assert.equal((await fetch(link.replace("docs-v1", "docs-v2"))).status, 403);
    server.setAhead(62_000);
    assert.equal((await fetch(link)).status, 403);
    assert.equal(storage.directLink, undefined);
  });

  const faults: [name: string, fault: S3Fault, message: RegExp][] = [
    [
      "overloaded",
      { status: 503, code: "SlowDown" },
      /has failed or is overloaded \(it responded with 503\)/,
    ],
    ["failing", { status: 500, code: "InternalError" }, /responded with 500/],
    ["hanging", "hang", /did not respond in time/],
    ["full", { status: 507, code: "InsufficientStorage" }, /is full; enlarge its quota/],
    ["full, in words", { status: 403, code: "QuotaExceeded" }, /is full; enlarge its quota/],
    ["forbidden", { status: 403, code: "AccessDenied" }, /refuses access to the bucket bundles/],
    ["late", { status: 403, code: "RequestTimeTooSkewed" }, /set the clock/],
    [
      "elsewhere",
      { status: 301, code: "PermanentRedirect" },
      /in a different region; set OCTAVO_S3/,
    ],
  ];
  for (const [name, fault, message] of faults) {
    test(`a storage that is ${name} has its message`, async () => {
      const storage = await open(server, fault === "hang" ? hasty : {});
      server.setFault(() => fault);
      await assert.rejects(storage.ping(), (error) => isUnavailable(error, message));
      if (typeof fault === "object" && fault.code !== "QuotaExceeded") {
        await assert.rejects(storage.stat("bundles/x"), isUnavailable);
      }
    });
  }

  test("a removal ends soon, also where the storage hangs", async () => {
    // Enough time to have sent the request.
    const storage = await open(server, { times: { ...s3Times, removal: 3_000 } });
    server.setFault(() => "hang");
    await assert.rejects(storage.delete("bundles/x"), (error) => isUnavailable(error, /in time/));
    assert.equal(server.requests.length, 1);
  });

  test("a clock that is wrong has its message", async () => {
    server.setAhead(3_600_000);
    await assert.rejects(storage.ping(), (error) => isUnavailable(error, /set the clock/));
  });

  test("a passing fault is tried again", async () => {
    const failing = new Set(["HeadObject", "PutObject", "GetObject", "DeleteObject"]);
    server.setFault(({ operation }) =>
      failing.delete(operation) ? { status: 503, code: "SlowDown" } : undefined,
    );
    await storage.put("bundles/again", await write(Buffer.from("again")));
    assert.equal(String(await buffer(await storage.read("bundles/again"))), "again");
    await storage.delete("bundles/again");
    assert.equal(failing.size, 0);
  });

  test("settings that are wrong have their messages, and reveal no secret", async () => {
    const missing = await open(server, { bucket: "nowhere" });
    const expected = /There is no S3 bucket nowhere; create it/;
    await assert.rejects(missing.ping(), (error) => isUnavailable(error, expected));
    await assert.rejects(missing.stat("x"), (error) => isUnavailable(error, expected));
    const elsewhere = await open(server, { region: "us-east-1" });
    await assert.rejects(elsewhere.ping(), (error) => isUnavailable(error, /a different region/));
    const unreachable = await open(server, { endpoint: "http://127.0.0.1:9" });
    await assert.rejects(unreachable.ping(), (error) => isUnavailable(error, /cannot be reached/));
    useCredentials(server, "planted-secret-4711");
    const refused = await open(server);
    await assert.rejects(refused.ping(), (error) => isUnavailable(error, /not accept the credent/));
    await assert.rejects(refused.stat("x"), (error) => isUnavailable(error, /refuses access/));
  });
});

function isUnavailable(error: unknown, message = /\S/): boolean {
  assert.ok(isOctavoError(error, "unavailable"), String(error));
  assert.match(error.message, message);
  assert.doesNotMatch(error.message, /planted-secret|AKIA/);
  return true;
}
