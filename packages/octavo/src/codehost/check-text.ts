import { OctavoError, createInputError } from "@octavo/site/core";
import { isRefName } from "../core/index.ts";
import type { NewPullRequest, PullRequestChanges } from "./code-host.ts";

/** GitHub's limits. They are enforced on every host, so that a project can move to a different host. */
const maxTitleLength = 256;
const maxBodyLength = 65_536;

/** Throws `invalid_input` for values that no host accepts. */
export function checkNewPullRequest({ head, base, ...texts }: NewPullRequest): void {
  checkChanges(texts);
  for (const branch of [head, base]) {
    if (!isRefName(branch))
      throw createInputError(`${JSON.stringify(branch)} is not a valid branch name.`);
  }
  if (head === base) throw createInputError("A pull request needs two different branches.");
}

export function checkChanges({ title, body }: PullRequestChanges): void {
  if (
    title !== undefined &&
    (!/^[^\n\r\0]*\S[^\n\r\0]*$/.test(title) || title.length > maxTitleLength)
  ) {
    throw createInputError(
      `The title of a pull request must be one line of 1 to ${maxTitleLength} characters.`,
    );
  }
  if (body !== undefined) checkBody(body);
}

export function checkComment(body: string): void {
  if (body.trim() === "") throw createInputError("A comment must not be empty.");
  checkBody(body);
}

/** Throws `not_found` for an invalid pull request number. */
export function checkNumber(number: number): void {
  if (Number.isSafeInteger(number) && number > 0 && number < 2 ** 31) return;
  throw new OctavoError("not_found", `There is no pull request ${number}.`);
}

function checkBody(body: string): void {
  if (body.length <= maxBodyLength && !body.includes("\0")) return;
  throw createInputError(
    `The text of a pull request must have at most ${maxBodyLength.toLocaleString("en")} characters and must not contain NUL.`,
  );
}
