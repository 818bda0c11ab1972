import type { CommitConvention } from "../../core/index.ts";
import type { RepositoryReader } from "../guides/find-guides.ts";
import { getCurrentTurn, type TranscriptEntry } from "../transcript.ts";
import { stripComments } from "./sanitize-markdown.ts";

/** The repository's conventions for titles and descriptions of pull requests. */
export interface PullRequestForm {
  readonly convention: CommitConvention;
  readonly template?: PullRequestTemplate | undefined;
}

/** The model's text for the pull request, written with the tool `describe`. The text is untrusted. */
export interface ModelDescription {
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  /** The subject of the turn's commit, if it differs from the title. */
  readonly commit?: string | undefined;
}

/** Returns the last description of the current turn. */
export function findLastDescription(
  entries: readonly TranscriptEntry[],
): ModelDescription | undefined {
  const call = getCurrentTurn(entries).findLast(
    (entry) => entry.type === "tool" && entry.tool === "describe" && entry.status === "done",
  );
  // The tool accepted the input, so it has this form.
  return call?.type === "tool" ? (call.input as ModelDescription) : undefined;
}

/** A repository's template for descriptions of pull requests. */
interface PullRequestTemplate {
  /** The path from the repository's root. */
  readonly path: string;
  /** Markdown, including its notes to the author. */
  readonly text: string;
}

/** The maximum length. A longer template would leave the model too little room for the site. */
const maxLength = 6_000;
const singleName = /^pull_request_template\.(?:md|markdown|txt)$/i;
const singleFolders = [".github", "", "docs"] as const;
/** Folders of templates, one of which is chosen by name. */
const variantFolders = [
  ".github/PULL_REQUEST_TEMPLATE",
  ".github/pull_request_template",
  "PULL_REQUEST_TEMPLATE",
  "docs/PULL_REQUEST_TEMPLATE",
  ".gitlab/merge_request_templates",
] as const;
const variantName = /\.(?:md|markdown|txt)$/i;

/**
 * Finds the template for a documentation change. If there are several, this is the one for documentation, or otherwise
 * the default one. Undefined if there is no such template, or if it is too long.
 */
export async function findTemplate(
  reader: RepositoryReader,
): Promise<PullRequestTemplate | undefined> {
  for (const folder of variantFolders) {
    const names = (await reader.list(folder)).filter((name) => variantName.test(name));
    const name = names.find((one) => /^docs?\b|documentation/i.test(one));
    if (name !== undefined) return await readTemplate(reader, `${folder}/${name}`);
  }
  for (const folder of singleFolders) {
    const name = (await reader.list(folder)).find((one) => singleName.test(one));
    const path = folder === "" ? name : `${folder}/${name}`;
    if (name !== undefined && path !== undefined) return await readTemplate(reader, path);
  }
  for (const folder of variantFolders) {
    const names = (await reader.list(folder)).filter((name) => variantName.test(name));
    const name = names.find((one) => /^default\b/i.test(one)) ?? names[0];
    const isChosen = names.length === 1 || /^default\b/i.test(name ?? "");
    if (name !== undefined && isChosen) return await readTemplate(reader, `${folder}/${name}`);
  }
  return undefined;
}

async function readTemplate(
  reader: RepositoryReader,
  path: string,
): Promise<PullRequestTemplate | undefined> {
  const text = (await reader.read(path))?.replace(/^---\n[^]*?\n---\n/, "").trim();
  return text === undefined || text === "" || text.length > maxLength ? undefined : { path, text };
}

const headingLine = /^ {0,3}#{1,6}[ \t]+(.+?)[ \t#]*$/gm;

/** Returns the headings of the template that a description omits. */
export function findMissingHeadings({ text }: PullRequestTemplate, description: string): string[] {
  const has = new Set(listHeadings(description).map(fold));
  return listHeadings(stripComments(text)).filter((heading) => !has.has(fold(heading)));
}

function listHeadings(text: string): string[] {
  return [...text.matchAll(headingLine)].map(([, words = ""]) => words);
}

function fold(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

const descriptionHeading = /^ {0,3}#{1,6}[ \t]+.*(?:descri|summar|what|change|overview).*$/im;

/**
 * Returns the template with the description in the section that asks for it. The other sections are left for people.
 */
export function fillTemplate({ text }: PullRequestTemplate, description: string): string {
  const plain = stripComments(text);
  const heading = descriptionHeading.exec(plain) ?? /^ {0,3}#{1,6}[ \t]+.*$/m.exec(plain);
  if (!heading) return `${description}\n\n${plain}`;
  const end = heading.index + heading[0].length;
  return `${plain.slice(0, end)}\n\n${description}\n${plain.slice(end)}`;
}

const linkTarget = /\]\(<?([^()\s<>]{1,500})>?(?:\s[^()]{0,200})?\)/g;

/** Returns the addresses to which the repository's template links. */
export function collectLinks({ text }: PullRequestTemplate): ReadonlySet<string> {
  return new Set([...text.matchAll(linkTarget)].map(([, address = ""]) => address));
}
