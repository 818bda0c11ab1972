import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import { openAuthor } from "../support/git-fixture.ts";
import { startModelServer } from "../support/model-server.ts";
import type { ModelServer } from "../support/model-server.ts";
import { scriptedAgent } from "../support/scripted-agent.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** How often the service is killed; `npm run test:chaos` does it more often. */
const rounds = Number(process.env["OCTAVO_TEST_ROUNDS"] ?? 2);
/** Within this time a job is done; it is killed at any moment of it. */
const jobMs = 2_500;
/** Answers of the model that a job needs: an edit each, and its end. */
const answers = 4;

const words = ["one", "two", "three"];

function promptOf(round: number): string {
  return words.map((word) => `replace ${word} with ${word}-${round} in index.mdx`).join("; ");
}

interface Place {
  readonly data: string;
  readonly model: ModelServer;
}

function start({ data, model }: Place): Promise<RunningService> {
  return startService({
    data,
    args: ["--model", "compatible/scripted"],
    env: {
      OCTAVO_ALLOW: `127.0.0.1:${model.port}`,
      OCTAVO_MODEL_URL: `${model.url}/v1`,
      OCTAVO_LOG_LEVEL: "warn",
    },
  });
}

function repositoryUrl(service: RunningService, projectId: string): string {
  const address = service.url.replace("http://", `http://x:${service.key}@`);
  return `${address}/git/${projectId}.git`;
}

async function addProject(service: RunningService, folder: string): Promise<string> {
  const client = createApiClient(service.url, service.key);
  const body = { name: "Docs", domain: "docs.example.com", repository: "local" };
  const { body: project } = await client.call<{ id: string }>("POST", "/v2/projects", { body });
  const author = await openAuthor(folder);
  await author.commit({ "index.mdx": "---\ntitle: Home\n---\n\none two three\n" });
  await author.git("push", "--quiet", repositoryUrl(service, project.id), "main");
  return project.id;
}

/** Counts the requests of one round's job, which its prompt identifies. */
function requestsOf({ requests }: ModelServer, round: number): number {
  return requests.filter(({ text }) => text.includes(promptOf(round))).length;
}

test(`an agent job goes on after the service was killed, ${rounds} times`, async () => {
  await using root = await temporaryFolder();
  await using model = await startModelServer(scriptedAgent);
  const place = { data: join(root.path, "data"), model };
  let service = await start(place);
  await using open = new AsyncDisposableStack();
  open.defer(() => service[Symbol.asyncDispose]());
  const projectId = await addProject(service, join(root.path, "author"));
  const jobs: AgentJob[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const path = `/v2/agent/${projectId}/job`;
    const body = { prompt: promptOf(round) };
    const client = createApiClient(service.url, service.key);
    const { body: created } = await client.call<AgentJob>("POST", path, { body });
    const moment = Math.random() * jobMs;
    const shown = `round ${round}, killed after ${moment.toFixed(0)} ms`;
    await wait(moment);
    await service.end("SIGKILL");
    service = await start(place);
    const again = createApiClient(service.url, service.key);
    const job = await again.waitForAgentJob(`${path}/${created.id}`);
    assert.equal(job.status, "completed", `${shown}: ${job.error}`);
    assert.ok(job.prLink, shown);
    assert.deepEqual(job.usage.steps, answers, shown);
    // The call that was under way when the worker died is the only one that may have been made twice.
    const requests = requestsOf(model, round);
    assert.ok(requests <= answers + 1, `${shown}: ${requests} requests for ${answers} answers`);
    const { body: diff } = await again.call<string>("GET", `${path}/${job.id}/diff`);
    assert.match(diff, new RegExp(`\\+one-${round} two-${round} three-${round}\n`), shown);
    jobs.push(job);
  }
  const branches = await listBranches(repositoryUrl(service, projectId), root.path);
  const pushed = jobs.map(({ source }) => source.ref);
  assert.deepEqual(branches.toSorted(), ["main", ...pushed].toSorted());
  await service.end("SIGTERM");
  await assertOnePullRequestEach(place, jobs);
});

/** Asks the service: its folder of the repository is a copy, which it may lose and make again. */
async function listBranches(url: string, folder: string): Promise<string[]> {
  const reader = await openAuthor(join(folder, "reader"));
  const refs = await reader.git("ls-remote", "--heads", url);
  return refs.split("\n").map((line) => line.replace(/^.*refs\/heads\//, ""));
}

async function assertOnePullRequestEach({ data }: Place, jobs: readonly AgentJob[]) {
  await using database = await openDatabase({ dataDir: data });
  const rows = await database.kysely
    .selectFrom("pull_requests")
    .select(["head", "state"])
    .orderBy("number")
    .execute();
  const expected = jobs.map(({ source }) => ({ head: source.ref, state: "open" }));
  assert.deepEqual(rows, expected);
}
