import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createApiClient } from "../support/api-client.ts";
import { git, openAuthor } from "../support/git-fixture.ts";
import { createGitHubPush, senders, type HookRequest } from "../support/hook-deliveries.ts";
import { createRandom, pick, type Random } from "../support/random.ts";
import { repeat } from "./load.ts";
import type { Acknowledged } from "./record.ts";
import { gitHubToken, type World } from "./world.ts";

/** A head of a pull request, and its effect on the site. */
export interface ReviewedHead {
  readonly commit: string;
  readonly effect: "changed" | "same" | "broken";
}

/** A pull request of a person. */
export interface ReviewedPull {
  readonly number: number;
  readonly branch: string;
  /** The oldest first. */
  readonly heads: ReviewedHead[];
  isOpen: boolean;
}

export interface Reviewers {
  readonly projectId: string;
  readonly pulls: readonly ReviewedPull[];
  /** How often each thing happened to reports of the hook. */
  readonly reports: ReadonlyMap<string, number>;
  /** Works on pull requests until it is over. Resolves when the last report has come, unless it is lost. */
  run(over: AbortSignal): Promise<void>;
  /** Pushes a head with another effect than the last one to each open pull request of a person. */
  pushToAll(): Promise<void>;
  /** Reports a pull request once, to a node that answers. */
  report(number: number): Promise<void>;
}

export interface ReviewersOptions {
  readonly world: World;
  readonly record: Acknowledged;
  /** A project on GitHub. */
  readonly projectId: string;
  readonly seed: number;
}

const following = { changed: "same", same: "broken", broken: "changed" } as const;
const effects = ["changed", "changed", "changed", "same", "broken"] as const;
/** So many pull requests of people are open at the same time. */
const [minOpen, maxOpen] = [3, 6];
const pauseMs = 700;
/** A code host waits no longer for an answer. */
const answerMs = 10_000;
/** The longest delay of a report. */
const maxLateMs = 8_000;

/**
 * Publishes the site of a project on GitHub, and creates people who open pull requests there, from forks too, push to
 * them, close and merge them, and push to `main`. Of the code host's reports, many are lost, come twice or come late.
 */
export async function openReviewers(options: ReviewersOptions): Promise<Reviewers> {
  const { world, record, projectId, seed } = options;
  const { github, gitHubRepository: repository } = world;
  const random = createRandom(seed);
  const author = await openAuthor(join(world.folder, "reviewers"));
  const hook = await publishSite(world, projectId);
  const pulls: ReviewedPull[] = [];
  const deliverer = createDeliverer({ world, record, hook, random: createRandom(seed + 1) });
  let commits = 0;

  const tell = (number: number, action: string) =>
    deliverer.deliver("pull_request", { action, number });
  const commitPage = () =>
    author.commit({ "index.mdx": `---\ntitle: Home\n---\n\nWelcome, number ${commits}.\n` });

  async function leaveMain(): Promise<void> {
    await author.git("fetch", "--quiet", repository, "main");
    await author.git("reset", "--quiet", "--hard", "FETCH_HEAD");
  }

  /** Commits onto the last head where that changes pages, too, or else onto `main`, as after a rebase. */
  async function commitHead(
    last: ReviewedHead | undefined,
    effect: ReviewedHead["effect"],
  ): Promise<ReviewedHead> {
    commits += 1;
    if (effect === "changed" && last?.effect === "changed" && random() < 0.5) {
      await author.git("reset", "--quiet", "--hard", last.commit);
    } else await leaveMain();
    if (effect === "changed") return { effect, commit: await commitPage() };
    if (effect === "broken") {
      return { effect, commit: await author.commit({ "docs.json": `{ ${commits}` }) };
    }
    await author.git("commit", "--quiet", "--allow-empty", `--message=Nothing ${commits}`);
    return { effect, commit: await author.git("rev-parse", "HEAD") };
  }

  const pushTo = (ref: string, commit: string) =>
    author.git("push", "--quiet", "--force", repository, `${commit}:${ref}`);

  async function open(): Promise<void> {
    const isFromFork = random() < 0.5;
    const branch = `${isFromFork ? "theirs" : "ours"}-${pulls.length + 1}`;
    const head = await commitHead(undefined, pick(effects, random));
    if (isFromFork) {
      await pushTo(`refs/forks/${branch}`, head.commit);
      github.addForkPull(branch, "main", head.commit);
    } else {
      await pushTo(`refs/heads/${branch}`, head.commit);
      await openOwn(world, branch);
    }
    const number = github.pulls.find((pull) => pull.head === branch)?.number;
    if (number === undefined) throw new Error(`${branch} has no pull request.`);
    pulls.push({ number, branch, heads: [head], isOpen: true });
    tell(number, "opened");
  }

  async function push(
    { number, branch, heads }: ReviewedPull,
    effect: ReviewedHead["effect"],
  ): Promise<void> {
    const head = await commitHead(heads.at(-1), effect);
    const stored = github.pulls[number - 1];
    if (stored?.commit === "") await pushTo(`refs/heads/${branch}`, head.commit);
    else {
      await pushTo(`refs/forks/${branch}`, head.commit);
      Object.assign(stored ?? {}, { commit: head.commit });
    }
    heads.push(head);
    tell(number, "synchronize");
  }

  async function pushMain(): Promise<void> {
    commits += 1;
    await leaveMain();
    const commit = await commitPage();
    await pushTo("refs/heads/main", commit);
    deliverer.deliver("push", createGitHubPush({ after: commit }));
  }

  /** Closes a pull request, or merges it if it changes pages and nothing else came to `main` since it left. */
  async function end(pull: ReviewedPull): Promise<void> {
    const head = pull.heads.at(-1);
    const main = await git(repository, "rev-parse", "main");
    const canMerge =
      head?.effect === "changed" &&
      (await git(repository, "merge-base", "main", head.commit)) === main;
    if (canMerge) {
      await pushTo("refs/heads/main", head.commit);
      deliverer.deliver("push", createGitHubPush({ after: head.commit }));
    }
    pull.isOpen = false;
    github.end(pull.number, canMerge ? "merged" : "closed");
    tell(pull.number, "closed");
  }

  const listOpen = () => pulls.filter(({ isOpen }) => isOpen);

  async function act(): Promise<void> {
    const all = listOpen();
    const turn = random();
    if (all.length < minOpen || (all.length < maxOpen && turn < 0.2)) await open();
    else if (turn < 0.65) await push(pick(all, random), pick(effects, random));
    else if (turn < 0.9) await end(pick(all, random));
    else await pushMain();
  }

  return {
    projectId,
    pulls,
    reports: deliverer.counts,
    async run(over) {
      await repeat({ random, over, pauseMs }, act);
      await deliverer.untilDelivered();
    },
    async pushToAll() {
      for (const pull of listOpen())
        await push(pull, following[pull.heads.at(-1)?.effect ?? "same"]);
      await deliverer.untilDelivered();
    },
    report: (number) => deliverer.deliverSurely("pull_request", { action: "synchronize", number }),
  };
}

