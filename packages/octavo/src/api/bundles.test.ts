import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { bundleText, openApi, type RunningApi } from "../../../../test/support/running-api.ts";
import { parseRange } from "./routes/bundles.ts";

let api: RunningApi;
let link: string;
const size = bundleText.length;

/** A link to the bundle of a new export. */
async function openLink(from: RunningApi, version = "v1"): Promise<string> {
  const { client, addProject } = await from.openOrganization();
  const { domain } = await addProject();
  const path = "/v1/static-export/jobs";
  const body = { domain, version };
  const { body: job } = await client.call<{ jobId: string }>("POST", path, { body });
  await client.waitForExport(job.jobId);
  const answer = await client.call<{ bundleUrl: string }>("POST", `${path}/${job.jobId}/bundle`);
  return answer.body.bundleUrl;
}

before(async () => {
  api = await openApi();
  link = await openLink(api, 'v1/"..\\ü');
});
after(() => api[Symbol.asyncDispose]());

/** Gives the error's sentence. */
async function assertError(response: Response, status: number): Promise<string> {
  assert.equal(response.status, status);
  const { error, ...rest } = (await response.json()) as { error: string };
  assert.match(error, /\.$/);
  assert.deepEqual(rest, {});
  return error;
}

describe("a bundle's link", () => {
  test("returns the file to anybody, under a safe name", async () => {
    const response = await fetch(link);
    assert.equal(response.status, 200);
    assert.equal(await response.text(), bundleText);
    const { headers } = response;
    assert.equal(headers.get("content-length"), String(size));
    assert.equal(headers.get("content-type"), "application/gzip");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /sandbox/);
    assert.match(
      headers.get("content-disposition") ?? "",
      /^attachment; filename="docs\d+\.acme\.example-v1-[.-]+\.tar\.gz"$/,
    );
    const head = await fetch(link, { method: "HEAD" });
    assert.equal(head.status, 200);
    for (const name of ["etag", "content-length", "accept-ranges", "content-disposition"]) {
      assert.equal(head.headers.get(name), headers.get(name), name);
    }
    assert.equal(await head.text(), "");
  });

  test("returns ranges, and the whole file if it has changed", async () => {
    const etag = (await fetch(link, { method: "HEAD" })).headers.get("etag") ?? "";
    const part = await fetch(link, { headers: { range: "bytes=4-8", "if-range": etag } });
    assert.equal(part.status, 206);
    assert.equal(part.headers.get("content-range"), `bytes 4-8/${size}`);
    assert.equal(part.headers.get("content-length"), "5");
    assert.equal(await part.text(), bundleText.slice(4, 9));
    const other = await fetch(link, { headers: { range: "bytes=4-8", "if-range": '"other"' } });
    assert.equal(other.status, 200);
    assert.equal(await other.text(), bundleText);
    const head = await fetch(link, { method: "HEAD", headers: { range: "bytes=4-8" } });
    assert.deepEqual([head.status, head.headers.get("content-length")], [200, String(size)]);
    const changed = await fetch(link, { headers: { "if-match": '"other"' } });
    await assertError(changed, 412);
    const beyond = await fetch(link, { headers: { range: "bytes=5000-" } });
    assert.equal(beyond.headers.get("content-range"), `bytes */${size}`);
    await assertError(beyond, 416);
    const same = await fetch(link, { headers: { "if-none-match": etag } });
    assert.equal(same.status, 304);
    assert.equal(await same.text(), "");
  });

  test("that was altered is refused", async () => {
    const url = new URL(link);
    const [, , file = "", name = ""] = url.pathname.split("/");
    const otherFile = Buffer.from("bundles/other.tar.gz").toString("base64url");
    const query = url.search;
    const later = query.replace(/expires=(\d+)/, (_, time) => `expires=${Number(time) + 1}`);
    const altered = [
      `/bundles/${otherFile}/${name}${query}`,
      `/bundles/${Buffer.from("../secret").toString("base64url")}/${name}${query}`,
      `/bundles/${file}/other.tar.gz${query}`,
      `/bundles/${file}/${name}${later}`,
      `/bundles/${file}/${name}${query.replace(/signature=./, "signature=")}`,
      `/bundles/${file}/${name}${query}&signature=x`,
      `/bundles/${file}/${name}`,
      `/bundles/${file}/${name}?expires=NaN&signature=x`,
      // Other spellings of the same key and time.
      `/bundles/${file}!/${name}${query}`,
      `/bundles/${file}/${name}${query.replace("expires=", "expires=0")}`,
      `/bundles/${file}/a%0Ab${query}`,
    ];
    for (const path of altered) await assertError(await fetch(api.url + path), 403);
  });

  test("gets 410 when the file was removed", async () => {
    const own = await openApi();
    const ownLink = await openLink(own);
    const [, , file = ""] = new URL(ownLink).pathname.split("/");
    await own.storage.delete(Buffer.from(file, "base64url").toString());
    await assertError(await fetch(ownLink), 410);
    await own[Symbol.asyncDispose]();
  });

  test("is refused after it expires", async () => {
    const own = await openApi({ bundleLinkSeconds: -1 });
    const expired = await openLink(own);
    assert.match(await assertError(await fetch(expired), 403), /expired.*POST/);
    // Its time counts only where the signature fits.
    const altered = expired.replace(/expires=\d/, "expires=0");
    assert.match(await assertError(await fetch(altered), 403), /signature is not valid/);
    await own[Symbol.asyncDispose]();
  });
});

const ranges: [header: string | undefined, expected: ReturnType<typeof parseRange>][] = [
  [undefined, undefined],
  ["bytes=0-0", { start: 0, end: 0 }],
  ["bytes=0-", { start: 0, end: 9 }],
  ["bytes=5-99", { start: 5, end: 9 }],
  ["bytes=-3", { start: 7, end: 9 }],
  ["bytes=-99", { start: 0, end: 9 }],
  ["bytes=-0", "unsatisfiable"],
  ["bytes=10-", "unsatisfiable"],
  ["bytes=5-4", undefined],
  ["bytes=-", undefined],
  ["bytes=0-1,3-4", undefined],
  ["lines=0-1", undefined],
  ["bytes=a-b", undefined],
];
for (const [header, expected] of ranges) {
  test(`Range ${header} of ten bytes`, () => assert.deepEqual(parseRange(header, 10), expected));
}
