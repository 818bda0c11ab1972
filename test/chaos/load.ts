import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { publishMarkedSite } from "../publish/marked-project.ts";
import { git, openAuthor } from "../support/git-fixture.ts";
import type { Author } from "../support/git-fixture.ts";
import { createRandom } from "../support/random.ts";
import type { Random } from "../support/random.ts";
import { createChaosClient } from "./client.ts";
import type { ChaosClient } from "./client.ts";
import type { SupervisedNode } from "./node-process.ts";
import { createPublisher, publishedHost } from "./publishing.ts";
import { countRefusal } from "./record.ts";
import type { Acknowledged } from "./record.ts";
import { siteFiles, siteWord } from "./sites.ts";
import { gitHubToken } from "./world.ts";
import type { World } from "./world.ts";

const run = promisify(execFile);
/** Git of a client waits no longer for a node. */
const gitMs = 60_000;

/** A project of the world. */
export interface ChaosProject {
  readonly id: string;
  readonly domain: string;
  readonly isHosted: boolean;
  /** The prompts of its agent jobs; undefined for a project that is only exported. */
  readonly promptOf: ((index: number) => string) | undefined;
}

export interface ChaosProjects {
  readonly scripted: ChaosProject;
  readonly recipes: ChaosProject;
  readonly limited: ChaosProject;
  readonly plain: ChaosProject;
  readonly github: ChaosProject;
  /** Its site shows bundles that somebody brings. */
  readonly published: ChaosProject;
}

/** Calls that the project `limited` has left of its agent jobs an hour. */
export const jobsLeft = 4;
const jobsAnHour = 100;
/** Clients begin no more jobs while so many are open: how fast jobs end depends on the machine. */
const maxOpenJobs = 20;
/** Each person who pushes writes so many files again and again, so that sites stay as large as they are. */
const pushedFiles = 20;

const scriptedPrompt = (index: number): string => {
  const { word, replacement, file } = siteWord(index);
  return `replace ${word} with ${replacement} in ${file}`;
};
const recipePrompt = (index: number): string => {
  const { word, replacement } = siteWord(index);
  return `Rename the term "${word}" to "${replacement}"`;
};

