import { isOctavoError, limits } from "../../core/index.ts";
import type { ExpansionBudget } from "../budget.ts";
import { isInline } from "../markdown-node.ts";
import type { SourceFile } from "../source-file.ts";
import { getChildren, isElement, isJsxProp, isListProp, isRecordProp } from "../tree.ts";
import type {
  ElementNode,
  FilePosition,
  JsxValue,
  MarkdownNode,
  PropValue,
  Props,
  TreeNode,
} from "../tree.ts";
import type { EvaluationContext, LiveRender } from "./evaluation-context.ts";
import {
  BytesValue,
  Closure,
  DateValue,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  MapValue,
  SearchParamsValue,
  SetValue,
  TextPattern,
  UrlValue,
} from "./value.ts";
import type { LexicalScope, Value, ValueRecord } from "./value.ts";

/** A use, on a page, of a component that runs in the browser. */
interface LiveUse {
  readonly name: string;
  readonly values: ReadonlyMap<string, Value>;
  readonly children: readonly TreeNode[];
  readonly context: EvaluationContext;
}

/** A file and the expressions in it that the browser needs: names of components, and functions in attributes. */
export interface LiveFile {
  readonly file: SourceFile;
  readonly expressions: readonly string[];
}

/** The maximum depth of a component's props. Values that are nested more deeply are omitted. */
const maxPropDepth = 20;

/** The components of one page that run in the browser. */
export class LiveComponents {
  readonly #files = new Map<SourceFile, string[]>();
  readonly #budget: ExpansionBudget;

  constructor(budget: ExpansionBudget) {
    this.#budget = budget;
  }

  get files(): readonly LiveFile[] {
    return [...this.#files].map(([file, expressions]) => ({ file, expressions }));
  }

  /**
   * Returns the initial content of a use, in a node that the browser hydrates. `render` receives the props and renders
   * the component without content that it cannot show.
   */
  render(
    use: LiveUse,
    render: (props: ValueRecord, context: EvaluationContext) => readonly TreeNode[],
  ): {
    readonly node: MarkdownNode<"component">;
    readonly omissionReason: string | undefined;
    /** Names of props whose values cannot be sent to the browser, at least in part. */
    readonly unsentProps: readonly string[];
  } {
    const { context } = use;
    const { position, isFlow } = context;
    const slots = new Map<string, MarkdownNode<"componentSlot">>();
    const givenProps = new Map<string, Value>();
    for (const [key, value] of use.values)
      givenProps.set(key, wrapInSlot(key, value, slots, context));
    if (use.children.length > 0) {
      const children: JsxValue = { type: "jsx", nodes: use.children };
      givenProps.set("children", wrapInSlot("children", children, slots, context));
    }
    const live: LiveRender = {
      providedValues: new Map(),
      omissionReasons: [],
      removedSlots: new Set(),
      idCount: 0,
    };
    const shownNodes = this.#budget.withSteps(limits.clientRenderSteps, () =>
      tryRender(() => render(Object.fromEntries(givenProps), { ...context, live }), live),
    );
    const visibleSlots = collectSlots(shownNodes);
    const hiddenSlots = [...slots.values()].filter(
      (slot) => !visibleSlots.has(slot) && !live.removedSlots.has(slot),
    );
    const unsentNames = new Set<string>();
    const node: MarkdownNode<"component"> = {
      type: "component",
      position,
      isFlow,
      module: context.file.path,
      use: this.#registerExpression(context.file, use.name),
      props: JSON.stringify(this.#toLiveProps(givenProps, context, unsentNames)),
      children: [...shownNodes, ...hiddenSlots.map((slot) => ({ ...slot, isHidden: true }))],
    };
    return { node, omissionReason: live.omissionReasons[0], unsentProps: [...unsentNames] };
  }

  /** Returns the number of an expression within its file. Adds the expression if it is new. */
  #registerExpression(file: SourceFile, source: string): number {
    const expressions = this.#files.get(file) ?? [];
    this.#files.set(file, expressions);
    const index = expressions.indexOf(source);
    return index === -1 ? expressions.push(source) - 1 : index;
  }

