import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, describe, test } from "node:test";
import {
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { isOctavoError } from "@octavo/site/core";
import { startCeph } from "../../../../../test/support/ceph.ts";
import { temporaryFolder } from "../../../../../test/support/temporary-folder.ts";
import { storageContract } from "../storage.contract.ts";
import type { S3StorageOptions } from "./bucket.ts";
import { createS3Storage } from "./s3-storage.ts";
import { partBytes } from "./upload-in-parts.ts";

/** A server to test against, with credentials as the SDK reads them. If not set, starts Ceph's. */
const given = process.env["OCTAVO_TEST_S3_ENDPOINT"];
const isWanted = given !== undefined || process.env["OCTAVO_TEST_ALL"] === "1";

if (isWanted) await tryServer();
else test("S3 on a real server", { skip: "npm run test:s3 tries it" }, () => undefined);

async function tryServer(): Promise<void> {
  const stack = new AsyncDisposableStack();
  after(() => stack.disposeAsync());
  const endpoint = given ?? stack.use(await startCeph()).endpoint;
  const region = process.env["OCTAVO_TEST_S3_REGION"] ?? "us-east-1";
  const bucket = process.env["OCTAVO_TEST_S3_BUCKET"] ?? "octavo-test";
  const prefix = `test-${randomBytes(6).toString("hex")}`;
  const folder = stack.use(await temporaryFolder());
  const client = new S3Client({
    endpoint,
    region,
    forcePathStyle: true,
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  });
  if (given === undefined) await client.send(new CreateBucketCommand({ Bucket: bucket }));
  const open = (options: Partial<S3StorageOptions> = {}) =>
    createS3Storage({
      bucket,
      prefix,
      endpoint,
      region,
      isPathStyle: true,
      hasDirectLinks: true,
      ...options,
    });
  const write = async (content: Uint8Array) => {
    const file = join(folder.path, randomBytes(6).toString("hex"));
    await writeFile(file, content);
    return file;
  };
  const listUploads = async () =>
    (await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix })))
      .Uploads ?? [];
  /** Creates an upload with only its first part, as a killed node leaves it. */
  async function interrupt(key: string, content: Buffer): Promise<void> {
    const upload = { Bucket: bucket, Key: `${prefix}/${key}` };
    const { UploadId } = await client.send(new CreateMultipartUploadCommand(upload));
    const Body = content.subarray(0, partBytes);
    await client.send(new UploadPartCommand({ ...upload, UploadId, PartNumber: 1, Body }));
  }

  storageContract(`S3 storage at ${endpoint}`, () => open());

  describe(`a server of S3 at ${endpoint}`, () => {
    test("continues an interrupted upload, which is no file before its end", async () => {
      const storage = await open();
      const content = randomBytes(2 * partBytes + 1_000);
      await interrupt("resumed", content);
      assert.equal(await storage.stat("resumed"), undefined);
      await storage.put("resumed", await write(content));
      assert.deepEqual(await buffer(await storage.read("resumed")), content);
      assert.deepEqual(await listUploads(), []);
    });

    test("aborts an upload that nobody continues", async () => {
      const storage = await open();
      await interrupt("left", Buffer.alloc(10));
      await storage.removeUnfinished(new Date(Date.now() - 3_600_000));
      assert.equal((await listUploads()).length, 1);
      await storage.removeUnfinished(new Date(Date.now() + 3_600_000));
      assert.deepEqual(await listUploads(), []);
    });

    test("gives a file to a direct link, and only to a GET", async () => {
      const storage = await open();
      await storage.put("linked.zip", await write(Buffer.from("bytes")));
      const options = { fileName: "docs.zip", contentType: "application/zip", seconds: 60 };
      const link = (await storage.directLink?.("linked.zip", options)) ?? "";
      const response = await fetch(link);
      assert.equal(await response.text(), "bytes");
      assert.equal(response.headers.get("content-type"), "application/zip");
      assert.match(response.headers.get("content-disposition") ?? "", /filename="docs\.zip"/);
      assert.equal((await fetch(link, { method: "HEAD" })).status, 403);
      assert.equal((await fetch(link.replace("docs.zip", "other.zip"))).status, 403);
    });

    test("refuses what is wrong, in our words", async () => {
      const missing = await open({ bucket: "octavo-nowhere-0" });
      await assert.rejects(missing.ping(), (error) => isUnavailable(error, /is no S3 bucket/));
      await assert.rejects(missing.stat("x"), (error) => isUnavailable(error, /is no S3 bucket/));
      const secret = process.env["AWS_SECRET_ACCESS_KEY"];
      process.env["AWS_SECRET_ACCESS_KEY"] = "another";
      const refused = await open();
      await assert.rejects(refused.ping(), (error) => isUnavailable(error, /not accept the cred/));
      process.env["AWS_SECRET_ACCESS_KEY"] = secret;
    });
  });
}

function isUnavailable(error: unknown, message: RegExp): boolean {
  return isOctavoError(error, "unavailable") && message.test(error.message);
}
