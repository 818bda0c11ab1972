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
  readonly subjectFields: readonly string[];
}

/** Wording for searches whose regular expression is hard to read and therefore not shown. */
const patternWords: ReadonlyMap<string, ToolWords> = new Map([
  [
    "search",
    { done: "Searched for a pattern", tried: "Tried to search for a pattern", subjectFields: [] },
  ],
  [
    "source_search",
    {
      done: "Searched for a pattern in the source",
      tried: "Tried to search for a pattern in the source",
      subjectFields: ["source"],
    },
  ],
]);

const toolWords: ReadonlyMap<string, ToolWords> = new Map([
  ["list", { done: "Listed the files", tried: "Tried to list files", subjectFields: ["pattern"] }],
  ["search", { done: "Searched for", tried: "Tried to search for", subjectFields: ["query"] }],
  ["read", { done: "Read", tried: "Tried to read", subjectFields: ["path"] }],
  ["edit", { done: "Edited", tried: "Tried to edit", subjectFields: ["path"] }],
  ["replace", { done: "Replaced", tried: "Tried to replace", subjectFields: ["old", "new"] }],
  ["write", { done: "Wrote", tried: "Tried to write", subjectFields: ["path"] }],
  ["move", { done: "Moved", tried: "Tried to move", subjectFields: ["from", "to"] }],
  ["delete", { done: "Removed", tried: "Tried to remove", subjectFields: ["path"] }],
  [
    "rename_term",
    { done: "Renamed a term", tried: "Tried to rename a term", subjectFields: ["from", "to"] },
  ],
  ["repair_links", { done: "Repaired links", tried: "Tried to repair links", subjectFields: [] }],
  ["set_fields", { done: "Set fields", tried: "Tried to set fields", subjectFields: [] }],
  ["comments", { done: "Read the comments", tried: "Tried to read comments", subjectFields: [] }],
  [
    "answer_comment",
    { done: "Answered a comment", tried: "Tried to answer a comment", subjectFields: ["answer"] },
  ],
  [
    "describe",
    {
      done: "Described the change",
      tried: "Tried to describe the change",
      subjectFields: ["title"],
    },
  ],
  [
    "source_list",
    {
      done: "Listed files of a source",
      tried: "Tried to list a source",
      subjectFields: ["source", "pattern"],
    },
  ],
  [
    "source_search",
    {
      done: "Searched a source for",
      tried: "Tried to search a source for",
      subjectFields: ["source", "query"],
    },
  ],
  [
    "source_read",
    { done: "Read a source", tried: "Tried to read a source", subjectFields: ["source", "path"] },
  ],
  [
    "source_log",
    {
      done: "Read the history of a source",
      tried: "Tried to read a source's history",
      subjectFields: ["source", "from"],
    },
  ],
  [
    "source_diff",
    {
      done: "Compared commits of a source",
      tried: "Tried to compare commits of a source",
      subjectFields: ["source", "from", "path"],
    },
  ],
  [
    "source_removed",
    {
      done: "Searched the sources for names used in pages",
      tried: "Tried to search the sources for names used in pages",
      subjectFields: [],
    },
  ],
  [
    "history",
    { done: "Read the history of", tried: "Tried to read the history of", subjectFields: ["path"] },
  ],
  ["view", { done: "Looked at", tried: "Tried to look at", subjectFields: ["path"] }],
  [
    "blame",
    {
      done: "Looked up the last changes of",
      tried: "Tried to look up the last changes of",
      subjectFields: ["path"],
    },
  ],
  ["check", { done: "Checked", tried: "Tried to check", subjectFields: ["path"] }],
]);

/** The activity of a call. Consecutive calls of the same activity are shown as one. */
export type Activity = "look" | "change" | "other";

const changingTools: ReadonlySet<string> = new Set([
  "edit",
  "replace",
  "write",
  "move",
  "delete",
  "rename_term",
  "repair_links",
  "set_fields",
]);
const otherTools: ReadonlySet<string> = new Set(["check", "describe", "answer_comment"]);

export function getActivity(tool: string): Activity {
  if (changingTools.has(tool)) return "change";
  return otherTools.has(tool) || !toolWords.has(tool) ? "other" : "look";
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
  const wording = (isPattern(input) ? patternWords.get(tool) : undefined) ?? toolWords.get(tool);
  const isDone = status === "done";
  const subjects = (wording?.subjectFields ?? []).flatMap(
    (name) => toText(getField(input, name)) ?? [],
  );
  return {
    text: wording ? wording[isDone ? "done" : "tried"] : `Called ${shorten(tool, 60)}`,
    subject: subjects.length > 0 ? shorten(subjects.join(" → "), maxSubjectLength) : undefined,
    result: isDone
      ? describeResult(tool, output)
      : toText(getField(output, "error"))?.slice(0, maxResultLength),
  };
}

/** Reports whether an input is a regular expression that is hard to read, unlike `retries|timeout`. */
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
const totalUnits: ReadonlyMap<string, string> = new Map([
  ["list", "file"],
  ["search", "line"],
  ["source_list", "file"],
  ["source_search", "line"],
  ["source_removed", "removed name"],
]);

function describeResult(tool: string, output: unknown): string | undefined {
  const getNumber = (name: string) => toNumber(getField(output, name));
  if (tool === "check") {
    const [errors, warnings] = [getNumber("errors"), getNumber("warnings")];
    if (errors === undefined || warnings === undefined) return undefined;
    return `${formatCount(errors, "error")}, ${formatCount(warnings, "warning")}`;
  }
  const total = getNumber("total");
  const unit = totalUnits.get(tool);
  if (unit !== undefined && total !== undefined) return formatCount(total, unit);
  const changed = getNumber("changed");
  if (tool === "edit" && changed !== undefined) return formatCount(changed, "change");
  const files = getNumber("changedFiles");
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
