import { formatCount } from "../../core/index.ts";
import type { ToolResult } from "./tool.ts";

/** A tool call of a transcript, or one that the service reported. */
interface ToolCallRecord {
  readonly tool: string;
  /** The input as the model wrote it, unvalidated. */
  readonly input: unknown;
  readonly output: unknown;
  readonly status: ToolResult["status"];
}

/** A description of a tool call for people. */
export interface ToolCallDescription {
  readonly text: string;
  /** The call's subject in the model's words. */
  readonly subject: string | undefined;
  readonly result: string | undefined;
}

interface ToolWords {
  readonly done: string;
  readonly tried: string;
  /** The input fields that name the subject. */
  readonly subject: readonly string[];
}

/** Words for searches with a regular expression that people cannot read, which is then not shown. */
const patternWords: ReadonlyMap<string, ToolWords> = new Map([
  [
    "search",
    { done: "Searched for a pattern", tried: "Tried to search for a pattern", subject: [] },
  ],
  [
    "source_search",
    {
      done: "Searched for a pattern in the source",
      tried: "Tried to search for a pattern in the source",
      subject: ["source"],
    },
  ],
]);

const words: ReadonlyMap<string, ToolWords> = new Map([
  ["list", { done: "Listed the files", tried: "Tried to list files", subject: ["pattern"] }],
  ["search", { done: "Searched for", tried: "Tried to search for", subject: ["query"] }],
  ["read", { done: "Read", tried: "Tried to read", subject: ["path"] }],
  ["edit", { done: "Edited", tried: "Tried to edit", subject: ["path"] }],
  ["replace", { done: "Replaced", tried: "Tried to replace", subject: ["old", "new"] }],
  ["write", { done: "Wrote", tried: "Tried to write", subject: ["path"] }],
  ["move", { done: "Moved", tried: "Tried to move", subject: ["from", "to"] }],
  ["delete", { done: "Removed", tried: "Tried to remove", subject: ["path"] }],
  [
    "rename_term",
    { done: "Renamed a term", tried: "Tried to rename a term", subject: ["from", "to"] },
  ],
  ["repair_links", { done: "Repaired links", tried: "Tried to repair links", subject: [] }],
  ["set_fields", { done: "Set fields", tried: "Tried to set fields", subject: [] }],
  ["comments", { done: "Read the comments", tried: "Tried to read comments", subject: [] }],
  [
    "answer_comment",
    { done: "Answered a comment", tried: "Tried to answer a comment", subject: ["answer"] },
  ],
  [
    "describe",
    {
      done: "Described the change",
      tried: "Tried to describe the change",
      subject: ["title"],
    },
  ],
  [
    "source_list",
    {
      done: "Listed files of a source",
      tried: "Tried to list a source",
      subject: ["source", "pattern"],
    },
  ],
  [
    "source_search",
    {
      done: "Searched a source for",
      tried: "Tried to search a source for",
      subject: ["source", "query"],
    },
  ],
  [
    "source_read",
    { done: "Read a source", tried: "Tried to read a source", subject: ["source", "path"] },
  ],
  [
    "source_log",
    {
      done: "Read the history of a source",
      tried: "Tried to read a source's history",
      subject: ["source", "from"],
    },
  ],
  [
    "source_diff",
    {
      done: "Compared commits of a source",
      tried: "Tried to compare commits of a source",
      subject: ["source", "from", "path"],
    },
  ],
  [
    "source_removed",
    {
      done: "Searched the sources for names used in pages",
      tried: "Tried to search the sources for names used in pages",
      subject: [],
    },
  ],
  [
    "history",
    { done: "Read the history of", tried: "Tried to read the history of", subject: ["path"] },
  ],
  ["view", { done: "Looked at", tried: "Tried to look at", subject: ["path"] }],
  ["blame", { done: "Read who wrote", tried: "Tried to read who wrote", subject: ["path"] }],
  ["check", { done: "Checked", tried: "Tried to check", subject: ["path"] }],
]);

/** The activity of a call. Consecutive calls of the same activity are shown as one. */
export type Activity = "look" | "change" | "other";

const changing: ReadonlySet<string> = new Set([
  "edit",
  "replace",
  "write",
  "move",
  "delete",
  "rename_term",
  "repair_links",
  "set_fields",
]);
const others: ReadonlySet<string> = new Set(["check", "describe", "answer_comment"]);

export function getActivity(tool: string): Activity {
  if (changing.has(tool)) return "change";
  return others.has(tool) || !words.has(tool) ? "other" : "look";
}

const maxSubjectLength = 200;
const maxResultLength = 500;

/** Describes a tool call. Accepts any call, because the model's input may not match the tool's schema. */
export function describeToolCall({
  tool,
  input,
  output,
  status,
}: ToolCallRecord): ToolCallDescription {
  const known = (isPattern(input) ? patternWords.get(tool) : undefined) ?? words.get(tool);
  const isDone = status === "done";
  const parts = (known?.subject ?? []).flatMap((name) => toText(getField(input, name)) ?? []);
  return {
    text: known ? known[isDone ? "done" : "tried"] : `Called ${shorten(tool, 60)}`,
    subject: parts.length > 0 ? shorten(parts.join(" → "), maxSubjectLength) : undefined,
    result: isDone
      ? describeResult(tool, output)
      : toText(getField(output, "error"))?.slice(0, maxResultLength),
  };
}

/** Reports whether an input is a search that only people who know the syntax can read, unlike `retries|timeout`. */
function isPattern(input: unknown): boolean {
  const query = toText(getField(input, "query")) ?? "";
  return getField(input, "isRegex") === true && !/^[\p{L}\p{N} _|-]+$/u.test(query);
}

/** Formats a tool call as one line of text, e.g. `Read index.mdx`. */
export function formatToolCall(call: ToolCallRecord): string {
  const { text, subject, result } = describeToolCall(call);
  const object = subject === undefined ? "" : ` ${subject}`;
  return `${text}${object}${result === undefined ? "" : `: ${result}`}`;
}

/** The unit of `total` in each tool's output. */
const counted: ReadonlyMap<string, string> = new Map([
  ["list", "file"],
  ["search", "line"],
  ["source_list", "file"],
  ["source_search", "line"],
  ["source_removed", "removed name"],
]);

function describeResult(tool: string, output: unknown): string | undefined {
  const number = (name: string) => toNumber(getField(output, name));
  if (tool === "check") {
    const [errors, warnings] = [number("errors"), number("warnings")];
    if (errors === undefined || warnings === undefined) return undefined;
    return `${formatCount(errors, "error")}, ${formatCount(warnings, "warning")}`;
  }
  const total = number("total");
  const unit = counted.get(tool);
  if (unit !== undefined && total !== undefined) return formatCount(total, unit);
  const changed = number("changed");
  if (tool === "edit" && changed !== undefined) return formatCount(changed, "change");
  const files = number("changedFiles");
  if (files !== undefined) return formatCount(files, "changed file");
  return undefined;
}

function getField(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function toText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function toNumber(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
