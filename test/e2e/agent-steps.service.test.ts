import assert from "node:assert/strict";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { AgentJob } from "../../packages/octavo/src/jobs/index.ts";
import { createApiClient } from "../support/api-client.ts";
import type { ApiClient } from "../support/api-client.ts";
import { freePort } from "../support/free-port.ts";
import { git, openAuthor } from "../support/git-fixture.ts";
import { serveGitHub } from "../support/github-server.ts";
import type { GitHubServer } from "../support/github-server.ts";
import { startModelServer } from "../support/model-server.ts";
import type { ModelRequest, ModelServer } from "../support/model-server.ts";
import { patience } from "../support/patience.ts";
import { scriptedAgent } from "../support/scripted-agent.ts";
import { startService } from "../support/service.ts";
import type { RunningService } from "../support/service.ts";
import { openStepGate } from "../support/step-gate.ts";
import type { HeldStep, Step, StepGate } from "../support/step-gate.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Answers of the model that each job needs: two edits and its end. */
const answers = 3;
const tokensPerAnswer = 120;

/** The step of a job at which its worker is killed. */
type Death =
  | (Step & {
      readonly at: string;
      /** Git outlives the worker, and does its part when the job was taken up again, or has ended. */
      readonly goesOn?: "meanwhile" | "later";
    })
  /** A question to the model that is never answered, counted from 1. */
  | { readonly at: string; readonly question: number };

/** Each batch dies of one kill, and goes on after one start. These are of each kind. */
const fewBatches: readonly (readonly Death[])[] = [
  [
    { at: "in the last question to the model", question: 3 },
    { at: "after the edit, before it is noted", name: "edit", edge: "after" },
    {
      at: "after the push, before the pull request",
      name: "place",
      edge: "before",
      words: ["refs/heads/octavo/"],
    },
    { at: "in the pull request", name: "place", edge: "before", words: ["refs/pull/1/head"] },
  ],
  [
    { at: "in a clone that goes on", name: "fetch", edge: "before", goesOn: "meanwhile" },
    { at: "in a push that goes on", name: "pack-objects", edge: "before", goesOn: "meanwhile" },
    { at: "in a push that comes late", name: "pack-objects", edge: "before", goesOn: "later" },
  ],
];
const otherBatches: typeof fewBatches = [
  [
    { at: "before the clone", name: "fetch", edge: "before" },
    { at: "after the clone", name: "fetch", edge: "after" },
    { at: "before the checkout", name: "read-tree", edge: "before", words: ["--reset"] },
    { at: "after the checkout", name: "read-tree", edge: "after", words: ["--reset"] },
  ],
  [
    { at: "in the first question to the model", question: 1 },
    { at: "after an answer of the model, before the edit", name: "edit", edge: "before" },
    { at: "before the commit", name: "commit-tree", edge: "before" },
    { at: "after the commit", name: "commit-tree", edge: "after" },
  ],
  [
    // Before it, the copy of the repository is stored.
    { at: "before the push is stored", name: "store", edge: "before", skip: 1 },
    { at: "after the push is stored", name: "store", edge: "after", skip: 1 },
    { at: "after the pull request", name: "place", edge: "after", words: ["refs/pull/1/head"] },
    { at: "before the end", name: "diff", edge: "before", words: ["--unified=3"] },
  ],
];
/** `npm run test:chaos` dies at every step. */
const batches =
  process.env["OCTAVO_TEST_ALL"] === "1" ? [...fewBatches, ...otherBatches] : fewBatches;

interface Running {
  readonly death: Death;
  readonly projectId: string;
  readonly round: number;
  readonly path: string;
  readonly held?: HeldStep;
}

const open = new AsyncDisposableStack();
const unanswered = new Map<number, number>();
let [rounds, port, repositories, data] = [0, 0, "", ""];
let gate: StepGate;
let model: ModelServer;
let service: RunningService;

before(async () => {
  const root = open.use(await temporaryFolder());
  [data, repositories] = [join(root.path, "data"), join(root.path, "repositories")];
  await mkdir(repositories);
  const author = await openAuthor(join(root.path, "author"));
  await author.commit({ "index.mdx": "---\ntitle: Home\n---\n\none two three\n" });
  await author.git("clone", "--quiet", "--bare", author.folder, join(repositories, "site.git"));
  gate = open.use(await openStepGate(join(root.path, "gate")));
  model = open.use(await startModelServer(answer));
  port = await freePort();
  service = await start();
});
after(async () => {
  await service[Symbol.asyncDispose]();
  await open.disposeAsync();
});

/** Counts the requests of one round's job, which its prompt identifies. */
function requestsOf(round: number): number {
  return model.requests.filter(({ text }) => text.includes(promptOf(round))).length;
}

