import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { OctavoError } from "@octavo/site/core";
import { makeCertificate } from "../../../../test/support/certificate.ts";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openDatabase, type Database } from "../db/index.ts";
import { createVault } from "../projects/index.ts";
import { createLogger } from "../telemetry/index.ts";
import { createAuthority, createCertificateStore, orderCertificates } from "./index.ts";
import type { CertificateStore } from "./index.ts";

const open = new AsyncDisposableStack();
let database: Database;
let store: CertificateStore;
before(async () => {
  const dataDir = join(open.use(await temporaryFolder()).path, "data");
  await putEmptyDatabase(dataDir);
  database = open.use(await openDatabase({ dataDir }));
  const vault = createVault("0123456789abcdef0123456789abcdef", "certificates");
  store = createCertificateStore({ db: database.kysely, vault });
});
after(() => open.disposeAsync());

const hosts = { names: ["busy.example", "good.example"], sitesDomain: "sites.example" };
const { key, certificate: chain } = makeCertificate(["good.example"]);

/** Orders from an authority that gives one host a certificate, and asks to wait three hours for the other one. */
async function order(holder: string): Promise<readonly string[]> {
  const asked: string[] = [];
  await orderCertificates({
    store,
    hosts,
    holder,
    log: createLogger({ level: "silent" }),
    waitForNodes: async () => undefined,
    signal: new AbortController().signal,
    authority: {
      directoryUrl: "https://acme.example/directory",
      createAccountKey: async () => key,
      openAccount: async () => "https://acme.example/account/1",
      async order(_account, name) {
        asked.push(name);
        if (name === "good.example") return { key, chain };
        const details = { retryAfterMs: 3 * 3_600_000 };
        throw new OctavoError("rate_limited", "The authority asks to wait.", { details });
      },
    },
  });
  return asked;
}

test("orders what is due once, in one turn, and waits as long as the authority asks", async () => {
  assert.ok(await store.takeTurn("another node"));
  assert.deepEqual(await order("this node"), []);
  await store.endTurn("another node");
  assert.deepEqual(await order("this node"), ["busy.example", "good.example"]);
  assert.deepEqual(await order("this node"), []);
  const rows = await database.kysely
    .selectFrom("certificates")
    .selectAll()
    .orderBy("name")
    .execute();
  const [busy, good] = rows;
  assert.equal(busy?.problem, "The authority asks to wait.");
  const waitMs = (busy?.next_attempt_at.getTime() ?? 0) - Date.now();
  assert.ok(waitMs > 2.9 * 3_600_000, `${waitMs}`);
  assert.equal(good?.problem, null);
  // The certificate is valid from 2025 to the end of 2049.
  assert.equal(good?.renew_at?.getUTCFullYear(), 2041);
  // Neither keys nor certificates can be read without the secret.
  assert.ok(!Buffer.from(good?.sealed ?? []).includes("PRIVATE KEY"));
  assert.deepEqual((await store.readCertificates()).get("good.example"), { key, chain });
  const account = await database.kysely.selectFrom("acme_accounts").selectAll().executeTakeFirst();
  assert.ok(!Buffer.from(account?.key ?? []).includes("PRIVATE KEY"));
});

test("a node that lost its turn stores nothing", async () => {
  assert.ok(await store.takeTurn("this node"));
  assert.equal(await store.writeCertificate("another node", "late.example", { key, chain }), false);
  await store.endTurn("this node");
});

test("an authority that asks to wait ends an order at once", async () => {
  const authority = createAuthority({
    directoryUrl: "https://acme.example/directory",
    challengeType: "http-01",
    email: undefined,
    fetch: async () => new Response("", { status: 429, headers: { "retry-after": "7200" } }),
  });
  await assert.rejects(
    authority.order({ key, url: "https://acme.example/account/1" }, "docs.example", async () => undefined), // prettier-ignore
    (error: OctavoError) =>
      error.code === "rate_limited" && error.details?.["retryAfterMs"] === 7_200_000,
  );
});
