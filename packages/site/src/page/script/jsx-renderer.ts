import { readJsxAttributes } from "../attributes.ts";
import type { ExpansionBudget } from "../budget.ts";
import { decodeEntities } from "../html-syntax.ts";
import { tryEvaluation, type EvaluationContext, type LiveRender } from "./evaluation-context.ts";
import { evaluate } from "./interpret.ts";
import type { JsxChild, JsxElement } from "./script.ts";
import {
  Closure,
  ContextProvider,
  DeferredNodes,
  resolveComponentName,
  type Value,
  type ValueRecord,
} from "./value.ts";
import type { TreeNode } from "../tree.ts";
import { toNodes } from "./value-nodes.ts";

interface JsxUse {
  readonly name: string;
  readonly values: ReadonlyMap<string, Value>;
  readonly children: readonly TreeNode[];
  readonly context: EvaluationContext;
  /** The JSX element from the script. */
  readonly element: JsxElement;
}

interface JsxRendererOptions {
  readonly budget: ExpansionBudget;
  readonly runOneLevelDeeper: <Result>(work: () => Result) => Result;
  /** Returns the nodes of an element whose children are already rendered. */
  readonly expand: (use: JsxUse) => readonly TreeNode[];
  readonly call: (
    component: Closure,
    props: ValueRecord,
    context: EvaluationContext,
  ) => readonly TreeNode[];
}

/** Renders elements inside expressions and components. */
export class JsxRenderer {
  readonly #options: JsxRendererOptions;

  constructor(options: JsxRendererOptions) {
    this.#options = options;
  }

  /** Evaluates an element's children, then expands it. */
  readonly render = (element: JsxElement, context: EvaluationContext): TreeNode[] => {
    const hasText = element.children.some((child) => child.type !== "JsxElement");
    const inner = { ...context, isFlow: context.isFlow && !hasText };
    const renderChildren = () => this.#renderChildren(element, inner);
    const liveNodes = context.live && this.#renderLive(element, context, renderChildren);
    if (liveNodes !== undefined) return liveNodes;
    const children = renderChildren();
    const { name } = element;
    if (name === "") return children;
    this.#options.budget.spendNodes(1);
    const values = readJsxAttributes(element.attributes, context);
    return [...this.#options.expand({ name, values, children, context, element })];
  };

  /** Within a component that runs in the browser, renders a provider or a component of the page. */
  #renderLive(
    element: JsxElement,
    context: EvaluationContext,
    renderChildren: () => TreeNode[],
  ): TreeNode[] | undefined {
    const component = resolveComponentName(element.name, context.scope);
    const isProvider = component instanceof ContextProvider;
    if (!isProvider && !(component instanceof Closure)) return undefined;
    this.#options.budget.spendNodes(1);
    const values = readJsxAttributes(element.attributes, context);
    if (isProvider && context.live) {
      return provide(context.live, component, values.get("value"), renderChildren);
    }
    if (element.children.length > 0) values.set("children", new DeferredNodes(renderChildren));
    const call = () =>
      this.#options.call(component as Closure, Object.fromEntries(values), context);
    return [...this.#options.runOneLevelDeeper(call)];
  }

  #renderChildren(element: JsxElement, context: EvaluationContext): TreeNode[] {
    return this.#options.runOneLevelDeeper(() =>
      element.children.flatMap((child) =>
        tryEvaluation(context, [], () => this.#renderChild(child, context)),
      ),
    );
  }

  #renderChild(child: JsxChild, context: EvaluationContext): readonly TreeNode[] {
    if (child.type === "JsxElement") return this.render(child, context);
    const value =
      child.type === "text" ? decodeEntities(child.value) : evaluate(child.value, context);
    return toNodes(value, context.position, this.#options.budget);
  }
}

function provide(
  { providedValues }: LiveRender,
  { context }: ContextProvider,
  value: Value,
  render: () => TreeNode[],
): TreeNode[] {
  const values = providedValues.get(context) ?? [];
  providedValues.set(context, values);
  values.push(value);
  try {
    return render();
  } finally {
    values.pop();
  }
}
