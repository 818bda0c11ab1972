import type { Site } from "@octavo/site";
import type { Problem } from "@octavo/site/core";
import type { ActiveContent } from "./active-content.ts";
import type { ChangedFile } from "./changes/text-changes.ts";
import { formatCitationSection, type CitedSources } from "./citations/citation-section.ts";
import type { ProblemChanges } from "./problem-changes.ts";
import { listUnlistedPages } from "./prompt/map-tree.ts";
import type {
  ModelDescription,
  PullRequestForm,
  PullRequestTemplate,
} from "./pull-request/description.ts";
import {
  formatBoundedList,
  formatInertCode,
  formatInertLink,
  sanitizeMarkdown,
  sanitizeQuotation,
  sanitizeWords,
  stripComments,
} from "./pull-request/sanitize-markdown.ts";
import { formatTitle, sanitizeTitle } from "./pull-request/title.ts";
import type { PageName, SitePages, SiteView } from "./site-view.ts";

export interface PullRequestInput {
  /** The branch's instructions so far, the latest last. */
  readonly instructions: readonly string[];
  /** The model's text for the pull request; undefined if the model wrote no text. */
  readonly description?: ModelDescription | undefined;
  /** The model's final text. It serves as the description if the model wrote no description. */
  readonly summary: string;
  /** A title for the change, derived from its files; used if the model wrote no title. */
  readonly title: string;
  /** Sentences about work that the latest instruction left open. */
  readonly notes: readonly string[];
  readonly form: PullRequestForm;
  /**
   * The limit that prevented the latest instruction from being finished, worded for use in a sentence; undefined if it
   * was finished.
   */
  readonly limit?: string | undefined;
  readonly model: string;
  /** The changes of the whole branch, with paths relative to the repository's root. */
  readonly changes: readonly ChangedFile[];
  /** The result of `findActiveContent` for the change; undefined if the change is too large to be searched. */
  readonly activeContent: readonly ActiveContent[] | undefined;
  /** The site's folder in the repository; `.` for the root. */
  readonly directory: string;
  readonly pages: SitePages;
  /** The effect of the latest instruction. */
  readonly problems: ProblemChanges;
  /** The citations of the whole branch; undefined if the project has no sources. */
  readonly sources?: CitedSources | undefined;
  /**
   * Returns the address of the branch's preview, either of the whole site or of the page with that path. Addresses
   * contain no spaces or brackets. Returns undefined if there is no preview.
   */
  readonly previewUrl?: ((page?: string) => string) | undefined;
}

export interface PullRequestText {
  readonly title: string;
  /** The Markdown text, within the 65,536 characters that code hosts accept. */
  readonly body: string;
}

// If all parts have their maximum length, the text, with a note about a conflict, stays below the limit of code hosts.
const maxDescriptionLength = 10_000;
const maxRemainingWorkLength = 3_000;
const maxQuoteLength = 1_800;
/** The number of instructions that are quoted, beginning with the latest. */
const maxQuotedInstructions = 5;
const maxProblemsLength = 3_000;
const maxListedProblems = 20;
const maxActiveLength = 4_500;
const maxListedActive = 40;
const maxRemoteLength = 3_500;
const maxListedRemote = 25;

/**
 * Formats the title and body of a pull request. The model's description comes first. Below a horizontal rule, the facts
 * read from the change itself follow: the pages, content that a person should check because it could run code in a
 * reader's browser, the results of the checks and their limits, and the instructions. Text from people, models and
 * repositories is sanitized.
 */
export function formatPullRequest(input: PullRequestInput): PullRequestText {
  const { description, form } = input;
  const title = description
    ? sanitizeTitle(description.title)
    : formatTitle(input.title, form.convention);
  return { title, body: formatBody(input) };
}

function formatBody(input: PullRequestInput): string {
  const { instructions, limit, activeContent, problems, previewUrl } = input;
  const parts = [
    limit !== undefined && formatUnfinishedNote(limit),
    formatDescription(input),
    limit !== undefined && formatRemainingWork(input),
    formatOrigin(input),
    previewUrl && formatPreviewLine(previewUrl()),
    `### What changed, page by page\n\n${formatChangedPages(input)}`,
    formatOpenSection(input),
    formatReviewSection(activeContent),
    input.sources && formatCitationSection(input.sources),
    `### What was checked\n\n${formatChecks(problems, instructions.length > 1)}`,
    activeContent?.length === 0 ? noActiveContentNote : undefined,
    "### What was not checked\n\n- Whether the pages are factually correct.\n- Links to other sites.\n- How pages look in a browser.",
    `### What was asked\n\n${formatInstructions(instructions)}`,
  ];
  return parts.filter((part) => typeof part === "string").join("\n\n");
}

