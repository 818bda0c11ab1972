import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { isOctavoError } from "@octavo/site/core";
import { createId, parseAllowList } from "../core/index.ts";
import type { ErrorCode } from "@octavo/site/core";
import { openDatabase } from "../db/index.ts";
import type { Database } from "../db/index.ts";
import { createOrganizations } from "./organizations.ts";
import { createVault } from "./secrets.ts";
import { createWebhooks, webhookEvents } from "./webhooks.ts";
import type { KeyScope } from "./keys.ts";
import type { Webhooks } from "./webhooks.ts";

let folder: string;
let database: Database;
let webhooks: Webhooks;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "octavo-webhook-records-"));
  const dataDir = join(folder, "data");
  await putEmptyDatabase(dataDir);
  database = await openDatabase({ dataDir });
  webhooks = createWebhooks({
    db: database.kysely,
    vault: createVault("0123456789abcdef0123456789abcdef"),
    allow: parseAllowList("127.0.0.1:8443,hooks.corp.example"),
  });
});
after(async () => {
  await database[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

function rejects(code: ErrorCode, pattern: RegExp) {
  return (error: unknown) => isOctavoError(error, code) && pattern.test(error.message);
}

async function openScope(): Promise<KeyScope> {
  const { id } = await createOrganizations(database.kysely).create("Acme", "pro");
  return { organizationId: id, projectId: null };
}

const url = "https://example.com/hooks?token=hunter2";
const page = { limit: 100 };

test("a webhook is created, visible only in its organization, and deleted", async () => {
  const [scope, stranger] = [await openScope(), await openScope()];
  const limited = { ...scope, projectId: createId("project") };
  const events = ["agent.failed", "static_export.completed"] as const;
  const { secret, ...made } = await webhooks.create(scope.organizationId, { url, events });
  assert.equal(made.url, url);
  assert.deepEqual(made.events, ["static_export.completed", "agent.failed"]);
  assert.equal(made.disabledAt, null);
  assert.deepEqual(await webhooks.get(scope, made.id), made);
  assert.deepEqual(await webhooks.list(scope, page), { items: [made], next: null });
  const none = rejects("not_found", /webhook .* does not exist/);
  for (const other of [stranger, limited]) {
    assert.deepEqual((await webhooks.list(other, page)).items, []);
    await assert.rejects(webhooks.get(other, made.id), none);
    await assert.rejects(webhooks.remove(other, made.id), none);
  }
  assert.equal((await webhooks.readSigningKey(made.id))?.length, 32);
  await webhooks.remove(scope, made.id);
  await assert.rejects(webhooks.get(scope, made.id), none);
  assert.equal(await webhooks.readSigningKey(made.id), undefined);
  assert.match(secret, /^whsec_/);
});

test("the secret is stored encrypted, for its webhook only", async () => {
  const { organizationId } = await openScope();
  const one = await webhooks.create(organizationId, { url, events: webhookEvents });
  const other = await webhooks.create(organizationId, { url, events: webhookEvents });
  const key = Buffer.from(one.secret.slice("whsec_".length), "base64");
  assert.deepEqual(Buffer.from((await webhooks.readSigningKey(one.id)) ?? []), key);
  assert.notEqual(one.secret, other.secret);
  const { kysely } = database;
  const rows = await kysely.selectFrom("webhooks").selectAll().where("id", "=", one.id).execute();
  const [row] = rows;
  assert.ok(row && !Buffer.from(row.secret).includes(one.secret));
  assert.ok(!Buffer.from(row.secret).includes(key));
  const copied = kysely.updateTable("webhooks").set({ secret: row.secret });
  await copied.where("id", "=", other.id).execute();
  await assert.rejects(webhooks.readSigningKey(other.id), rejects("unavailable", /OCTAVO_SECRET/));
});

test("an organization has at most twenty webhooks, even if they are created at once", async () => {
  const { organizationId } = await openScope();
  const made = await Promise.allSettled(
    Array.from({ length: 25 }, () =>
      webhooks.create(organizationId, { url, events: webhookEvents }),
    ),
  );
  const refused = made.filter(({ status }) => status === "rejected");
  assert.equal(refused.length, 5);
  const more = webhooks.create(organizationId, { url, events: webhookEvents });
  await assert.rejects(more, rejects("conflict", /20 webhooks.*delete one/));
});

describe("an address", () => {
  const taken = [
    "https://example.com",
    "https://example.com:8443/a?b=c#d",
    "https://93.184.215.14/",
    "https://127.0.0.1:8443/",
    "http://127.0.0.1:8443/",
    "http://hooks.corp.example/x",
    `https://example.com/${"a".repeat(2_028)}`,
  ];
  for (const address of taken) {
    test(`${address.slice(0, 60)} is accepted`, () => {
      webhooks.check({ url: address, events: webhookEvents });
    });
  }

  const refused: [address: string, says: RegExp][] = [
    ["", /not an https address/],
    ["example.com/hooks", /not an https address/],
    ["ftp://example.com/", /not an https address/],
    ["file:///etc/passwd", /not an https address/],
    ["javascript:alert(1)", /not an https address/],
    ["https://", /not an https address/],
    ["https://exa mple.com/", /not an https address/],
    ["https://example.com/\n", /not an https address/],
    [`https://example.com/${"a".repeat(2_029)}`, /at most 2,048/],
    ["https://ada@example.com/", /user name or password/],
    ["https://ada:hunter2@example.com/", /user name or password/],
    ["http://example.com/", /over http.*OCTAVO_ALLOW/],
    ["http://127.0.0.1:8444/", /over http.*OCTAVO_ALLOW/],
    ["https://127.0.0.1/", /private or local address.*OCTAVO_ALLOW/],
    ["https://2130706433/", /private or local address/],
    ["https://0x7f.1/", /private or local address/],
    ["https://[::1]:8443/", /private or local address/],
    ["https://[::ffff:10.0.0.1]/", /private or local address/],
    ["https://169.254.169.254/latest/meta-data", /private or local address/],
    ["https://localhost/", /private or local address/],
    ["https://a.localhost./", /private or local address/],
  ];
  for (const [address, says] of refused) {
    test(`${JSON.stringify(address.slice(0, 60))} is refused, and not repeated`, () => {
      const fields = { url: address, events: webhookEvents };
      assert.throws(() => webhooks.check(fields), rejects("invalid_input", says));
      assert.throws(() => webhooks.check(fields), /^(?!.*(hunter2|meta-data))/);
    });
  }
});
