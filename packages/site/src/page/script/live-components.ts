import { isOctavoError, limits } from "../../core/index.ts";
import type { ExpansionBudget } from "../budget.ts";
import type { EvaluationContext, LiveRender } from "./evaluation-context.ts";
import { isInline } from "../markdown-node.ts";
import type { SourceFile } from "../source-file.ts";
import { childrenOf, type JsxValue, type MarkdownNode, type TreeNode } from "../tree.ts";
import {
  Closure,
  isForbiddenKey,
  isJsxValue,
  isList,
  isRecord,
  type Value,
  type ValueRecord,
} from "./value.ts";

/** A component that lives in the browser, as it is used on a page. */
export interface LiveUse {
  readonly name: string;
  readonly values: ReadonlyMap<string, Value>;
  readonly children: readonly TreeNode[];
  readonly context: EvaluationContext;
}

/** The expressions that the browser needs of a file: names of components, and functions in attributes. */
export interface LiveFile {
  readonly file: SourceFile;
  readonly expressions: readonly string[];
}

/** Nested deeper, what a component is given is left out. */
const maxPropDepth = 20;

/** The components of one page that live in the browser. */
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
   * What a use shows at first, in a node from which the browser brings it to life. `render` is given its properties and
   * renders it; what it cannot show is left out.
   */
  render(
    use: LiveUse,
    render: (props: ValueRecord, context: EvaluationContext) => readonly TreeNode[],
  ): { readonly node: MarkdownNode<"component">; readonly omitted: string | undefined } {
    const { context } = use;
    const { place, isFlow } = context;
    const slots = new Map<string, MarkdownNode<"componentSlot">>();
    const given = new Map<string, Value>();
    for (const [key, value] of use.values) given.set(key, withSlot(key, value, slots, context));
    if (use.children.length > 0) {
      const children: JsxValue = { type: "jsx", nodes: use.children };
      given.set("children", withSlot("children", children, slots, context));
    }
    const live: LiveRender = { provided: new Map(), omitted: [], ids: 0 };
    const shown = this.#budget.withSteps(limits.liveSteps, () =>
      firstRender(() => render(Object.fromEntries(given), { ...context, live }), live),
    );
    const visible = slotsIn(shown);
    const hidden = [...slots.values()].filter((slot) => !visible.has(slot));
    const node: MarkdownNode<"component"> = {
      type: "component",
      place,
      isFlow,
      module: context.file.path,
      use: this.#expression(context.file, use.name),
      props: JSON.stringify(this.#toLiveProps(given, context)),
      children: [...shown, ...hidden.map((slot) => ({ ...slot, isHidden: true }))],
    };
    return { node, omitted: live.omitted[0] };
  }

  /** The number of an expression among those of its file. */
  #expression(file: SourceFile, source: string): number {
    const known = this.#files.get(file) ?? [];
    this.#files.set(file, known);
    const found = known.indexOf(source);
    return found === -1 ? known.push(source) - 1 : found;
  }

  /** `{"$slot": name}` stands for content, `{"$use": n}` for an expression of the page's script. */
  #toLiveProps(given: ReadonlyMap<string, Value>, context: EvaluationContext): object {
    const entries = [...given].filter(([key]) => !isForbiddenKey(key));
    return Object.fromEntries(
      entries.map(([key, value]) => [
        key,
        isJsxValue(value) ? { $slot: key } : this.#toLiveValue(value, context, 0),
      ]),
    );
  }

  #toLiveValue(value: Value, context: EvaluationContext, depth: number): unknown {
    if (depth > maxPropDepth || isJsxValue(value)) return undefined;
    if (value instanceof Closure) {
      if (value.text === undefined || value.file !== context.file) return undefined;
      return { $use: this.#expression(value.file, value.text) };
    }
    if (isList(value)) return value.map((item) => this.#toLiveValue(item, context, depth + 1));
    if (isRecord(value)) {
      const entries = Object.entries(value).filter(([key]) => !isForbiddenKey(key));
      return Object.fromEntries(
        entries.map(([key, item]) => [key, this.#toLiveValue(item, context, depth + 1)]),
      );
    }
    return typeof value === "object" ? undefined : value;
  }
}

/** Also what fails as a whole leaves a component that the browser can bring to life. */
function firstRender(render: () => readonly TreeNode[], live: LiveRender): readonly TreeNode[] {
  try {
    return render();
  } catch (error) {
    if (error instanceof RangeError) live.omitted.push("It is nested too deeply.");
    else if (isOctavoError(error, "invalid_input")) live.omitted.push(error.message);
    else throw error;
    return [];
  }
}

/** Content that a component is given stays one piece, which the browser moves to where the component shows it. */
function withSlot(
  name: string,
  value: Value,
  slots: Map<string, MarkdownNode<"componentSlot">>,
  { place, isFlow }: EvaluationContext,
): Value {
  if (!isJsxValue(value)) return value;
  const slot: MarkdownNode<"componentSlot"> = {
    type: "componentSlot",
    name,
    isFlow: isFlow && !value.nodes.every(isInline),
    isHidden: false,
    place,
    children: value.nodes,
  };
  slots.set(name, slot);
  return { type: "jsx", nodes: [slot] };
}

function slotsIn(nodes: readonly TreeNode[]): ReadonlySet<TreeNode> {
  const found = new Set<TreeNode>();
  const stack = [...nodes];
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (node.type === "componentSlot") found.add(node);
    else for (const child of childrenOf(node)) stack.push(child);
  }
  return found;
}
