import { showAttributeText } from "./attribute-text.ts";
import { readFenceWords } from "./fence-words.ts";
import { isInline } from "./inline-names.ts";
import type { AttributeSource, ElementSource } from "./read-element.ts";
import type { Reading, Scope } from "./scope.ts";
import {
  childOf,
  type CodeNode,
  type MarkdownAttribute,
  type MarkdownNode,
  type Program,
} from "./syntax.ts";

interface Readers {
  readonly readElement: (element: ElementSource, scope: Scope) => void;
  readonly readCode: (code: CodeNode, scope: Scope, what?: string) => void;
}

type ReadNode = (node: MarkdownNode, scope: Scope) => void;

const inlineNodes = new Set(
  "text emphasis strong delete inlineCode link linkReference footnoteReference mdxTextExpression mdxJsxTextElement".split(
    " ",
  ),
);

/** Reads remark's tree of a page. */
export function createMarkdownReader({ pieces }: Reading, { readElement, readCode }: Readers) {
  function read(node: MarkdownNode, scope: Scope): void {
    const isWithinLine = inlineNodes.has(node.type);
    if (!isWithinLine) pieces.breakWord();
    const reader = readers[node.type] ?? readChildren;
    reader(node, scope);
    if (!isWithinLine) pieces.breakWord();
  }

  function readChildren(node: MarkdownNode, scope: Scope): void {
    for (const child of node.children ?? []) read(child, scope);
  }

  function readText(node: MarkdownNode): void {
    // A list far in is none for strict MDX.
    const text = (node.value ?? "").replaceAll(/^\s*\d+[.)](?= )/gm, (number) => {
      pieces.explain(number, "number");
      return " ";
    });
    pieces.show(text, "text", lineOf(node));
  }

  function readLink(node: MarkdownNode, scope: Scope): void {
    pieces.explain(node.url ?? "", "address");
    pieces.explain(node.title ?? "", "address");
    readChildren(node, scope);
  }

  function readImage(node: MarkdownNode): void {
    pieces.breakWord();
    pieces.explain(`${node.url ?? ""} ${node.title ?? ""}`, "address");
    pieces.show(node.alt ?? "", "img alt", lineOf(node));
    pieces.breakWord();
  }

  function readFence(node: MarkdownNode, scope: Scope): void {
    pieces.explain(node.lang ?? "", "fence");
    const { titles, options } = readFenceWords(node.meta ?? "");
    pieces.explain(options.join(" "), "fence");
    const isMeant = (name: string) => scope.names.get(name)?.kind === "value";
    // What a snippet is given also stands in its code.
    const fill = (text: string) =>
      text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => (isMeant(name) ? "  " : whole));
    pieces.show(fill(titles.join(" ")), "title of code", lineOf(node));
    pieces.breakWord();
    pieces.show(fill(withoutNotes(node)), "code", lineOf(node));
  }

  /** The code of a fence without what its comments say of lines; those of a fence within are shown. */
  function withoutNotes({ lang, value = "" }: MarkdownNode): string {
    const isAboutFences =
      lang === null || lang === undefined || /^(?:text|mdx?|markdown)$/i.test(lang);
    if (isAboutFences && /^\s*(?:`{3}|~{3})/m.test(value)) return value;
    return value.replaceAll(/\[!code (?:\+\+|--|highlight|hl|focus)(?::\d+)?\]/g, (note) => {
      pieces.explain(note, "fence");
      return " ";
    });
  }

  /** `> [!NOTE]` */
  function readQuote(node: MarkdownNode, scope: Scope): void {
    const [paragraph, ...rest] = node.children ?? [];
    const [first, ...others] = paragraph?.children ?? [];
    const text = first?.type === "text" ? (first.value ?? "") : "";
    const [mark = ""] = /^\[!\w+\]/.exec(text) ?? [];
    if (first === undefined || mark === "") return readChildren(node, scope);
    pieces.explain(mark, "alert");
    const unmarked = { ...first, value: text.slice(mark.length) };
    const line = { type: "paragraph", children: [unmarked, ...others] };
    readChildren({ type: "blockquote", children: [line, ...rest] }, scope);
  }

  function readExpression(node: MarkdownNode, scope: Scope): void {
    const program = node.data?.estree;
    for (const { value } of program?.comments ?? []) pieces.explain(value, "comment");
    for (const statement of program?.body ?? []) {
      const expression = childOf(statement, "expression");
      if (expression !== undefined) readCode(expression, scope);
    }
  }

  function readJsx(node: MarkdownNode, scope: Scope): void {
    const attributes = (node.attributes ?? []).map((attribute) =>
      readableAttribute(attribute, { scope, line: lineOf(node) }),
    );
    const name = node.name ?? "";
    const edge = isInline(name) ? () => {} : () => pieces.breakWord();
    edge();
    const readContent = () => readChildren(node, scope);
    readElement({ name, line: lineOf(node), attributes, readChildren: readContent }, scope);
    edge();
  }

  function readableAttribute(
    { name = "", value }: MarkdownAttribute,
    { scope, line }: { readonly scope: Scope; readonly line: number },
  ): AttributeSource {
    if (typeof value !== "object" || value === null) {
      const text = value ?? undefined;
      return {
        name,
        code: `${name} ${text ?? ""}`,
        text,
        read: (what) => {
          pieces.explain(name, "property");
          showAttributeText(pieces, text ?? "", { what, line });
        },
      };
    }
    const expression = expressionOf(value.data?.estree);
    return {
      name,
      code: `${name} ${value.value}`,
      text: undefined,
      read: (what) => {
        pieces.explain(name, "property");
        if (expression !== undefined) readCode(expression, scope, what);
      },
    };
  }

  const readers: Readonly<Record<string, ReadNode>> = {
    text: readText,
    inlineCode: (node) => pieces.show(node.value ?? "", "text", lineOf(node)),
    code: readFence,
    blockquote: readQuote,
    link: readLink,
    linkReference: (node, scope) => {
      pieces.explain(node.label ?? "", "address");
      readChildren(node, scope);
    },
    image: readImage,
    imageReference: readImage,
    definition: (node) =>
      pieces.explain(`${node.label} ${node.url} ${node.title ?? ""}`, "address"),
    footnoteReference: (node) => pieces.explain(node.label ?? "", "anchor"),
    footnoteDefinition: (node, scope) => {
      pieces.explain(node.label ?? "", "anchor");
      const isReferred = scope.source.split(`[^${node.label}]`).length > 2;
      if (isReferred) readChildren(node, scope);
      else pieces.within("footnote", () => readChildren(node, scope));
    },
    html: (node) => pieces.show(node.value ?? "", "text", lineOf(node)),
    mdxjsEsm: (node) => pieces.explain(node.value ?? "", "module"),
    mdxFlowExpression: readExpression,
    mdxTextExpression: readExpression,
    mdxJsxFlowElement: readJsx,
    mdxJsxTextElement: readJsx,
  };

  return read;
}

function expressionOf(program: Program | null | undefined): CodeNode | undefined {
  return childOf(program?.body[0], "expression");
}

function lineOf(node: MarkdownNode): number {
  return node.position?.start.line ?? 0;
}
