import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { createDashboard } from "../../packages/octavo/src/dashboard/index.ts";
import { openIsolation } from "../../packages/octavo/src/isolation/index.ts";
import type { IsolatedOperations } from "../../packages/octavo/src/node/testing.ts";
import { createId } from "../../packages/octavo/src/core/index.ts";
import type { SiteDomain } from "../../packages/octavo/src/publish/index.ts";
import { git, openAuthor } from "../support/git-fixture.ts";
import { patienceMs } from "../support/patience.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { addTestNote } from "../support/review-note.ts";
import { newDomain, openApi } from "../support/running-api.ts";
import type { RunningApi, TestOrganization } from "../support/running-api.ts";

/**
 * Every act over HTTP that changes something, with the events that the audit log gets. A new route that changes
 * something fails here until it has a row, or a reason why it needs no event.
 */
interface Act {
  readonly route: string;
  /** The actions that the log gets, in order. */
  readonly actions: readonly string[];
  /** A JSON body for the API, or the fields of a page's form. */
  readonly body?: () => Readonly<Record<string, unknown>>;
  /** The reason why the act needs no event; nothing may have changed then. */
  readonly reason?: string;
}

/** IDs that paths name, which acts may renew. */
const ids: Record<string, string> = {};
const hook = () => ({ url: "https://hooks.example/x", events: ["agent.failed"] });
const project = () => ({ name: "New", domain: newDomain(), repository: "https://git.example/new" });
const prompt = () => ({ prompt: "Do nothing" });
const exports = "/v1/static-export/jobs";
const agent = "/v2/agent/:projectId/job";
const pages = "/projects/:projectId";
const notes = "/v2/projects/:projectId/review-notes";
const domains = "/v2/projects/:projectId/site/domains";
const links = "/v2/projects/:projectId/site/links";

