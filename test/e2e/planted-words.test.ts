import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "kysely";
import { createDashboard } from "../../packages/octavo/src/dashboard/index.ts";
import { openIsolation } from "../../packages/octavo/src/isolation/index.ts";
import type { IsolatedOperations } from "../../packages/octavo/src/node/testing.ts";
import { memberRoles } from "../../packages/octavo/src/core/index.ts";
import { createMembers, createSessions } from "../../packages/octavo/src/people/index.ts";
import { addTestNote } from "../support/review-note.ts";
import { newDomain, openApi } from "../support/running-api.ts";
import type { RunningApi, TestOrganization } from "../support/running-api.ts";

/**
 * A word that occurs nowhere else stands in each text that people or models wrote, a different one for each owner: two
 * projects of one organization, the organization itself, and another organization with its project. Each kind of caller then
 * calls every route and opens every page with the IDs of every owner, and all answers are searched for the words of
 * owners that the caller may not see.
 */
const owners = ["mine", "theirs", "acme", "strangerproject", "stranger"] as const;
type Owner = (typeof owners)[number];

/** The IDs that paths name, by the names of their parameters. */
type Ids = Readonly<Record<string, string>>;

interface Caller {
  readonly name: string;
  /** Null for a member without a key, who uses the pages alone. */
  readonly key: string | null;
  /** The session's cookie; a holder of a key signs in with the key. */
  readonly cookie?: string;
  /** The parts whose words the caller may see. */
  readonly mayRead: readonly Owner[];
  /** Fields of these parts that the caller may not see, as tables. */
  readonly mayNotRead?: readonly string[];
}

let api: RunningApi;
let acme: TestOrganization;
let stranger: TestOrganization;
/** The projects' IDs, and IDs of their records. */
const ids = new Map<Owner, Ids>();
let planted: ReadonlySet<string>;
let callers: readonly Caller[];

before(async () => {
  const isolation = openIsolation<IsolatedOperations>({
    program: new URL("../../packages/octavo/src/node/isolated.ts", import.meta.url),
  });
  api = await openApi({
    pages: (parts) => async (app, tools) => {
      await app.register(createDashboard({ ...parts, isolation, previewUrl: undefined }), tools);
    },
  });
  [acme, stranger] = [await api.openOrganization(), await api.openOrganization()];
  for (const [owner, organization] of [
    ["mine", acme],
    ["theirs", acme],
    ["strangerproject", stranger],
  ] as const) {
    ids.set(owner, await makeRecords(organization));
  }
  callers = await makeCallers();
  planted = await plantWords();
});
after(() => api[Symbol.asyncDispose]());

async function makeRecords({ id: organizationId, client, key }: TestOrganization): Promise<Ids> {
  const post = async <Body>(path: string, body?: object) =>
    (await client.call<Body>("POST", path, body && { body })).body;
  const projectId = await api.addHostedProject({ id: organizationId, client, key } as never);
  const { body: project } = await client.call<{ domain: string }>("GET", `/v2/projects/${projectId}`); // prettier-ignore
  const { jobId } = await post<{ jobId: string }>("/v1/static-export/jobs", { domain: project.domain }); // prettier-ignore
  await client.waitForExport(jobId);
  const { id: deploymentId } = await client.deploy(projectId);
  const agent = `/v2/agent/${projectId}/job`;
  const { id } = await post<{ id: string }>(agent, { prompt: "Do nothing" });
  await client.waitForAgentJob(`${agent}/${id}`);
  const limited = await post<{ id: string }>("/v2/keys", { name: "CI", projectId });
  const webhook = await post<{ id: string }>("/v2/webhooks", { url: "https://hooks.example/", events: ["agent.failed"] }); // prettier-ignore
  const delivery = await post<{ id: string }>(`/v2/webhooks/${webhook.id}/test`);
  const member = await createMembers(api.database.kysely).invite(
    { organizationId },
    { email: `ada@${newDomain()}`, role: "viewer" },
  );
  await signIn(key);
  const session = await api.database.kysely
    .selectFrom("sessions")
    .select("id")
    .where("organization_id", "=", organizationId)
    .executeTakeFirstOrThrow();
  await addPullRequest(projectId);
  const { name: domainName } = await post<{ name: string }>(`/v2/projects/${projectId}/site/domains`, { name: newDomain() }); // prettier-ignore
  const { id: linkId } = await post<{ id: string }>(`/v2/projects/${projectId}/site/links`, { note: "Ada" }); // prettier-ignore
  return {
    projectId,
    linkId,
    jobId,
    deploymentId,
    statusId: deploymentId,
    id,
    keyId: limited.id,
    webhookId: webhook.id,
    deliveryId: delivery.id,
    noteId: await addTestNote(api.database.kysely, projectId, id),
    domainName,
    memberId: member.id,
    sessionId: session.id,
  };
}

