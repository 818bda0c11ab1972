import type { Problem } from "@octavo/site/core";
import type { ActiveContent } from "./active-content.ts";
import { changedPages } from "./changed-pages.ts";
import { citationSection } from "./citations/citation-section.ts";
import type { CitedSources } from "./citations/citation-section.ts";
import { boundedList, inertCode, inertWords } from "./inert-text.ts";
import type { ModelDescription, PullRequestForm } from "./pull-request/description.ts";
import { inertMarkdown, inertQuotation } from "./pull-request/inert-markdown.ts";
import { fillTemplate, linksOf } from "./pull-request/template.ts";
import { inertTitle, titleOf } from "./pull-request/title.ts";
import type { ProblemChanges } from "./problem-changes.ts";
import type { SitePages } from "./changed-pages.ts";
import type { ChangedFile } from "./changes/file-change.ts";

export interface PullRequestInput {
  /** The instructions of the branch so far, the latest last. */
  readonly instructions: readonly string[];
  /** What the model wrote for the pull request; undefined if it wrote nothing. */
  readonly description?: ModelDescription | undefined;
  /** The model's last words: the description where it wrote none. */
  readonly summary: string;
  readonly form: PullRequestForm;
  /** The limit because of which the latest instruction was not finished, as in a sentence; undefined where it was. */
  readonly limit?: string | undefined;
  readonly model: string;
  /** Of the whole branch; paths from the repository's root. */
  readonly changes: readonly ChangedFile[];
  /** What `findActiveContent` finds in the change; undefined where that is too large to be looked at. */
  readonly active: readonly ActiveContent[] | undefined;
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

// All parts at their maximum length, with a note of a conflict, stay below what code hosts take.
const descriptionLength = 10_000;
const leftLength = 3_000;
const quoteLength = 1_800;
/** The latest ones; a branch can have any number. */
const instructionsQuoted = 5;
const problemsLength = 3_000;
const problemsListed = 20;
const activeLength = 4_500;
const activeListed = 40;
const remoteLength = 3_500;
const remoteListed = 25;

/**
 * Title and body of a pull request. First what the model says of its change; then, below a rule, what was read from
 * the change itself: the pages, what of it a person should look at because it could act in a reader's browser, what
 * was checked and what was not, what was asked. What people, models and repositories wrote is inert.
 */
export function pullRequestText(input: PullRequestInput): PullRequestText {
  const { description, instructions, form } = input;
  const title = description
    ? inertTitle(description.title)
    : titleOf(instructions[0] ?? "", form.convention);
  return { title, body: bodyOf(input) };
}

function bodyOf(input: PullRequestInput): string {
  const { instructions, limit, active, problems, previewUrl } = input;
  const parts = [
    limit !== undefined && unfinished(limit),
    described(input),
    limit !== undefined && whatIsLeft(input),
    origin(input),
    previewUrl && previewLine(previewUrl()),
    `### What changed, page by page\n\n${changedPages(input)}`,
    lookSection(active),
    input.sources && citationSection(input.sources),
    `### What was checked\n\n${checked(problems, instructions.length > 1)}`,
    active?.length === 0 ? nothingActive : undefined,
    "### What was not checked\n\n- Whether what the pages say is right.\n- Links to other sites.\n- How pages look in a browser.",
    `### What was asked\n\n${asked(instructions)}`,
  ];
  return parts.filter((part) => typeof part === "string").join("\n\n");
}

function unfinished(limit: string): string {
  return `**Not finished.** The work on the last instruction came to the limit of ${inertWords(limit)}. What is here was checked like any other change. What the model says of what is left stands below; compare it with what was asked. A follow-up message goes on from here.`;
}

/** The model's part, in the repository's own form where it has one. */
function described({ description, summary, form: { template } }: PullRequestInput): string {
  const words = description?.description ?? (template ? fillTemplate(template, summary) : summary);
  return inertMarkdown(words, {
    maxLength: descriptionLength,
    ...(template ? { links: linksOf(template) } : { minHeading: 4 }),
  });
}

/** Without a description the last words stand above already. */
function whatIsLeft({ description, summary }: PullRequestInput): string | undefined {
  if (!description) return undefined;
  return `#### What is left\n\n${inertMarkdown(summary, { maxLength: leftLength, minHeading: 5 })}`;
}

/** The only rule in the text: what is below it is not the model's. */
function origin({ model }: PullRequestInput): string {
  return `---\n\nMade by Octavo with the model ${inertCode(model, 200)}, which wrote the text above this line; what follows was read from the change itself. Please review it as you would any other.`;
}

function previewLine(address: string): string {
  return `**[Preview of this branch](${address})**: the whole site as Octavo left it here. It asks to sign in with an API key of the project, and is renewed with each commit of Octavo.`;
}

function asked(instructions: readonly string[]): string {
  const shown = instructions
    .slice(-instructionsQuoted)
    .map((text) => inertQuotation(text, quoteLength));
  const rest = instructions.length - shown.length;
  if (rest > 0) {
    shown.unshift(`${rest} earlier ${rest === 1 ? "instruction" : "instructions"}, and then:`);
  }
  // Without words in between, code hosts show two quotations as one.
  return shown.join("\n\nThen:\n\n");
}

/** Words that are true only where nothing was found. */
const nothingActive =
  "The lines that this change adds were searched for scripts, frames, forms, event handlers and addresses that are code, for pictures and links of other hosts, and in configuration and API descriptions for new addresses: there are none.";

function lookSection(active: readonly ActiveContent[] | undefined): string | undefined {
  const head = "### Please look at";
  if (active === undefined) {
    return `${head}\n\nThis change is too large to be searched for scripts, frames, pictures of other hosts and new addresses. Look for them in its files.`;
  }
  if (active.length === 0) return undefined;
  const [running, remote] = [
    active.filter(({ isRemote }) => !isRemote),
    active.filter(({ isRemote }) => isRemote),
  ];
  const parts = [
    running.length > 0 &&
      `The change adds what can run code in a reader's browser, or leads somewhere new. Is it wanted?\n\n${placeList(running, activeListed, activeLength)}`,
    remote.length > 0 &&
      `Pages newly show or lead to what lies on other hosts. Are these the right places?\n\n${placeList(remote, remoteListed, remoteLength)}`,
  ];
  return [head, ...parts].filter((part) => part !== false).join("\n\n");
}

function placeList(found: readonly ActiveContent[], maxLines: number, maxLength: number): string {
  const lines = found
    .slice(0, maxLines)
    .map(
      ({ path, line, what, text }) =>
        `${inertCode(`${path}:${line}`, 250)}, ${what}: ${inertCode(text, 200)}`,
    );
  return boundedList(lines, { maxLength, total: found.length, rest: "more" });
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
