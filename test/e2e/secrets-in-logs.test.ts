import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { createDashboard } from "../../packages/octavo/src/dashboard/index.ts";
import { openIsolation } from "../../packages/octavo/src/isolation/index.ts";
import type { IsolatedOperations } from "../../packages/octavo/src/node/testing.ts";
import { openApi } from "../support/running-api.ts";
import type { RunningApi, TestOrganization } from "../support/running-api.ts";

let api: RunningApi;
let acme: TestOrganization;
let projectId: string;

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

async function send({ method, path, headers: given, body }: Sent): Promise<number> {
  const { hostname, port } = new URL(api.url);
  return await new Promise((resolve, reject) => {
    const sending = request({ method, path, headers: given, hostname, port, agent: false });
    sending.on("response", (response) => {
      const status = response.statusCode ?? 0;
      // Streams of events would not end.
      if (response.headers["content-type"]?.startsWith("text/event-stream")) sending.destroy();
      response
        .on("error", () => resolve(status))
        .on("end", () => resolve(status))
        .resume();
      response.on("close", () => resolve(status));
    });
    sending.on("error", reject).end(body);
  });
}

test("a secret in any parameter, header, path or body of any route stands in no log", async (t) => {
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
  for (const [method, route] of [...routes, ["GET", "/:nowhere/:at/:all"] as const]) {
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
  t.diagnostic(`${planted.size} secrets planted on ${tried} routes; answers: ${JSON.stringify([...statuses])}`); // prettier-ignore
  assert.deepEqual(found.map(([, where]) => where), []); // prettier-ignore
  assert.match(log, /"url":"\/v2\/projects\/:projectId"/);
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