interface Hook {
  readonly path: string;
  readonly secret: string;
}

async function publishSite({ apis, key, github }: World, id: string): Promise<Hook> {
  const client = createApiClient(apis[0]?.url ?? "", key);
  await client.call("PUT", `/v2/projects/${id}/site`, { body: { visibility: "public" } });
  const { status } = await client.deploy(id);
  const hook = await client.call("POST", `/v2/projects/${id}/hook`);
  const { url, secret } = github.hooks[0]?.config ?? {};
  if (status !== "ready" || url === undefined || secret === undefined) {
    throw new Error(`The site of ${id} is ${status}, and its hook ${JSON.stringify(hook.body)}.`);
  }
  return { path: new URL(url).pathname, secret };
}

/** Opens a pull request as a member of the repository does. */
async function openOwn({ github }: World, head: string): Promise<void> {
  await fetch(`${github.url}/api/v3/repos/acme/docs/pulls`, {
    method: "POST",
    headers: { authorization: `token ${gitHubToken}` },
    body: JSON.stringify({ head, base: "main", title: head }),
  });
}

interface DelivererOptions extends Pick<ReviewersOptions, "world" | "record"> {
  readonly hook: Hook;
  readonly random: Random;
}

/** Creates the code host's deliveries: once for each event, at any node, whether that answers or not. */
function createDeliverer({ world, record, hook, random }: DelivererOptions) {
  const counts = new Map<string, number>();
  const underWay = new Set<Promise<unknown>>();
  const count = (name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1);

  async function send(request: HookRequest, afterMs: number): Promise<boolean> {
    await wait(afterMs);
    const url = new URL(hook.path, pick(world.apis, random).url);
    try {
      const signal = AbortSignal.timeout(answerMs);
      const response = await fetch(url, { method: "POST", ...request, signal });
      const answer = await response.text();
      if (response.ok) return true;
      if (response.status !== 503) record.wrong.push(`A report was answered with ${response.status}: ${answer}`); // prettier-ignore
    } catch {
      // The code host asks no more than once.
    }
    count("reports without success");
    return false;
  }

  function keep(sending: Promise<unknown>): void {
    underWay.add(sending);
    void sending.finally(() => underWay.delete(sending));
  }

  return {
    counts,
    deliver(event: string, payload: Readonly<Record<string, unknown>>): void {
      const request = senders.github(hook.secret, event, payload);
      const name = pick(["lost", "doubled", "late", "in time"], random);
      const lateMs = random() * maxLateMs;
      count(`reports ${name}`);
      if (name === "lost") return;
      keep(send(request, name === "late" ? lateMs : 0));
      // At the same moment, or after others.
      if (name === "doubled") keep(send(request, random() < 0.5 ? 0 : lateMs));
    },
    async deliverSurely(event: string, payload: Readonly<Record<string, unknown>>): Promise<void> {
      const request = senders.github(hook.secret, event, payload);
      if (!(await send(request, 0))) throw new Error("No node took a report at the end.");
    },
    async untilDelivered(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
