import { OctavoError } from "@octavo/site/core";
import { isRefName } from "../core/index.ts";
import type { NewPullRequest, PullRequestChanges } from "./code-host.ts";

/** GitHub's limits, held everywhere, so that a project can move to another host. */
const maximumTitle = 256;
const maximumBody = 65_536;

/** Throws `invalid_input` for what no host would take. */
export function checkNewPullRequest({ head, base, ...texts }: NewPullRequest): void {
  checkChanges(texts);
  for (const branch of [head, base]) {
    if (!isRefName(branch)) throw invalid(`${JSON.stringify(branch)} is no name of a branch.`);
  }
  if (head === base) throw invalid("A pull request goes from one branch to another.");
}

export function checkChanges({ title, body }: PullRequestChanges): void {
  if (
    title !== undefined &&
    (!/^[^\n\r\0]*\S[^\n\r\0]*$/.test(title) || title.length > maximumTitle)
  ) {
    throw invalid(`The title of a pull request is one line of 1 to ${maximumTitle} characters.`);
  }
  if (body !== undefined) checkBody(body);
}

export function checkComment(body: string): void {
  if (body.trim() === "") throw invalid("A comment needs a text.");
  checkBody(body);
}

/** Throws `not_found` for what cannot be the number of a pull request. */
export function checkNumber(number: number): void {
  if (Number.isSafeInteger(number) && number > 0 && number < 2 ** 31) return;
  throw new OctavoError("not_found", `There is no pull request ${number}.`);
}

function checkBody(body: string): void {
  if (body.length <= maximumBody && !body.includes("\0")) return;
  throw invalid(
    `The text of a pull request has at most ${maximumBody.toLocaleString("en")} characters, none of them NUL.`,
  );
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
