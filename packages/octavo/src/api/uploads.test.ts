import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { connect } from "node:net";
import { join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { after, before, describe, test } from "node:test";
import { pack } from "tar-stream";
import { openApiContract, type ApiContract } from "../../../../test/support/api-contract.ts";
import { openApi } from "../../../../test/support/running-api.ts";
import type { RunningApi, TestOrganization } from "../../../../test/support/running-api.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { packFiles } from "../../../site/src/export/testing.ts";
import { unpackBundle } from "../bundles/index.ts";
import { parseQuotas } from "../core/index.ts";
import type { AddressedDeployment } from "../jobs/index.ts";

type Files = Readonly<Record<string, string>>;
type Answer = AddressedDeployment & { readonly error?: string };

const site: Files = {
  "index.html": "<p>Home",
  "guide/index.html": "<p>Guide",
  "404.html": "<p>Nothing",
  "style.css": "p { color: red }",
};
const zip = "application/zip";
const gzip = "application/gzip";

describe("an archive that somebody brings", () => {
  const open = new AsyncDisposableStack();
  let api: RunningApi;
  let acme: TestOrganization;
  let contract: ApiContract;
  let folder: string;
  let projectId: string;

  before(async () => {
    ({ path: folder } = open.use(await temporaryFolder()));
    const quotas = parseQuotas("free.pages=2,free.bundleMb=1");
    api = open.use(await openApi({ hasAgents: false, ...(quotas && { quotas }) }));
    acme = await api.openOrganization();
    projectId = (await acme.addProject("docs.acme.example")).id;
    contract = await openApiContract(api.url);
  });
  after(() => open.disposeAsync());

  interface SendOptions {
    readonly type?: string;
    readonly query?: string;
    readonly key?: string;
    readonly to?: string;
    readonly headers?: Record<string, string>;
  }

  async function send(
    body: Buffer,
    { type = zip, query = "", key = acme.key, to = projectId, headers = {} }: SendOptions = {},
  ) {
    // prettier-ignore
    const path = `/v2/projects/${to}/deployments${query}`;
    const sent = { authorization: `Bearer ${key}`, "content-type": type, ...headers };
    const response = await fetch(`${api.url}${path}`, { method: "POST", headers: sent, body });
    const answer = { status: response.status, headers: response.headers, body: (await response.json()) as Answer }; // prettier-ignore
    contract.assertDescribed("POST", "/v2/projects/{projectId}/deployments", answer);
    return answer;
  }

  async function makeZip(files: Files): Promise<Buffer> {
    const sources = Object.entries(files).map(([path, content]) => ({
      path,
      source: () => Buffer.from(content),
    }));
    const file = join(folder, `${randomUUID()}.zip`);
    await packFiles(sources, "zip", file);
    return await readFile(file);
  }

  async function readBundle({ id }: AddressedDeployment): Promise<Files> {
    const row = await api.database.kysely.selectFrom("deployments").select(["bundle_key", "bundle_bytes"]).where("id", "=", id).executeTakeFirstOrThrow(); // prettier-ignore
    const target = join(folder, randomUUID());
    const archive = { key: row.bundle_key ?? "", format: "zip", bytes: row.bundle_bytes ?? 0 } as const; // prettier-ignore
    await unpackBundle(api.storage, archive, target);
    const entries = await readdir(target, { recursive: true, withFileTypes: true });
    const found = entries.filter((entry) => entry.isFile());
    const files = found.map(async ({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [relative(target, file), await readFile(file, "utf8")] as const;
    });
    return Object.fromEntries(await Promise.all(files));
  }

  test("is live at once, with its files and its commit", async () => {
    const commit = "a".repeat(40);
    const { status, headers, body } = await send(await makeZip(site), { query: `?commit=${commit}` }); // prettier-ignore
    assert.equal(status, 202);
    assert.equal(headers.get("location"), `/v2/deployments/${body.id}`);
    const { kind, trigger, isLive, pages, problems, ref, progress } = body;
    assert.deepEqual({ kind, trigger, isLive, pages, problems, ref, progress, status: body.status, commit: body.commit }, { kind: "upload", trigger: "upload", isLive: true, pages: 2, problems: null, ref: null, progress: 100, status: "ready", commit }); // prettier-ignore
    assert.equal(body.createdBy?.type, "key");
    assert.deepEqual(await readBundle(body), site);
    const events = await acme.client.call<string>("GET", `/v2/deployments/${body.id}/events`);
    assert.match(events.body, /"status":"ready"/);
  });

  test("may be a tar.gz with folders, in any order, and publishes nothing if its files are the same", async () => {
    const entries = Object.entries(site).map(([name, content]) => [{ name: `./${name}` }, content] as const); // prettier-ignore
    const archive = await makeTar([[{ name: "./", type: "directory" }], ...entries.toReversed()]);
    const { status, body } = await send(archive, { type: gzip });
    assert.deepEqual([status, body.status, body.isLive], [202, "ready", false]);
    const { body: shown } = await acme.client.call<{ live: AddressedDeployment }>("GET", `/v2/projects/${projectId}/site`); // prettier-ignore
    assert.equal(shown.live.url, body.url);
  });

  test("counts the problems that its report has", async () => {
    const report = { errors: 1, warnings: 2, notChecked: [], problems: [] };
    const { body } = await send(await makeZip({ ...site, "_octavo/report.json": JSON.stringify(report) })); // prettier-ignore
    assert.deepEqual([body.isLive, body.problems], [true, { errors: 1, warnings: 2 }]);
    const wrong = await send(await makeZip({ ...site, "_octavo/report.json": "{" }));
    assert.deepEqual([wrong.body.isLive, wrong.body.problems], [true, null]);
  });

  test("says which redirects of another program are not used", async () => {
    const rules = ["/a /b", "/c", ...Array.from({ length: 30 }, () => "/d /e 404")].join("\n");
    const { body } = await send(await makeZip({ ...site, _redirects: rules }));
    const { body: update } = await acme.client.call<{ logs: readonly string[] }>("GET", `/v1/project/update-status/${body.id}`); // prettier-ignore
    assert.equal(update.logs[0], "Line 2 of _redirects is ignored: The rule has no target.");
    assert.deepEqual(update.logs.slice(20), ["Further ignored lines of _redirects: 11."]);
  });

  test("is taken once for each idempotency key", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const archive = await makeZip({ "index.html": "once" });
    const first = await send(archive, { headers });
    const again = await send(archive, { headers });
    assert.deepEqual([again.status, again.body], [202, first.body]);
    const other = await send(await makeZip({ "index.html": "twice" }), { headers });
    assert.equal(other.status, 422);
  });

  test("waits for somebody to say so once somebody has chosen what readers see", async () => {
    const path = `/v2/projects/${projectId}/site`;
    await acme.client.call("PUT", path, { body: { isAutomatic: false } });
    const { body } = await send(await makeZip({ "index.html": "later" }));
    assert.deepEqual([body.status, body.isLive], ["ready", false]);
    const published = await acme.client.call<Answer>("POST", `/v2/deployments/${body.id}/publish`);
    assert.equal(published.body.isLive, true);
    await acme.client.call("PUT", path, { body: { isAutomatic: true } });
  });

  test("is refused with a sentence that says what to do", async () => {
    const index = [{ name: "index.html" }, "x"] as const;
    const file = (name: string) => makeTar([index, [{ name }, "x"]]);
    const long = "n".repeat(300);
    const rows: readonly (readonly [Buffer, string, RegExp])[] = [
      [Buffer.from("PK no zip"), zip, /^The archive cannot be read: .*\. Send a zip or a tar\.gz\.$/],
      [Buffer.alloc(0), zip, /^The archive cannot be read/],
      [Buffer.from("no gzip"), gzip, /^The archive cannot be read: incorrect header check/],
      [gzipSync("no tar".repeat(200)), gzip, /^The archive cannot be read/],
      [(await makeZip(site)).subarray(0, 200), zip, /^The archive cannot be read/],
      [await makeZip({ "a.txt": "x" }), zip, /^The archive has no index\.html at its root\. Send the files/],
      [await makeZip({ "site/index.html": "x" }), zip, /Pack the contents of the folder "site", not the folder itself\.$/],
      [await makeZip({ ...site, "../x": "x" }), zip, /^The archive cannot be read: invalid relative path: \.\.\/x/],
      [await makeZip({ ...site, "/etc/x": "x" }), zip, /^The archive cannot be read: absolute path: \/etc\/x/],
      [await file("../../x"), gzip, /^The archive's entry "\.\.\/\.\.\/x" points outside the archive\.$/],
      [await file("a/../../x"), gzip, /points outside the archive/],
      [await file("C:\\x"), gzip, /points outside the archive/],
      [await file("index.html"), gzip, /^The archive's entry "index\.html" occurs twice\.$/],
      [await file("a/../index.html"), gzip, /occurs twice/],
      [await file("index.html/x"), gzip, /^The archive contains a path that is too long, or that is both a file and a folder/],
      [await file(long), gzip, /^The archive contains a path that is too long/],
      [await makeTar([index, [{ name: "x", type: "symlink", linkname: "/etc/passwd" }]]), gzip, /^The archive's entry "x" is a link or a device; pack the file itself\.$/],
      [await makeTar([index, [{ name: "x", type: "link", linkname: "index.html" }]]), gzip, /is a link or a device/],
      [linkIn(await makeZip({ ...site, x: "/etc/passwd" })), zip, /^The archive's entry "x" is a link or a device/],
    ]; // prettier-ignore
    for (const [archive, type, says] of rows) {
      const { status, body } = await send(archive, { type });
      assert.deepEqual([status, says.test(body.error ?? "")], [400, true], `${says}: ${body.error}`); // prettier-ignore
    }
  });

  test("is refused by its size, type, options and plan", async () => {
    const archive = await makeZip(site);
    const declared = await send(archive, { type: "application/x-tar" });
    assert.equal(declared.status, 415);
    const compressed = await send(archive, { headers: { "content-encoding": "gzip" } });
    assert.equal(compressed.status, 415);
    const commit = await send(archive, { query: "?commit=main" });
    assert.match(commit.body.error ?? "", /commit must be the full hash of a commit/);
    const json = await acme.client.call<Answer>("POST", `/v2/projects/${projectId}/deployments?commit=${"a".repeat(40)}`, { body: {} }); // prettier-ignore
    assert.deepEqual([json.status, json.body.error], [400, "`commit` is allowed only with an archive; use `ref` instead."]); // prettier-ignore
    const unknown = await send(archive, { to: "pr_01234567890123456789012345" });
    assert.equal(unknown.status, 404);
    const free = await api.openOrganization("free");
    const { id: to } = await free.addProject();
    const pages = await send(await makeZip({ ...site, "more.html": "x" }), { to, key: free.key });
    assert.deepEqual([pages.status, /The export has 3 pages, and the free plan allows 2/.test(pages.body.error ?? "")], [413, true]); // prettier-ignore
    const noise = Array.from({ length: 60_000 }, () => randomUUID()).join("");
    const big = await send(await makeZip({ "index.html": noise }), { to, key: free.key });
    assert.deepEqual([big.status, /exceeds the quota/.test(big.body.error ?? "")], [413, true]);
  });

  test("is refused at once if it says that it is too large", async () => {
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    socket.write(`POST /v2/projects/${projectId}/deployments HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${acme.key}\r\nContent-Type: application/zip\r\nContent-Length: ${600 * 1024 * 1024}\r\nConnection: close\r\n\r\n`); // prettier-ignore
    const answer = (await buffer(socket)).toString();
    assert.match(answer, /^HTTP\/1\.1 413 .*The body is larger than 536870912 bytes\./s);
  });

  test("needs a key that may deploy", async () => {
    const reader = await api.keys.create({ organizationId: acme.id, projectId: null }, "Reader", { scopes: ["read"] }); // prettier-ignore
    const { status } = await send(await makeZip(site), { key: reader.secret });
    assert.equal(status, 403);
  });
});

interface TarHeader {
  readonly name: string;
  readonly type?: "directory" | "symlink" | "link";
  readonly linkname?: string;
}
type TarEntry = readonly [header: TarHeader, content?: string];

/** Makes a tar.gz of these entries. */
async function makeTar(entries: readonly TarEntry[]) {
  const tar = pack();
  for (const [header, content = ""] of entries) tar.entry(header, content);
  tar.finalize();
  return gzipSync(await buffer(tar));
}

/** Makes a symbolic link of the last file of a zip. */
function linkIn(archive: Buffer): Buffer {
  const at = archive.lastIndexOf(Buffer.from("PK\u0001\u0002", "latin1"));
  archive.writeUInt32LE((0o120_777 << 16) >>> 0, at + 38);
  return archive;
}
