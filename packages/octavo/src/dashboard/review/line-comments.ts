import { z } from "zod";

/** A line of a file in a pull request, before or after the change. */
export interface LinePosition {
  readonly path: string;
  readonly side: "before" | "after";
  readonly line: number;
}

/** A comment on a line. The text is empty until it is entered. */
export interface LineComment extends LinePosition {
  readonly text: string;
}

/** The contents of the form on a pull request's changes. They are not stored. */
export interface ReviewDraft {
  readonly message: string;
  readonly comments: readonly LineComment[];
  /** The paths of files that are shown with all their lines. */
  readonly wholeFiles: readonly string[];
}

export const emptyDraft: ReviewDraft = { message: "", comments: [], wholeFiles: [] };

const maxComments = 200;
const maxWholeFiles = 5;
const commentField = /^comment:([LR])(\d{1,9}):(.+)$/s;
const wholeField = /^whole:(.+)$/s;

/** Returns the name of a comment's form field. */
export const getCommentFieldName = (position: LinePosition): string =>
  `comment:${formatLinePosition(position)}`;
export const getWholeFileFieldName = (path: string): string => `whole:${path}`;

/** Formats a position: `R12:guide.mdx` is line 12 after the change; `L12:…` is line 12 before it. */
export function formatLinePosition({ path, side, line }: LinePosition): string {
  return `${side === "before" ? "L" : "R"}${line}:${path}`;
}

const Fields = z.record(z.string(), z.string());

/** Reads the form. `on` is the position of the line whose button was clicked to open a comment. */
export function readDraft(body: unknown): ReviewDraft {
  const { on, message = "", ...fields } = Fields.catch({}).parse(body ?? {});
  const names = Object.entries(fields);
  if (on !== undefined && fields[`comment:${on}`] === undefined) names.push([`comment:${on}`, ""]);
  const comments = names.flatMap(([name, text]) => readComment(name, text)).slice(0, maxComments);
  const wholeFiles = names
    .flatMap(([name]) => wholeField.exec(name)?.[1] ?? [])
    .slice(0, maxWholeFiles);
  return { message: toLines(message), comments, wholeFiles };
}

function readComment(name: string, text: string): readonly LineComment[] {
  const [, side, line, path] = commentField.exec(name) ?? [];
  if (path === undefined) return [];
  const position = { path, side: side === "L" ? ("before" as const) : ("after" as const) };
  return [{ ...position, line: Number(line), text: toLines(text) }];
}

function toLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

/** A comment with the text of its line, if the line could be read. */
export interface QuotedComment extends LineComment {
  readonly quote: string | undefined;
}

const maxQuoteLength = 300;

/** Combines a review's message and comments into an instruction for an agent and for people. */
export function toInstruction(message: string, comments: readonly QuotedComment[]): string {
  const points = comments.map(({ path, side, line, text, quote }) => {
    const sideNote = side === "before" ? ", before the change" : "";
    const quoteBlock =
      quote === undefined ? "" : `\n> ${quote.slice(0, maxQuoteLength).toWellFormed()}\n`;
    return `\`${path}\`, line ${line}${sideNote}:\n${quoteBlock}\n${text.trim()}`;
  });
  return [...points, message.trim()].filter((part) => part !== "").join("\n\n");
}