/** Makes the world's projects, before anything fails. */
export async function addProjects(world: World): Promise<ChaosProjects> {
  const [node] = world.apis;
  if (!node) throw new Error("There is no node.");
  const call = async (path: string, body: object): Promise<{ id: string }> => {
    const response = await fetch(new URL(path, node.url), {
      method: "POST",
      headers: { authorization: `Bearer ${world.key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (response.status >= 300) throw new Error(await response.text());
    return (await response.json()) as { id: string };
  };
  const add = async (
    name: string,
    fields: object,
    promptOf?: ChaosProject["promptOf"],
  ): Promise<ChaosProject> => {
    const domain = `${name}.example.com`;
    const { id } = await call("/v2/projects", { name, domain, ...fields });
    const isHosted = !("codeHost" in fields);
    if (isHosted && name !== "published") await fillRepository(world, id, node);
    return { id, domain, isHosted, promptOf };
  };
  const scripted = { model: "compatible/scripted" };
  const outside = { credentials: gitHubToken };
  const copied = { repository: world.outside.plain, codeHost: "local", ...outside };
  const github = { repository: world.outside.github, codeHost: "github", ...outside };
  const projects: ChaosProjects = {
    scripted: await add("scripted", { repository: "local", ...scripted }, scriptedPrompt),
    recipes: await add("recipes", { repository: "local" }, recipePrompt),
    limited: await add("limited", { repository: "local" }, recipePrompt),
    plain: await add("plain", copied),
    github: await add("github", { ...github, ...scripted }, scriptedPrompt),
    published: await add("published", { repository: "local" }),
  };
  const first = { projectId: projects.published.id, host: publishedHost, number: 0 };
  await publishMarkedSite(world, first);
  const events = ["static_export.completed", "static_export.failed"];
  await call("/v2/webhooks", {
    url: world.receiver.url,
    events: [...events, "agent.completed", "agent.failed"],
  });
  await world.query(
    `insert into agent_uses (project_id, kind, used_at)
      select $1, 'jobs', now() from generate_series(1, $2::int)`,
    [projects.limited.id, jobsAnHour - jobsLeft],
  );
  return projects;
}

async function fillRepository(world: World, id: string, node: SupervisedNode): Promise<void> {
  const author = await openAuthor(join(world.folder, `first-${id}`));
  await author.commit(siteFiles(id));
  await author.git("push", "--quiet", remoteOf(world, id, node), "main");
}

export function remoteOf({ key }: Pick<World, "key">, id: string, { url }: SupervisedNode): string {
  return `${url.replace("//", `//x:${key}@`)}/git/${id}.git`;
}

export interface LoadOptions {
  readonly world: World;
  readonly projects: ChaosProjects;
  readonly record: Acknowledged;
  readonly seed: number;
  /** Nobody begins anything new from then on. */
  readonly over: AbortSignal;
  /** Whether nobody begins anything new at the moment. */
  readonly isPaused?: () => boolean;
}

export interface Pace {
  readonly random: Random;
  readonly over: AbortSignal;
  /** A pause between two things has this length on average. */
  readonly pauseMs: number;
  /** Whether to act now, after a pause. */
  readonly isFree?: () => boolean;
}

/** Acts again and again until it is over; resolves when the last thing is acknowledged. */
export async function repeat(pace: Pace, act: (index: number) => Promise<void>) {
  const { random, over, pauseMs, isFree = () => true } = pace;
  for (let index = 0; !over.aborted;) {
    if (isFree()) await act(index++);
    const pause = pauseMs * (0.5 + random());
    await wait(pause, undefined, { signal: over }).catch(() => undefined);
  }
}

/** Everybody who uses the service, until it is over. */
export async function runLoad(options: LoadOptions): Promise<void> {
  const { world, projects, record, seed, over, isPaused = () => false } = options;
  let seeds = seed;
  const pace = (pauseMs: number): Pace => ({
    random: createRandom(++seeds),
    over,
    pauseMs,
    isFree: () => !isPaused(),
  });
  let openJobs = 0;
  const isFree = () => openJobs < maxOpenJobs && !isPaused();
  const jobPace = (pauseMs: number): Pace => ({ ...pace(pauseMs), isFree });
  const client = createChaosClient({ ...world, record, random: createRandom(++seeds) });
  const { scripted, recipes, limited, plain, github, published } = projects;
  const random = createRandom(++seeds);
  const publish = createPublisher({ world, record, client, projectId: published.id, random });
  await Promise.all([
    repeat(pace(1_000), async () => {
      openJobs = await countOpenJobs(world);
    }),
    ...[scripted, recipes, plain].map((project) =>
      repeat(jobPace(2_500), () => startExport(client, record, project)),
    ),
    ...[scripted, recipes, github].map((project) =>
      repeat(jobPace(4_000), (index) => startAgentJob(client, record, { project, index })),
    ),
    repeat(pace(2_000), (index) => startAgentJob(client, record, { project: limited, index })),
    repeat(pace(2_000), publish),
    ...[scripted, recipes].map(async (project) => {
      const pusher = await openPusher(options, client, project);
      await repeat(pace(1_500), (index) => pusher.pushMain(index));
    }),
    (async () => {
      const pusher = await openPusher(options, client, scripted);
      await repeat(pace(1_500), (index) => pusher.pushBranch(index));
    })(),
    ...[scripted, recipes].map((project) => {
      const merger = createMerger(options, client, project);
      return repeat(pace(3_000), () => merger());
    }),
  ]);
}

/** Counts open jobs of all kinds, previews included. */
export async function countOpenJobs(world: World): Promise<number> {
  const [row] = await world.query<{ count: number }>(
    `select (select count(*) from static_export_jobs where status in ('queued', 'running'))::int +
      (select count(*) from agent_jobs where status = 'active')::int +
      (select count(*) from deployments where status in ('queued', 'building'))::int as count`,
  );
  return row?.count ?? 0;
}

async function startExport(client: ChaosClient, record: Acknowledged, { domain }: ChaosProject) {
  const path = "/v1/static-export/jobs";
  const answer = await client.askUntilAnswered({ method: "POST", path, body: { domain } });
  if (answer.status === 202)
    record.exports.push((JSON.parse(answer.text) as { jobId: string }).jobId);
  else record.wrong.push(`An export was answered with ${answer.status}: ${answer.text}`);
}

async function startAgentJob(
  client: ChaosClient,
  record: Acknowledged,
  { project, index }: { readonly project: ChaosProject; readonly index: number },
): Promise<void> {
  const path = `/v2/agent/${project.id}/job`;
  const body = { prompt: project.promptOf?.(index) };
  const answer = await client.askUntilAnswered({ method: "POST", path, body });
  if (answer.status === 201)
    record.agentJobs.set((JSON.parse(answer.text) as { id: string }).id, project.id);
  else if (answer.status === 429) countRefusal(record, "429");
  else record.wrong.push(`An agent job was answered with ${answer.status}: ${answer.text}`);
}

/** A person who works in a clone, with any node as the remote. */
async function openPusher(
  { world, record }: LoadOptions,
  client: ChaosClient,
  { id: projectId }: ChaosProject,
) {
  const author = await openAuthor(join(world.folder, `pusher-${crypto.randomUUID()}`));
  const name = author.folder.slice(-6);
  let branchTip: string | undefined;

  async function push(refspec: string, commit: string): Promise<boolean> {
    try {
      await gitAtNode(
        author,
        "push",
        "--quiet",
        remoteOf(world, projectId, client.choose()),
        refspec,
      );
      record.pushes.push({ projectId, commit });
      return true;
    } catch {
      countRefusal(record, "push");
      return false;
    }
  }
  return {
    /** Pushes to main, after fetching commits that others have pushed meanwhile. */
    async pushMain(index: number): Promise<void> {
      try {
        await gitAtNode(
          author,
          "fetch",
          "--quiet",
          remoteOf(world, projectId, client.choose()),
          "main",
        );
      } catch {
        countRefusal(record, "fetch");
        return;
      }
      await author.git("reset", "--quiet", "--hard", "FETCH_HEAD");
      const file = `notes/${name}-${index % pushedFiles}.txt`;
      const commit = await author.commit({ [file]: `${index}\n` });
      await push("HEAD:main", commit);
    },
    /** Each commit follows the one before, whether that was acknowledged or not. */
    async pushBranch(index: number): Promise<void> {
      branchTip = await author.commit({ "notes.txt": `${name} ${index}\n` });
      await push(`HEAD:refs/heads/notes-${name}`, branchTip);
    },
  };
}

/** Runs a git client that does not wait forever. */
async function gitAtNode({ folder }: Author, ...args: string[]): Promise<void> {
  const env = {
    PATH: process.env["PATH"],
    HOME: "/nonexistent",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
  };
  await run("git", args, { cwd: folder, env, timeout: gitMs, killSignal: "SIGKILL" });
}

/** Merges a pull request that is open, in the dashboard of any node. */
function createMerger(
  { world, record }: LoadOptions,
  client: ChaosClient,
  { id: projectId }: ChaosProject,
): () => Promise<void> {
  const headers = { "sec-fetch-site": "same-origin" };
  const cookies = new Map<SupervisedNode, string>();

  async function signIn(node: SupervisedNode): Promise<string | undefined> {
    const known = cookies.get(node);
    if (known !== undefined) return known;
    const response = await fetch(new URL("/signin", node.url), {
      method: "POST",
      headers,
      redirect: "manual",
      body: new URLSearchParams({ key: world.key }),
      signal: AbortSignal.timeout(gitMs),
    }).catch(() => undefined);
    const cookie = response?.headers.getSetCookie()[0]?.split(";")[0];
    if (response?.status === 303 && cookie !== undefined) cookies.set(node, cookie);
    return cookies.get(node);
  }

  return async () => {
    const [pull] = await world.query<{ number: number; head_commit: string }>(
      `select number, head_commit from pull_requests
        where project_id = $1 and state = 'open' order by number limit 1`,
      [projectId],
    );
    const node = client.choose();
    const cookie = pull && (await signIn(node));
    if (!pull || cookie === undefined) return;
    const form = new URLSearchParams({ headCommit: pull.head_commit });
    const path = `/projects/${projectId}/pulls/${pull.number}/merge`;
    const call = { method: "POST", path, body: form, headers: { ...headers, cookie } };
    const answer = await client.ask(node, call);
    if (answer?.status === 303) {
      record.merges.push({ projectId, number: pull.number, head: pull.head_commit });
    } else countRefusal(record, `merge ${answer?.status ?? "without answer"}`);
  };
}

/** All commits of a repository as a node gives them. */
export async function readCommits(
  world: World,
  projectId: string,
  node: SupervisedNode,
): Promise<{
  readonly refs: string;
  readonly all: Set<string>;
  readonly main: Set<string>;
  readonly tip: string;
}> {
  const clone = join(world.folder, `clone-${crypto.randomUUID()}`);
  const remote = remoteOf(world, projectId, node);
  await git(world.folder, "clone", "--quiet", "--mirror", remote, clone);
  const list = async (...of: string[]) =>
    new Set((await git(clone, "rev-list", ...of)).split("\n"));
  await git(clone, "fsck", "--connectivity-only", "--no-dangling");
  return {
    refs: await git(clone, "for-each-ref", "--format=%(refname) %(objectname)"),
    all: await list("--all"),
    main: await list("refs/heads/main"),
    tip: (await git(clone, "rev-parse", "refs/heads/main")).trim(),
  };
}
