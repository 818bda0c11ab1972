import { spanOf, type RawNode } from "./raw-node.ts";
import type { JsxValue, MarkdownNode, Place } from "./tree.ts";
import type { SourceFile } from "./source-file.ts";
import type { Twin } from "./twin.ts";
import type { LexicalScope, Value } from "./script/value.ts";

/** One use of a file, the page itself or a snippet, with what was passed to it. */
export interface ExpansionFrame {
  readonly file: SourceFile;
  readonly scope: LexicalScope;
  readonly twin: Twin;
  /** Values passed by name; only these are replaced inside code. */
  readonly props: ReadonlyMap<string, Value>;
  /** The content between the tags, and its Markdown. */
  readonly slot?: { readonly value: JsxValue; readonly markdown: string };
}

const placeholder = /\{(?:props\.)?([A-Za-z_$][\w$]*)\}/g;

/** A code block or code span with `{name}` replaced in it and in its title; other nodes are returned unchanged. */
export function fillCode(node: MarkdownNode, frame: ExpansionFrame): MarkdownNode {
  if (node.type !== "code" && node.type !== "inlineCode") return node;
  const value = fillText(node.value, frame);
  const meta = node.type === "code" && node.meta !== undefined ? fillText(node.meta, frame) : "";
  if (node.type === "inlineCode") return value === node.value ? node : { ...node, value };
  const isSame = value === node.value && meta === (node.meta ?? "");
  return isSame ? node : { ...node, value, meta };
}

/** `text` with `{name}` replaced where `name` was passed to this use of a snippet. */
export function fillText(text: string, { props: passed }: ExpansionFrame): string {
  if (passed.size === 0 || !text.includes("{")) return text;
  return text.replace(placeholder, (whole, name: string) => {
    const value = passed.get(name);
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
}

/** Where `node` of the frame's file was written. */
export function placeOfNode(node: RawNode, { file }: ExpansionFrame): Place {
  const { line, column } = node.position?.start ?? { line: 1, column: 1 };
  return { file: file.path, line, column };
}

/** The Markdown of a node's children, with the edits made to it since `mark`. */
export function markdownOfChildren(node: RawNode, { twin }: ExpansionFrame, mark: number): string {
  const [first, last] = [node.children?.at(0), node.children?.at(-1)];
  if (!first || !last) return "";
  return twin.slice(spanOf(first).start, spanOf(last).end, mark);
}
