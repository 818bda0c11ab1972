import assert from "node:assert/strict";
import { setTimeout as wait } from "node:timers/promises";
import { git } from "../support/git-fixture.ts";
import { patienceMs } from "../support/patience.ts";
import type { Outcome } from "./invariants.ts";
import type { ReviewedHead } from "./reviews.ts";
import type { World } from "./world.ts";

/** Code hosts are asked again within this time, whatever was lost. */
const maxPoll = "10 minutes";
/** In this time, nodes compare open pull requests with what was told of them a few times. */
const quietMs = 5_000;

/**
 * Finds open pull requests that do not have exactly what their newest heads deserve, once what was lost is made good,
 * and what was said about pull requests that had ended.
 */
export async function findUnreviewed(outcome: Outcome): Promise<string[]> {
  const { world, reviewers } = outcome;
  const faults = [...(await letPollsPass(outcome)), ...(await settleReviews(outcome))];
  // All have been told now, and are told of another head.
  await reviewers.pushToAll();
  faults.push(...(await letPollsPass(outcome)), ...(await settleReviews(outcome)));
  // Reports of what is known change nothing, also those of pull requests that have ended.
  const told = copyTold(world);
  const reportedAt = await readClock(world);
  for (const { number } of world.github.pulls) await reviewers.report(number);
  if (!(await untilAsked(outcome, reportedAt))) {
    faults.push("A report did not make the service ask the code host.");
  }
  await wait(quietMs);
  try {
    assert.deepEqual(copyTold(world), told);
  } catch (error) {
    faults.push(`The code host was told again: ${String(error)}`);
  }
  return [...faults, ...(await findLateComments(world))];
}

/** Waits until all is as it should be. Returns what is not after a long time. */
async function settleReviews(outcome: Outcome): Promise<string[]> {
  let until = Date.now() + patienceMs;
  for (let fewest = Infinity; ; await wait(500)) {
    const faults = await findWrongReviews(outcome);
    if (faults.length === 0 || Date.now() > until) return faults;
    if (faults.length < fewest) until = Date.now() + patienceMs;
    fewest = Math.min(fewest, faults.length);
  }
}

async function untilAsked({ world, reviewers }: Outcome, since: Date): Promise<boolean> {
  const asked = "select from review_polls where project_id = $1 and asked_at > $2";
  for (const until = Date.now() + patienceMs; Date.now() < until; await wait(500)) {
    if ((await world.query(asked, [reviewers.projectId, since])).length > 0) return true;
  }
  return false;
}

/** Has what is asked every few minutes asked now, unless it would not be asked at all. */
async function letPollsPass({ world, reviewers }: Outcome): Promise<string[]> {
  const faults: string[] = [];
  for (const table of ["review_polls", "repository_polls"]) {
    const due = await world.query(
      `update ${table} set next_at = least(next_at, now())
        where project_id = $1 and next_at < now() + $2::interval returning 1`,
      [reviewers.projectId, maxPoll],
    );
    if (due.length !== 1) faults.push(`The code host is not asked again, says ${table}.`);
  }
  return faults;
}

async function readClock(world: World): Promise<Date> {
  const [row] = await world.query<{ now: Date }>("select now()");
  if (!row) throw new Error("The database has no clock.");
  return row.now;
}

/** Copies all that the code host was told. */
function copyTold({ github }: World): unknown {
  return structuredClone({
    statuses: github.statuses,
    comments: github.pulls.map(({ comments }) => comments),
  });
}

async function findWrongReviews(outcome: Outcome): Promise<string[]> {
  const { world, reviewers } = outcome;
  const faults: string[] = [];
  for (const { number, head: branch, state } of world.github.pulls) {
    const known = reviewers.pulls.find((pull) => pull.number === number);
    // Agents change pages.
    const newest = async (): Promise<ReviewedHead> => ({
      commit: await git(world.gitHubRepository, "rev-parse", branch),
      effect: "changed",
    });
    const head = known?.heads.at(-1) ?? (await newest());
    const comments = readComments(world, number);
    const name = `The pull request ${number} (${branch}, ${state})`;
    if (comments.length > 1) faults.push(`${name} has ${comments.length} comments.`);
    if (state === "closed") continue;
    const status = world.github.statuses.findLast(({ commit }) => commit === head.commit)?.state;
    const expected = head.effect === "broken" ? "failure" : "success";
    if (status !== expected) {
      faults.push(`${name} has the status ${status} at ${head.commit}, not ${expected}.`);
    }
    const [comment] = comments;
    if (head.effect === "same" && comment !== undefined) {
      faults.push(`${name} changes nothing, and has a comment: ${comment}`);
    }
    const words = `of commit \`${head.commit.slice(0, 7)}\`.\n\nCompared with \`main\` at `;
    if (head.effect === "changed" && comment?.includes(words) !== true) {
      faults.push(`${name} has no comment on ${head.commit}, but ${comment}`);
    }
  }
  return faults;
}

function readComments({ github }: World, number: number): string[] {
  return github.pulls[number - 1]?.comments.map(({ body }) => String(body)) ?? [];
}

/** Finds comments about previews that only became ready when the service knew that their pull requests had ended. */
async function findLateComments(world: World): Promise<string[]> {
  const late = await world.query<{ number: number; commit: string }>(
    `select deployments.pull_request as number, commit from deployments
      join chaos.endings on endings.number = deployments.pull_request
      join chaos.changes on job = deployments.id and changes.status = 'ready'
      group by deployments.pull_request, commit having min(changes.at) > min(endings.at)`,
  );
  return late.flatMap(({ number, commit }) =>
    readComments(world, number)
      .filter((body) => body.includes(`of commit \`${commit.slice(0, 7)}\``))
      .map((body) => `The pull request ${number} had ended before it was told: ${body}`),
  );
}