async function addPullRequest(projectId: string): Promise<void> {
  const commit = "0123456789".repeat(4);
  const [head, base] = ["work", "main"];
  const request = { project_id: projectId, number: 1, title: "Title", body: "Body", author: "Ada" };
  await api.database.kysely
    .insertInto("pull_requests")
    .values({
      ...request,
      head,
      base,
      is_draft: false,
      head_commit: commit,
      base_commit: commit,
      merge_commit: null,
      ended_at: null,
    }) // prettier-ignore
    .execute();
  await api.database.kysely
    .insertInto("pull_request_comments")
    .values({ project_id: projectId, number: 1, author: "Ada", body: "Comment" })
    .execute();
}

async function makeCallers(): Promise<readonly Caller[]> {
  const limitedTo = async (owner: Owner, organizationId: string) => {
    const projectId = ids.get(owner)?.projectId ?? null;
    return (await api.keys.create({ organizationId, projectId }, "Limited")).secret;
  };
  const members = await makeMembers();
  const reader = await api.keys.create({ organizationId: acme.id, projectId: null }, "Reader", {
    scopes: ["read"],
  });
  return [
    { name: "a key that is limited to a project", key: await limitedTo("mine", acme.id), mayRead: ["mine"] }, // prettier-ignore
    { name: "an organization's key", key: acme.key, mayRead: ["mine", "theirs", "acme"] },
    { name: "an organization's key that reads", key: reader.secret, mayRead: ["mine", "theirs", "acme"] }, // prettier-ignore
    { name: "another organization's key", key: stranger.key, mayRead: ["strangerproject", "stranger"] }, // prettier-ignore
    { name: "another organization's limited key", key: await limitedTo("strangerproject", stranger.id), mayRead: ["strangerproject"] }, // prettier-ignore
    ...members,
  ];
}

/** Tables that only owners, and keys with the scope `admin`, may see. */
const ofOwners = ["auditevents", "webhooks"];

/** Members of each role, in the browser and with keys: of all scopes, for reading, and for one project. */
async function makeMembers(): Promise<readonly Caller[]> {
  const db = api.database.kysely;
  const [members, sessions] = [createMembers(db), createSessions(db, api.keys)];
  const organizationId = acme.id;
  const callers: Caller[] = [];
  for (const role of memberRoles) {
    const { id, name } = await members.invite({ organizationId }, { email: `${role}@${newDomain()}`, role }); // prettier-ignore
    const actor = { type: "person", id, name } as const;
    const token = await sessions.begin({ organizationId, actor, address: "1", browser: "B" });
    const create = async (projectId: string | null, options: object) =>
      (await api.keys.create({ organizationId, projectId, actor }, role, { memberId: id, ...options })).secret; // prettier-ignore
    const mayRead = ["mine", "theirs", "acme"] as const;
    const mayNotRead = role === "owner" ? [] : ofOwners;
    const cookie = `octavo=${token}`;
    callers.push(
      { name: `a member who is ${role}`, key: null, cookie, mayRead, mayNotRead },
      { name: `the key of ${role}`, key: await create(null, {}), mayRead, mayNotRead },
      { name: `the key of ${role} that reads`, key: await create(null, { scopes: ["read"] }), mayRead, mayNotRead: ofOwners }, // prettier-ignore
      { name: `the key of ${role} for a project`, key: await create(ids.get("mine")?.projectId ?? "", {}), mayRead: ["mine"], mayNotRead: role === "owner" ? [] : ofOwners }, // prettier-ignore
    );
  }
  return callers;
}