const acts: readonly Act[] = [
  { route: "GET /v2/audit", actions: ["audit.read"] },
  { route: "GET /audit/export", actions: ["audit.exported"] },
  { route: "GET /audit", actions: [], reason: "the same reader has read the log in this hour" },
  { route: "POST /git/*", actions: [], reason: "a push is tried below" },
  { route: `POST ${exports}`, actions: ["export.started"], body: () => ({ domain: ids["slow"] }) },
  { route: `POST ${exports}/:jobId/cancel`, actions: ["export.cancelled"] },
  {
    route: `POST ${exports}/:jobId/bundle`,
    actions: [],
    reason: "makes a link, and stores nothing",
  },
  { route: "POST /v2/projects/:projectId/deployments", actions: ["deployment.started"], body: () => ({}) }, // prettier-ignore
  { route: "POST /hooks/:hookId", actions: [], reason: "nobody acts; the deployment says what started it" }, // prettier-ignore
  { route: "POST /v2/projects/:projectId/hook", actions: ["hook.created"] },
  { route: "DELETE /v2/projects/:projectId/hook", actions: ["hook.deleted"] },
  { route: "POST /v1/project/update/:projectId", actions: ["deployment.started"] },
  { route: "POST /v1/project/preview/:projectId", actions: ["deployment.started"], body: () => ({ branch: "work" }) }, // prettier-ignore
  { route: "POST /v2/deployments/:deploymentId/publish", actions: ["deployment.published"] },
  { route: "POST /v2/deployments/:deploymentId/cancel", actions: ["deployment.cancelled"] },
  { route: "PUT /v2/projects/:projectId/site", actions: ["site.changed"], body: () => ({ isAutomatic: false }) }, // prettier-ignore
  { route: `POST ${domains}`, actions: ["domain.added"], body: () => ({ name: newDomain() }) },
  { route: `POST ${domains}/:domainName/check`, actions: ["domain.proven"] },
  { route: `DELETE ${domains}/:domainName`, actions: ["domain.removed"] },
  { route: `POST ${links}`, actions: ["site_link.created"], body: () => ({ note: "Ada" }) },
  { route: `DELETE ${links}/:linkId`, actions: ["site_link.revoked"] },
  { route: `POST ${agent}`, actions: ["agent_job.created"], body: prompt },
  { route: `POST ${agent}/:id/message`, actions: ["agent_job.continued"], body: prompt },
  { route: `POST ${pages}/pulls/:number/ask`, actions: ["agent_job.continued", "pull_request.commented"], body: () => ({ message: "Shorten it" }) }, // prettier-ignore
  { route: `POST ${pages}/agent/:jobId/preview/:number`, actions: ["preview.started"] },
  { route: `POST ${pages}/agent/:jobId/preview/:number/*`, actions: [], reason: "the preview is already in progress" }, // prettier-ignore
  { route: `POST ${agent}/:id/cancel`, actions: ["agent_job.cancelled"] },
  { route: `POST ${agent}/:id/archive`, actions: ["agent_job.archived"] },
  { route: "POST /v2/projects", actions: ["project.created"], body: project },
  { route: "PATCH /v2/projects/:projectId", actions: ["project.changed"], body: () => ({ name: "Renamed" }) }, // prettier-ignore
  { route: "POST /v2/keys", actions: ["key.created"], body: () => ({ name: "CI" }) },
  { route: "POST /v2/webhooks", actions: ["webhook.created"], body: hook },
  { route: "PATCH /v2/webhooks/:webhookId", actions: ["webhook.changed"], body: () => ({ events: ["agent.completed"] }) }, // prettier-ignore
  { route: "POST /v2/webhooks/:webhookId/test", actions: ["webhook.tested"] },
  { route: "POST /v2/webhooks/:webhookId/deliveries/:deliveryId/send", actions: ["webhook.message_sent_again"] }, // prettier-ignore

  { route: "POST /signin", actions: ["session.started"], body: () => ({ key: acme.key }) },
  { route: `PATCH ${notes}/:noteId`, actions: ["review_note.changed"], body: () => ({ text: "Shorter." }) }, // prettier-ignore
  { route: `DELETE ${notes}/:noteId`, actions: ["review_note.deleted"] },
  { route: `DELETE ${notes}`, actions: ["review_notes.cleared"] },
  { route: "POST /projects/new", actions: ["project.created"], body: () => ({ ...project(), place: "address" }) }, // prettier-ignore
  { route: "POST /projects/new/test", actions: [], body: () => ({ place: "local" }), reason: "asks the repository, and stores nothing" }, // prettier-ignore
  { route: `POST ${pages}/settings/general`, actions: ["project.changed"], body: () => ({ ...project(), place: "local", domain: ids["domain"] }) }, // prettier-ignore
  { route: `POST ${pages}/settings/folder`, actions: ["project.changed", "deployment.started"], body: () => ({ directory: "site" }) }, // prettier-ignore
  { route: `POST ${pages}/settings`, actions: ["project.changed"], body: () => ({ branchPrefix: "docs/" }) }, // prettier-ignore
  { route: `POST ${pages}/review-notes`, actions: ["review_notes.cleared"], body: () => ({ action: "clear" }) }, // prettier-ignore
  { route: `POST ${pages}/sources`, actions: ["project.changed"], body: () => ({ sources: "https://git.example/engine" }) }, // prettier-ignore
  { route: `POST ${pages}/deployments`, actions: ["deployment.started"] },
  { route: `POST ${pages}/deployments/:deploymentId/publish`, actions: ["deployment.published"] },
  { route: `POST ${pages}/versions`, actions: ["site.changed"], body: () => ({ kind: "tag pattern", match: "v*", action: "publish" }) }, // prettier-ignore
  { route: `POST ${pages}/hook`, actions: ["hook.created"] },
  { route: `POST ${pages}/hook/delete`, actions: ["hook.deleted"] },
  { route: `POST ${pages}/site`, actions: ["site.changed"], body: () => ({ visibility: "password", password: "open sesame" }) }, // prettier-ignore
  { route: `POST ${pages}/links`, actions: ["site_link.created"], body: () => ({ note: "Bob", days: "1" }) }, // prettier-ignore
  { route: `POST ${pages}/links/:linkId/revoke`, actions: ["site_link.revoked"] },
  {
    route: `POST ${pages}/domains`,
    actions: ["domain.added"],
    body: () => ({ domain: newDomain() }),
  },
  { route: `POST ${pages}/domains/:domainName/check`, actions: ["domain.proven"] },
  { route: `POST ${pages}/domains/:domainName/remove`, actions: ["domain.removed"] },
  { route: `POST ${pages}/exports`, actions: ["export.started"] },
  { route: `POST ${pages}/exports/:jobId/cancel`, actions: ["export.cancelled"] },
  { route: `POST ${pages}/agent`, actions: ["agent_job.created"], body: prompt },
  { route: `POST ${pages}/agent/:jobId/message`, actions: ["agent_job.continued"], body: prompt },
  { route: `POST ${pages}/agent/:jobId/cancel`, actions: ["agent_job.cancelled"] },
  { route: `POST ${pages}/agent/:jobId/archive`, actions: ["agent_job.archived"] },
  { route: `POST ${pages}/pulls/:number/changes`, actions: [], reason: "the files that were seen are in a cookie" }, // prettier-ignore
  { route: `POST ${pages}/pulls/:number/comment`, actions: ["pull_request.commented"], body: () => ({ message: "Good" }) }, // prettier-ignore
  { route: `POST ${pages}/pulls/:number/ready`, actions: ["pull_request.made_ready"] },
  { route: `POST ${pages}/pulls/:number/close`, actions: ["pull_request.closed"] },
  { route: `POST ${pages}/pulls/:number/merge`, actions: ["pull_request.merged"], body: () => ({ headCommit: ids["headCommit"] }) }, // prettier-ignore
  { route: `POST ${pages}/pulls/:number/revert`, actions: ["pull_request.reverted"] },
  { route: "POST /keys", actions: ["key.created"], body: () => ({ name: "CI", scopes: "read" }) },
  { route: "POST /keys/:keyId/revoke", actions: ["key.revoked"] },
  { route: "POST /members", actions: ["member.invited"], body: () => ({ email: "bob@acme.example", role: "viewer" }) }, // prettier-ignore
  { route: "POST /members/:memberId/role", actions: ["member.changed"], body: () => ({ role: "editor" }) }, // prettier-ignore
  { route: "POST /members/:memberId/remove", actions: ["member.removed"] },
  { route: "POST /sessions/switch", actions: [], body: () => ({ organizationId: acme.id }), reason: "a key has one organization; people.test.ts switches" }, // prettier-ignore
  { route: "POST /webhooks", actions: ["webhook.created"], body: hook },
  { route: "POST /webhooks/:webhookId", actions: ["webhook.changed"], body: () => ({ ...hook(), url: "https://hooks.example/y" }) }, // prettier-ignore
  { route: "POST /webhooks/:webhookId/test", actions: ["webhook.tested"] },
  { route: "POST /webhooks/:webhookId/deliveries/:deliveryId/send", actions: ["webhook.message_sent_again"] }, // prettier-ignore

  // What is deleted is not there for a row after it.
  { route: "DELETE /v2/deployments/:deploymentId", actions: ["deployment.removed"] },
  { route: "POST /webhooks/:webhookId/delete", actions: ["webhook.deleted"] },
  { route: "DELETE /v2/webhooks/:webhookId", actions: ["webhook.deleted"] },
  { route: "DELETE /v2/keys/:keyId", actions: ["key.revoked"] },
  { route: `POST ${pages}/delete`, actions: ["project.deleted"], body: () => ({ confirmation: ids["domain"] }) }, // prettier-ignore
  { route: "DELETE /v2/projects/:projectId", actions: ["project.deleted"] },
  { route: "POST /sessions/:sessionId/end", actions: ["session.ended"] },
  { route: "POST /signout", actions: ["session.ended"] },
];

