import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { commitConventions } from "../../core/index.ts";
import type { PullRequestChanges, PullRequestSettings } from "../../projects/index.ts";

export interface PullRequestFlags {
  readonly draft?: boolean;
  readonly labels?: string;
  readonly reviewers?: string;
  readonly branchPrefix?: string;
  readonly author?: string;
  readonly commits?: string;
}

const conventionHelp = `${commitConventions.join(", ")}, or history for the convention of the newest commits`;

/** How agent jobs open pull requests. An empty value takes a setting back. */
export function addPullRequestFlags(command: Command): Command {
  return command
    .option("--draft", "open pull requests as drafts")
    .option("--no-draft", "open pull requests ready for review")
    .option("--labels <names>", "labels of pull requests, separated by commas")
    .option("--reviewers <names>", "users and teams (organisation/team), separated by commas")
    .option("--branch-prefix <text>", "beginning of the names of branches (default: octavo/)")
    .option("--author <person>", 'author of commits: "Docs Bot <docs@example.com>"')
    .option("--commits <convention>", `titles of commits: ${conventionHelp}`);
}

/** The settings that the flags change; undefined if they change none. */
export function readPullRequestFlags(flags: PullRequestFlags): PullRequestChanges | undefined {
  const { draft, labels, reviewers, branchPrefix, author, commits } = flags;
  const changes: PullRequestChanges = {
    ...(draft !== undefined && { draft }),
    ...(labels !== undefined && { labels: namesOf(labels) }),
    ...(reviewers !== undefined && { reviewers: namesOf(reviewers) }),
    ...(branchPrefix !== undefined && { branchPrefix: branchPrefix || null }),
    ...(author !== undefined && { author: readAuthor(author) }),
    ...(commits !== undefined && { commitConvention: readConvention(commits) }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** As lines of facts, in the words of the flags. */
export function pullRequestFacts(settings: PullRequestSettings): Readonly<Record<string, string>> {
  const { draft, labels, reviewers, branchPrefix, author, commitConvention } = settings;
  return {
    drafts: draft ? "yes" : "no",
    labels: labels.join(", ") || "(none)",
    reviewers: reviewers.join(", ") || "(none)",
    branches: `${branchPrefix}...`,
    author: author ? `${author.name} <${author.email}>` : "(this service)",
    commits: commitConvention ?? "(as the newest commits)",
  };
}

function namesOf(text: string): readonly string[] {
  const names = text.split(",").map((name) => name.trim());
  return names.filter((name) => name !== "");
}

function readAuthor(text: string): PullRequestChanges["author"] {
  if (text.trim() === "") return null;
  const [, name, email] = /^([^<>]+)<([^<>]+)>\s*$/.exec(text) ?? [];
  if (name !== undefined && email !== undefined) return { name: name.trim(), email: email.trim() };
  throw new OctavoError(
    "invalid_input",
    `--author is a name and an email address, "Docs Bot <docs@example.com>", not ${JSON.stringify(text)}.`,
  );
}

function readConvention(text: string): PullRequestChanges["commitConvention"] {
  if (text === "history") return null;
  const convention = commitConventions.find((known) => known === text);
  if (convention !== undefined) return convention;
  throw new OctavoError(
    "invalid_input",
    `--commits is ${conventionHelp}, not ${JSON.stringify(text)}.`,
  );
}