function wordOf(owner: Owner, field = ""): string {
  return `planted${owner}x${field.replaceAll(/[^a-z]/g, "")}`;
}

/** Columns that carry no text of people, or without whose values the service does not find the record. */
const isFixed =
  /^(?:id|.*_id|hash|state_hash|key|prefix|status|state|type|kind|format|purpose|addresses|role|source|plan|scopes|action|event|events|code_host|repository|model|head|base|branch|.*_commit|commit|generation|directory|head_commit|state|queue|version|bundle_key|issuer|subject|secret|password_hash|slug|trigger|visibility|proven_by|preview_pull_requests)$/;

/** Appends the owner's word to each text of each record. Returns the fields, as `table.column`. */
async function plantWords(): Promise<ReadonlySet<string>> {
  const db = api.database.kysely;
  const fields = new Set<string>();
  const { rows } = await sql<{ table_name: string; column_name: string; data_type: string }>`
    select table_name, column_name, data_type from information_schema.columns
    where table_schema = current_schema() and data_type in ('text', 'jsonb')`.execute(db);
  // Triggers refuse changes of jobs that have ended.
  await sql`set session_replication_role = replica`.execute(db);
  for (const { table_name: table, column_name: column, data_type: type } of rows) {
    if (isFixed.test(column)) continue;
    const where = await ownersIn(table);
    for (const [owner, condition] of where) {
      const word = wordOf(owner, `${table}${column}`);
      const name = sql.ref(column);
      const isJson = type === "jsonb" || column === "entry";
      const value = isJson ? plantInJson({ column, type }, word) : sql`${name} || ${` ${word}`}`;
      await sql`update ${sql.table(table)} set ${name} = ${value} where ${condition} and ${name} is not null`.execute(db); // prettier-ignore
      const { rows: found } = await sql`select 1 from ${sql.table(table)} where ${name}::text like ${`%${word}%`} limit 1`.execute(db); // prettier-ignore
      if (found.length > 0) fields.add(`${table}.${column}`);
    }
  }
  await sql`set session_replication_role = origin`.execute(db);
  return fields;
}

/** Puts the word into each text of a JSON value that people wrote; keys and other values stay. */
function plantInJson({ column, type }: { column: string; type: string }, word: string) {
  const replaced = sql`regexp_replace(${sql.ref(column)}::text, '("(?:name|email|address|text|from|label)": ?"[^"]*)"', ${`\\1 ${word}"`}, 'g')`; // prettier-ignore
  const text = type === "jsonb" ? sql`${replaced}::jsonb` : replaced;
  return column === "details" ? sql`${text} || jsonb_build_object('word', ${word}::text)` : text;
}

/** Returns the conditions under which a table's rows belong to each owner. */
async function ownersIn(table: string) {
  const { rows } = await sql<{ column_name: string }>`
    select column_name from information_schema.columns
    where table_schema = current_schema() and table_name = ${table}`.execute(api.database.kysely);
  const columns = new Set(rows.map(({ column_name: name }) => name));
  const projects = [...ids].map(([owner, { projectId }]) => [owner, projectId ?? ""] as const);
  const organizations = [["acme", acme.id], ["stranger", stranger.id]] as const; // prettier-ignore
  const rest = columns.has("project_id") ? sql` and project_id is null` : sql``;
  if (table === "projects") return projects.map(([owner, id]) => [owner, sql`id = ${id}`] as const);
  if (table === "organizations") return organizations.map(([owner, id]) => [owner, sql`id = ${id}`] as const); // prettier-ignore
  return [
    ...(columns.has("project_id") ? projects.map(([owner, id]) => [owner, sql`project_id = ${id}`] as const) : []), // prettier-ignore
    ...(columns.has("organization_id") ? organizations.map(([owner, id]) => [owner, sql`organization_id = ${id}${rest}`] as const) : []), // prettier-ignore
    ...(columns.has("job_id") && !columns.has("project_id")
      ? projects.map(([owner, id]) => [owner, sql`job_id in (select id from agent_jobs where project_id = ${id})`] as const) // prettier-ignore
      : []),
  ];
}

