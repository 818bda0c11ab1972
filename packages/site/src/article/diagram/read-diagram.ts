import { findFrontmatter } from "../../text/index.ts";
import { hasPrivateSigns, type KnownDiagram } from "./known-diagram.ts";
import { readClassDiagram } from "./read-class-diagram.ts";
import { readEntityDiagram } from "./read-entity-diagram.ts";
import { readFlowchart } from "./read-flowchart.ts";
import { readSequenceDiagram } from "./read-sequence-diagram.ts";
import { readStateDiagram } from "./read-state-diagram.ts";

/** A diagram's source, divided into what each part is for. */
export interface DiagramSource {
  /** `title` of its frontmatter or of the diagram, or its `accTitle`. */
  readonly title?: string;
  /** Its `accDescr`. */
  readonly description?: string;
  /** The diagram as the drawing library reads it; undefined if some of its statements would be lost. */
  readonly known?: KnownDiagram;
  /** Whether it is certain that Mermaid reads the diagram. */
  readonly isAccepted: boolean;
}

/** Limits of the drawing library: the time of its layout grows with the square of the edges. */
const limits = { lines: 600, edges: 300, lineLength: 2_000, joined: 40 };
const maxLength = 50_000;

const directive = /^[ \t]*%%\{[^]*?\}%%[ \t]*$/gm;
const arrow = /(?:--|==|-\.|\.\.|<\||\|>|->|~~)/;
const accessibleForm = /^acc(Title|Descr)[ \t]*:[ \t]*(.*)$/;
/** Settings that add to a drawing what the library does not draw. */
const addedBySettings = /showSequenceNumbers|hideEmptyMembersBox|showCommitLabel|wrap\W+true/;

/** Settings that Mermaid reads for certain. */
const plainSettings = /^(?:[ \t]*[\w-]+:[ \t]*[\w .-]*\n?)*$/;

const kinds: readonly (readonly [
  RegExp,
  (lines: readonly string[]) => KnownDiagram | undefined,
])[] = [
  [/^(?:graph|flowchart)(?![\w-])/, readFlowchart],
  [/^sequenceDiagram$/, readSequenceDiagram],
  [/^classDiagram(?:-v2)?$/, readClassDiagram],
  [/^stateDiagram(?:-v2)?$/, readStateDiagram],
  [/^erDiagram$/, readEntityDiagram],
];

/** Accounts for every statement of a diagram. */
export function readDiagram(source: string): DiagramSource {
  const block = findFrontmatter(source);
  const head = typeof block === "object" ? block : undefined;
  const settings = (source.match(directive) ?? []).join("\n") + (head?.text ?? "");
  const body = source.slice(head?.bodyStart).replaceAll(directive, "");
  const { lines, ...names } = readStatements(body);
  const title = readTitle(head?.text ?? "");
  const found = { ...names, ...(title === undefined ? {} : { title }) };
  const isReadable = isWithinLimits(source, body) && !hasPrivateSigns(source);
  const read = isReadable ? readKind(lines) : undefined;
  if (read === undefined) return { ...found, isAccepted: false };
  const isDrawn = read.isDrawn !== false && !addedBySettings.test(settings);
  const named = read.title === undefined ? found : { title: read.title, ...found };
  return {
    ...named,
    ...(isDrawn ? { known: read } : {}),
    isAccepted: plainSettings.test(settings),
  };
}

/** Divides the text into statements, without comments, and the names that it gives to screen readers. */
function readStatements(body: string): { lines: string[]; title?: string; description?: string } {
  const lines: string[] = [];
  const names: { title?: string; description?: string } = {};
  for (const line of body.split("\n").map((text) => text.trim())) {
    const [isName, kind, text = ""] = accessibleForm.exec(line) ?? [];
    if (isName !== undefined) names[kind === "Title" ? "title" : "description"] = text;
    else if (line !== "" && !line.startsWith("%%")) lines.push(line);
  }
  return { lines, ...names };
}

function readKind(lines: readonly string[]): KnownDiagram | undefined {
  const [first = ""] = lines;
  return kinds.find(([header]) => header.test(first))?.[1](lines);
}

function readTitle(head: string): string | undefined {
  const found = /^title:[ \t]*(\S[^\n]*)$/m.exec(head)?.[1];
  return found?.trim().replace(/^(["'])(.*)\1$/, "$2");
}

function isWithinLimits(source: string, body: string): boolean {
  const lines = body.split("\n");
  if (source.length > maxLength || lines.length > limits.lines) return false;
  if (lines.some((line) => line.length > limits.lineLength)) return false;
  // A sequence diagram is laid out line by line; in other diagrams each line is an edge to be routed.
  const isSequence = /^\s*sequenceDiagram\b/.test(body);
  const edges = lines.filter((line) => arrow.test(line)).length;
  // `A & B --> C & D` means every pair.
  return (isSequence || edges <= limits.edges) && body.split("&").length <= limits.joined;
}
