import { isOctavoError, OctavoError, limits } from "../core/index.ts";
import type { ElementNode, JsxValue, Place, TreeNode } from "./tree.ts";
import { evaluateSource, readAttributes, readJsxAttributes, toProps } from "./attributes.ts";
import { markdownForAgents } from "./audience.ts";
import { ExpansionBudget } from "./budget.ts";
import { reasonOf, type Circumstances } from "./circumstances.ts";
import { decodeEntities } from "./entity.ts";
import type { Footnote } from "./footnote.ts";
import { splitFormulas } from "./formulas.ts";
import { fillCode, fillText, type Frame } from "./frame.ts";
import { snippetCandidates } from "./import-binding.ts";
import { callClosure, evaluate } from "./interpret.ts";
import type { JsxElement } from "./jsx-syntax.ts";
import { snippetFile } from "./load-sources.ts";
import { asBlocks, keepApart, splitParagraph } from "./markdown-node.ts";
import { restoreMarks } from "./marks.ts";
import { readMarkdownNode } from "./read-markdown-node.ts";
import { resolveName } from "./resolve-name.ts";
import { exportedValue, fillModuleScope } from "./module-scope.ts";
import type { ProblemList } from "./problem-list.ts";
import { appendAll, attributesOf, measureNodes, spanOf, type RawNode } from "./raw-node.ts";
import { isEmptyScript, strayStatements } from "./script.ts";
import { frontmatterEnd } from "../text/index.ts";
import type { SourceFile } from "./source-file.ts";
import { indentLines, Twin } from "./twin.ts";
import { Absent, Closure, isJsxValue, Page, Scope, type Value } from "./value.ts";
import { nodesOf } from "./value-nodes.ts";

export interface ExpansionOptions {
  readonly files: ReadonlyMap<string, SourceFile | undefined>;
  readonly problems: ProblemList;
  readonly knownComponent: (name: string) => boolean;
}

/** Levels of the page and all its snippets together; a stack of Node.js holds about five times as many. */
const maxLevels = 2 * limits.nesting;

const fragments = new Set(["Fragment", "React.Fragment"]);

/** An element as it was used: in a page, in a snippet, or by a component. */
interface Use {
  readonly name: string;
  readonly values: ReadonlyMap<string, Value>;
  readonly children: readonly TreeNode[];
  /** Markdown of the children. */
  readonly markdown: () => string;
  readonly at: Circumstances;
}

interface Expanded {
  readonly nodes: readonly TreeNode[];
  /** Set where the Markdown twin shows something else than the element's own source. */
  readonly markdown?: string;
}

/**
 * Resolves one page: walks its nodes once, replaces snippets and components by what they stand for and
 * expressions by their values. Nothing is thrown but `too_large`, when the page's budget is spent.
 */
export class Expansion {
  readonly footnotes: Footnote[] = [];
  readonly #options: ExpansionOptions;
  readonly #budget = new ExpansionBudget();
  readonly #scopes = new Map<string, Scope>();
  readonly #sizes = new Map<string, number>();
  /** Files being expanded, the page first: one that comes again is a cycle. */
  readonly #open: string[] = [];
  #depth = 0;

  constructor(options: ExpansionOptions) {
    this.#options = options;
  }

