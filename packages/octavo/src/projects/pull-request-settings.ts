import { createInputError } from "@octavo/site/core";
import {
  formatAgentBranch,
  defaultBranchPrefix,
  isOwnCodeHost,
  isRefName,
  createId,
} from "../core/index.ts";
import type { CodeHostName, CommitConvention } from "../core/index.ts";
import type { StoredPullRequestSettings } from "../db/index.ts";

/** The settings with which a project's agent jobs open pull requests. */
export interface PullRequestSettings {
  /** Whether pull requests are opened as drafts. */
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** Names of users, or of teams as `organization/team`. */
  readonly reviewers: readonly string[];
  /** The prefix of branch names. */
  readonly branchPrefix: string;
  /** The author of the commits; null means the service. */
  readonly author: CommitAuthor | null;
  /** The style of titles; null means the convention of the repository's newest commits. */
  readonly commitConvention: CommitConvention | null;
}

interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

/** Changes to the settings. Omitted fields keep their values; null removes a value. */
export type PullRequestSettingsChanges = {
  readonly [Field in keyof PullRequestSettings]?: PullRequestSettings[Field] | null | undefined;
};

/** The maximum numbers: GitHub's limit of reviewers, and more labels than a person would read. */
const [maxReviewers, maxLabels] = [15, 20];
const maxLabelLength = 50;
const maxPrefixLength = 60;
const maxPersonLength = 200;

export function toPullRequestSettings(stored: StoredPullRequestSettings): PullRequestSettings {
  return {
    draft: stored.draft ?? false,
    labels: stored.labels ?? [],
    reviewers: stored.reviewers ?? [],
    branchPrefix: stored.branchPrefix ?? defaultBranchPrefix,
    author: stored.author ?? null,
    commitConvention: stored.commitConvention ?? null,
  };
}

/**
 * Returns the changes in the normalized form in which they are stored. Throws an `invalid_input` error that names the
 * invalid field.
 */
export function checkPullRequestSettingsChanges(
  changes: PullRequestSettingsChanges,
): PullRequestSettingsChanges {
  const { labels, reviewers, branchPrefix, author } = changes;
  return {
    ...changes,
    ...(labels && { labels: checkLabels(labels) }),
    ...(reviewers && { reviewers: checkReviewers(reviewers) }),
    ...(typeof branchPrefix === "string" && { branchPrefix: checkPrefix(branchPrefix) }),
    ...(author && { author: checkAuthor(author) }),
  };
}

/**
 * Applies checked changes to the settings and returns the new settings in the form in which they are stored. Throws
 * `invalid_input` if the code host does not support them.
 */
export function applyPullRequestChanges(
  current: PullRequestSettings,
  changes: PullRequestSettingsChanges,
  codeHost: CodeHostName,
): StoredPullRequestSettings {
  const definedChanges = Object.entries(changes).filter(([, value]) => value !== undefined);
  const settings = { ...current, ...Object.fromEntries(definedChanges) };
  const stored: StoredPullRequestSettings = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null),
  );
  checkHostSupport(codeHost, stored);
  return stored;
}

/**
 * Throws `invalid_input` for settings that the code host does not support, so that the error is reported immediately
 * and the settings are not ignored later.
 */
function checkHostSupport(
  codeHost: CodeHostName,
  { labels = [], reviewers = [] }: StoredPullRequestSettings,
): void {
  if (!isOwnCodeHost(codeHost)) return;
  const unsupported = [labels.length > 0 && "labels", reviewers.length > 0 && "reviewers"];
  const names = unsupported.filter((name) => name !== false).join(" and ");
  if (names === "") return;
  throw createInputError(
    `pullRequests: pull requests on this service (codeHost local) do not support ${names}. Remove these fields, ` +
      "or use a different codeHost.",
  );
}

function checkLabels(labels: readonly string[]): readonly string[] {
  const uniqueLabels = removeDuplicates(labels.map((label) => label.trim()));
  if (uniqueLabels.length > maxLabels)
    throw createInputError(`pullRequests.labels can have at most ${maxLabels} labels.`);
  for (const label of uniqueLabels) {
    if (label !== "" && label.length <= maxLabelLength && !/\p{C}/u.test(label)) continue;
    throw createInputError(
      `pullRequests.labels: ${quoteShortened(label)} is not a valid label; use one line of 1 to ${maxLabelLength} characters.`,
    );
  }
  return uniqueLabels;
}

/** Matches a user name or `organization/team`. User names may contain dots on some code hosts. */
const reviewerPattern = /^[a-z\d_][\w.-]{0,99}(?:\/[\w.-]{1,100})?$/i;

function checkReviewers(reviewers: readonly string[]): readonly string[] {
  const uniqueNames = removeDuplicates(reviewers.map((name) => name.trim().replace(/^@/, "")));
  if (uniqueNames.length > maxReviewers) {
    throw createInputError(`pullRequests.reviewers can have at most ${maxReviewers} reviewers.`);
  }
  for (const name of uniqueNames) {
    if (reviewerPattern.test(name)) continue;
    throw createInputError(
      `pullRequests.reviewers: ${quoteShortened(name)} is neither a user, e.g. octocat, nor a team, e.g. acme/docs.`,
    );
  }
  return uniqueNames;
}

function checkPrefix(prefix: string): string {
  const name = formatAgentBranch({ prefix, jobId: createId("agentJob"), number: 1 });
  const hasValidLength =
    prefix !== "" && prefix.length <= maxPrefixLength && !prefix.startsWith("refs/");
  if (hasValidLength && isRefName(name)) return prefix;
  throw createInputError(
    `pullRequests.branchPrefix: ${quoteShortened(prefix)} is not a valid prefix of branch names; use 1 to ${maxPrefixLength} characters, e.g. docs/ or bot-.`,
  );
}

function checkAuthor({ name, email }: CommitAuthor): CommitAuthor {
  const trimmedAuthor = { name: name.trim(), email: email.trim() };
  if (!isLine(trimmedAuthor.name)) {
    throw createInputError(
      "pullRequests.author.name must be one line without < and >, e.g. Docs Bot.",
    );
  }
  if (isLine(trimmedAuthor.email) && /^[^\s@]+@[^\s@]+$/.test(trimmedAuthor.email))
    return trimmedAuthor;
  throw createInputError(
    "pullRequests.author.email must be an email address, e.g. docs@example.com.",
  );
}

function isLine(text: string): boolean {
  return text !== "" && text.length <= maxPersonLength && !/[\p{C}<>]/u.test(text);
}

function removeDuplicates(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

function quoteShortened(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}
