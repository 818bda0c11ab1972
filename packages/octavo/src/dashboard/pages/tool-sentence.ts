import type { AgentStep } from "../../jobs/index.ts";
import { count } from "../words.ts";

type ToolStep = Extract<AgentStep, { readonly type: "tool" }>;

/** A call of a tool as a person tells it. */
export interface ToolSentence {
  readonly text: string;
  /** What it was done to, as the model wrote it. */
  readonly subject: string | undefined;
  readonly result: string | undefined;
}

interface ToolWords {
  readonly done: string;
  readonly tried: string;
  /** Fields of the input that name the subject. */
  readonly subject: readonly string[];
}

const words: ReadonlyMap<string, ToolWords> = new Map([
  ["list", { done: "Listed the files", tried: "Tried to list files", subject: ["pattern"] }],
  ["search", { done: "Searched for", tried: "Tried to search for", subject: ["query"] }],
  ["read", { done: "Read", tried: "Tried to read", subject: ["path"] }],
  ["edit", { done: "Edited", tried: "Tried to edit", subject: ["path"] }],
  ["write", { done: "Wrote", tried: "Tried to write", subject: ["path"] }],
  ["move", { done: "Moved", tried: "Tried to move", subject: ["from", "to"] }],
  ["delete", { done: "Removed", tried: "Tried to remove", subject: ["path"] }],
  ["check", { done: "Checked the site", tried: "Tried to check the site", subject: [] }],
]);

const subjectLength = 200;
const resultLength = 500;

/** Of any call: what a model writes need not be what the tool takes. */
export function toolSentence({ tool, input, output, status }: ToolStep): ToolSentence {
  const known = words.get(tool);
  const isDone = status === "done";
  const parts = (known?.subject ?? []).flatMap((name) => textOf(field(input, name)) ?? []);
  return {
    text: known ? known[isDone ? "done" : "tried"] : `Called ${shortened(tool, 60)}`,
    subject: parts.length > 0 ? shortened(parts.join(" → "), subjectLength) : undefined,
    result: isDone
      ? resultOf(tool, output)
      : textOf(field(output, "error"))?.slice(0, resultLength),
  };
}

function resultOf(tool: string, output: unknown): string | undefined {
  const number = (name: string) => numberOf(field(output, name));
  if (tool === "check") {
    const [errors, warnings] = [number("errors"), number("warnings")];
    if (errors === undefined || warnings === undefined) return undefined;
    return `${count(errors, "error")}, ${count(warnings, "warning")}`;
  }
  const total = number("total");
  if (tool === "list" && total !== undefined) return count(total, "file");
  if (tool === "search" && total !== undefined) return count(total, "line");
  const changed = number("changed");
  if (tool === "edit" && changed !== undefined) return count(changed, "place");
  return undefined;
}

function field(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[name];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length).toWellFormed()}…` : text;
}
