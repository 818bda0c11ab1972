import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { keyPlaceholder, openCarelessWorld } from "./careless-world.ts";
import type { CarelessWorld } from "./careless-world.ts";
import { openAuthor } from "./git-fixture.ts";
import { traceGit } from "./git-trace.ts";
import type { GitTrace, TracedGit } from "./git-trace.ts";
import { readDataFolder, readRepository } from "./kept-evidence.ts";
import type { Evidence } from "./kept-evidence.ts";
import { patienceMs } from "./patience.ts";
import type { PlantedSecrets } from "./planted-secrets.ts";
import type { SeenProcess } from "./process-watch.ts";
import { startRecordedRun } from "./recorded-run.ts";
import type { RecordedRun } from "./recorded-run.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** The evidence that a scenario produced. */
export interface Met {
  /** Evidence of the kinds output, answer, page, request, bundle, repository, database and file. */
  readonly evidence: readonly Evidence[];
  readonly processes: readonly SeenProcess[];
  readonly gits: readonly TracedGit[];
  /** `Authorization` of the requests that reached the model. */
  readonly modelKeys: ReadonlySet<string | undefined>;
}

/** The state that the steps share. */
interface Scene {
  readonly planted: PlantedSecrets;
  readonly world: CarelessWorld;
  readonly evidence: Evidence[];
  readonly folder: string;
  /** The service's data folder. */
  readonly data: string;
  /** A file with what must be trusted to speak with the code host. */
  readonly certificate: string;
  /** A file with the key of the operator's GitHub App. */
  readonly appKeyFile: string;
}

/** Projects by their IDs. */
interface Projects {
  readonly hosted: string;
  readonly github: string;
  readonly refused: string;
  /** Without credentials: the App serves it. */
  readonly app: string;
  readonly ssh: string;
}

/**
 * Runs the service among careless neighbors: jobs that succeed, that each neighbor refuses, that are
 * cancelled and killed, exports, everything that can be read, and a second start. Whatever it wrote, said, sent,
 * kept or started is met.
 */
export async function workThroughEverything(planted: PlantedSecrets): Promise<Met> {
  await using root = await temporaryFolder();
  const folder = root.path;
  const { login, marker } = planted;
  const files = siteOf(marker);
  await using world = await openCarelessWorld({ folder: join(folder, "hosts"), login, files });
  const certificate = join(folder, "certificate.pem");
  await writeFile(certificate, world.front.certificate);
  const appKeyFile = join(folder, "app.pem");
  await writeFile(appKeyFile, planted.appKey);
  const data = join(folder, "data");
  const evidence: Evidence[] = [];
  const processes: SeenProcess[] = [];
  const scene: Scene = { planted, world, evidence, folder, data, certificate, appKeyFile };
  const options = serviceOptions(scene);

  await using first = await startRecordedRun(options, { evidence, processes });
  world.onGitWaiting = () => first.watch.look();
  planted.secrets["the admin key"] = first.service.key;
  const projects = await addProjects(first, scene);
  const trace = await configureGit(scene);
  await Promise.all([
    workOnGitHub(first, scene, projects),
    workOnHosted(first, scene, projects.hosted),
  ]);
  await lookAround(first, scene, projects);
  const held = await beginWhatIsKilled(first, scene, projects);
  await first.end("SIGKILL");

  world.isModelMute = false;
  await using second = await startRecordedRun(options, { evidence, processes });
  assert.equal((await second.finishJob(projects.hosted, held)).status, "completed");
  await cancelExports(second);
  await second.end("SIGTERM");

  keepRequests(scene);
  evidence.push(...(await readDataFolder(data)), await readRepository(world.repository));
  const modelKeys = new Set(world.model.requests.map(({ headers }) => headers.authorization));
  return { evidence, processes, gits: await trace.read(), modelKeys };
}