  /**
   * Encodes props as JSON. `{"$slot": name}` represents content, and `{"$use": n}` represents an expression of the
   * page's script. Other values that do not exist in JSON are encoded in the same way, and an author's object with such
   * a key becomes `{"$record": object}`.
   */
  #toLiveProps(
    givenProps: ReadonlyMap<string, Value>,
    context: EvaluationContext,
    unsentNames: Set<string>,
  ): object {
    const entries = [...givenProps].filter(([key]) => !isForbiddenKey(key));
    return Object.fromEntries(
      entries.map(([key, value]) => {
        const encoder = { context, reportLoss: () => void unsentNames.add(key) };
        return [key, isJsxValue(value) ? { $slot: key } : this.#toLiveValue(value, encoder, 0)];
      }),
    );
  }

  #toLiveValue(value: Value, encoder: PropEncoder, depth: number): unknown {
    const encodeInner = (item: Value) => this.#toLiveValue(item, encoder, depth + 1);
    if (depth > maxPropDepth) return encoder.reportLoss();
    if (value instanceof Closure) {
      if (value.text === undefined || value.file !== encoder.context.file)
        return encoder.reportLoss();
      return { $use: this.#registerExpression(value.file, value.text) };
    }
    if (isList(value)) return value.map(encodeInner);
    if (!isJsxValue(value) && isRecord(value)) return encodeRecord(value, encodeInner);
    const encoded = encodeBuiltIn(value, encodeInner);
    return encoded === undefined && value !== undefined ? encoder.reportLoss() : encoded;
  }
}

function encodeRecord(value: ValueRecord, encodeInner: (item: Value) => unknown): object {
  const entries = Object.entries(value).filter(([key]) => !isForbiddenKey(key));
  const record = Object.fromEntries(entries.map(([key, item]) => [key, encodeInner(item)]));
  return entries.some(([key]) => key.startsWith("$")) ? { $record: record } : record;
}

/** Encodes a value of a type that JavaScript defines. Returns undefined if there is no encoding. */
function encodeBuiltIn(value: Value, encodeInner: (item: Value) => unknown): unknown {
  if (value instanceof DateValue) return { $date: value.time };
  if (value instanceof SetValue) return { $set: Array.from(value.items, encodeInner) };
  if (value instanceof MapValue) {
    return {
      $map: Array.from(value.entries, ([key, item]) => [encodeInner(key), encodeInner(item)]),
    };
  }
  if (value instanceof UrlValue) return { $url: value.url.href };
  if (value instanceof SearchParamsValue) return { $parameters: value.params.toString() };
  if (value instanceof BytesValue) return { $bytes: [...value.bytes] };
  if (value instanceof TextPattern) {
    return { $pattern: [value.expression.source, value.expression.flags] };
  }
  if (typeof value === "number" && !Number.isFinite(value)) return { $number: String(value) };
  return typeof value === "object" && value !== null ? undefined : value;
}

interface PropEncoder {
  readonly context: EvaluationContext;
  /** Records that the value, or part of it, cannot be sent. */
  reportLoss(): undefined;
}

/** Renders a component. Returns no nodes if rendering fails as a whole; the browser can still hydrate the component. */
function tryRender(render: () => readonly TreeNode[], live: LiveRender): readonly TreeNode[] {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError)
      live.omissionReasons.push("The component is nested too deeply.");
    else if (isOctavoError(error, "invalid_input")) live.omissionReasons.push(error.message);
    else throw error;
    return [];
  }
}

/**
 * Wraps content that is passed to a component, so that the browser can move it to the position where the component
 * shows it.
 */