  /** The whole of `file` as its use with `passed` shows it. */
  expandFile(
    file: SourceFile,
    passed: ReadonlyMap<string, Value>,
    slot?: Frame["slot"],
  ): { readonly nodes: readonly TreeNode[]; readonly markdown: string } {
    const scope = new Scope(this.#moduleScope(file));
    for (const [name, value] of passed) scope.set(name, value);
    scope.set("props", Object.fromEntries(passed));
    if (slot) scope.set("children", slot.value);
    const twin = new Twin(file.text, file.blanks);
    const frame: Frame = { file, scope, twin, passed, ...(slot && { slot }) };
    this.#open.push(file.path);
    const nodes = this.#nodes(file.nodes, frame);
    this.#open.pop();
    return { nodes, markdown: twin.toText(frontmatterEnd(file.text)) };
  }

  #nodes(nodes: readonly RawNode[], frame: Frame): readonly TreeNode[] {
    return this.#deeper(() => {
      const out: TreeNode[] = [];
      for (const node of nodes) this.#node(node, frame, out);
      return out;
    });
  }

  #deeper<Result>(work: () => Result): Result {
    if (++this.#depth > maxLevels) {
      throw new OctavoError(
        "too_large",
        `Snippets and components nest deeper than ${maxLevels} levels.`,
      );
    }
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }

  #node(node: RawNode, frame: Frame, out: TreeNode[]): void {
    switch (node.type) {
      case "yaml":
      case "toml":
        return;
      case "mdxjsEsm":
        return this.#esm(node, frame, out);
      case "mdxFlowExpression":
      case "mdxTextExpression":
        return this.#expression(node, frame, out);
      case "mdxJsxFlowElement":
      case "mdxJsxTextElement":
        return this.#element(node, frame, out);
      case "footnoteDefinition":
        this.footnotes.push({
          identifier: restoreMarks(String(node.identifier)),
          children: this.#nodes(node.children ?? [], frame),
          place: placeOf(node, frame),
        });
        return;
      case "paragraph": {
        const children = this.#nodes(node.children ?? [], frame);
        const place = placeOf(node, frame);
        appendAll(out, splitParagraph({ type: "paragraph", place, children }));
        return;
      }
      case "text": {
        const parts = splitFormulas(node.value ?? "", placeOf(node, frame));
        if (parts === undefined) return this.#markdown(node, frame, out);
        appendAll(out, parts);
        return;
      }
      default:
        return this.#markdown(node, frame, out);
    }
  }

  #markdown(node: RawNode, frame: Frame, out: TreeNode[]): void {
    const place = placeOf(node, frame);
    const children = node.children === undefined ? [] : this.#nodes(node.children, frame);
    const copy = readMarkdownNode(node, { place, children, readText: restoreMarks });
    if (copy.type === "heading") {
      const id = frame.file.headingIds.get(place.line);
      if (id !== undefined) return void out.push({ ...copy, id });
    }
    const filled = fillCode(copy, frame);
    if (filled !== copy) {
      const { start, end } = spanOf(node);
      frame.twin.replace(start, end, fillText(frame.twin.source(start, end), frame));
    }
    out.push(filled);
  }

  #circumstances(node: RawNode, frame: Frame): Circumstances {
    return {
      scope: frame.scope,
      file: frame.file,
      place: placeOf(node, frame),
      isFlow: node.type === "mdxJsxFlowElement" || node.type === "mdxFlowExpression",
      budget: this.#budget,
      renderElement: this.#renderJsx,
    };
  }

  /** Imports and exports are gone; anything else in such a block was meant to be seen. */
  #esm(node: RawNode, frame: Frame, out: TreeNode[]): void {
    const { start, end } = spanOf(node);
    const source = restoreMarks(node.value ?? "");
    const stray = strayStatements(source);
    if (stray.length === 0) return frame.twin.remove(start, end);
    const at = { ...this.#circumstances(node, frame), isFlow: true };
    for (const { text, element } of stray) {
      if (element) appendAll(out, this.#renderJsx(element, at));
      else {
        const line: TreeNode = { type: "text", value: text, place: at.place };
        out.push({ type: "paragraph", place: at.place, children: [line] });
      }
    }
    frame.twin.replace(start, end, stray.map(({ text }) => text).join("\n\n"));
  }

  #expression(node: RawNode, frame: Frame, out: TreeNode[]): void {
    const source = restoreMarks(node.value ?? "");
    const { start, end } = spanOf(node);
    if (isEmptyScript(source)) return frame.twin.remove(start, end);
    const at = this.#circumstances(node, frame);
    try {
      const value = evaluateSource(source.trim(), at);
      const shown = nodesOf(value, at.place, this.#budget);
      if (shown.length > 0) keepApart(out, node, at);
      appendAll(out, shown);
      if (frame.slot && value === frame.slot.value) {
        const indent = frame.twin.indentAt(start);
        frame.twin.replace(start, end, indentLines(frame.slot.markdown, indent));
      } else if (typeof value === "string" || typeof value === "number") {
        frame.twin.replace(start, end, String(value));
      }
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      const isUndefined = isOctavoError(error) && error.details["name"] !== undefined;
      this.#options.problems.warn(
        isUndefined ? "undefined_name" : "expression_not_static",
        `The expression is shown as it is written: ${reason}`,
        at.place,
      );
      keepApart(out, node, at);
      out.push({ type: "text", value: `{${source}}`, place: at.place });
    }
  }

  #element(node: RawNode, frame: Frame, out: TreeNode[]): void {
    const at = this.#circumstances(node, frame);
    const { start, end } = spanOf(node);
    const mark = frame.twin.mark();
    const children = this.#nodes(node.children ?? [], frame);
    if (!node.name) return appendAll(out, children);
    const warn = (code: string, message: string) =>
      this.#options.problems.warn(code, message, at.place);
    const values = readAttributes(attributesOf(node), at, warn);
    const markdown = () => childrenMarkdown(node, frame, mark);
    const use: Use = { name: node.name, values, children, markdown, at };
    const legacy = snippetFile(node);
    const expanded = legacy === undefined ? this.#use(use) : this.#legacySnippet(legacy, use);
    appendAll(out, expanded.nodes);
    if (expanded.markdown === undefined) return;
    if (expanded.markdown === "") return frame.twin.remove(start, end);
    const indent = frame.twin.indentAt(start);
    frame.twin.replace(start, end, indentLines(expanded.markdown.trim(), indent));
  }

  #legacySnippet(name: string, use: Use): Expanded {
    const path = snippetCandidates(name).find((candidate) => this.#options.files.has(candidate));
    const file = path === undefined ? undefined : this.#options.files.get(path);
    if (!file) return this.#missing(use, `There is no snippet ${JSON.stringify(name)}.`);
    return this.#snippet(file, { ...use, values: withoutFile(use.values) });
  }

  #missing({ children, markdown, at }: Use, reason: string): Expanded {
    this.#options.problems.warn("missing_import", reason, at.place);
    return { nodes: asBlocks(children, at), markdown: markdown() };
  }

  /** What an element stands for: a component of the page, an imported file, or itself. */
  #use(use: Use): Expanded {
    if (fragments.has(use.name)) return { nodes: use.children };
    const value = resolveName(use.name, use.at.scope);
    if (value instanceof Page) return this.#snippet(value.file, use);
    if (value instanceof Closure) return this.#component(value, use);
    if (value instanceof Absent && !this.#options.knownComponent(use.name)) {
      return this.#missing(use, value.reason);
    }
    const warn = (code: string, message: string) =>
      this.#options.problems.warn(code, message, use.at.place);
    const given = use.children.length === 0 ? use.values.get("children") : undefined;
    const node: ElementNode = {
      type: "element",
      name: use.name,
      props: toProps(use.values, use.at, warn),
      children: isJsxValue(given) ? nodesOf(given, use.at.place, this.#budget) : use.children,
      isFlow: use.at.isFlow,
      place: use.at.place,
    };
    if (use.name === "Visibility") return { nodes: [node], markdown: markdownForAgents(use) };
    return { nodes: [node] };
  }

  #component(closure: Closure, use: Use): Expanded {
    const props = new Map(use.values);
    if (use.children.length > 0) props.set("children", { type: "jsx", nodes: use.children });
    try {
      const value = callClosure(closure, [Object.fromEntries(props)], use.at);
      return { nodes: nodesOf(value, use.at.place, this.#budget) };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === undefined) throw error;
      this.#options.problems.warn(
        "component_not_static",
        `<${use.name}> cannot be rendered in a static page, only what stands in it: ${reason}`,
        use.at.place,
      );
      const { place, isFlow } = use.at;
      const note: TreeNode = { type: "notStatic", place, isFlow };
      return { nodes: [note, ...asBlocks(use.children, use.at)] };
    }
  }

  #snippet(file: SourceFile, use: Use): Expanded {
    const { at } = use;
    if (this.#open.includes(file.path)) {
      const message = `${file.path} includes itself, by way of ${this.#open.join(", ")}; it was left out.`;
      this.#options.problems.error("snippet_cycle", message, at.place);
      return { nodes: [], markdown: "" };
    }
    if (this.#open.length > limits.snippetDepth) {
      const message = `Snippets include each other deeper than ${limits.snippetDepth} levels; ${file.path} was left out.`;
      this.#options.problems.error("snippet_too_deep", message, at.place);
      return { nodes: [], markdown: "" };
    }
    this.#budget.nodes(this.#sizeOf(file));
    this.#budget.characters(file.text.length);
    const value: JsxValue = { type: "jsx", nodes: use.children };
    const slot = { value, markdown: use.children.length > 0 ? use.markdown() : "" };
    const { nodes, markdown } = this.expandFile(file, use.values, slot);
    const only = nodes.length === 1 && !at.isFlow ? nodes[0] : undefined;
    if (only?.type === "paragraph") return { nodes: only.children, markdown };
    return { nodes, markdown };
  }

  #sizeOf(file: SourceFile): number {
    const known = this.#sizes.get(file.path);
    if (known !== undefined) return known;
    const { count } = measureNodes(file.nodes);
    this.#sizes.set(file.path, count);
    return count;
  }

  /** An element inside an expression or a component, with its own children worked out. */
  #renderJsx = (element: JsxElement, at: Circumstances): TreeNode[] => {
    const hasText = element.children.some((child) => child.type !== "JsxElement");
    const inner = { ...at, isFlow: at.isFlow && !hasText };
    const children = this.#deeper(() =>
      element.children.flatMap((child) => {
        if (child.type === "JsxElement") return this.#renderJsx(child, inner);
        const value =
          child.type === "text" ? decodeEntities(child.value) : evaluate(child.value, inner);
        return nodesOf(value, at.place, this.#budget);
      }),
    );
    if (element.name === "") return children;
    this.#budget.nodes(1);
    const values = readJsxAttributes(element.attributes, at);
    const expanded = this.#use({ name: element.name, values, children, markdown: () => "", at });
    return [...expanded.nodes];
  };

  #moduleScope(file: SourceFile): Scope {
    const known = this.#scopes.get(file.path);
    if (known) return known;
    const scope = new Scope();
    this.#scopes.set(file.path, scope);
    const place = { file: file.path, line: 1, column: 1 };
    const renderElement = this.#renderJsx;
    const at = { scope, file, place, isFlow: false, budget: this.#budget, renderElement };
    fillModuleScope(file, this.#imported, at);
    return scope;
  }

  #imported = (name: string, candidates: readonly string[], specifier: string): Value => {
    const path = candidates.find((candidate) => this.#options.files.has(candidate));
    const file = path === undefined ? undefined : this.#options.files.get(path);
    if (!file && path !== undefined) return new Absent(`${path} could not be parsed.`);
    if (!file) {
      const what = candidates.length === 0 ? "The package" : "The file";
      return new Absent(`${what} ${JSON.stringify(specifier)} is not part of the site.`);
    }
    const isPage = name === "default" && /\.mdx?$/.test(file.path);
    const scope = isPage ? new Scope() : this.#moduleScope(file);
    if (name !== "*") return exportedValue(name, file, scope);
    return new Absent(`Import the names of ${JSON.stringify(specifier)} one by one.`);
  };
}

function placeOf(node: RawNode, { file }: Frame): Place {
  const { line, column } = node.position?.start ?? { line: 1, column: 1 };
  return { file: file.path, line, column };
}

function childrenMarkdown(node: RawNode, { twin }: Frame, mark: number): string {
  const [first, last] = [node.children?.at(0), node.children?.at(-1)];
  if (!first || !last) return "";
  return twin.slice(spanOf(first).start, spanOf(last).end, mark);
}

function withoutFile(values: ReadonlyMap<string, Value>): ReadonlyMap<string, Value> {
  const rest = new Map(values);
  rest.delete("file");
  return rest;
}
