import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { sql } from "kysely";
import { createDashboard } from "../../packages/octavo/src/dashboard/index.ts";
import { openIsolation } from "../../packages/octavo/src/isolation/index.ts";
import type { IsolatedOperations } from "../../packages/octavo/src/node/testing.ts";
import { openApi } from "../support/running-api.ts";
import type { RunningApi, TestOrganization } from "../support/running-api.ts";

let api: RunningApi;
let acme: TestOrganization;
let projectId: string;
/** The answers to requests that failed. */
const refusals: string[] = [];

before(async () => {
  const isolation = openIsolation<IsolatedOperations>({
    program: new URL("../../packages/octavo/src/node/isolated.ts", import.meta.url),
  });
  api = await openApi({
    pages: (parts) => async (app, tools) => {
      await app.register(createDashboard({ ...parts, isolation, previewUrl: undefined }), tools);
    },
  });
  acme = await api.openOrganization();
  projectId = await api.addHostedProject(acme);
});
after(() => api[Symbol.asyncDispose]());

/** Parameters of queries in which browsers, providers and people send secrets, and one that nobody knows. */
const parameters = ["code", "state", "token", "access_token", "key", "signature", "next", "cursor", "limit", "anything"]; // prettier-ignore
const headers = ["authorization", "cookie", "referer", "user-agent", "origin", "x-api-key", "last-event-id", "if-none-match", "idempotency-key", "accept", "x-forwarded-for", "x-request-id"]; // prettier-ignore

/** Secrets in different forms: words that no pattern knows, an API key, and a token of a code host. */
const forms = [
  () => `s${randomBytes(12).toString("hex")}z`,
  () => `octavo_${randomBytes(28).toString("hex")}`,
  () => `ghp_${randomBytes(18).toString("hex")}`,
];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends a request. Returns the status, and stores the answer of a request that failed. */
async function send({ method, path, headers: given, body }: Sent): Promise<number> {
  const { hostname, port } = new URL(api.url);
  const { status, text } = await new Promise<{ status: number; text: string }>(
    (resolve, reject) => {
      const sending = request({ method, path, headers: given, hostname, port, agent: false });
      sending.on("response", (response) => {
        const status = response.statusCode ?? 0;
        let text = JSON.stringify(response.rawHeaders);
        // Streams of events would not end.
        if (response.headers["content-type"]?.startsWith("text/event-stream")) sending.destroy();
        response
          .setEncoding("utf8")
          .on("error", () => resolve({ status, text }))
          .on("data", (part: string) => (text += part))
          .on("close", () => resolve({ status, text }));
      });
      sending.on("error", reject).end(body);
    },
  );
  if (status >= 400) refusals.push(text);
  return status;
}

/** The audit log, messages to webhooks, the steps of agent jobs, and what else the service stores, as one text. */
async function readRecords(): Promise<string> {
  const db = api.database.kysely;
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = current_schema()`.execute(db); // prettier-ignore
  const texts: string[] = [];
  for (const { name } of rows) {
    const found = await sql<{ text: string }>`
      select coalesce(string_agg(to_jsonb(t)::text, ' '), '') as text from ${sql.table(name)} t`.execute(db); // prettier-ignore
    texts.push(`${name} ${found.rows[0]?.text}`);
  }
  return texts.join("\n");
}

test("a secret in any parameter, header, path or body of any route stands in no log, event or error", async (t) => {
  const { value: cookie } = await signIn();
  const routes = [...api.app.routeRights()].map(([route]) => route.split(" ") as [string, string]);
  const planted = new Map<string, string>();
  const statuses = new Map<number, number>();
  let [nextForm, tried] = [0, 0];
  const plant = (where: string): string => {
    const secret = forms[nextForm++ % forms.length]?.() ?? "";
    planted.set(secret, where);
    return secret;
  };
  for (const [method, route] of [
    ...routes,
    ["GET", "/:nowhere/:at/:all"],
    ["GET", "/v2/:nowhere/:at"],
  ] as const) {
    if (method === "HEAD") continue;
    const isApi = /^\/(?:v\d|git)\//.test(route);
    const login: Readonly<Record<string, string>> = isApi
      ? { authorization: `Bearer ${acme.key}` }
      : { cookie, "sec-fetch-site": "same-origin" };
    const real = route.replace(/:projectId/, projectId).replaceAll(/:\w+|\*/g, "1");
    // The other methods of each path have a route too, which refuses them.
    if ((await send({ method, path: real, headers: login })) === 405) continue;
    tried += 1;
    const inPath = route.replaceAll(/:\w+|\*/g, (name) => plant(`${method} ${route}: ${name} of the path`)); // prettier-ignore
    const query = parameters.map((name) => `${name}=${plant(`${method} ${route}: ?${name}`)}`);
    const given = Object.fromEntries(
      headers.map((name) => [name, plant(`${method} ${route}: header ${name}`)]),
    );
    const fields = JSON.stringify({ prompt: plant(`${method} ${route}: body`), key: plant(`${method} ${route}: body`) }); // prettier-ignore
    const form = `key=${plant(`${method} ${route}: form`)}&${plant(`${method} ${route}: name in a form`)}=1`;
    const asJson = { "content-type": "application/json" };
    const asForm = { "content-type": "application/x-www-form-urlencoded" };
    const calls: Sent[] = [
      { method, path: inPath, headers: login },
      { method, path: `${real}?${query.join("&")}`, headers: login },
      { method, path: `${real}?${query.join("&")}`, headers: {} },
      { method, path: real, headers: given },
      { method, path: real, headers: { ...given, ...login } },
    ];
    const bodies: Sent[] = [
      { method, path: real, headers: { ...login, ...asJson }, body: fields },
      { method, path: real, headers: { ...login, ...asJson }, body: fields.slice(0, -1) },
      { method, path: real, headers: { ...login, ...asForm }, body: form },
    ];
    for (const call of method === "GET" || method === "DELETE" ? calls : [...calls, ...bodies]) {
      const status = await send(call);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  }
  const log = api.log();
  const found = [...planted].filter(([secret]) => log.includes(secret));
  const records = await readRecords();
  const stored = [...planted].filter(([secret]) => records.includes(secret));
  const answers = refusals.join("\n");
  // An answer may repeat the address that it is for.
  const repeated = [...planted].filter(([secret, where]) => answers.includes(secret) && !where.endsWith("of the path")); // prettier-ignore
  t.diagnostic(`${planted.size} secrets planted on ${tried} routes; answers: ${JSON.stringify([...statuses])}`); // prettier-ignore
  assert.deepEqual(found.map(([, where]) => where), []); // prettier-ignore
  t.diagnostic(`searched: ${log.length} characters of the log, ${records.length} of records, ${refusals.length} refusals`); // prettier-ignore
  assert.deepEqual(stored.map(([, where]) => where), []); // prettier-ignore
  assert.deepEqual(repeated.map(([, where]) => where), []); // prettier-ignore
  assert.match(log, /"level":"trace"|"level":"debug"/);
  assert.match(log, /"url":"\/v2\/projects\/:projectId"/);
  assert.match(log, /"url":"\/v2\/\(unknown path\)"/);
  assert.match(log, /"url":"\/signin\?code&state/);
  assert.match(log, /"url":"\(unknown path\)/);
});

async function signIn(): Promise<{ readonly value: string }> {
  const answer = await fetch(`${api.url}/signin`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ key: acme.key }),
    redirect: "manual",
  });
  return { value: answer.headers.get("set-cookie")?.split(";")[0] ?? "" };
}