function siteOf(marker: string): Record<string, string> {
  return {
    "index.mdx": `---\ntitle: Home\n---\n\none two three of ${marker}\n`,
    "guide.mdx": "---\ntitle: Guide\n---\n\nSee [home](/index).\n",
  };
}

function serviceOptions({ planted, world, data, certificate, appKeyFile }: Scene) {
  const ports = [world.model.port, world.front.port, world.silentPort];
  const env = {
    ...planted.environment,
    OCTAVO_ALLOW: ports.map((port) => `127.0.0.1:${port}`).join(","),
    OCTAVO_MODEL_URL: `${world.model.url}/v1`,
    OCTAVO_GITHUB_HOSTS: `127.0.0.1=${world.front.url}/api/v3`,
    OCTAVO_GITHUB_APP_ID: "12",
    OCTAVO_GITHUB_APP_KEY_FILE: appKeyFile,
    OCTAVO_GITHUB_APP_HOST: "127.0.0.1",
    OCTAVO_LOG_LEVEL: "trace",
    NODE_EXTRA_CA_CERTS: certificate,
  };
  return { data, args: ["--model", "compatible/scripted"], env };
}

/** By then every part of the service has run git. */
async function addProjects(run: RecordedRun, scene: Scene): Promise<Projects> {
  const { planted, world, folder } = scene;
  const add = async (name: string, fields: Readonly<Record<string, unknown>>) => {
    const body = { name, domain: `${name}.example.com`, ...fields };
    return (await run.ask<{ id?: string }>("POST", "/v2/projects", body)).id ?? "";
  };
  for (const repository of planted.carelessAddresses) {
    assert.equal(await add("careless", { repository }), "");
  }
  const hosted = await add("hosted", { repository: "local" });
  const author = await openAuthor(join(folder, "author"));
  await author.commit(siteOf(planted.marker));
  const { url, key } = run.service;
  const address = url.replace("http://", `http://x:${key}@`);
  await author.git("push", "--quiet", `${address}/git/${hosted}.git`, "main");
  const job = await work(run, hosted, "replace one with first in index.mdx");
  assert.equal(job.status, "completed", job.error);
  const onGitHub = { repository: `${world.front.url}/acme/docs`, codeHost: "github" };
  return {
    hosted,
    github: await add("github", { ...onGitHub, credentials: planted.login }),
    refused: await add("refused", { ...onGitHub, credentials: planted.wrongLogin }),
    app: await add("app", onGitHub),
    ssh: await add("ssh", {
      repository: `ssh://git@127.0.0.1:${world.silentPort}/docs.git`,
      codeHost: "local",
      credentials: { privateKey: planted.privateKey },
    }),
  };
}

/**
 * Configures the service's git as only an operator can: here, to trace itself. The file is the service's
 * own, which writes it before each part of it runs git for the first time.
 */
async function configureGit({ planted, data, folder }: Scene): Promise<GitTrace> {
  const config = join(data, "git", "home", "config");
  const names = [...Object.keys(planted.environment), "OCTAVO_GIT_USERNAME", "OCTAVO_GIT_PASSWORD"];
  return await traceGit(config, join(folder, "trace"), names);
}

async function work(run: RecordedRun, projectId: string, prompt: string): Promise<AgentJob> {
  return await run.finishJob(projectId, await run.beginJob(projectId, prompt));
}

