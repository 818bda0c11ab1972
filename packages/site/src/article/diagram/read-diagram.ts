import { findFrontmatter } from "../../text/index.ts";
import { hasPrivateSigns, type KnownDiagram } from "./known-diagram.ts";
import { readClassDiagram } from "./read-class-diagram.ts";
import { readEntityDiagram } from "./read-entity-diagram.ts";
import { readFlowchart } from "./read-flowchart.ts";
import { readSequenceDiagram } from "./read-sequence-diagram.ts";
import { readStateDiagram } from "./read-state-diagram.ts";

/** The contents of a diagram's source. */
interface DiagramSource {
  /** The `title` of the frontmatter or of the diagram, or the `accTitle`. */
  readonly title?: string;
  /** The `accDescr`. */
  readonly description?: string;
  /** The diagram in the form that the drawing library reads; undefined if statements would be lost. */
  readonly known?: KnownDiagram;
  /** Whether it is certain that Mermaid accepts the diagram. */
  readonly isAccepted: boolean;
}

/** The limits for the drawing library, whose layout time is quadratic in the number of edges. */
const limits = { lines: 600, edges: 300, lineLength: 2_000, joinedNodes: 40 };
const maxLength = 50_000;

const directivePattern = /^[ \t]*%%\{[^]*?\}%%[ \t]*$/gm;
const arrowPattern = /(?:--|==|-\.|\.\.|<\||\|>|->|~~)/;
const accessibleForm = /^acc(Title|Descr)[ \t]*:[ \t]*(.*)$/;
/** Matches settings that add elements that the library does not draw. */
const addedBySettings = /showSequenceNumbers|hideEmptyMembersBox|showCommitLabel|wrap\W+true/;

/** Matches settings that Mermaid is certain to accept. */
const plainSettings = /^(?:[ \t]*[\w-]+:[ \t]*[\w .-]*\n?)*$/;

const readersByHeader: readonly (readonly [
  RegExp,
  (lines: readonly string[]) => KnownDiagram | undefined,
])[] = [
  [/^(?:graph|flowchart)(?![\w-])/, readFlowchart],
  [/^sequenceDiagram$/, readSequenceDiagram],
  [/^classDiagram(?:-v2)?$/, readClassDiagram],
  [/^stateDiagram(?:-v2)?$/, readStateDiagram],
  [/^erDiagram$/, readEntityDiagram],
];

/** Reads all statements of a diagram. */
export function readDiagram(source: string): DiagramSource {
  const block = findFrontmatter(source);
  const head = typeof block === "object" ? block : undefined;
  const settings = (source.match(directivePattern) ?? []).join("\n") + (head?.text ?? "");
  const body = source.slice(head?.bodyStart).replaceAll(directivePattern, "");
  const { lines, ...names } = readStatements(body);
  const title = readTitle(head?.text ?? "");
  const sourceNames = { ...names, ...(title === undefined ? {} : { title }) };
  const isReadable = isWithinLimits(source, body) && !hasPrivateSigns(source);
  const diagram = isReadable ? readKind(lines) : undefined;
  if (diagram === undefined) return { ...sourceNames, isAccepted: false };
  const isDrawn = diagram.isDrawn !== false && !addedBySettings.test(settings);
  const allNames =
    diagram.title === undefined ? sourceNames : { title: diagram.title, ...sourceNames };
  return {
    ...allNames,
    ...(isDrawn ? { known: diagram } : {}),
    isAccepted: plainSettings.test(settings),
  };
}

/** Splits the text into statements without comments, and the title and description for screen readers. */
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
  return readersByHeader.find(([header]) => header.test(first))?.[1](lines);
}

function readTitle(head: string): string | undefined {
  const found = /^title:[ \t]*(\S[^\n]*)$/m.exec(head)?.[1];
  return found?.trim().replace(/^(["'])(.*)\1$/, "$2");
}

function isWithinLimits(source: string, body: string): boolean {
  const lines = body.split("\n");
  if (source.length > maxLength || lines.length > limits.lines) return false;
  if (lines.some((line) => line.length > limits.lineLength)) return false;
  // A sequence diagram is laid out line by line. In other diagrams, each line is an edge that must be routed.
  const isSequence = /^\s*sequenceDiagram\b/.test(body);
  const edges = lines.filter((line) => arrowPattern.test(line)).length;
  // `A & B --> C & D` creates an edge for every pair.
  return (isSequence || edges <= limits.edges) && body.split("&").length <= limits.joinedNodes;
}
