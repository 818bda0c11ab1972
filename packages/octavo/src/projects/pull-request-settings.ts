import { OctavoError } from "@octavo/site/core";
import {
  agentBranchName,
  defaultBranchPrefix,
  isOwnCodeHost,
  isRefName,
  newId,
} from "../core/index.ts";
import type { CodeHostName, CommitConvention } from "../core/index.ts";
import type { StoredPullRequestSettings } from "../db/index.ts";

/** How a project wants the pull requests of its agent jobs. */
export interface PullRequestSettings {
  /** Whether they are opened as drafts. */
  readonly draft: boolean;
  readonly labels: readonly string[];
  /** Names of users, or of teams as `organisation/team`. */
  readonly reviewers: readonly string[];
  /** With which the names of branches begin. */
  readonly branchPrefix: string;
  /** Of the commits; null means the service. */
  readonly author: CommitAuthor | null;
  /** Null means as in the repository's newest commits. */
  readonly commitConvention: CommitConvention | null;
}

interface CommitAuthor {
  readonly name: string;
  readonly email: string;
}

/** Absent fields keep their values, null removes a value. */
export type PullRequestChanges = {
  readonly [Field in keyof PullRequestSettings]?: PullRequestSettings[Field] | null | undefined;
};

/** As many as GitHub takes of reviewers, and more labels than a person reads. */
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

/** The changes, normalized as they are stored. Throws `invalid_input` with the name of the invalid field. */
export function checkPullRequestChanges(changes: PullRequestChanges): PullRequestChanges {
  const { labels, reviewers, branchPrefix, author } = changes;
  return {
    ...changes,
    ...(labels && { labels: checkLabels(labels) }),
    ...(reviewers && { reviewers: checkReviewers(reviewers) }),
    ...(typeof branchPrefix === "string" && { branchPrefix: checkPrefix(branchPrefix) }),
    ...(author && { author: checkAuthor(author) }),
  };
}

/** The settings with checked changes, as they are stored. */
export function withPullRequestChanges(
  current: PullRequestSettings,
  changes: PullRequestChanges,
): StoredPullRequestSettings {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const all = { ...current, ...Object.fromEntries(given) };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

/** Throws `invalid_input` for what the code host does not have: it is said at once, not left out later. */
export function checkHostHas(
  codeHost: CodeHostName,
  { labels = [], reviewers = [] }: StoredPullRequestSettings,
): void {
  if (!isOwnCodeHost(codeHost)) return;
  const missing = [labels.length > 0 && "labels", reviewers.length > 0 && "reviewers"];
  const names = missing.filter((name) => name !== false).join(" and ");
  if (names === "") return;
  throw invalid(
    `pullRequests: pull requests on this service (codeHost local) have no ${names}. Remove them, or use codeHost github.`,
  );
}

function checkLabels(labels: readonly string[]): readonly string[] {
  const clean = unique(labels.map((label) => label.trim()));
  if (clean.length > maxLabels) throw invalid(`pullRequests.labels has at most ${maxLabels}.`);
  for (const label of clean) {
    if (label !== "" && label.length <= maxLabelLength && !/\p{C}/u.test(label)) continue;
    throw invalid(
      `pullRequests.labels: ${shown(label)} is no label; a label is one line of 1 to ${maxLabelLength} characters.`,
    );
  }
  return clean;
}

const reviewer = /^[a-z\d](?:[\w-]{0,38})(?:\/[\w.-]{1,100})?$/i;

function checkReviewers(reviewers: readonly string[]): readonly string[] {
  const clean = unique(reviewers.map((name) => name.trim().replace(/^@/, "")));
  if (clean.length > maxReviewers) {
    throw invalid(`pullRequests.reviewers has at most ${maxReviewers}.`);
  }
  for (const name of clean) {
    if (reviewer.test(name)) continue;
    throw invalid(
      `pullRequests.reviewers: ${shown(name)} is neither a user, e.g. octocat, nor a team, e.g. acme/docs.`,
    );
  }
  return clean;
}

function checkPrefix(prefix: string): string {
  const name = agentBranchName({ prefix, jobId: newId("agentJob"), number: 1 });
  const isUsable = prefix !== "" && prefix.length <= maxPrefixLength && !prefix.startsWith("refs/");
  if (isUsable && isRefName(name)) return prefix;
  throw invalid(
    `pullRequests.branchPrefix: ${shown(prefix)} cannot begin the name of a branch; use 1 to ${maxPrefixLength} characters such as docs/ or bot-.`,
  );
}

function checkAuthor({ name, email }: CommitAuthor): CommitAuthor {
  const clean = { name: name.trim(), email: email.trim() };
  if (!isLine(clean.name)) {
    throw invalid("pullRequests.author.name is one line without < and >, e.g. Docs Bot.");
  }
  if (isLine(clean.email) && /^[^\s@]+@[^\s@]+$/.test(clean.email)) return clean;
  throw invalid("pullRequests.author.email is an email address, e.g. docs@example.com.");
}

function isLine(text: string): boolean {
  return text !== "" && text.length <= maxPersonLength && !/[\p{C}<>]/u.test(text);
}

function unique(values: readonly string[]): readonly string[] {
  return [...new Set(values)];
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

function invalid(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