async function workOnGitHub(run: RecordedRun, scene: Scene, projects: Projects): Promise<void> {
  const { planted, world } = scene;
  const edit = (replacement: string): Promise<AgentJob> =>
    work(run, projects.github, `replace one with ${replacement} in index.mdx`);
  const proposed = await edit(planted.marker);
  assert.match(proposed.prLink ?? proposed.error ?? "", /\/acme\/docs\/pull\/1$/);
  const body = { message: `${planted.login.password} may not` };
  world.github.fail({ on: /^POST .*pulls/, status: 403, body });
  assert.match((await edit("other")).error ?? "", /does not allow the project's token to do this/);
  world.takesPushes = false;
  assert.match((await edit("more")).error ?? "", /do not allow pushes/);
  const stranger = await work(run, projects.refused, "replace one with x in index.mdx");
  assert.match(stranger.error ?? "", /rejected the credentials/);
  world.takesPushes = true;
  const served = await work(run, projects.app, "replace two with second in index.mdx");
  assert.match(served.prLink ?? served.error ?? "", /\/acme\/docs\/pull\/\d+$/);
}

async function workOnHosted(run: RecordedRun, { world }: Scene, hosted: string): Promise<void> {
  const told = await work(run, hosted, `replace two with ${keyPlaceholder} in index.mdx`);
  assert.equal(told.status, "completed", told.error);
  const diff = await run.ask("GET", `/v2/agent/${hosted}/job/${told.id}/diff`);
  assert.match(String(diff), /^\+one \S+ three/m);
  assert.match((await work(run, hosted, "refuse")).error ?? "", /OCTAVO_MODEL_KEY/);
  const waiting = await run.beginJob(hosted, "wait");
  await until(() => world.model.requests.some(({ text }) => text.includes('"wait"')));
  await run.ask("POST", `/v2/agent/${hosted}/job/${waiting.id}/cancel`);
  assert.match((await run.finishJob(hosted, waiting)).error ?? "", /^Cancelled/);
}

/** Everything that can be read, and some of what is refused. */
async function lookAround(run: RecordedRun, scene: Scene, projects: Projects): Promise<void> {
  const { hosted, github } = projects;
  const key = await makeKey(run, hosted);
  scene.planted.secrets["a key of the API"] = key.secret;
  const cookie = await signIn(run, scene, { key: key.secret, whose: "the session" });
  await keepExport(run, scene, "github.example.com");
  await keepExport(run, scene, "app.example.com");
  const jobId = await keepExport(run, scene, "hosted.example.com");
  await lookAtPreview(run, scene, { page: `/projects/${hosted}/exports/${jobId}`, cookie });
  for (const page of [
    "",
    "/pulls",
    "/pulls/1",
    "/pulls/1/changes",
    "/pulls/1/preview",
    "/pulls/2",
    "/exports",
    "/deployments",
    "/problems",
    "/settings",
    "/site",
  ]) {
    await run.visit(`/projects/${hosted}${page}`, cookie);
  }
  for (const page of ["/projects", "/keys", "/signin"]) await run.visit(page, cookie);
  const operator = await signIn(run, scene, { key: run.service.key, whose: "the operator" });
  for (const page of ["/health", "/webhooks", "/audit"]) await run.visit(page, operator);
  const paths = ["/openapi.json", "/v1/openapi.json", "/v2/openapi.json", "/metrics", "/readyz"];
  const lists = [
    "/v2/projects",
    "/v2/keys",
    `/v2/agent/${hosted}/jobs`,
    `/v2/agent/${github}/jobs`,
  ];
  for (const path of [...paths, ...lists, `/nothing/${scene.planted.marker}`]) {
    await run.ask("GET", path);
  }
  await run.ask("DELETE", `/v2/keys/${key.id}`);
  await askInVain(run, scene, { hosted, revoked: key.secret });
}

/** The one answer that holds a secret is not among the evidence. */
async function makeKey({ service }: RecordedRun, projectId: string) {
  const answer = await fetch(`${service.url}/v2/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${service.key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Reader", projectId }),
  });
  assert.equal(answer.status, 201);
  return (await answer.json()) as { readonly id: string; readonly secret: string };
}

async function signIn(
  { service }: RecordedRun,
  scene: Scene,
  { key, whose }: { readonly key: string; readonly whose: string },
): Promise<string> {
  const answer = await fetch(`${service.url}/signin`, {
    method: "POST",
    headers: { "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ key }),
    redirect: "manual",
  });
  assert.equal(answer.status, 303);
  const cookie = answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  scene.planted.passes[`the cookie of ${whose}`] = cookie.split("=")[1] ?? "";
  return cookie;
}

async function keepExport(run: RecordedRun, scene: Scene, domain: string): Promise<string> {
  const { jobId, status, error } = await run.exportSite(domain);
  assert.equal(status, "completed", error ?? "");
  const path = `/v1/static-export/jobs/${jobId}/bundle`;
  const { bundleUrl } = await run.ask<{ bundleUrl: string }>("POST", path);
  const signature = new URL(bundleUrl).searchParams.get("signature") ?? "";
  scene.planted.passes[`the link to the bundle of ${domain}`] = signature;
  const archive = await (await fetch(bundleUrl)).arrayBuffer();
  scene.evidence.push({ kind: "bundle", place: domain, content: gunzipSync(archive) });
  return jobId;
}

async function lookAtPreview(
  run: RecordedRun,
  scene: Scene,
  { page, cookie }: { readonly page: string; readonly cookie: string },
): Promise<void> {
  await run.visit(page, cookie);
  const around = (await run.visit(`${page}/preview`, cookie)).headers.get("location") ?? "";
  const frame = await (await run.visit(around, cookie)).text();
  const preview = /<iframe[^>]+src="([^"]+)"/.exec(frame)?.[1] ?? "";
  scene.planted.passes["the pass of a preview"] = preview.split("/")[2] ?? "";
  assert.equal((await run.visit(preview, "")).status, 200);
  assert.equal((await run.visit(`${preview}none.html`, "")).status, 404);
}

/** With a key that works no more, and with what people send in its place. */
async function askInVain(
  { service }: RecordedRun,
  { planted, evidence }: Scene,
  { hosted, revoked }: { readonly hosted: string; readonly revoked: string },
): Promise<void> {
  const authorizations = [`Bearer ${revoked}`, `Basic ${btoa(`x:${planted.login.password}`)}`];
  for (const authorization of authorizations) {
    for (const path of ["/v2/projects", `/git/${hosted}.git/info/refs?service=git-upload-pack`]) {
      const answer = await fetch(service.url + path, { headers: { authorization } });
      assert.equal(answer.status, 401);
      evidence.push({ kind: "answer", place: path, content: await answer.text() });
    }
  }
}

/** An agent job in the middle of an answer, and an export for which ssh holds its key. */
async function beginWhatIsKilled(
  run: RecordedRun,
  { world }: Scene,
  { hosted }: Projects,
): Promise<AgentJob> {
  const known = world.model.requests.length;
  world.isModelMute = true;
  const held = await run.beginJob(hosted, "replace three with last in index.mdx");
  await run.ask("POST", "/v1/static-export/jobs", { domain: "ssh.example.com" });
  await until(() => world.model.requests.length > known && world.silentConnections() > 0);
  return held;
}

async function cancelExports(run: RecordedRun): Promise<void> {
  const path = "/v1/static-export/jobs";
  const { jobs } = await run.ask<{ jobs: { jobId: string }[] }>(
    "GET",
    `${path}?domain=ssh.example.com`,
  );
  for (const { jobId } of jobs) await run.ask("POST", `${path}/${jobId}/cancel`);
}

function keepRequests({ world, evidence }: Scene): void {
  for (const { path, text, headers } of world.model.requests) {
    const { authorization: _, ...others } = headers;
    const content = `${path}\n${JSON.stringify(others)}\n${text}`;
    evidence.push({ kind: "request", place: "the model", content });
  }
  for (const { path, body } of world.github.exchanges) {
    const content = `${path}\n${JSON.stringify(body)}`;
    evidence.push({ kind: "request", place: "GitHub", content });
  }
}

async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + patienceMs; !isSo(); await wait(10)) {
    if (Date.now() > end) throw new Error(`It did not come to this: ${isSo.toString()}`);
  }
}