/** Organizations' names stand on each page of their members. */
const common = /planted(?:acme|stranger)xorganizationsname/g;

function leaksIn(text: string, { mayRead, mayNotRead = [] }: Caller): string[] {
  const found = text.replaceAll(common, "").match(/planted(?:mine|theirs|acme|strangerproject|stranger)x[a-z]*/g); // prettier-ignore
  return (found ?? []).filter((word) => {
    const owner = mayRead.find((one) => word.startsWith(wordOf(one)));
    return !owner || mayNotRead.some((table) => word.startsWith(wordOf(owner) + table));
  });
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function signIn(key: string): Promise<string> {
  const answer = await fetch(`${api.url}/signin`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ key }),
    redirect: "manual",
  });
  assert.equal(answer.status, 303);
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** Calls the API with the caller's key, and pages with their session. */
async function createCall({ key, cookie: given }: Caller) {
  const cookie = given ?? (await signIn(key ?? ""));
  return async (method: string, path: string): Promise<Answer> => {
    const headers: Record<string, string> = path.startsWith("/v")
      ? { accept: "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) }
      : { cookie, "sec-fetch-site": "same-origin" };
    const answer = await fetch(api.url + path, { method, headers, redirect: "manual" });
    const text = await answer.text();
    return { status: answer.status, text: text + JSON.stringify([...answer.headers]) };
  };
}

/** Lists the calls of a route with the IDs of every owner. */
function listCalls([method, path]: readonly [string, string], { mayRead }: Caller) {
  return [...ids].flatMap(([owner, own]): [string, string][] => {
    const isOwn = mayRead.includes(owner);
    // A caller's change would take the record from the others, and an own stream of events would not end.
    const isLeftOut = method === "GET" ? isOwn && path.endsWith("/events") : isOwn || !path.includes(":"); // prettier-ignore
    return isLeftOut ? [] : [[method, fill(path, own)]];
  });
}

/** Fills a path with the IDs of an owner; a path without parameters stays. */
function fill(path: string, own: Ids): string {
  return path
    .replace("/agent/:jobId", `/agent/${own["id"]}`)
    .replaceAll(/:(\w+)/g, (_, name: string) => own[name] ?? "1")
    .replace("*", "index");
}

describe("a unique word in each text of each record", () => {
  test("stands in the fields that people write", () => {
    const needed = ["api_keys.name", "audit_events.details", "audit_events.actor", "audit_events.target", "members.email", "members.name", "projects.name", "projects.domain", "webhooks.url", "agent_jobs.summary", "agent_messages.text", "agent_events.entry", "pull_requests.title", "pull_requests.body", "pull_request_comments.body", "sessions.address", "sessions.browser", "static_export_jobs.domain", "deployments.log", "site_domains.name", "site_domains.token", "site_links.note"]; // prettier-ignore
    assert.deepEqual(needed.filter((field) => !planted.has(field)), []); // prettier-ignore
  });

  test("is found by no caller that may not read the record, on any route or page", async (t) => {
    const routes = [...api.app.routeRights()]
      .filter(([, right]) => right !== undefined && right !== "public")
      .map(([route]) => route.split(" ") as [string, string])
      .filter(([method]) => method !== "HEAD");
    const leaks = new Set<string>();
    let [answers, readable] = [0, 0];
    for (const caller of callers) {
      const call = await createCall(caller);
      for (const [method, path] of routes.flatMap((route) => listCalls(route, caller))) {
        const { status, text } = await call(method, path);
        answers += 1;
        if (status === 200) readable += 1;
        for (const word of leaksIn(text, caller)) leaks.add(`${caller.name}: ${method} ${path}: ${word}`); // prettier-ignore
      }
    }
    t.diagnostic(`${planted.size} fields planted, ${answers} answers searched, ${readable} of them with content`); // prettier-ignore
    assert.deepEqual([...leaks], []);
    assert.ok(readable > 100, `only ${readable} answers had content`);
  });
});
