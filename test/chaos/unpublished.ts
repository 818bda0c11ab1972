import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { git } from "../support/git-fixture.ts";
import { patienceMs } from "../support/patience.ts";
import type { Outcome } from "./invariants.ts";
import { readCommits } from "./load.ts";
import type { SupervisedNode } from "./node-process.ts";
import { publishedHost } from "./publishing.ts";
import type { World } from "./world.ts";

/** Finds what readers do not see, although it was acknowledged that they would. */
export async function findUnpublished(outcome: Outcome): Promise<string[]> {
  const { world, projects, record } = outcome;
  const faults: string[] = [];
  const number = record.publications.at(-1) ?? 0;
  for (const node of world.apis) {
    const isShown = await untilShown(node, `of deployment ${number}.`);
    if (!isShown) faults.push(`${node.name} does not show ${number}, which was published last.`);
  }
  const [brought] = await world.query<{ count: number }>(
    "select count(*)::int as count from deployments where kind = 'upload'",
  );
  // Beside the first one, which was brought before anything failed.
  const expected = record.uploads.size + 1;
  if (brought?.count !== expected) {
    faults.push(`${expected} bundles were brought, and ${brought?.count} are there.`);
  }
  for (const { id } of [projects.scripted, projects.recipes, projects.limited]) {
    const [node] = world.apis;
    if (!node) continue;
    const { tip } = await readCommits(world, id, node);
    faults.push(...(await findUnpublishedPush(world, id, tip)));
  }
  const main = await git(world.gitHubRepository, "rev-parse", "main");
  faults.push(...(await findUnpublishedPush(world, projects.github.id, main)));
  return faults;
}

async function untilShown(node: SupervisedNode, expected: string): Promise<boolean> {
  for (const until = Date.now() + patienceMs; Date.now() < until; await wait(200)) {
    const sent = request(node.url, { headers: { host: publishedHost } }).end();
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    if ((await text(response)).includes(expected)) return true;
  }
  return false;
}

/** Finds out why readers do not see the tip of a project's branch. */
async function findUnpublishedPush(
  world: World,
  projectId: string,
  tip: string,
): Promise<string[]> {
  const read = async (where: string) =>
    await world.query<{ status: string; commit: string | null; bundle_key: string | null }>(
      `select status, commit, bundle_key from deployments
        where project_id = $1 and kind = 'production' and ${where} order by id desc`,
      [projectId],
    );
  const isOpen = async () => (await read("status in ('queued', 'building')")).length > 0;
  const isKnown = async () => (await read("true"))[0]?.commit === tip;
  for (const until = Date.now() + patienceMs; Date.now() < until; await wait(500)) {
    if (!(await isOpen()) && (await isKnown())) break;
  }
  const failed = await read("status = 'failed'");
  const [newest] = await read("true");
  const [live] = await read("published_at is not null and left_at is null");
  const faults = failed.map(({ commit }) => `The deployment of ${commit} failed.`);
  if (newest?.commit !== tip) faults.push(`The newest commit of ${projectId} was not built.`);
  if (newest?.status !== "ready" || live?.bundle_key !== newest.bundle_key) {
    faults.push(`Readers of ${projectId} see ${live?.commit}, not ${newest?.commit}.`);
  }
  return faults;
}
