import { isOctavoError, limits, OctavoError } from "../core/index.ts";
import { findBodyStart } from "../text/index.ts";
import { evaluateSource, readAttributes, toProps } from "./attributes.ts";
import { indentLines, formatForAgents, AgentMarkdown } from "./agent-markdown.ts";
import { ExpansionBudget } from "./budget.ts";
import type {
  ElementNode,
  Footnote,
  JsxValue,
  MarkdownNode,
  FilePosition,
  TreeNode,
} from "./tree.ts";
import { splitFormulas } from "./formulas.ts";
import {
  readMarkdownNode,
  restoreSpaceBefore,
  splitParagraph,
  wrapInlineNodes,
} from "./markdown-node.ts";
import type { ProblemList } from "./problem-list.ts";
import { appendAll, listAttributes, measureNodes, getSpan } from "./raw-node.ts";
import type { RawNode } from "./raw-node.ts";
import {
  Closure,
  ImportedPage,
  isJsxValue,
  LexicalScope,
  resolveComponentName,
  UnavailableValue,
} from "./script/value.ts";
import {
  createLiveness,
  LiveComponents,
  createMarkdownShell,
  createShell,
} from "./script/live-components.ts";
import { findEvaluationErrorReason } from "./script/evaluation-context.ts";
import type { EvaluationContext } from "./script/evaluation-context.ts";
import { callClosure } from "./script/interpret.ts";
import { JsxRenderer } from "./script/jsx-renderer.ts";
import type { LiveFile } from "./script/live-components.ts";
import { ModuleScopes } from "./script/module-scopes.ts";
import { isEmptyScript, listStrayStatements, findElementNumber } from "./script/script.ts";
import type { JsxElement } from "./script/script.ts";
import { toNodes } from "./script/value-nodes.ts";
import type { Value, ValueRecord } from "./script/value.ts";
import {
  findIncludedFile,
  UnreadFile,
  type IncludedFiles,
  type SourceFile,
  listSnippetCandidates,
  findSnippetFile,
} from "./source-file.ts";
import { restoreMarks } from "./marks.ts";

interface ExpansionOptions {
  readonly files: IncludedFiles;
  readonly problems: ProblemList;
  readonly isKnownComponent: (name: string) => boolean;
}

/** The maximum depth of a page with all its snippets. The stack of Node.js allows about five times as many levels. */
const maxExpansionDepth = 2 * limits.nesting;

const fragmentNames = new Set(["Fragment", "React.Fragment"]);

/** One use of an element in a page, in a snippet, or by a component. */
interface ElementUse {
  readonly name: string;
  readonly values: ReadonlyMap<string, Value>;
  readonly children: readonly TreeNode[];
  /** Returns the Markdown of the children. */
  readonly getMarkdown: () => string;
  readonly context: EvaluationContext;
  /** The JSX element, if the use is part of a script. */
  readonly element?: JsxElement;
}

interface ExpandedElement {
  readonly nodes: readonly TreeNode[];
  /** Set if the Markdown for agents differs from the element's own source. */
  readonly markdown?: string;
}

/** One use of a file (the page itself or a snippet), with the values passed to it. */
interface ExpansionFrame {
  readonly file: SourceFile;
  readonly scope: LexicalScope;
  readonly agentMarkdown: AgentMarkdown;
  /** The values that were passed by name. Only these names are replaced inside code. */
  readonly props: ReadonlyMap<string, Value>;
  /** The content between the tags of the snippet, and its Markdown. */
  readonly slot?: { readonly value: JsxValue; readonly markdown: string };
}

const placeholder = /\{(?:props\.)?([A-Za-z_$][\w$]*)\}/g;

/**
 * Resolves one page. Visits its nodes once, and replaces snippets and components with their content, and expressions
 * with their values. Throws only `too_large`, if the page's budget is exhausted.
 */
export class Expansion {
  readonly footnotes: Footnote[] = [];
  readonly #options: ExpansionOptions;
  readonly #budget = new ExpansionBudget();
  readonly #scopes: ModuleScopes;
  readonly #live: LiveComponents;
  readonly #jsx: JsxRenderer;
  readonly #liveness = createLiveness();
  readonly #nodeCounts = new Map<string, number>();
  /** The files that are being expanded, starting with the page. A file that appears again is a cycle. */
  readonly #openFiles: string[] = [];
  #depth = 0;

