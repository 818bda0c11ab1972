import { OctavoError, createInputError } from "@octavo/site/core";
import { isRefName } from "../core/index.ts";
import type { CommitStatus, NewPullRequest, OwnComment, PullRequestChanges } from "./code-host.ts";

/** GitHub's limits. They are enforced on every host, so that a project can move to a different host. */
const maxTitleLength = 256;
const maxBodyLength = 65_536;
const maxStatusLength = 140;

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

/** Throws `invalid_input` for a status that a host would refuse or cut. */
export function checkStatus({ commit, description, branch }: CommitStatus): void {
  if (!/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(commit) || !isRefName(branch)) {
    throw createInputError("A status needs the full hash of a commit and the name of its branch.");
  }
  const isLine = /^[^\n\r\0]*\S[^\n\r\0]*$/.test(description);
  if (isLine && description.length <= maxStatusLength) return;
  throw createInputError(
    `The text of a status must be one line of 1 to ${maxStatusLength} characters.`,
  );
}

/** Throws `invalid_input` for a comment whose mark could not be hidden in its body. */
export function checkOwnComment({ mark, body }: OwnComment): void {
  if (!/^\w+(?: \w+)*$/.test(mark)) {
    throw createInputError(`The mark ${JSON.stringify(mark)} must be words of letters and digits.`);
  }
  if (body !== undefined) checkComment(hideMark(mark, body));
}

/** Appends the mark of a comment to its body, where readers do not see it. */
export function hideMark(mark: string, body = ""): string {
  return `${body}\n\n<!-- ${mark} -->`;
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