function formatUnfinishedNote(limit: string): string {
  return `**Not finished.** The work on the last instruction reached the limit of ${sanitizeWords(limit)}. The changes so far were checked like any other. The model's note on what is left is below; compare it with what was asked. A follow-up message continues from here.`;
}

/** Returns the model's description, filled into the repository's template if there is one. */
function formatDescription({ description, summary, form: { template } }: PullRequestInput): string {
  const text = description?.description ?? (template ? fillTemplate(template, summary) : summary);
  return sanitizeMarkdown(text, {
    maxLength: maxDescriptionLength,
    ...(template ? { links: collectLinks(template) } : { minHeadingLevel: 4 }),
  });
}

/** Formats the model's final text; undefined without a description, because the text is then already shown above. */
function formatRemainingWork({ description, summary }: PullRequestInput): string | undefined {
  if (!description) return undefined;
  return `#### What is left\n\n${sanitizeMarkdown(summary, { maxLength: maxRemainingWorkLength, minHeadingLevel: 5 })}`;
}

/**
 * Formats the only horizontal rule in the text, and a note on the text's origin. Nothing below it is written by the
 * model.
 */
function formatOrigin({ model }: PullRequestInput): string {
  return `---\n\nMade by Octavo with the model ${formatInertCode(model, 200)}, which wrote the text above this line; what follows was read from the change itself. Please review it as you would any other.`;
}

function formatPreviewLine(address: string): string {
  return `**[Preview of this branch](${address})**: the whole site as Octavo left it here. To open it, sign in with an API key of the project. It is updated with each commit by Octavo.`;
}

function formatInstructions(instructions: readonly string[]): string {
  const quotations = instructions
    .slice(-maxQuotedInstructions)
    .map((text) => sanitizeQuotation(text, maxQuoteLength));
  const omittedCount = instructions.length - quotations.length;
  if (omittedCount > 0) {
    quotations.unshift(
      `${omittedCount} earlier ${omittedCount === 1 ? "instruction" : "instructions"}, and then:`,
    );
  }
  // Without text in between, code hosts show two quotations as one.
  return quotations.join("\n\nThen:\n\n");
}

/** Formats the section on work that the agent left open. Returns undefined if the agent left nothing open. */
function formatOpenSection(input: PullRequestInput): string | undefined {
  const parts = [...input.notes.map((note) => sanitizeWords(note)), formatUnlistedPages(input)];
  const nonEmptyParts = parts.filter((part) => part !== "");
  return nonEmptyParts.length === 0
    ? undefined
    : `### What is left open\n\n${nonEmptyParts.join("\n\n")}`;
}

/** The note for a change in which the search found nothing. */
const noActiveContentNote =
  "The lines that this change adds were searched for scripts, frames, forms, event handlers and addresses that contain code, for pictures from and links to other hosts, and, in configuration and API descriptions, for new addresses. None were found.";

function formatReviewSection(active: readonly ActiveContent[] | undefined): string | undefined {
  const heading = "### What to review";
  if (active === undefined) {
    return `${heading}\n\nThis change is too large to be searched for scripts, frames, pictures from other hosts and new addresses. Look for them in its files.`;
  }
  if (active.length === 0) return undefined;
  const [executable, remote] = [
    active.filter(({ isRemote }) => !isRemote),
    active.filter(({ isRemote }) => isRemote),
  ];
  const parts = [
    executable.length > 0 &&
      `The change adds content that can run code in a reader's browser or leads to a new address. Is it intended?\n\n${formatLocations(executable, maxListedActive, maxActiveLength)}`,
    remote.length > 0 &&
      `Pages now show content from other hosts or link to them. Are these the right addresses?\n\n${formatLocations(remote, maxListedRemote, maxRemoteLength)}`,
  ];
  return [heading, ...parts].filter((part) => part !== false).join("\n\n");
}