  constructor(options: ExpansionOptions) {
    this.#options = options;
    this.#jsx = new JsxRenderer({
      budget: this.#budget,
      runOneLevelDeeper: (work) => this.#runOneLevelDeeper(work),
      expand: (use) => this.#resolveElement({ ...use, getMarkdown: () => "" }).nodes,
      call: (component, props, context) => this.#callComponent(component, props, context),
    });
    const sharedContext = { budget: this.#budget, renderElement: this.#jsx.render };
    this.#scopes = new ModuleScopes(options.files, sharedContext);
    this.#live = new LiveComponents(this.#budget);
  }

  /** The files whose components run in the browser. */
  get liveFiles(): readonly LiveFile[] {
    return this.#live.files;
  }

  /** Expands all of `file`, which is used with the attributes `props` and the content `slot`. */
  expandFile(
    file: SourceFile,
    props: ReadonlyMap<string, Value>,
    slot?: ExpansionFrame["slot"],
  ): { readonly nodes: readonly TreeNode[]; readonly markdown: string } {
    const scope = new LexicalScope(this.#scopes.getScope(file));
    for (const [name, value] of props) scope.set(name, value);
    scope.set("props", Object.fromEntries(props));
    if (slot) scope.set("children", slot.value);
    const agentMarkdown = new AgentMarkdown(file.text, file.blankedRanges);
    const frame: ExpansionFrame = { file, scope, agentMarkdown, props, ...(slot && { slot }) };
    this.#openFiles.push(file.path);
    const nodes = this.#expandNodes(file.nodes, frame);
    this.#openFiles.pop();
    return { nodes, markdown: agentMarkdown.toText(findBodyStart(file.text)) };
  }

  #expandNodes(nodes: readonly RawNode[], frame: ExpansionFrame): readonly TreeNode[] {
    return this.#runOneLevelDeeper(() => {
      const out: TreeNode[] = [];
      for (const node of nodes) this.#expandNode(node, frame, out);
      return out;
    });
  }

  #runOneLevelDeeper<Result>(work: () => Result): Result {
    if (++this.#depth > maxExpansionDepth) {
      throw new OctavoError(
        "too_large",
        `Snippets and components are nested deeper than ${maxExpansionDepth} levels.`,
      );
    }
    try {
      return work();
    } finally {
      this.#depth--;
    }
  }

  #expandNode(node: RawNode, frame: ExpansionFrame, out: TreeNode[]): void {
    switch (node.type) {
      case "yaml":
      case "toml":
        return;
      case "mdxjsEsm":
        return this.#expandEsm(node, frame, out);
      case "mdxFlowExpression":
      case "mdxTextExpression":
        return this.#expandExpression(node, frame, out);
      case "mdxJsxFlowElement":
      case "mdxJsxTextElement":
        return this.#expandElement(node, frame, out);
      case "footnoteDefinition":
        this.footnotes.push({
          identifier: restoreMarks(String(node.identifier)),
          children: this.#expandNodes(node.children ?? [], frame),
          position: locateNode(node, frame),
        });
        return;
      case "paragraph": {
        const children = this.#expandNodes(node.children ?? [], frame);
        const position = locateNode(node, frame);
        appendAll(out, splitParagraph({ type: "paragraph", position, children }));
        return;
      }
      case "text": {
        const textAndFormulas = splitFormulas(node.value ?? "", locateNode(node, frame));
        if (textAndFormulas === undefined) return this.#expandMarkdown(node, frame, out);
        appendAll(out, textAndFormulas);
        return;
      }
      default:
        return this.#expandMarkdown(node, frame, out);
    }
  }

  #expandMarkdown(node: RawNode, frame: ExpansionFrame, out: TreeNode[]): void {
    const position = locateNode(node, frame);
    const children = node.children === undefined ? [] : this.#expandNodes(node.children, frame);
    const converted = readMarkdownNode(node, { position, children, readText: restoreMarks });
    if (converted.type === "heading") {
      const id = frame.file.headingIds.get(position.line);
      if (id !== undefined) return void out.push({ ...converted, id });
    }
    const filledNode = fillCode(converted, frame);
    if (filledNode !== converted) {
      const { start, end } = getSpan(node);
      frame.agentMarkdown.replace(
        start,
        end,
        fillProps(frame.agentMarkdown.getSource(start, end), frame),
      );
    }
    out.push(filledNode);
  }

  #createContext(node: RawNode, frame: ExpansionFrame): EvaluationContext {
    return {
      scope: frame.scope,
      file: frame.file,
      position: locateNode(node, frame),
      isFlow: node.type === "mdxJsxFlowElement" || node.type === "mdxFlowExpression",
      budget: this.#budget,
      renderElement: this.#jsx.render,
    };
  }

  /** Removes imports and exports. The remainder of an ESM block is content and is shown. */
  #expandEsm(node: RawNode, frame: ExpansionFrame, out: TreeNode[]): void {
    const { start, end } = getSpan(node);
    const source = restoreMarks(node.value ?? "");
    const strayStatements = listStrayStatements(source);
    if (strayStatements.length === 0) return frame.agentMarkdown.remove(start, end);
    const context = { ...this.#createContext(node, frame), isFlow: true };
    for (const { text, element } of strayStatements) {
      if (element) appendAll(out, this.#jsx.render(element, context));
      else {
        const line: TreeNode = { type: "text", value: text, position: context.position };
        out.push({ type: "paragraph", position: context.position, children: [line] });
      }
    }
    frame.agentMarkdown.replace(start, end, strayStatements.map(({ text }) => text).join("\n\n"));
  }

  #expandExpression(node: RawNode, frame: ExpansionFrame, out: TreeNode[]): void {
    const source = restoreMarks(node.value ?? "");
    const { start, end } = getSpan(node);
    if (isEmptyScript(source)) return frame.agentMarkdown.remove(start, end);
    const context = this.#createContext(node, frame);
    try {
      const value = evaluateSource(source.trim(), context);
      const shownNodes = toNodes(value, context.position, this.#budget);
      if (shownNodes.length > 0) restoreSpaceBefore(out, node, context);
      appendAll(out, shownNodes);
      if (frame.slot && value === frame.slot.value) {
        const indent = frame.agentMarkdown.getIndent(start);
        frame.agentMarkdown.replace(start, end, indentLines(frame.slot.markdown, indent));
      } else if (typeof value === "string" || typeof value === "number") {
        frame.agentMarkdown.replace(start, end, String(value));
      }
    } catch (error) {
      const reason = findEvaluationErrorReason(error);
      if (reason === undefined) throw error;
      const isUndefined = isOctavoError(error) && error.details["name"] !== undefined;
      this.#options.problems.warn(
        isUndefined ? "undefined_name" : "expression_not_static",
        `The expression is shown as text: ${reason}`,
        context.position,
      );
      restoreSpaceBefore(out, node, context);
      out.push({ type: "text", value: `{${source}}`, position: context.position });
    }
  }

  #expandElement(node: RawNode, frame: ExpansionFrame, out: TreeNode[]): void {
    const context = this.#createContext(node, frame);
    const { start, end } = getSpan(node);
    const editCount = frame.agentMarkdown.countEdits();
    const children = this.#expandNodes(node.children ?? [], frame);
    if (!node.name) return appendAll(out, children);
    const warn = (code: string, message: string) =>
      this.#options.problems.warn(code, message, context.position);
    const values = readAttributes(listAttributes(node), context, warn);
    const getMarkdown = () => getChildrenMarkdown(node, frame, editCount);
    const use: ElementUse = { name: node.name, values, children, getMarkdown, context };
    const legacyFile = findSnippetFile(node);
    const expanded =
      legacyFile === undefined
        ? this.#resolveElement(use)
        : this.#expandLegacySnippet(legacyFile, use);
    appendAll(out, expanded.nodes);
    if (expanded.markdown === undefined) return;
    if (expanded.markdown === "") return frame.agentMarkdown.remove(start, end);
    const indent = frame.agentMarkdown.getIndent(start);
    frame.agentMarkdown.replace(start, end, indentLines(expanded.markdown.trim(), indent));
  }

  #expandLegacySnippet(name: string, use: ElementUse): ExpandedElement {
    const file = findIncludedFile(listSnippetCandidates(name), this.#options.files);
    if (file instanceof UnreadFile) return this.#reportMissingFile(use, file.reason);
    if (!file) return this.#reportMissingFile(use, `There is no snippet ${JSON.stringify(name)}.`);
    const values = new Map([...use.values].filter(([key]) => key !== "file"));
    return this.#expandSnippet(file, { ...use, values });
  }

  #reportMissingFile(
    { children, getMarkdown, context }: ElementUse,
    reason: string,
  ): ExpandedElement {
    this.#options.problems.warn("missing_import", reason, context.position);
    return { nodes: wrapInlineNodes(children, context), markdown: getMarkdown() };
  }

  /** Expands an element that is an imported file or a component of the page; creates any other element unchanged. */
  #resolveElement(use: ElementUse): ExpandedElement {
    if (fragmentNames.has(use.name)) return { nodes: use.children };
    const value = resolveComponentName(use.name, use.context.scope);
    if (value instanceof ImportedPage) {
      const expanded = this.#expandSnippet(value.file, use);
      if (!use.context.live) return expanded;
      const origin = { elementNumber: findUseNumber(use), position: use.context.position };
      return { nodes: [createMarkdownShell(value.file.path, expanded.nodes, origin)] };
    }
    if (value instanceof Closure) return this.#expandComponent(value, use);
    if (value instanceof UnavailableValue && value.isDeclared && !use.context.live) {
      return this.#expandLive(undefined, use);
    }
    if (value instanceof UnavailableValue && !this.#options.isKnownComponent(use.name)) {
      return this.#reportMissingFile(use, value.reason);
    }
    return this.#createElement(use);
  }

  /** Creates an element. Within a component that runs in the browser, wraps a built-in component in a shell. */
  #createElement(use: ElementUse): ExpandedElement {
    const { name, context, element } = use;
    const { live, position, isFlow } = context;
    const warn = (code: string, message: string) =>
      this.#options.problems.warn(code, message, position);
    const childrenProp = use.children.length === 0 ? use.values.get("children") : undefined;
    const node: ElementNode = {
      type: "element",
      name,
      props: toProps(use.values, context, warn),
      children: isJsxValue(childrenProp)
        ? toNodes(childrenProp, position, this.#budget)
        : use.children,
      isFlow,
      ...(live && { isJoined: true }),
      position,
    };
    if (live && this.#options.isKnownComponent(name)) {
      const hasContent = isJsxValue(childrenProp) || element?.children.length !== 0;
      return {
        nodes: [createShell(node, { elementNumber: findUseNumber(use), hasContent, live })],
      };
    }
    return name === "Visibility"
      ? { nodes: [node], markdown: formatForAgents(use) }
      : { nodes: [node] };
  }

  #expandComponent(closure: Closure, use: ElementUse): ExpandedElement {
    const { context } = use;
    if (context.live === undefined && this.#liveness.isLive(closure)) {
      return this.#expandLive(closure, use);
    }
    const props = new Map(use.values);
    if (use.children.length > 0) props.set("children", { type: "jsx", nodes: use.children });
    try {
      return { nodes: this.#callComponent(closure, Object.fromEntries(props), context) };
    } catch (error) {
      const reason = findEvaluationErrorReason(error);
      if (reason === undefined || context.live) throw error;
      // A component that calls itself endlessly here would also do so in the browser.
      if (!(error instanceof RangeError)) return this.#expandLive(closure, use);
      const message = `Only the content of <${use.name}> is shown: ${reason}`;
      this.#options.problems.warn("component_not_static", message, context.position);
      return { nodes: wrapInlineNodes(use.children, context) };
    }
  }

  #callComponent(
    closure: Closure,
    props: ValueRecord,
    context: EvaluationContext,
  ): readonly TreeNode[] {
    return toNodes(callClosure(closure, [props], context), context.position, this.#budget);
  }

  /** Expands a component that the browser runs. Without a `closure`, shows its children until the browser runs it. */
  #expandLive(closure: Closure | undefined, use: ElementUse): ExpandedElement {
    const { node, omissionReason, unsentProps } = this.#live.render(use, (props, context) => {
      if (closure) return this.#callComponent(closure, props, context);
      return toNodes(props["children"], context.position, this.#budget);
    });
    if (omissionReason !== undefined) {
      const message = `Without scripts, readers and search do not see all of <${use.name}>: ${omissionReason}`;
      this.#options.problems.warn("component_not_static", message, use.context.position);
    }
    if (unsentProps.length > 0) {
      const names = unsentProps.map((name) => JSON.stringify(name)).join(", ");
      const message = `In the browser, <${use.name}> receives only part of ${names}: only data, functions from the same file, and content that is the entire value of an attribute can be sent.`;
      this.#options.problems.warn("component_not_static", message, use.context.position);
    }
    return { nodes: [node] };
  }

  #expandSnippet(file: SourceFile, use: ElementUse): ExpandedElement {
    const { context } = use;
    if (this.#openFiles.includes(file.path)) {
      const message = `${file.path} includes itself through ${this.#openFiles.join(", ")}; it is omitted here.`;
      this.#options.problems.error("snippet_cycle", message, context.position);
      return { nodes: [], markdown: "" };
    }
    if (this.#openFiles.length > limits.snippetDepth) {
      const message = `Snippets are nested deeper than ${limits.snippetDepth} levels; ${file.path} is omitted.`;
      this.#options.problems.error("snippet_too_deep", message, context.position);
      return { nodes: [], markdown: "" };
    }
    this.#budget.spendNodes(this.#countNodes(file));
    this.#budget.spendCharacters(file.text.length);
    const value: JsxValue = { type: "jsx", nodes: use.children };
    const slot = { value, markdown: use.children.length > 0 ? use.getMarkdown() : "" };
    const { nodes, markdown } = this.expandFile(file, use.values, slot);
    const onlyNode = nodes.length === 1 && !context.isFlow ? nodes[0] : undefined;
    if (onlyNode?.type === "paragraph") return { nodes: onlyNode.children, markdown };
    return { nodes, markdown };
  }

  #countNodes(file: SourceFile): number {
    const cached = this.#nodeCounts.get(file.path);
    if (cached !== undefined) return cached;
    const { count } = measureNodes(file.nodes);
    this.#nodeCounts.set(file.path, count);
    return count;
  }
}

