import { appendFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createApiClient } from "../test/support/api-client.ts";
import { openAuthor } from "../test/support/git-fixture.ts";
import { reviewedHosts, reviewToken, type ReviewedHost } from "../test/support/reviewed-hosts.ts";
import { createVisitor } from "../test/support/running-dashboard.ts";
import { startService } from "../test/support/service.ts";
import { temporaryFolder } from "../test/support/temporary-folder.ts";
import { progress } from "./progress.ts";
import type { Section } from "./results.ts";
import { writeSearchSite } from "./search-site.ts";
import { median } from "./statistics.ts";
import { table } from "./table.ts";

const limitSeconds = 4;
const pages = 3_000;
const pushes = 11;
const page = "part-1/page-1";
const askMs = 5;
/** The time in which what follows a comment ends. */
const settleMs = 3_000;

/** The moments of one push to a pull request, in milliseconds since the epoch. */
interface PushTimes {
  readonly pushed: number;
  readonly reported: number;
  readonly queued: number;
  readonly started: number;
  readonly fetched: number;
  readonly packed: number;
  readonly built: number;
  readonly ready: number;
  readonly told: number;
  readonly commented: number;
  /** The load of the machine, which moves all of them. */
  readonly load: number;
}

/** Measures the time from a push to a pull request of a large site to the status that the code host shows. */
export async function benchReviews(): Promise<Section> {
  await using folder = await temporaryFolder();
  const times = await measurePushes(folder.path);
  const seconds = (from: keyof PushTimes, to: keyof PushTimes) =>
    median(times.map((push) => push[to] - push[from])) / 1_000;
  const whole = seconds("pushed", "told");
  const part = (name: string, from: keyof PushTimes, to: keyof PushTimes) => [
    name,
    `${seconds(from, to).toFixed(2)} s`,
  ];
  return {
    title: "Reviews",
    limits: [
      {
        name: `push of one edited page of ${pages.toLocaleString("en")} to a pull request until its status is success, median of ${times.length}`,
        limit: `at most ${limitSeconds} s`,
        measured: `${whole.toFixed(2)} s`,
        holds: whole <= limitSeconds,
      },
    ],
    body: table(
      ["part of a push, median", "time"],
      [
        part("push, until the code host sends its report", "pushed", "reported"),
        part("report to deployment", "reported", "queued"),
        part("deployment to worker", "queued", "started"),
        part("fetch", "started", "fetched"),
        part("build", "fetched", "packed"),
        part("pack", "packed", "built"),
        part("store", "built", "ready"),
        part("ready to status", "ready", "told"),
        part("status to comment with the difference", "told", "commented"),
        part("push to status", "pushed", "told"),
        [
          "longest push to status",
          `${(Math.max(...times.map(({ pushed, told }) => told - pushed)) / 1_000).toFixed(2)} s`,
        ],
        ["load of the machine", median(times.map(({ load }) => load)).toFixed(1)],
      ],
    ),
  };
}

async function measurePushes(folder: string): Promise<readonly PushTimes[]> {
  progress(`Reviews: pushes of one edited page of ${pages} to a pull request`);
  const author = await openAuthor(join(folder, "author"));
  await writeSearchSite(author.folder, pages);
  await author.commit({});
  const start = reviewedHosts["Gitea"];
  if (!start) throw new Error("There is no Gitea to push to.");
  await using host = await start(folder, author);
  const env = { ...host.env, OCTAVO_REPOSITORY_POLL_MINUTES: "0" };
  await using service = await startService({ data: join(folder, "data"), env, isFirstStart: true });
  const client = createApiClient(service.url, service.key);
  const { body: project } = await client.call<{ id: string }>("POST", "/v2/projects", {
    body: {
      name: "Docs",
      domain: "docs.acme.example",
      repository: host.repository,
      credentials: reviewToken,
    },
  });
  const path = `/v2/projects/${project.id}`;
  await client.call("PUT", `${path}/site`, { body: { visibility: "public" } });
  await client.deploy(project.id);
  const { body: hook } = await client.call<{ secret: string; url: string }>("POST", `${path}/hook`);
  const ada = await createVisitor(service.url).signIn(service.key);
  await author.git("checkout", "--quiet", "-b", "theirs");

  async function push(mark: string): Promise<PushTimes> {
    await appendFile(join(author.folder, `${page}.md`), `\n${mark}\n`);
    const commit = await author.commit({});
    await sleep(settleMs);
    const [load = 0] = loadavg();
    const pushed = Date.now();
    await author.git("push", "--quiet", host.folder, `${commit}:refs/pushed/${commit}`);
    if (host.comments(1).length === 0) await host.openFork("theirs", commit);
    else await host.moveFork(1, commit);
    const reported = Date.now();
    await fetch(hook.url, { method: "POST", ...host.report(hook.secret) });
    const told = await waitUntil(() => isTold(host, commit));
    const commented = await waitUntil(() =>
      host.comments(1).some((body) => body.includes(commit.slice(0, 7))),
    );
    const { body: list } = await client.call<DeploymentList>("GET", `${path}/deployments?limit=5`);
    const made = list.deployments.find((one) => one.commit === commit);
    if (!made) throw new Error(`No deployment of ${commit} was made.`);
    const { text } = await ada.get(`/projects/${project.id}/deployments/${made.id}`);
    const queued = Date.parse(made.createdAt);
    return { ...readLog(text), pushed, reported, queued, told, commented, load };
  }

  // The first one opens the pull request.
  await push("The first state of this page.");
  const times: PushTimes[] = [];
  for (let count = 1; count <= pushes; count += 1)
    times.push(await push(`The edit number ${count}.`));
  return times;
}

interface DeploymentList {
  readonly deployments: readonly { id: string; commit: string | null; createdAt: string }[];
}

function isTold(host: ReviewedHost, commit: string): boolean {
  return host.statuses().some((status) => status.commit === commit && status.state === "success");
}

/** Waits until something is so, and returns the time. */
async function waitUntil(isSo: () => boolean): Promise<number> {
  while (!isSo()) await sleep(askMs);
  return Date.now();
}

/** Reads the times of a deployment's steps from its page. */
function readLog(
  html: string,
): Pick<PushTimes, "started" | "fetched" | "packed" | "built" | "ready"> {
  const timeOf = (text: string) => {
    const [, at = ""] =
      new RegExp(`datetime="([^"]+)"[^>]*>[^<]*</time\\s*>\\s*<span>${text}`).exec(html) ?? [];
    if (at === "") throw new Error(`The deployment's log has no ${text}`);
    return Date.parse(at);
  };
  return {
    started: timeOf("Checking out"),
    fetched: timeOf("Rendering"),
    packed: timeOf("Packing"),
    built: timeOf("Storing"),
    ready: timeOf("Ready"),
  };
}
