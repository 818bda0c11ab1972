import type { Problem } from "../render/index.ts";
import { findActiveContent } from "./active-content.ts";
import type { ActiveContent } from "./active-content.ts";
import type { ProblemChanges } from "./problem-changes.ts";
import type { ChangedFile } from "./workspace.ts";

export interface PullRequestInput {
  /** The instructions of the job so far, the latest last. */
  readonly instructions: readonly string[];
  /** The model's words. */
  readonly summary: string;
  readonly model: string;
  readonly changes: readonly ChangedFile[];
  /** The change as git's unified diff; undefined where it is too large for one. */
  readonly diff: string | undefined;
  readonly problems: ProblemChanges;
}

export interface PullRequestText {
  readonly title: string;
  /** Markdown. */
  readonly body: string;
}

const titleLength = 72;
const quoteLength = 4_000;
const quoteWidth = 100;
const listed = 100;
const listedActive = 40;

/**
 * Title and body of a pull request: what was asked, what changed, what of it a person should look at
 * because it could act in a reader's browser, what was checked and what was not.
 * What people, models and repositories wrote stands in code, so that it mentions nobody, closes no
 * issue, shows no picture and holds no HTML.
 */
export function pullRequestText(input: PullRequestInput): PullRequestText {
  return { title: pullRequestTitle(input.instructions[0] ?? ""), body: bodyOf(input) };
}

/** The first line of an instruction, as a title. */
export function pullRequestTitle(instruction: string): string {
  const text = inert(instruction.split("\n", 1)[0] ?? "");
  if (text === "") return "Edit the documentation";
  if (text.length <= titleLength) return text;
  const cut = text.slice(0, titleLength - 1);
  const end = cut.lastIndexOf(" ");
  return `${(end > titleLength / 2 ? cut.slice(0, end) : cut).toWellFormed()}…`;
}

/** Text in which a code host sees neither people nor issues: titles know no code. */
function inert(text: string): string {
  return text
    .replaceAll(/[\p{Cc}\p{Cf}]+/gu, " ")
    .replaceAll(/https?:\/\//gi, "")
    .replaceAll(/[@#<>!`]/g, "")
    .replaceAll(/\bgh-(?=\d)/gi, "GH ")
    .replaceAll(/\s+/g, " ")
    .trim();
}

function bodyOf(input: PullRequestInput): string {
  const { instructions, summary, model, changes, diff, problems } = input;
  const asked = instructions.map((text) => quote(text)).join("\n\n");
  const active = diff === undefined ? undefined : findActiveContent(diff);
  return [
    `Made by Octavo with the model ${code(model)}. Please review it as you would any other.`,
    `### What was asked\n\n${asked}`,
    `### What the model says it did\n\n${quote(summary)}`,
    `### What changed\n\n${changeList(changes)}`,
    ...lookSection(active),
    `### What was checked\n\n${checkList(problems)}`,
    ...(active?.length === 0 ? [nothingActive] : []),
    "### What was not checked\n\n- Whether what the pages say is right.\n- Links to other sites.\n- How pages look in a browser.",
  ].join("\n\n");
}

/** A block of code that nothing in the text can close, its lines folded as code hosts do not. */
function quote(text: string): string {
  const clean = text.replaceAll(/[^\P{C}\n\t]/gu, "").trim();
  const cut = clean.length > quoteLength ? `${clean.slice(0, quoteLength)}…` : clean;
  const longest = cut.match(/`+/g)?.reduce((most, run) => Math.max(most, run.length), 0) ?? 0;
  const fence = "`".repeat(Math.max(3, longest + 1));
  return `${fence}text\n${cut.split("\n").map(folded).join("\n")}\n${fence}`;
}

function folded(line: string): string {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > quoteWidth) {
    const space = rest.lastIndexOf(" ", quoteWidth);
    const end = space > quoteWidth / 2 ? space : quoteWidth;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  return [...lines, rest].join("\n");
}

/** A span of code on one line; what would close it is written otherwise. */
function code(text: string): string {
  return `\`${text.replaceAll(/[\p{C}\n]/gu, " ").replaceAll("`", "'")}\``;
}

function changeList(changes: readonly ChangedFile[]): string {
  const lines = changes.slice(0, listed).map((change) => `- ${changeLine(change)}`);
  if (changes.length > listed) lines.push(`- and ${changes.length - listed} more files`);
  return lines.length === 0 ? "Nothing." : lines.join("\n");
}

const kindWords = {
  added: "New",
  modified: "Changed",
  deleted: "Removed",
  moved: "Moved",
} as const;

function changeLine({ path, kind, from }: ChangedFile): string {
  const origin = from === undefined ? "" : `${code(from)} to `;
  return `${kindWords[kind]}: ${origin}${code(path)}`;
}

/** Words that are true only where nothing was found. */
const nothingActive =
  "The lines that this change adds were searched for scripts, frames, forms, event handlers and addresses that are code, and in configuration and API descriptions for new addresses: there are none.";

function lookSection(active: readonly ActiveContent[] | undefined): string[] {
  const head = "### Please look at";
  if (active === undefined) {
    return [
      `${head}\n\nThis change is too large to be searched for scripts, frames and new addresses. Look for them in its files.`,
    ];
  }
  if (active.length === 0) return [];
  const lines = active
    .slice(0, listedActive)
    .map(({ path, line, what, text }) => `- ${code(`${path}:${line}`)}, ${what}: ${code(text)}`);
  if (active.length > lines.length) lines.push(`- and ${active.length - lines.length} more`);
  return [
    `${head}\n\nThe change adds what can run code in a reader's browser, or leads somewhere new. Is it wanted?\n\n${lines.join("\n")}`,
  ];
}

function checkList({ before, after, resolved, added }: ProblemChanges): string {
  const parts = [
    "The whole site was rendered before and after: configuration, navigation, pages, links between pages, anchors and files.",
    `| | before | after |\n| --- | --- | --- |\n| errors | ${before.errors} | ${after.errors} |\n| warnings | ${before.warnings} | ${after.warnings} |`,
  ];
  if (resolved.length > 0) parts.push(`Resolved (${resolved.length}):\n\n${problemList(resolved)}`);
  if (added.length > 0) parts.push(`New (${added.length}):\n\n${problemList(added)}`);
  return parts.join("\n\n");
}

function problemList(problems: readonly Problem[]): string {
  const lines = problems.slice(0, 20).map(({ severity, file, line, message }) => {
    const place = line === undefined ? file : `${file}:${line}`;
    return `- ${severity} in ${code(place)}: ${code(message.slice(0, 300))}`;
  });
  if (problems.length > lines.length) lines.push(`- and ${problems.length - lines.length} more`);
  return lines.join("\n");
}