function wrapInSlot(
  name: string,
  value: Value,
  slots: Map<string, MarkdownNode<"componentSlot">>,
  { position, isFlow }: EvaluationContext,
): Value {
  if (!isJsxValue(value)) return value;
  const slot: MarkdownNode<"componentSlot"> = {
    type: "componentSlot",
    name,
    isFlow: isFlow && !value.nodes.every(isInline),
    isHidden: false,
    position,
    children: value.nodes,
  };
  slots.set(name, slot);
  return { type: "jsx", nodes: [slot] };
}

function collectSlots(nodes: readonly TreeNode[]): ReadonlySet<TreeNode> {
  const slots = new Set<TreeNode>();
  const stack = [...nodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "componentSlot") slots.add(node);
    for (const child of getChildren(node)) stack.push(child);
    if (isElement(node)) {
      mapElements(node.props, (inside) => {
        stack.push(...inside);
        return inside;
      });
    }
  }
  return slots;
}

/** Distinguishes components that need a browser from components that can be rendered statically. */
interface Liveness {
  /** Reports whether the component, or a component that it uses, has a React hook, an event handler, or a `ref`. */
  isLive(component: Closure): boolean;
}

export function createLiveness(): Liveness {
  const results = new Map<object, boolean>();

  function isLive({ node, scope }: Closure): boolean {
    const cached = results.get(node);
    if (cached !== undefined) return cached;
    // Components that use each other are visited again before the result for the first component is known.
    results.set(node, false);
    const names = new Set<string>();
    const isFound = hasLiveParts(node, names) || [...names].some((name) => isLiveName(name, scope));
    results.set(node, isFound);
    return isFound;
  }
  function isLiveName(name: string, scope: LexicalScope): boolean {
    const value = scope.has(name) ? scope.get(name) : undefined;
    return value instanceof Closure && isLive(value);
  }
  return { isLive };
}

/** Reports whether a function needs a browser. Does not recurse. Adds every name that it references to `names`. */
function hasLiveParts(node: object, names: Set<string>): boolean {
  const stack: unknown[] = [node];
  for (let part = stack.pop(); part !== undefined; part = stack.pop()) {
    if (Array.isArray(part)) {
      stack.push(...part.filter((item) => item !== undefined));
      continue;
    }
    if (typeof part !== "object" || part === null) continue;
    if (isLivePart(part, names)) return true;
    stack.push(...Object.values(part).filter((value) => typeof value === "object" && value));
  }
  return false;
}

function isLivePart(part: object, names: Set<string>): boolean {
  const { type, name, value } = part as { type?: unknown; name?: unknown; value?: unknown };
  if (typeof name !== "string") return false;
  if (type === "Identifier") {
    names.add(name);
    return isHook(name);
  }
  if (type === "JsxElement") names.add(name.split(".")[0] ?? "");
  if (type !== "attribute") return false;
  return name === "ref" || (/^on[A-Z]/.test(name) && typeof value === "object");
}

/**
 * The built-in components that inspect their children, each with the name of its child component, if it has one. In the
 * browser, they keep their initial children, but the content of each child component is replaced, as in other
 * components.
 */
const childReaders: ReadonlyMap<string, string | undefined> = new Map([
  ["Tabs", "Tab"],
  ["Steps", "Step"],
  ..."CodeGroup Tree Tree.Folder Tree.File FileTree Color Color.Row RequestExample ResponseExample CodeBlock Prompt Latex"
    .split(" ")
    .map((name) => [name, undefined] as const),
]);

interface ShellOptions {
  /** The number that identifies the element in its file; see `findElementNumber`. */
  readonly elementNumber: number | undefined;
  /** Whether the element has children, even if no child is initially shown. */
  readonly hasContent: boolean;
  readonly live: LiveRender;
}

/**
 * Wraps a built-in component, whose code is not available in the browser, for use inside a component that runs there.
 * The browser moves the initial content to the position where the component is shown, and replaces the component's
 * children and the elements in its attributes with their current content.
 */