/** Returns the number that identifies a use's element within its file. */
function findUseNumber({ element, context }: ElementUse): number | undefined {
  return element && findElementNumber(element, context.file.modules);
}

/** Replaces `{name}` in a code block and its title, and in a code span. Returns other nodes unchanged. */
function fillCode(node: MarkdownNode, frame: ExpansionFrame): MarkdownNode {
  if (node.type !== "code" && node.type !== "inlineCode") return node;
  const value = fillProps(node.value, frame);
  const meta = node.type === "code" && node.meta !== undefined ? fillProps(node.meta, frame) : "";
  if (node.type === "inlineCode") return value === node.value ? node : { ...node, value };
  const isSame = value === node.value && meta === (node.meta ?? "");
  return isSame ? node : { ...node, value, meta };
}

/** Replaces `{name}` in `text` if `name` was passed to this use of a snippet. */
function fillProps(text: string, { props: passedValues }: ExpansionFrame): string {
  if (passedValues.size === 0 || !text.includes("{")) return text;
  return text.replace(placeholder, (whole, name: string) => {
    const value = passedValues.get(name);
    return typeof value === "string" || typeof value === "number" ? String(value) : whole;
  });
}

/** Returns the position of a node in the frame's file. */
function locateNode(node: RawNode, { file }: ExpansionFrame): FilePosition {
  const { line, column } = node.position?.start ?? { line: 1, column: 1 };
  return { file: file.path, line, column };
}

/** Returns the Markdown of a node's children, with the edits made in them, except the first `editCount` edits. */
function getChildrenMarkdown(
  node: RawNode,
  { agentMarkdown }: ExpansionFrame,
  editCount: number,
): string {
  const [first, last] = [node.children?.at(0), node.children?.at(-1)];
  if (!first || !last) return "";
  return agentMarkdown.slice(getSpan(first).start, getSpan(last).end, editCount);
}
