import type { Problem } from "@octavo/site/core";
import { findActiveContent } from "./active-content.ts";
import type { ActiveContent } from "./active-content.ts";
import { boundedList } from "./bounded-list.ts";
import { changedPages } from "./changed-pages.ts";
import { citationSection } from "./citations/citation-section.ts";
import type { CitedSources } from "./citations/recorded-citations.ts";
import { inertCode, inertWords, inertBlock } from "./inert-text.ts";
import type { ProblemChanges } from "./problem-changes.ts";
import type { SitePages } from "./site-pages.ts";
import type { ChangedFile } from "./changes/file-change.ts";

export interface PullRequestInput {
  /** The instructions of the branch so far, the latest last. */
  readonly instructions: readonly string[];
  /** The model's words. */
  readonly summary: string;
  /** The limit because of which the latest instruction was not finished, as in a sentence; undefined where it was. */
  readonly limit?: string | undefined;
  readonly model: string;
  /** Of the whole branch; paths from the repository's root. */
  readonly changes: readonly ChangedFile[];
  /** The change as git's unified diff; undefined where it is too large for one. */
  readonly diff: string | undefined;
  /** Where the site lies in the repository; `.` for the root. */
  readonly directory: string;
  readonly pages: SitePages;
  /** Of the latest instruction: before and after it. */
  readonly problems: ProblemChanges;
  /** Of the whole branch; absent where the project has no sources. */
  readonly sources?: CitedSources | undefined;
  /**
   * Where the branch can be looked at as a site: all of it, or the page of that path. Addresses hold
   * neither spaces nor brackets. Absent where there is no such place.
   */
  readonly previewUrl?: ((page?: string) => string) | undefined;
}

export interface PullRequestText {
  readonly title: string;
  /** Markdown, within the 65,536 characters that code hosts take. */
  readonly body: string;
}

const titleLength = 72;
const quoteLength = 4_000;
/** The latest ones; a branch can have any number. */
const instructionsQuoted = 5;
const problemsLength = 5_000;
const problemsListed = 20;
const activeLength = 6_000;
const activeListed = 40;

/**
 * Title and body of a pull request: what was asked, what changed, what of it a person should look at
 * because it could act in a reader's browser, what was checked and what was not.
 * What people, models and repositories wrote stands in code.
 */
export function pullRequestText(input: PullRequestInput): PullRequestText {
  return { title: pullRequestTitle(input.instructions[0] ?? ""), body: bodyOf(input) };
}

/** One line that names a change by the instruction it was made for. */
export function pullRequestTitle(instruction: string): string {
  const text = inertWords(instruction.trim().split("\n", 1)[0] ?? "");
  if (text === "") return "Edit the documentation";
  if (text.length <= titleLength) return text;
  const cut = text.slice(0, titleLength - 1);
  const end = cut.lastIndexOf(" ");
  return `${(end > titleLength / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}

function bodyOf(input: PullRequestInput): string {
  const { instructions, summary, limit, model, diff, problems, previewUrl } = input;
  const active = diff === undefined ? undefined : findActiveContent(diff);
  const parts = [
    `Made by Octavo with the model ${inertCode(model, 200)}. Please review it as you would any other.`,
    limit !== undefined && unfinished(limit),
    previewUrl && previewLine(previewUrl()),
    `### What was asked\n\n${asked(instructions)}`,
    `### ${limit === undefined ? "What the model says it did" : "What the model says it did, and what is left"}\n\n${inertBlock(summary, quoteLength)}`,
    `### What changed, page by page\n\n${changedPages(input)}`,
    lookSection(active),
    input.sources && citationSection(input.sources),
    `### What was checked\n\n${checked(problems, instructions.length > 1)}`,
    active?.length === 0 ? nothingActive : undefined,
    "### What was not checked\n\n- Whether what the pages say is right.\n- Links to other sites.\n- How pages look in a browser.",
  ];
  return parts.filter((part) => typeof part === "string").join("\n\n");
}

function unfinished(limit: string): string {
  return `**Not finished.** The work on the last instruction came to the limit of ${inertWords(limit)}. What is here was checked like any other change. What the model says of what is left stands below; compare it with what was asked. A follow-up message goes on from here.`;
}

function previewLine(address: string): string {
  return `**[Preview of this branch](${address})**: the whole site as Octavo left it here. It asks to sign in with an API key of the project, and is renewed with each commit of Octavo.`;
}

function asked(instructions: readonly string[]): string {
  const shown = instructions
    .slice(-instructionsQuoted)
    .map((text) => inertBlock(text, quoteLength));
  const rest = instructions.length - shown.length;
  if (rest > 0) {
    shown.unshift(`${rest} earlier ${rest === 1 ? "instruction" : "instructions"}, and then:`);
  }
  return shown.join("\n\n");
}

/** Words that are true only where nothing was found. */
const nothingActive =
  "The lines that this change adds were searched for scripts, frames, forms, event handlers and addresses that are code, and in configuration and API descriptions for new addresses: there are none.";

function lookSection(active: readonly ActiveContent[] | undefined): string | undefined {
  const head = "### Please look at";
  if (active === undefined) {
    return `${head}\n\nThis change is too large to be searched for scripts, frames and new addresses. Look for them in its files.`;
  }
  if (active.length === 0) return undefined;
  const lines = active
    .slice(0, activeListed)
    .map(
      ({ path, line, what, text }) =>
        `${inertCode(`${path}:${line}`, 250)}, ${what}: ${inertCode(text, 200)}`,
    );
  const list = boundedList(lines, { maxLength: activeLength, total: active.length, rest: "more" });
  return `${head}\n\nThe change adds what can run code in a reader's browser, or leads somewhere new. Is it wanted?\n\n${list}`;
}

function checked({ before, after, resolved, added }: ProblemChanges, isFollowUp: boolean): string {
  const when = isFollowUp ? "before and after the last instruction" : "before and after";
  const parts = [
    `The whole site was rendered ${when}: configuration, navigation, pages, links between pages, anchors and files.`,
    `| | before | after |\n| --- | --- | --- |\n| errors | ${before.errors} | ${after.errors} |\n| warnings | ${before.warnings} | ${after.warnings} |`,
  ];
  if (resolved.length > 0) parts.push(`Resolved (${resolved.length}):\n\n${problemList(resolved)}`);
  if (added.length > 0) parts.push(`New (${added.length}):\n\n${problemList(added)}`);
  if (resolved.length + added.length === 0) parts.push("Nothing was resolved, and nothing is new.");
  return parts.join("\n\n");
}

function problemList(problems: readonly Problem[]): string {
  const lines = problems.slice(0, problemsListed).map(({ severity, file, line, message }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return `${severity} in ${inertCode(place, 250)}: ${inertCode(message, 300)}`;
  });
  return boundedList(lines, { maxLength: problemsLength, total: problems.length, rest: "more" });
}