export function createShell(
  element: ElementNode,
  options: ShellOptions,
): MarkdownNode<"componentSlot"> {
  const { name, children, position } = element;
  const key = getShellKey(name, options.elementNumber);
  const props = mapElements(element.props, (nodes, path) =>
    isContentProp(path, nodes)
      ? [createSlot(`#${path}`, nodes, position)]
      : removeSlots(nodes, options.live),
  );
  const shown = options.hasContent ? [createSlot("#", children, position)] : children;
  const inspectsChildren = childReaders.has(name);
  const content = inspectsChildren
    ? readParts(children, childReaders.get(name), options.live)
    : shown;
  return createSlot(key, [{ ...element, props, children: content }], position);
}

/** Wraps the content of an imported Markdown file in the same way as `createShell`. */
export function createMarkdownShell(
  path: string,
  nodes: readonly TreeNode[],
  {
    elementNumber,
    position,
  }: { readonly elementNumber: number | undefined; readonly position: FilePosition },
): MarkdownNode<"componentSlot"> {
  return createSlot(getShellKey(path, elementNumber), nodes, position);
}

function getShellKey(name: string, elementNumber: number | undefined): string {
  return `${name}#${elementNumber ?? ""}`;
}

function createSlot(
  name: string,
  children: readonly TreeNode[],
  position: FilePosition,
): MarkdownNode<"componentSlot"> {
  return { type: "componentSlot", name, isFlow: false, isHidden: false, position, children };
}

/** Reports whether the elements in an attribute are only shown. Components also inspect the drawing of an icon. */
function isContentProp(path: string, nodes: readonly TreeNode[]): boolean {
  return (
    path !== "icon" &&
    !path.includes(".") &&
    !nodes.some((node) => isElement(node) && node.name === "svg")
  );
}

/**
 * Returns `props` with the elements in each attribute replaced by `map`. `path` is their location, e.g. `title` or
 * `tags.0`.
 */
function mapElements(
  props: Props,
  map: (nodes: readonly TreeNode[], path: string) => readonly TreeNode[],
): Props {
  const mapValue = (value: PropValue, path: string): PropValue => {
    if (isJsxProp(value)) return { type: "jsx", nodes: map(value.nodes, path) };
    if (isListProp(value)) return value.map((item, index) => mapValue(item, `${path}.${index}`));
    if (!isRecordProp(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, mapValue(item, `${path}.${key}`)]),
    );
  };
  return Object.fromEntries(
    Object.entries(props).map(([key, value]) => [key, mapValue(value, key)]),
  );
}

/**
 * Prepares the children of a component that inspects them. Only the content of child components named `part` can be
 * replaced.
 */
function readParts(
  nodes: readonly TreeNode[],
  part: string | undefined,
  live: LiveRender,
): readonly TreeNode[] {
  return nodes.flatMap((node) => {
    const isPart = node.type === "componentSlot" && node.name.startsWith(`${part}#`);
    const element = isPart ? node.children.find(isElement) : undefined;
    if (isPart && element) {
      const [inner] = element.children;
      const props = mapElements(element.props, (inside) => removeSlots(inside, live));
      const children =
        inner?.type === "componentSlot" && inner.name === "#"
          ? [{ ...inner, name: `#${node.name}` }]
          : removeSlots(element.children, live);
      return [{ ...element, props, children }];
    }
    if (isElement(node) && node.name === "") return readParts(node.children, part, live);
    return removeSlots([node], live);
  });
}

/** Removes slots from nodes, so that the nodes keep their initial content. */
function removeSlots(nodes: readonly TreeNode[], live: LiveRender): readonly TreeNode[] {
  return nodes.flatMap((node) => {
    if (node.type === "component" || !("children" in node)) return [node];
    const children = removeSlots(node.children, live);
    if (node.type === "componentSlot") {
      live.removedSlots.add(node);
      return children;
    }
    if (!isElement(node)) return [{ ...node, children }];
    const props = mapElements(node.props, (inside) => removeSlots(inside, live));
    return [{ ...node, props, children }];
  });
}

/** Reports whether `name` is a React function used only by components that run in the browser. */
function isHook(name: string): boolean {
  return /^use[A-Z]/.test(name) || name === "createContext" || name === "createRef";
}