function answer(request: ModelRequest) {
  for (const [round, question] of unanswered) {
    if (!request.text.includes(promptOf(round)) || requestsOf(round) !== question) continue;
    return { fault: "mute" } as const;
  }
  return scriptedAgent(request);
}

function promptOf(round: number): string {
  return `replace one with one-${round}. in index.mdx; replace two with two-${round}. in index.mdx`;
}

function start(): Promise<RunningService> {
  return startService({
    data,
    // The same for all starts, because it stands in links.
    args: ["--model", "compatible/scripted", "--port", String(port)],
    env: {
      ...gate.environment,
      OCTAVO_ALLOW: `127.0.0.1,${pathToFileURL(repositories).href}`,
      OCTAVO_MODEL_URL: `${model.url}/v1`,
      OCTAVO_LOG_LEVEL: "warn",
    },
  });
}

async function killAndStart(): Promise<void> {
  await service.end("SIGKILL");
  service = await start();
}

const client = (): ApiClient => createApiClient(service.url, service.key);

async function addProject(fields: object): Promise<string> {
  const body = { name: "Docs", domain: `docs-${rounds}.example.com`, ...fields };
  const { status, body: project } = await client().call<{ id: string }>("POST", "/v2/projects", {
    body,
  });
  assert.equal(status, 201, JSON.stringify(project));
  return project.id;
}

/** A project whose repository was never copied before. */
async function addCopiedProject(): Promise<{ projectId: string; repository: string }> {
  const repository = join(repositories, `${rounds}.git`);
  await cp(join(repositories, "site.git"), repository, { recursive: true });
  const fields = { repository: pathToFileURL(repository).href, codeHost: "local" };
  return { projectId: await addProject(fields), repository };
}

async function createJob(projectId: string): Promise<Pick<Running, "round" | "path">> {
  const round = rounds++;
  const path = `/v2/agent/${projectId}/job`;
  const { body } = await client().call<AgentJob>("POST", path, {
    body: { prompt: promptOf(round) },
  });
  return { round, path: `${path}/${body.id}` };
}

/** Starts a job and waits until it stands where it is to be killed. */
async function runUpTo(death: Death): Promise<Running> {
  const { projectId, repository } = await addCopiedProject();
  if ("question" in death) {
    const { question } = death;
    unanswered.set(rounds, question);
    const job = await createJob(projectId);
    await until(() => requestsOf(job.round) === question);
    unanswered.delete(job.round);
    return { death, projectId, ...job };
  }
  // Previews of earlier jobs call git for their own repositories at the same time.
  const own = death.name === "fetch" ? repository : projectId;
  const words = death.name === "edit" ? [] : [own, ...(death.words ?? [])];
  const held = await gate.hold({ ...death, words });
  const job = await createJob(projectId);
  await held.reached();
  return { death, projectId, held, ...job };
}

async function until(isSo: () => boolean): Promise<void> {
  const signal = patience();
  while (!isSo()) await wait(10, undefined, { signal });
}

async function stepsOf({ path }: Pick<Running, "path">): Promise<string[]> {
  const { body } = await client().call<string>("GET", `${path}/events`);
  return [...body.matchAll(/^data: (.*)$/gm)].flatMap(([, text = ""]) => {
    const { seq, type } = JSON.parse(text) as { seq?: number; type: string };
    return seq === undefined ? [] : [type];
  });
}

/** Asserts that a job is complete and without duplicates, wherever its worker died. */
async function assertWhole(
  running: Pick<Running, "round" | "path">,
  { job, requests, at }: { job: AgentJob; requests: number; at: string },
): Promise<void> {
  const { round, path } = running;
  assert.equal(job.status, "completed", `${at}: ${job.error}`);
  assert.equal(requestsOf(round), requests, `${at}: questions to the model`);
  const { steps, inputTokens, outputTokens } = job.usage;
  const usage = [steps, inputTokens + outputTokens];
  assert.deepEqual(usage, [answers, answers * tokensPerAnswer], at);
  const { body: diff } = await client().call<string>("GET", `${path}/diff`);
  assert.match(diff, new RegExp(`\n-one two three\n\\+one-${round}\\. two-${round}\\. three\n$`));
  const expected = ["message", "model", "tool", "model", "tool", "model"];
  const ending = ["check", "commit", "pull_request"];
  assert.deepEqual(await stepsOf(running), [...expected, ...ending], at);
}

async function refsOf(repository: string): Promise<string[]> {
  return (await git(repository, "for-each-ref", "--format=%(refname)")).split("\n");
}