let api: RunningApi;
let acme: TestOrganization;
let cookie = "";
/** The number of pushes to the last project. */
let pushes = 0;
let folder: Awaited<ReturnType<typeof temporaryFolder>>;

before(async () => {
  const isolation = openIsolation<IsolatedOperations>({
    program: new URL("../../packages/octavo/src/node/isolated.ts", import.meta.url),
  });
  folder = await temporaryFolder();
  api = await openApi({
    hasAgents: false,
    pages: (parts) => async (app, tools) => {
      await app.register(createDashboard({ ...parts, isolation, previewUrl: undefined }), tools);
    },
  });
  acme = await api.openOrganization();
  await makeProject();
  cookie = await signIn();
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await folder[Symbol.asyncDispose]();
});

async function signIn(): Promise<string> {
  const body = new URLSearchParams({ key: acme.key });
  const headers = { "sec-fetch-site": "same-origin" };
  const answer = await fetch(`${api.url}/signin`, { method: "POST", headers, body, redirect: "manual" }); // prettier-ignore
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** A hosted project with a branch, which somebody pushes. */
async function makeProject(): Promise<void> {
  const domain = newDomain("slow");
  const { id } = await api.projects.create(acme.id, { name: "Docs", domain, repository: "local" });
  Object.assign(ids, { projectId: id, domain, slow: domain });
  const author = await openAuthor(`${folder.path}/${id}`);
  const address = new URL(`/git/${id}.git`, api.url);
  Object.assign(address, { username: "author", password: acme.key });
  const base = await author.commit({ "index.mdx": "---\ntitle: Home\n---\n\nHello.\n" });
  await author.git("push", "--quiet", address.href, "main");
  await author.git("checkout", "--quiet", "-B", "work");
  const head = await author.commit({ "index.mdx": "---\ntitle: Home\n---\n\nHello there.\n" });
  await author.git("push", "--quiet", address.href, "work");
  await waitForPushes(id, 2);
  pushes = 2;
  Object.assign(ids, { baseCommit: base, headCommit: head, author: author.folder, address: address.href }); // prettier-ignore
}

/** Waits for events of pushes, which are recorded while git ends. */
async function waitForPushes(projectId: string, count: number): Promise<void> {
  const until = Date.now() + patienceMs;
  const query = api.database.kysely.selectFrom("audit_events").select("id").where("action", "=", "repository.pushed").where("project_id", "=", projectId); // prettier-ignore
  while ((await query.execute()).length < count) {
    assert.ok(Date.now() < until, "the push has no event");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Opens a pull request from a branch, in place of the last one. */
async function openPullRequest(head: string, isDraft: boolean): Promise<void> {
  const db = api.database.kysely;
  const number = Number(ids["number"] ?? 0) + 1;
  ids["number"] = String(number);
  const row = { number, title: "Title", body: "Body", author: "Ada", base: "main", head };
  const commits = { head_commit: ids["headCommit"] ?? "", base_commit: ids["baseCommit"] ?? "" };
  const project_id = ids["projectId"] ?? "";
  await sql`update pull_requests set state = 'closed', ended_at = now() where state = 'open'`.execute(db); // prettier-ignore
  await db
    .insertInto("pull_requests")
    .values({
      ...row,
      ...commits,
      project_id,
      is_draft: isDraft,
      merge_commit: null,
      ended_at: null,
    }) // prettier-ignore
    .execute();
}

/** Adds a deployment that no worker works on. */
async function addDeployment(status: "queued" | "ready"): Promise<void> {
  const id = createId("deployment");
  const isReady = status === "ready";
  await sql`insert into deployments (id, organization_id, project_id, kind, trigger, slug, status, bundle_key, bundle_bytes, ended_at)
    values (${id}, ${acme.id}, ${ids["projectId"]}, 'production', 'hook', 'docs', ${status}, ${isReady ? `bundles/${id}` : null}, ${isReady ? 1 : null}, ${isReady ? new Date() : null})`.execute(api.database.kysely); // prettier-ignore
  ids["deploymentId"] = id;
}

/** Adds a domain, with the DNS record that proves it. */
async function addDomain(): Promise<void> {
  const path = `/v2/projects/${ids["projectId"]}/site/domains`;
  const { body: domain } = await acme.client.call<SiteDomain>("POST", path, { body: { name: newDomain() } }); // prettier-ignore
  api.textRecords.set(domain.record.name, [domain.record.value]);
  ids["domainName"] = domain.name;
}

/** Waits until workers have ended, which change deployments meanwhile. */
async function waitForDeployments(): Promise<void> {
  const until = Date.now() + patienceMs;
  const open = api.database.kysely.selectFrom("deployments").select("id").where("trigger", "<>", "hook").where("status", "in", ["queued", "building"]); // prettier-ignore
  while ((await open.execute()).length > 0) {
    assert.ok(Date.now() < until, "a deployment does not end");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function findNewest(table: "members" | "sessions"): Promise<string> {
  const query = api.database.kysely.selectFrom(table).select("id").orderBy("id", "desc");
  return (await query.executeTakeFirst())?.id ?? "";
}

async function make(path: string, body: object): Promise<string> {
  return (await acme.client.call<{ id: string }>("POST", path, { body })).body.id;
}

/** Prepares what a row needs: each act finds its thing as people leave it. */
const preparations: readonly (readonly [RegExp, (route: string) => Promise<unknown>])[] = [
  [/\/pulls\/:number\/ask$/, () => openPullRequest(ids["branch"] ?? "", false)],
  [/\/pulls\/:number\/(?!ask)/, (route) => openPullRequest("work", route.endsWith("/ready"))],
  [/preview\/:number$/, async () => (ids["number"] = "1")],
  [/keyId/, async () => (ids["keyId"] = await make("/v2/keys", { name: "Short" }))],
  [/webhookId/, async () => (ids["webhookId"] = await make("/v2/webhooks", hook()))],
  [/deliveryId/, async () => (ids["deliveryId"] = await make(`/v2/webhooks/${ids["webhookId"]}/test`, {}))], // prettier-ignore
  [/noteId/, async () => (ids["noteId"] = await addTestNote(api.database.kysely, ids["projectId"] ?? "", ids["agentJob"] ?? ""))], // prettier-ignore
  [/domainName/, addDomain],
  [/linkId/, async () => (ids["linkId"] = await make(`/v2/projects/${ids["projectId"]}/site/links`, { note: "Eve" }))], // prettier-ignore
  [/memberId/, async () => (ids["memberId"] = await findNewest("members"))],
  [/deploymentId\/cancel/, () => addDeployment("queued")],
  [/deploymentId(?!\/cancel)/, () => addDeployment("ready")],
  [/sessionId/, signIn],
  [/sessionId/, async () => (ids["sessionId"] = await findNewest("sessions"))],
  [/^DELETE \/v2\/projects\/:projectId$/, makeProject],
];

async function prepare(route: string): Promise<void> {
  for (const [pattern, run] of preparations) if (pattern.test(route)) await run(route);
}

/** Reads the IDs of what a row's act left for the rows after it. */
async function readIds(): Promise<void> {
  await waitForDeployments();
  const db = api.database.kysely;
  const exported = await db.selectFrom("static_export_jobs").select("id").where("purpose", "=", "export").orderBy("id", "desc").executeTakeFirst(); // prettier-ignore
  const job = await db.selectFrom("agent_jobs").select(["id", "branch"]).orderBy("id", "desc").executeTakeFirst(); // prettier-ignore
  ids["exportId"] = exported?.id ?? "";
  if (!job) return;
  Object.assign(ids, { agentJob: job.id, id: job.id });
  if (ids["branch"] !== job.branch) {
    ids["branch"] = job.branch;
    await author("push", "--quiet", ids["address"] ?? "", `work:refs/heads/${job.branch}`);
    pushes += 1;
    await waitForPushes(ids["projectId"] ?? "", pushes);
    await sql`update agent_jobs set head_commit = ${ids["headCommit"]} where id = ${job.id}`.execute(db); // prettier-ignore
  }
}

async function author(...args: string[]): Promise<void> {
  await git(ids["author"] ?? "", ...args);
}

function fill(path: string): string {
  return path
    .replace(/(job|agent)\/:(?:id|jobId)/, `$1/${ids["agentJob"] ?? "aj_1"}`)
    .replace(":jobId", ids["exportId"] ?? "se_1")
    .replaceAll(/:(\w+)/g, (_, name: string) => ids[name] ?? "1")
    .replace("*", "index");
}

async function call(route: string, body: Readonly<Record<string, unknown>> | undefined) {
  const [method = "", path = ""] = route.split(" ");
  const isApi = /^\/v\d/.test(path);
  const headers: Record<string, string> = isApi
    ? { authorization: `Bearer ${acme.key}`, ...(body && { "content-type": "application/json" }) }
    : { cookie: path === "/signin" ? "" : cookie, "sec-fetch-site": "same-origin" };
  const form = isApi ? JSON.stringify(body) : new URLSearchParams(body as Record<string, string>);
  const sent = method === "GET" || (isApi && !body) ? {} : { body: form };
  const signal = AbortSignal.timeout(60_000);
  const answer = await fetch(api.url + fill(path), { method, headers, redirect: "manual", signal, ...sent }); // prettier-ignore
  // Streams of events of open jobs would not end.
  const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
  return { status: answer.status, text: isStream ? "" : await answer.text() };
}

async function listActions(): Promise<readonly string[]> {
  const rows = await api.database.kysely.selectFrom("audit_events").select("action").orderBy("id").execute(); // prettier-ignore
  return rows.map(({ action }) => action);
}

/** Bookkeeping that no person changes, and what workers write on their own. */
const isBookkeeping =
  /^(?:audit_events|kysely_.*|queue.*|node.*|.*usage.*|.*_uses|webhook_(?:messages|deliveries)|bundles|used_sign_ins|idempotency.*|installation|hosted_.*)$/;

/** Columns that say when something was last used, and those of jobs that workers write meanwhile. */
const workerColumns =
  "seen_at,last_used_at,last_seen_at,progress,status,revision,attempt,checked_at,strikes,waiting_for,waiting_since,waits,error,version,commit,page_count,rendered_pages,total_pages,log,bundle_key,bundle_bytes,updated_at,completed_at";

/** Hashes of all tables, without those columns. */
async function readState(): Promise<Readonly<Record<string, string>>> {
  const db = api.database.kysely;
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(db); // prettier-ignore
  const state: Record<string, string> = {};
  for (const { name } of rows.filter((row) => !isBookkeeping.test(row.name))) {
    const found = await sql<{ hash: string }>`
      select coalesce(md5(string_agg(line, '|' order by line)), '') as hash from (
        select (to_jsonb(t) - ${`{${workerColumns}}`}::text[])::text as line
        from ${sql.table(name)} t) as texts`.execute(db); // prettier-ignore
    state[name] = found.rows[0]?.hash ?? "";
  }
  return state;
}

async function statusOf(route: string): Promise<number> {
  const [method, url = ""] = route.split(" ");
  const request = { method: method as "GET", url: fill(url), headers: { host: "x" } };
  return (await api.app.inject(request)).statusCode;
}

describe("the audit log", () => {
  test("has a row here for every route that is made to change something", async () => {
    const known = new Set(acts.map(({ route }) => route));
    const registered = api.app.routeRights();
    const missing: string[] = [];
    for (const route of registered.keys()) {
      if (/^(?:GET|HEAD|OPTIONS) /.test(route) || known.has(route)) continue;
      // The other methods of each path have a route too, which answers 405 to everyone.
      if (registered.get(route) === "public" && (await statusOf(route)) === 405) continue;
      missing.push(route);
    }
    assert.deepEqual(missing, []);
    assert.deepEqual([...known].filter((route) => !registered.has(route)), []); // prettier-ignore
  });

  test("is not written, like anything else, by a request that only reads", async (t) => {
    const known = new Set(acts.map(({ route }) => route));
    const routes = [...api.app.routeRights().keys()].filter(
      (route) => route.startsWith("GET ") && !known.has(route) && !route.endsWith("/events"),
    );
    const [state, actions] = [await readState(), await listActions()];
    for (const route of routes) await call(route, undefined);
    t.diagnostic(`${routes.length} routes read`);
    assert.deepEqual(await readState(), state);
    assert.deepEqual(await listActions(), actions);
  });

  test("has an event for every act, and each changes something", async (t) => {
    const wrong: string[] = [];
    for (const { route, actions, body, reason } of acts) {
      await prepare(route);
      const [state, before] = [await readState(), await listActions()];
      const { status, text } = await call(route, body?.());
      const added = (await listActions()).slice(before.length);
      const after = await readState();
      const changed = Object.keys(after).filter((name) => after[name] !== state[name]);
      const isAsWanted = added.join() === actions.join() && (reason === undefined || changed.length === 0); // prettier-ignore
      if (!isAsWanted) wrong.push(`${route}: ${status} ${added.join() || "no event"}; changed: ${changed.join()} ${/(?:role="(?:alert|status)"|<h1>)[^]{0,200}/.exec(text)?.[0] ?? text.slice(0, 200)}`); // prettier-ignore
      await readIds();
    }
    t.diagnostic(`${acts.length} acts`);
    assert.deepEqual(wrong, []);
  });

  test("has a push", async () => {
    await makeProject();
    await author("push", "--quiet", ids["address"] ?? "", "main:refs/heads/more");
    await waitForPushes(ids["projectId"] ?? "", 3);
  });

  test("has the refused sign-in of a key that may not use the pages, with its name", async () => {
    const scope = { organizationId: acme.id, projectId: null };
    const { id, secret } = await api.keys.create(scope, "Exports", { scopes: ["export"] });
    const headers = { "sec-fetch-site": "same-origin" };
    const body = new URLSearchParams({ key: secret });
    const { status } = await fetch(`${api.url}/signin`, { method: "POST", headers, body });
    assert.equal(status, 403);
    const event = await api.database.kysely.selectFrom("audit_events").selectAll().where("action", "=", "session.refused").executeTakeFirst(); // prettier-ignore
    assert.deepEqual([event?.organization_id, event?.actor_id], [acme.id, id]);
  });

  test("has a reader once in an hour, and an export of a reader too", async () => {
    const before = await listActions();
    for (let count = 0; count < 5; count++) {
      await call("GET /v2/audit", undefined);
      await acme.client.call("GET", "/v2/audit", { headers: { accept: "application/x-ndjson" } });
    }
    assert.deepEqual((await listActions()).slice(before.length), []);
    const { secret } = await api.keys.create({ organizationId: acme.id, projectId: null }, "Other");
    const other = api.client(secret);
    for (let count = 0; count < 5; count++) await other.call("GET", "/v2/audit");
    assert.deepEqual((await listActions()).slice(before.length), ["key.created", "audit.read"]);
  });
});