function formatLocations(
  found: readonly ActiveContent[],
  maxLines: number,
  maxLength: number,
): string {
  const lines = found
    .slice(0, maxLines)
    .map(
      ({ path, line, what, text }) =>
        `${formatInertCode(`${path}:${line}`, 250)}, ${what}: ${formatInertCode(text, 200)}`,
    );
  return formatBoundedList(lines, { maxLength, total: found.length, restLabel: "more" });
}

function formatChecks(
  { before, after, resolved, added }: ProblemChanges,
  isFollowUp: boolean,
): string {
  const when = isFollowUp ? "before and after the last instruction" : "before and after the change";
  const parts = [
    `The whole site was rendered ${when}: configuration, navigation, pages, links between pages, anchors and files.`,
    `| | before | after |\n| --- | --- | --- |\n| errors | ${before.errors} | ${after.errors} |\n| warnings | ${before.warnings} | ${after.warnings} |`,
  ];
  if (resolved.length > 0)
    parts.push(`Resolved (${resolved.length}):\n\n${formatProblemList(resolved)}`);
  if (added.length > 0) parts.push(`New (${added.length}):\n\n${formatProblemList(added)}`);
  if (resolved.length + added.length === 0) parts.push("No problems were resolved or added.");
  return parts.join("\n\n");
}

function formatProblemList(problems: readonly Problem[]): string {
  const lines = problems.slice(0, maxListedProblems).map(({ severity, file, line, message }) => {
    const location = line === undefined ? file : `${file}:${line}`;
    return `${severity} in ${formatInertCode(location, 250)}: ${formatInertCode(message, 300)}`;
  });
  return formatBoundedList(lines, {
    maxLength: maxProblemsLength,
    total: problems.length,
    restLabel: "more",
  });
}

interface ChangedPagesInput {
  /** Paths from the repository's root. */
  readonly changes: readonly ChangedFile[];
  readonly pages: SitePages;
  /** The site's folder in the repository; `.` for the root. */
  readonly directory: string;
  /** Returns the address of a page in the preview. */
  readonly previewUrl?: ((page: string) => string) | undefined;
}

const maxListLength = 8_000;
const maxUnlistedLength = 2_000;
const maxTitleLength = 100;
const maxPathLength = 250;
const maxShownTitles = 5;

/**
 * Returns the files of new pages that are not in any navigation. Paths of changes are relative to the site's folder.
 */
export function listNewUnlisted(
  changes: readonly ChangedFile[],
  { unlisted }: SitePages,
): readonly string[] {
  const added = changes.filter(({ kind }) => kind === "added");
  return added.flatMap(({ path }) => (unlisted.has(path) ? [path] : []));
}

/** Lists the new pages of a branch that are not in any navigation. */
function formatUnlistedPages({ changes, pages, directory }: ChangedPagesInput): string {
  const siteChanges = changes.map((change) => ({
    ...change,
    path: getSitePath(change.path, directory),
  }));
  const files = listNewUnlisted(siteChanges, pages);
  if (files.length === 0) return "";
  const lines = files.map((file) => formatInertCode(file, maxPathLength));
  const list = formatBoundedList(lines, {
    maxLength: maxUnlistedLength,
    total: lines.length,
    restLabel: "more",
  });
  return `These new pages are not in the navigation, so readers can find them only through search or links:\n\n${list}`;
}