describe("a service that is killed goes on with its agent jobs:", () => {
  for (const batch of batches) {
    test(batch.map(({ at }) => at).join("; "), async () => {
      const running: Running[] = [];
      for (const death of batch) running.push(await runUpTo(death));
      await killAndStart();
      for (const { death, held } of running) {
        const goesOn = "goesOn" in death ? death.goesOn : undefined;
        if (goesOn === "meanwhile") await held?.letGo();
        if (goesOn === undefined) await held?.end();
      }
      for (const one of running) {
        const { death, projectId, held } = one;
        const job = await client().waitForAgentJob(one.path);
        const hosted = join(data, "repositories", `${projectId}.git`);
        const refs = ["refs/heads/main", `refs/heads/${job.source.ref}`, "refs/pull/1/head"];
        // Only the question that was never answered is asked again.
        const requests = "question" in death ? answers + 1 : answers;
        await assertWhole(one, { job, requests, at: death.at });
        assert.deepEqual(await refsOf(hosted), refs, death.at);
        if (!("goesOn" in death) || death.goesOn !== "later") continue;
        await held?.letGo();
        await wait(500);
        assert.deepEqual(await refsOf(hosted), refs, death.at);
      }
    });
  }
});

describe("a service that is killed goes on with what it asked GitHub:", () => {
  const token = "ghp_notarealtoken";
  let github: GitHubServer;
  let projectId: string;
  before(async () => {
    await cp(join(repositories, "site.git"), join(repositories, "acme/docs"), { recursive: true });
    github = open.use(await serveGitHub(repositories, token));
    const repository = github.repository.replace("http:", "https:");
    const fields = { codeHost: "github", credentials: { token } };
    projectId = await addProject({ ...fields, repository });
    await service.end("SIGTERM");
    await speakPlainly();
    service = await start();
  });

  /** The stand-in has no certificate, and a project's address is not taken without one. */
  async function speakPlainly(): Promise<void> {
    await using database = await openDatabase({ dataDir: data });
    await database.kysely
      .updateTable("projects")
      .set({ repository: github.repository })
      .where("id", "=", projectId)
      .execute();
  }

  const creation = /^POST .*\/pulls$/;
  /** Those that the service waits for without end come first: it asks again where it gets no answer in time. */
  const deaths: readonly [at: string, reach: () => Promise<void>][] = [
    [
      "after it is answered, before that is noted",
      async () => {
        const held = await gate.hold({ name: "diff", edge: "before", words: ["--unified=3"] });
        await held.reached();
      },
    ],
    [
      "after it is made, before that is answered",
      async () => {
        const made = github.api.pulls.length + 1;
        github.api.fail({ on: creation, status: 201, isSilent: true, isDone: true });
        await until(() => github.api.pulls.length === made);
      },
    ],
    [
      "before the pull request is made",
      async () => {
        github.api.fail({ on: creation, status: 500, isSilent: true });
        await github.nextCreation();
      },
    ],
  ];

  test(deaths.map(([at]) => at).join("; "), async () => {
    const running = [];
    for (const [at, reach] of deaths) {
      const reached = reach();
      running.push({ at, ...(await createJob(projectId)) });
      await reached;
    }
    await killAndStart();
    for (const { at, ...one } of running) {
      const job = await client().waitForAgentJob(one.path);
      await assertWhole(one, { job, requests: answers, at });
      const own = github.api.pulls.filter(({ head }) => head === job.source.ref);
      const shown = own.map(({ state, base }) => [state, base]);
      assert.deepEqual(shown, [["open", "main"]], at);
      assert.equal(job.prLink, `${github.api.url}/acme/docs/pull/${own[0]?.number}`);
    }
    const heads = github.api.pulls.map(({ head }) => `refs/heads/${head}`);
    const all = await refsOf(join(repositories, "acme/docs"));
    // The stand-in keeps the heads of pull requests as refs of its own.
    const refs = all.filter((ref) => !ref.startsWith("refs/pull/"));
    assert.deepEqual(refs.toSorted(), ["refs/heads/main", ...heads].toSorted());
  });
});

test("what the jobs used was counted once", async () => {
  await service.end("SIGTERM");
  await using database = await openDatabase({ dataDir: data });
  const days = await database.kysely.selectFrom("agent_tokens").select("tokens").execute();
  const used = days.reduce((sum, { tokens }) => sum + tokens, 0);
  assert.equal(used, rounds * answers * tokensPerAnswer);
  const pulls = await database.kysely.selectFrom("pull_requests").select("project_id").execute();
  assert.equal(pulls.length, batches.flat().length);
  assert.equal(new Set(pulls.map(({ project_id }) => project_id)).size, pulls.length);
});
