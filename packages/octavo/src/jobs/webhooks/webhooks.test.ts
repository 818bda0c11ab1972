import assert from "node:assert/strict";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { startModelServer } from "../../../../../test/support/model-server.ts";
import { patience, patienceMs } from "../../../../../test/support/patience.ts";
import type { TestPostgres } from "../../../../../test/support/postgres.ts";
import { startTestedPostgres, testedEngine } from "../../../../../test/support/tested-engine.ts";
import { scriptedAgent } from "../../../../../test/support/scripted-agent.ts";
import { writeFiles } from "../../../../../test/support/temporary-folder.ts";
import {
  isSignedWith,
  startWebhookReceiver,
} from "../../../../../test/support/webhook-receiver.ts";
import type {
  ReceivedMessage,
  WebhookReceiver,
} from "../../../../../test/support/webhook-receiver.ts";
import { parseAllowList } from "../../core/index.ts";
import type { Database } from "../../db/index.ts";
import { createVault, createWebhooks, webhookEvents } from "../../projects/index.ts";
import type { Webhook, WebhookEvent, Webhooks } from "../../projects/index.ts";
import * as agents from "../agent/node.test-support.ts";
import { createWebhookDeliveries } from "./deliveries.ts";
import { createWebhookSender } from "./send.ts";
import { createWebhookWorker } from "./worker.ts";
import { removeExpired } from "../retention.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import type { JobQueue } from "../queue/queue.ts";
import type { StaticExportJob } from "../static-export/job.ts";
import type { WebhookDelivery } from "./deliveries.ts";
import type { WebhookWorkerOptions } from "./worker.ts";
import { addExportProject, openExportNode } from "../static-export/node.test-support.ts";
import type { ExportTestNode, ExportTestProject } from "../static-export/node.test-support.ts";
import { writePlainCommit, plainRenderer } from "../static-export/plain-ports.test-support.ts";
import { startPreview } from "../static-export/previews.ts";

let root: string;
let postgres: TestPostgres | undefined;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "octavo-webhooks-"));
  postgres = await startTestedPostgres();
});
after(async () => {
  await postgres?.[Symbol.asyncDispose]();
  await rm(root, { recursive: true, force: true });
});

const secret = "0123456789abcdef0123456789abcdef";

function openWebhooks({ kysely: db }: Database, allow: string, vaultSecret = secret): Webhooks {
  return createWebhooks({ db, vault: createVault(vaultSecret), allow: parseAllowList(allow) });
}

interface WorkOptions extends Partial<Pick<WebhookWorkerOptions, "delaysMs" | "timeoutMs">> {
  readonly allow?: string;
  readonly vaultSecret?: string;
  readonly log?: unknown[];
}

/** Creates a function that sends messages as a node of the service does, but with waits of milliseconds. */
function createSender(
  { database, queue }: { readonly database: Database; readonly queue: JobQueue },
  { allow = "127.0.0.1", vaultSecret, log = [], ...options }: WorkOptions = {},
): RunJob {
  const write = (...line: unknown[]) => void log.push(line);
  return createWebhookWorker({
    database,
    queue,
    webhooks: openWebhooks(database, allow, vaultSecret),
    allow: parseAllowList(allow),
    log: { info: write, warn: write, error: write },
    metrics: { webhookAttemptEnded() {} },
    delaysMs: [20, 20],
    timeoutMs: patienceMs,
    ...options,
  });
}

interface Place {
  readonly dataDir: string;
  readonly url: string | undefined;
}

function openAt(location: Place): Promise<ExportTestNode> {
  return openExportNode({ ...location, renderSite: plainRenderer(1) });
}

async function runExport(
  node: ExportTestNode,
  caller: ExportTestProject,
): Promise<StaticExportJob> {
  const { job } = await node.exports.start(caller, { domain: caller.domain });
  const signal = patience();
  const seen = await Array.fromAsync(node.exports.watch(caller, job.jobId, signal));
  const last = seen.at(-1);
  assert.ok(last);
  return last.job;
}

/** Returns the newest delivery once `check` accepts it. */
async function untilDelivery(
  { database }: { readonly database: Database },
  { id }: Pick<Webhook, "id">,
  check: (delivery: WebhookDelivery) => boolean = ({ state }) => state !== "pending",
): Promise<WebhookDelivery> {
  const deliveries = createWebhookDeliveries(database);
  const signal = patience();
  for (;;) {
    const [newest] = await deliveries.listNewest(id);
    if (newest && check(newest)) return newest;
    await sleep(20, undefined, { signal });
  }
}