/** Lists the changes page by page. Files that are not pages come last, together with the pages that show them. */
function formatChangedPages(input: ChangedPagesInput): string {
  const { changes, pages, directory } = input;
  const pageLines: string[] = [];
  const fileLines: string[] = [];
  for (const change of changes) {
    const page = pages.byFile.get(getSitePath(change.path, directory));
    if (page) pageLines.push(formatPageLine(input, change, page));
    else fileLines.push(formatFileLine(input, change));
  }
  const parts = [
    formatSection("Pages", pageLines, "more pages"),
    formatSection("Other files", fileLines, "more files"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "Nothing." : parts.join("\n\n");
}

function formatSection(title: string, lines: readonly string[], restLabel: string): string {
  if (lines.length === 0) return "";
  const list = formatBoundedList(lines, {
    maxLength: maxListLength,
    total: lines.length,
    restLabel: restLabel,
  });
  return `**${title}** (${lines.length})\n\n${list}`;
}

/** Returns the path within the site. A file outside the site's folder does not belong to any page. */
function getSitePath(path: string, directory: string): string {
  if (directory === ".") return path;
  return path.startsWith(`${directory}/`) ? path.slice(directory.length + 1) : "";
}

const kindLabels = {
  added: "New",
  modified: "Changed",
  deleted: "Removed",
  moved: "Moved",
} as const;

function formatPageLine(
  { pages, directory, previewUrl }: ChangedPagesInput,
  { path, kind, from }: ChangedFile,
  page: PageName,
): string {
  const isPresent = kind !== "deleted";
  const title =
    previewUrl && isPresent
      ? formatInertLink(page.title, previewUrl(page.path), maxTitleLength)
      : formatInertCode(page.title, maxTitleLength);
  const address = formatInertCode(toPageAddress(page.path), maxPathLength);
  const file = formatInertCode(path, maxPathLength);
  if (from === undefined) return `${kindLabels[kind]}: ${title} at ${address}, in ${file}`;
  const oldPage = pages.byFile.get(getSitePath(from, directory));
  const oldAddress = oldPage
    ? formatInertCode(toPageAddress(oldPage.path), maxPathLength)
    : formatInertCode(from, maxPathLength);
  return `${kindLabels[kind]}: ${title} from ${oldAddress} to ${address}, in ${file}`;
}

function toPageAddress(page: string): string {
  return page === "index" ? "/" : `/${page}`;
}

function formatFileLine(
  { pages, directory }: ChangedPagesInput,
  { path, kind, from }: ChangedFile,
): string {
  const origin = from === undefined ? "" : `${formatInertCode(from, maxPathLength)} to `;
  const line = `${kindLabels[kind]}: ${origin}${formatInertCode(path, maxPathLength)}`;
  const titles = pages.shownOn.get(getSitePath(path, directory)) ?? [];
  if (titles.length === 0) return line;
  const shownTitles = titles
    .slice(0, maxShownTitles)
    .map((title) => formatInertCode(title, maxTitleLength));
  const omittedCount = titles.length - shownTitles.length;
  return `${line}, shown on ${shownTitles.join(", ")}${omittedCount > 0 ? ` and ${omittedCount} more pages` : ""}`;
}

/**
 * Collects the pages on which readers see a site's files. `before` and `after` are the site before and after the work;
 * each is undefined if the folder was not a valid site then.
 */
export function describePages(
  view: SiteView,
  before: Site | undefined,
  after: Site | undefined,
): SitePages {
  const byFile = new Map<string, PageName>();
  const titles = new Map<string, string>();
  for (const { file, path, title } of before?.pages ?? []) byFile.set(file, { path, title });
  for (const { file, path, title } of after?.pages ?? []) {
    byFile.set(file, { path, title });
    titles.set(path, title);
  }
  const shownOn = new Map<string, readonly string[]>();
  for (const [file, paths] of view.pagesOfFiles()) {
    if (byFile.has(file)) continue;
    shownOn.set(file, paths.flatMap((path) => titles.get(path) ?? []).toSorted());
  }
  return { byFile, shownOn, unlisted: findUnlisted(after) };
}

function findUnlisted(site: Site | undefined): ReadonlySet<string> {
  const pages = site ? listUnlistedPages(site) : [];
  const visiblePages = pages.filter(({ frontmatter }) => frontmatter.hidden !== true);
  return new Set(visiblePages.map(({ file }) => file));
}

const descriptionHeading = /^ {0,3}#{1,6}[ \t]+.*(?:descri|summar|what|change|overview).*$/im;

/**
 * Returns the template with the description in the section that asks for it. The other sections are left for people.
 */
export function fillTemplate({ text }: PullRequestTemplate, description: string): string {
  const templateText = stripComments(text);
  const heading =
    descriptionHeading.exec(templateText) ?? /^ {0,3}#{1,6}[ \t]+.*$/m.exec(templateText);
  if (!heading) return `${description}\n\n${templateText}`;
  const end = heading.index + heading[0].length;
  return `${templateText.slice(0, end)}\n\n${description}\n${templateText.slice(end)}`;
}

const linkTarget = /\]\(<?([^()\s<>]{1,500})>?(?:\s[^()]{0,200})?\)/g;

/** Returns the addresses that the repository's template links to. */
function collectLinks({ text }: PullRequestTemplate): ReadonlySet<string> {
  return new Set([...text.matchAll(linkTarget)].map(([, address = ""]) => address));
}