const idsOf = (messages: readonly ReceivedMessage[]) =>
  messages.map(({ headers }) => headers["webhook-id"]);

// The tests run concurrently, because they mostly wait for their turn in the queue.
describe("webhooks", { concurrency: true }, () => {
  testWebhooks(testedEngine);
});

function testWebhooks(engine: "pglite" | "postgres"): void {
  describe(`on ${engine}`, { concurrency: 1 }, () => {
    let node: ExportTestNode;
    let receiver: WebhookReceiver;
    let project: ExportTestProject;
    let repository: string;
    let count = 0;
    const log: unknown[] = [];
    const opened = new AsyncDisposableStack();

    async function newPlace(): Promise<Place> {
      const url = await postgres?.createDatabase();
      return { dataDir: join(root, `${engine}-${++count}`), url };
    }
    let send: RunJob;
    before(async () => {
      node = opened.use(await openAt(await newPlace()));
      // One open database is enough for tests that differ in how messages are sent.
      await node.queue.work("webhook", 3, (entry, signals) => send(entry, signals));
    });
    beforeEach(async () => {
      send = createSender(node, { log });
      receiver = opened.use(await startWebhookReceiver());
      repository = join(root, `repository-${engine}-${++count}`);
      await writePlainCommit(repository, "HEAD", { "index.md": "# Home" });
      project = await addExportProject(node, repository);
    });
    after(() => opened.disposeAsync());

    interface NewWebhook {
      readonly at?: ExportTestNode;
      readonly owner?: ExportTestProject;
      readonly url?: string;
      readonly events?: readonly WebhookEvent[];
    }
    const add = ({ at = node, owner = project, url, events = webhookEvents }: NewWebhook = {}) =>
      openWebhooks(at.database, "127.0.0.1,localhost").create(owner.organizationId, {
        url: url ?? receiver.url,
        events,
      });

    test("the end of an export is announced, signed, with the job as the API shows it", async () => {
      const webhook = await add();
      const job = await runExport(node, project);
      const delivery = await untilDelivery(node, webhook);
      const [message, ...others] = receiver.received;
      assert.ok(message);
      assert.deepEqual(others, []);
      assert.equal(message.path, "/hooks");
      assert.equal(message.headers["content-type"], "application/json");
      const { type, timestamp, data } = message.body;
      assert.equal(type, "static_export.completed");
      assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(data, { ...job });
      assert.deepEqual(Object.keys(message.body), ["type", "timestamp", "data"]);
      assert.ok(isSignedWith(webhook.secret, message));
      assert.ok(!isSignedWith((await add()).secret, message));
      const sent = Number(message.headers["webhook-timestamp"]) * 1000;
      assert.ok(Math.abs(Date.now() - sent) < patienceMs);
      assert.deepEqual(
        { ...delivery, createdAt: 0, attemptedAt: 0 },
        {
          id: message.headers["webhook-id"],
          event: type,
          jobId: job.jobId,
          state: "delivered",
          attempts: 1,
          responseStatus: 204,
          error: null,
          createdAt: 0,
          attemptedAt: 0,
          nextAttemptAt: null,
          isStored: true,
        },
      );
    });

    test("a webhook receives only the events that it subscribes to", async () => {
      const failed = opened.use(await startWebhookReceiver());
      await add({ events: ["static_export.completed", "agent.failed"] });
      await add({ url: failed.url, events: ["static_export.failed"] });
      const { jobId } = await runExport(node, project);
      const broken = await addExportProject(node, "/nowhere");
      const owner = { ...broken, organizationId: project.organizationId };
      await node.database.kysely
        .updateTable("projects")
        .set({ organization_id: project.organizationId })
        .where("domain", "=", broken.domain)
        .execute();
      const { jobId: brokenId, error } = await runExport(node, owner);
      await Promise.all([receiver.until(1), failed.until(1)]);
      const told = [...receiver.received, ...failed.received].map(({ body }) => [
        body.type,
        body.data["jobId"],
        body.data["error"],
      ]);
      assert.deepEqual(told, [
        ["static_export.completed", jobId, undefined],
        ["static_export.failed", brokenId, error],
      ]);
    });

    test("a cancelled export is announced as failed", async () => {
      const pages = Array.from({ length: 500 }, (_, index) => [`${index}.md`, "# Page"]);
      await writePlainCommit(repository, "HEAD", Object.fromEntries(pages));
      await add();
      const { job } = await node.exports.start(project, { domain: project.domain });
      await node.exports.cancel(project, job.jobId);
      await receiver.until(1);
      const { type, data } = receiver.received[0]?.body ?? {};
      assert.deepEqual([type, data?.["status"]], ["static_export.failed", "failed"]);
      assert.match(String(data?.["error"]), /^Cancelled/);
    });

    test("previews are not announced, however they end", async () => {
      const pages = Array.from({ length: 500 }, (_, index) => [`${index}.md`, "# Page"]);
      await writePlainCommit(repository, "HEAD", Object.fromEntries(pages));
      await add();
      const { kysely } = node.database;
      const { id: projectId } = await kysely
        .selectFrom("projects")
        .select("id")
        .where("domain", "=", project.domain)
        .executeTakeFirstOrThrow();
      const caller = { ...project, projectId };
      const preview = async () => {
        const request = { projectId, ref: "HEAD" };
        await kysely.transaction().execute((tx) => startPreview(tx, node, request));
        const started = await node.exports.findNewest(caller, "HEAD");
        assert.ok(started);
        return started.job.jobId;
      };
      await node.exports.cancel(caller, await preview());
      // From here on, every export must finish.
      await writePlainCommit(repository, "HEAD", { "index.md": "# Home" });
      const signal = patience();
      const seen = await Array.fromAsync(node.exports.watch(caller, await preview(), signal));
      assert.equal(seen.at(-1)?.job.status, "completed", seen.at(-1)?.job.error);
      const { jobId } = await runExport(node, project);
      await receiver.until(1);
      const told = await kysely
        .selectFrom("webhook_deliveries")
        .innerJoin("webhooks", "webhooks.id", "webhook_id")
        .select("job_id")
        .where("organization_id", "=", project.organizationId)
        .execute();
      assert.deepEqual(told, [{ job_id: jobId }]);
    });

    test("nothing is announced to another organization", async () => {
      const stranger = await addExportProject(node, repository);
      const theirs = opened.use(await startWebhookReceiver());
      const webhook = await add({ owner: stranger, url: theirs.url });
      await add();
      await runExport(node, project);
      await receiver.until(1);
      assert.deepEqual(await createWebhookDeliveries(node.database).listNewest(webhook.id), []);
      assert.deepEqual(theirs.received, []);
    });

    test("a message that is not accepted is sent again with the same ID and content", async () => {
      const webhook = await add();
      receiver.answer({ status: 500 }, { status: 404 }, { status: 200 });
      await runExport(node, project);
      const delivery = await untilDelivery(node, webhook);
      const [first, ...again] = receiver.received;
      assert.equal(again.length, 2);
      for (const message of again) {
        assert.equal(message.headers["webhook-id"], first?.headers["webhook-id"]);
        assert.equal(message.text, first?.text);
        assert.ok(isSignedWith(webhook.secret, message));
      }
      const { state, attempts, responseStatus, error } = delivery;
      assert.deepEqual([state, attempts, responseStatus, error], ["delivered", 3, 200, null]);
    });

    test("a message that is never accepted fails, and its content stays", async () => {
      const webhook = await add();
      receiver.answer({ status: 500 });
      await runExport(node, project);
      const { id, ...delivery } = await untilDelivery(node, webhook);
      assert.deepEqual([delivery.state, delivery.attempts], ["failed", 3]);
      assert.equal(delivery.error, "The receiver responded with 500.");
      assert.equal(receiver.received.length, 3);
      const row = await node.database.kysely
        .selectFrom("webhook_deliveries")
        .select("body")
        .where("id", "=", id)
        .executeTakeFirstOrThrow();
      assert.equal(row.body, receiver.received[0]?.text);
    });

    test("what has ended is sent again as it was, once more, and counts as another attempt", async () => {
      const webhook = await add();
      receiver.answer({ status: 500 }, { status: 500 }, { status: 500 }, { status: 204 });
      await runExport(node, project);
      const { id } = await untilDelivery(node, webhook);
      const sender = createWebhookSender(node);
      const by = { organizationId: project.organizationId };
      await sender.sendAgain(by, webhook, id);
      const delivery = await untilDelivery(node, webhook);
      assert.deepEqual([delivery.state, delivery.attempts], ["delivered", 4]);
      const [first, , , last] = receiver.received;
      assert.equal(last?.text, first?.text);
      assert.equal(last?.headers["webhook-id"], id);
      const unknown = sender.sendAgain(by, webhook, "msg_unknown");
      await assert.rejects(unknown, /no message with this ID/);
      const old = node.database.kysely.updateTable("webhook_deliveries").set({ body: null });
      await old.where("id", "=", id).execute();
      await assert.rejects(sender.sendAgain(by, webhook, id), /older version/);
    });

    test("a test is sent once, signed, whatever is answered", async () => {
      const webhook = await add();
      receiver.answer({ status: 500 });
      const by = { organizationId: project.organizationId };
      await createWebhookSender(node).sendTest(by, webhook);
      const { event, state, attempts, jobId } = await untilDelivery(node, webhook);
      assert.deepEqual([event, state, attempts, jobId], ["webhook.test", "failed", 1, null]);
      const [message] = receiver.received;
      assert.ok(message && isSignedWith(webhook.secret, message));
      assert.deepEqual(message.body.data, { webhookId: webhook.id });
    });

    test("nothing is sent to a webhook that is disabled, until it is saved", async () => {
      const webhook = await add();
      receiver.answer({ status: 410 }, { status: 204 });
      await runExport(node, project);
      const { id } = await untilDelivery(node, webhook);
      const sender = createWebhookSender(node);
      const { organizationId } = project;
      const by = { organizationId };
      await assert.rejects(sender.sendTest(by, webhook), /disabled/);
      await assert.rejects(sender.sendAgain(by, webhook, id), /disabled/);
      const { url, events } = webhook;
      const webhooks = openWebhooks(node.database, "127.0.0.1");
      const scope = { organizationId, projectId: null };
      const saved = await webhooks.update(scope, webhook.id, { url, events });
      assert.equal(saved.disabledAt, null);
      await sender.sendAgain(by, webhook, id);
      assert.equal((await untilDelivery(node, webhook)).state, "delivered");
    });

    test("a receiver's Retry-After is respected", async () => {
      const webhook = await add();
      receiver.answer({ status: 503, headers: { "retry-after": "3600" } });
      await runExport(node, project);
      const tried = await untilDelivery(node, webhook, ({ attempts }) => attempts > 0);
      const { state, attemptedAt, nextAttemptAt } = tried;
      assert.equal(state, "pending");
      assert.equal(Number(nextAttemptAt) - Number(attemptedAt), 3_600_000);
    });

    test("410 disables the webhook: waiting messages are not sent, and no new ones are written", async () => {
      const webhook = await add();
      receiver.answer({ status: 429, headers: { "retry-after": "3600" } }, { status: 410 });
      await runExport(node, project);
      await untilDelivery(node, webhook, ({ attempts }) => attempts > 0);
      await runExport(node, project);
      await untilDelivery(node, webhook);
      await runExport(node, project);
      const { organizationId } = project;
      const { disabledAt } = await openWebhooks(node.database, "").get(
        { organizationId, projectId: null },
        webhook.id,
      );
      assert.ok(disabledAt);
      const deliveries = await createWebhookDeliveries(node.database).listNewest(webhook.id);
      assert.deepEqual(
        deliveries.map(({ state, error }) => [state, error?.replace(/:.*/, "")]),
        [
          ["failed", "The receiver responded with 410 Gone, and the webhook was disabled."],
          ["failed", "Not sent"],
        ],
      );
      assert.equal(receiver.received.length, 2);
    });

    test("a redirect is not followed", async () => {
      const elsewhere = opened.use(await startWebhookReceiver());
      const webhook = await add();
      receiver.answer(
        { status: 307, headers: { location: "/moved" } },
        { status: 308, headers: { location: elsewhere.url } },
        { status: 302, headers: { location: "/moved" } },
      );
      await runExport(node, project);
      const { state, error } = await untilDelivery(node, webhook);
      assert.equal(state, "failed");
      assert.match(error ?? "", /responded with 302\. Redirects are not followed/);
      assert.deepEqual(
        receiver.received.map(({ path }) => path),
        ["/hooks", "/hooks", "/hooks"],
      );
      assert.deepEqual(elsewhere.received, []);
    });

    test("a response counts by its status, however long its body is", async () => {
      const webhook = await add();
      receiver.answer((response) => void response.writeHead(200).write("x".repeat(1_000_000)));
      await runExport(node, project);
      assert.equal((await untilDelivery(node, webhook)).state, "delivered");
      assert.equal(receiver.received.length, 1);
    });

    test("a receiver that hangs up, breaks the protocol or is not there has not accepted the message", async () => {
      const nonsense = createServer((socket) => void socket.end("SSH-2.0-x\r\n"));
      nonsense.listen(0, "127.0.0.1");
      await once(nonsense, "listening");
      const { port } = nonsense.address() as AddressInfo;
      const talking = await add({ url: `http://127.0.0.1:${port}/` });
      const absent = await add({ url: "http://127.0.0.1:1/" });
      const cut = await add();
      receiver.answer((response) => void response.destroy());
      await runExport(node, project);
      for (const webhook of [talking, absent, cut]) {
        const { state, responseStatus, error } = await untilDelivery(node, webhook);
        assert.deepEqual([state, responseStatus], ["failed", null]);
        assert.match(error ?? "", /^The connection to 127\.0\.0\.1:\d+ failed \(\w+\)\.$/);
      }
      nonsense.close();
    });

    test("a receiver that does not respond in time is tried again", async () => {
      const [hasty, patient] = [createSender(node, { timeoutMs: 200 }), createSender(node)];
      // The short limit does not apply to the attempt that will receive a response, whose duration is not limited.
      send = (entry, signals) => (entry.endsWith("/1") ? hasty : patient)(entry, signals);
      const webhook = await add();
      const answer = Promise.withResolvers<void>();
      receiver.answer((response) => void answer.promise.then(() => response.end()));
      await runExport(node, project);
      const late = await untilDelivery(node, webhook, ({ attempts }) => attempts > 0);
      assert.match(late.error ?? "", /did not respond in time/);
      answer.resolve();
      assert.equal((await untilDelivery(node, webhook)).state, "delivered");
    });

    test("one organization's slow receivers do not delay another's", async () => {
      const slow = await addExportProject(node, repository);
      await using hanging = await startWebhookReceiver();
      hanging.answer(() => undefined);
      for (let index = 0; index < 4; index += 1) await add({ owner: slow, url: hanging.url });
      send = createSender(node, { timeoutMs: 600_000 });
      const webhook = await add();
      await runExport(node, slow);
      await hanging.until(2);
      await runExport(node, project);
      assert.equal((await untilDelivery(node, webhook)).state, "delivered");
      assert.equal(hanging.received.length, 2);
    });

    test("no private address is reached that the operator does not allow, under any name", async () => {
      // The webhook was created while the address was allowed, or under a name that has since been changed to a
      // different address.
      const port = receiver.place.split(":")[1];
      const places = [receiver.url, `https://localhost:${port}/`, `https://${receiver.place}/`];
      const made = [];
      for (const url of places) made.push(await add({ url }));
      send = createSender(node, { allow: "10.0.0.0/8" });
      await runExport(node, project);
      for (const webhook of made) {
        const { state, error } = await untilDelivery(node, webhook);
        assert.equal(state, "failed");
        assert.match(error ?? "", /OCTAVO_ALLOW/);
      }
      assert.deepEqual(receiver.received, []);
    });

    test("a message that waits when the service stops is sent once after the next start", async () => {
      const location = await newPlace();
      const first = await openAt(location);
      const owner = await addExportProject(first, repository);
      const webhook = await add({ at: first, owner });
      const deleted = await add({ at: first, owner, url: `${receiver.url}/deleted` });
      await runExport(first, owner);
      await openWebhooks(first.database, "").remove({ ...owner, projectId: null }, deleted.id);
      await first[Symbol.asyncDispose]();

      const second = await openAt(location);
      const answer = Promise.withResolvers<void>();
      receiver.answer((response) => void answer.promise.then(() => response.end()));
      await second.queue.work("webhook", 2, createSender(second));
      await receiver.until(1);
      // Requests that are in progress at that time may still arrive.
      const stopped = second[Symbol.asyncDispose]();
      setImmediate(answer.resolve);
      await stopped;

      const third = opened.use(await openAt(location));
      await third.queue.work("webhook", 2, createSender(third));
      const { id, state, attempts } = await untilDelivery(third, webhook);
      assert.deepEqual([state, attempts], ["delivered", 1]);
      assert.deepEqual(idsOf(receiver.received), [id]);
    });

    test("an attempt that has ended is not repeated if its queue entry is processed again", async () => {
      const webhook = await add();
      receiver.answer({ status: 500 }, { status: 204 });
      await runExport(node, project);
      const { id } = await untilDelivery(node, webhook);
      const sentinel = opened.use(await startWebhookReceiver());
      for (const entry of [`${id}/1`, `${id}/2`, `${id}/3`, "msg_x/1", "", "/", `${id}/x`]) {
        await node.queue.enqueue(node.database.kysely, "webhook", entry);
      }
      await add({ url: sentinel.url });
      await runExport(node, project);
      await sentinel.until(1);
      assert.equal(idsOf(receiver.received).filter((sent) => sent === id).length, 2);
    });

    test("a secret that cannot be decrypted is reported, and the message waits", async () => {
      send = createSender(node, { vaultSecret: "another secret, of another start" });
      const webhook = await add();
      await runExport(node, project);
      const { state, error } = await untilDelivery(node, webhook);
      assert.equal(state, "failed");
      assert.match(error ?? "", /OCTAVO_SECRET/);
      assert.deepEqual(receiver.received, []);
    });

    test("the log reports failed messages without secrets and addresses", async () => {
      const webhook = await add({ url: `${receiver.url}?token=hunter2` });
      receiver.answer({ status: 500 });
      await runExport(node, project);
      const { id } = await untilDelivery(node, webhook);
      const text = JSON.stringify(log);
      assert.match(text, new RegExp(id));
      assert.doesNotMatch(text, /hunter2|whsec_|\/hooks/);
      assert.ok(!text.includes(webhook.secret.slice(6, 20)));
    });

    test("retention removes deliveries that ended long ago, and none that wait", async () => {
      const webhook = await add();
      receiver.answer({ status: 204 }, { status: 503, headers: { "retry-after": "9999" } });
      await runExport(node, project);
      await untilDelivery(node, webhook);
      await runExport(node, project);
      await receiver.until(2);
      const dayMs = 24 * 60 * 60 * 1000;
      async function statesAfter(days: number): Promise<string[]> {
        const { database, storage } = node;
        const now = new Date(Date.now() + days * dayMs);
        await removeExpired({
          database,
          storage,
          bundleDays: 30,
          jobDays: 90,
          auditDays: 365,
          now,
        });
        const left = await createWebhookDeliveries(database).listNewest(webhook.id);
        return left.map(({ state }) => state);
      }
      assert.deepEqual(await statesAfter(13), ["pending", "delivered"]);
      assert.deepEqual(await statesAfter(15), ["pending"]);
    });

    test("each turn of an agent job is announced at its end, as it was then", async () => {
      const { dataDir, url } = await newPlace();
      const site = join(root, "site");
      await writeFiles(site, { "index.mdx": "---\ntitle: Home\n---\n\nHello.\n" });
      await using model = await startModelServer(scriptedAgent);
      await using own = await agents.openAgentNode({ dataDir, url, modelUrl: model.url });
      await own.queue.work("webhook", 2, createSender(own));
      const scope = await agents.addAgentProject(own, site);
      const made = openWebhooks(own.database, "127.0.0.1");
      const events = ["agent.completed", "agent.failed"] as const;
      await made.create(scope.organizationId, { url: receiver.url, events });
      const { job } = await own.jobs.create(scope, "replace Hello with Bonjour in index.mdx");
      await own.jobs.addMessage(scope, job.id, { prompt: "look again" });
      await receiver.until(2);
      await own.jobs.addMessage(scope, job.id, { prompt: "wait" });
      await own.jobs.cancel(scope, job.id);
      await receiver.until(3);
      const told = receiver.received.map(({ body }) => body);
      told.sort((one, other) => one.timestamp.localeCompare(other.timestamp));
      assert.deepEqual(
        told.map(({ type, data }) => [type, data["id"], data["status"]]),
        [
          ["agent.completed", job.id, "completed"],
          ["agent.completed", job.id, "completed"],
          ["agent.failed", job.id, "failed"],
        ],
      );
      const { job: last } = await own.jobs.get(scope, job.id);
      const repository = `https://docs.example/${scope.projectId}.git`;
      assert.deepEqual(told[2]?.data, { ...last, source: { ...last.source, repository } });
      const link = `https://docs.example/${scope.projectId}/1`;
      assert.deepEqual(
        told.map(({ data }) => data["prLink"]),
        [link, link, link],
      );
      assert.match(String(told[0]?.data["summary"]), /replace Hello/);
      assert.match(String(told[1]?.data["summary"]), /look again/);
      assert.match(String(told[2]?.data["error"]), /^Cancelled/);
    });
  });
}
