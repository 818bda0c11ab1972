import { options, type ComponentChild, type ComponentChildren } from "preact";
import {
  Component,
  Fragment,
  createContext,
  createElement,
  isValidElement,
  render,
  useContext,
  useLayoutEffect,
  useState,
  type ComponentType,
} from "preact/compat";
import { findAll } from "../page.ts";
import {
  copyRange,
  escapeName,
  findRanges,
  isInner,
  isTopLevel,
  putBack,
  takeOut,
  type Range,
} from "./ranges.ts";

/** A component within content. */
export interface Revival {
  readonly component: ComponentChild;
  /** Restores the initial content; the component must have been removed. */
  restore(): void;
}

/** The named parts of a page's content that were passed to a component, in the order of the page. */
interface Slots {
  /** Creates a component within content. It is part of the surrounding tree, so it has the tree's context providers. */
  readonly bring: (place: HTMLElement) => Revival | undefined;
  /**
   * Takes content that is not shown or, if there is none, a copy of shown content. `use` describes what the content is
   * used for. Content that was used for something else is not taken.
   */
  take(name: string, use: string): Range | undefined;
  /** Gives back content that is no longer shown. */
  give(range: Range): void;
  /** Puts all content back in its original position. */
  restore(): void;
}

export const SlotContext = createContext<Slots>({
  bring: () => undefined,
  take: () => undefined,
  give: () => undefined,
  restore: () => undefined,
});

/** Removes the content from a component's first render. */
export function takeSlots(place: HTMLElement, bring: Slots["bring"]): Slots {
  const ranges = findRanges(place);
  const free = new Map<string, Range[]>();
  const uses = new Map<Range, string>();
  for (const range of ranges) free.set(range.name, [...(free.get(range.name) ?? []), range]);
  // Inner ranges are taken out first, because their comments are part of the outer range.
  for (const range of ranges.toReversed()) if (!isInner(range)) takeOut(range);
  return {
    bring,
    take(name, use) {
      const available = free.get(name) ?? [];
      const next =
        available.find((range) => uses.get(range) === use) ??
        available.find((range) => !uses.has(range));
      const shown = [...uses.keys()].find(
        (range) => range.name === name && uses.get(range) === use,
      );
      const taken = next ?? (shown && copyRange(shown));
      if (!taken) return undefined;
      free.set(
        name,
        available.filter((range) => range !== taken),
      );
      uses.set(taken, use);
      return taken;
    },
    give: (range) => void free.set(range.name, [...(free.get(range.name) ?? []), range]),
    restore() {
      for (const range of ranges) putBack(range);
    },
  };
}

/** Takes content with one of the names while the component is shown, and other content if `use` changes. */
function useRange(names: readonly string[], use: string): Range | undefined {
  const slots = useContext(SlotContext);
  const takeAny = () => {
    for (const name of names) {
      const range = slots.take(escapeName(name), use);
      if (range) return range;
    }
    return undefined;
  };
  const [state] = useState<{ range: Range | undefined; use: string }>(() => ({
    range: takeAny(),
    use,
  }));
  if (state.use !== use) {
    const other = takeAny();
    if (other && state.range) slots.give(state.range);
    state.range = other ?? state.range;
    state.use = use;
  }
  useLayoutEffect(
    // The content is still being removed from the page.
    () => () => queueMicrotask(() => state.range && slots.give(state.range)),
    [],
  );
  return state.range;
}

/** Renders content of the page that a component shows. */
export function Slot({ name }: { readonly name: string }): ComponentChild {
  const range = useRange([name], "");
  return range ? createElement(Content, { range, parts: {}, key: getKey(range) }) : null;
}

const keys = new WeakMap<Range, number>();
let lastKey = 0;

function getKey(range: Range): number {
  const key = keys.get(range) ?? (lastKey += 1);
  keys.set(range, key);
  return key;
}

interface ContentProps {
  readonly range: Range;
  /** The current content of ranges within it. */
  readonly parts: Readonly<Record<string, ComponentChildren>>;
}

/** Renders content as it is in the page, and hydrates components within it. */
function Content({ range, parts }: ContentProps): ComponentChild {
  const { bring } = useContext(SlotContext);
  const [{ before, after, revivals }] = useState(() => {
    const top = range.inner.get("#");
    const split = top && isTopLevel(top, range) && "#" in parts ? top : undefined;
    const nodes = range.nodes ?? [];
    const at = split ? nodes.indexOf(split.start) : nodes.length;
    const end = split ? nodes.indexOf(split.end) : nodes.length;
    const kept = [...nodes.slice(0, at), ...nodes.slice(end)];
    return {
      before: kept.slice(0, at),
      after: kept.slice(at),
      revivals: findComponents(kept).map((place) => ({ place, revival: bring(place) })),
    };
  });
  useLayoutEffect(
    () => () =>
      queueMicrotask(() => {
        for (const { revival } of revivals) revival?.restore();
      }),
    [],
  );
  const top = range.inner.get("#");
  const isSplit = after.length > 0;
  const portals = Object.entries(parts).map(([name, part]) => {
    const inner = range.inner.get(name);
    return inner && !(isSplit && inner === top)
      ? createElement(Inner, { range: inner, key: name }, part)
      : null;
  });
  const componentPortals = revivals.map(({ place, revival }) =>
    revival ? createElement(Portal, { root: place }, revival.component) : null,
  );
  return createElement(
    Fragment,
    {},
    before.map(adopt),
    isSplit ? parts["#"] : null,
    after.map(adopt),
    portals,
    componentPortals,
  );
}

interface InnerProps {
  readonly range: Range;
  readonly children?: ComponentChildren;
}

/** Renders current content in the position of a range. */
function Inner({ range, children }: InnerProps): ComponentChild {
  const [root] = useState(() => {
    takeOut(range);
    return createRoot(range);
  });
  return createElement(Portal, { root }, children);
}

/**
 * Creates an object to which Preact adds nodes as if it were an element. The nodes are inserted in a range's position.
 */
function createRoot({ end }: Range): Element {
  const root = {
    nodeType: Node.ELEMENT_NODE,
    namespaceURI: end.parentElement?.namespaceURI,
    childNodes: [],
    contains: () => true,
    insertBefore(child: Node, next: Node | null): Node {
      // Preact skips comments, including the one at the end, when it looks for the next node.
      const isInside =
        next?.parentNode === end.parentNode &&
        next.compareDocumentPosition(end) === Node.DOCUMENT_POSITION_FOLLOWING;
      end.parentNode?.insertBefore(child, isInside ? next : end);
      return child;
    },
  };
  return root as unknown as Element;
}

/** Creates a root that shows nothing. */
function createNowhere(): Element {
  return createRoot({ end: new Comment() } as Range);
}

interface PortalProps {
  readonly root: Element;
  readonly children?: ComponentChildren;
}

/**
 * Renders its children elsewhere, as part of the surrounding tree. With Preact's own portals, content that follows a
 * component with several elements ends up between these elements.
 */
class Portal extends Component<PortalProps> {
  override componentWillUnmount(): void {
    render(null, this.props.root);
  }

  override render(): null {
    const { root, children } = this.props;
    render(createElement(Bridge, { context: this.context as object }, children), root);
    return null;
  }
}

interface BridgeProps {
  readonly context: object;
  readonly children?: ComponentChildren;
}

/** Passes on the contexts of a tree. */
class Bridge extends Component<BridgeProps> {
  override getChildContext(): object {
    return this.props.context;
  }

  override render(): ComponentChildren {
    return this.props.children;
  }
}

/** Renders an existing node. */
function adopt(node: ChildNode, index: number): ComponentChild {
  return createElement("i", { key: index, [adoptedProp]: node });
}

const adoptedProp = "data-adopted";

const oldDiffed = options.diffed?.bind(options);
/** Replaces the element that Preact created with the node that it represents, before it becomes part of the page. */
options.diffed = (vnode) => {
  const node: unknown = vnode.type === "i" ? Reflect.get(vnode.props, adoptedProp) : undefined;
  // `__e` is the element of a node in all 10.x versions of Preact, whose own packages rely on it.
  if (node instanceof Node) Reflect.set(vnode, "__e", node);
  oldDiffed?.(vnode);
};

/** Finds the components in nodes, except those within another component's content. */
function findComponents(nodes: readonly Node[]): readonly HTMLElement[] {
  return nodes.flatMap((node) => {
    if (!(node instanceof HTMLElement)) return [];
    return node.dataset["module"] === undefined ? findComponentElements(node) : [node];
  });
}

/** Finds the components in a part of the page, except those within another component's content. */
export function findComponentElements(part: HTMLElement | Document): HTMLElement[] {
  const places = findAll("[data-module][data-use]", part);
  return places.filter(
    (place) => !places.some((other) => other !== place && other.contains(place)),
  );
}

interface ShellProps {
  readonly children?: ComponentChildren;
  /** The number of the element in its file. */
  readonly "data-at"?: number;
}

const shells = new Map<string, ComponentType<ShellProps>>();

/**
 * Creates a built-in component, or the component of a Markdown file. The component shows its initial content with its
 * current children, or only its children if it was not shown initially.
 */
export function getShell(name: string): ComponentType<ShellProps> {
  const known = shells.get(name);
  if (known) return known;
  const shell = (props: ShellProps) => createElement(Shell, { name, given: props });
  shells.set(name, shell);
  return shell;
}

interface ShellOptions {
  readonly name: string;
  readonly given: ShellProps;
}

function Shell({ name, given }: ShellOptions): ComponentChild {
  const { children, "data-at": at, ...attributes } = given;
  const key = `${name}#${at ?? ""}`;
  const range = useRange(
    [key, `#${key}`],
    JSON.stringify(Object.entries(attributes).filter(isPlain)),
  );
  if (!range) return createElement(Fragment, {}, children);
  // Only the content is replaced in a child of another built-in component, such as a tab.
  if (isInner(range)) return createElement(Inner, { range, key: getKey(range) }, children);
  const elements = Object.entries(attributes).filter(([, value]) => hasElement(value));
  const parts = Object.fromEntries(
    elements.map(([prop, value]) => [`#${prop}`, value as ComponentChildren]),
  );
  const content = createElement(Content, {
    range,
    key: getKey(range),
    parts: { ...parts, "#": children },
  });
  // If a component reads its children, its parts are rendered only where they are in its content.
  return range.inner.has("#") || children === undefined
    ? content
    : createElement(Fragment, {}, content, createElement(Nowhere, {}, children));
}

/** Renders children of which only the parts that are rendered elsewhere are visible. */
function Nowhere({ children }: { readonly children?: ComponentChildren }): ComponentChild {
  const [root] = useState(createNowhere);
  return createElement(Portal, { root }, children);
}

function isPlain([, value]: readonly [string, unknown]): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function hasElement(value: unknown): boolean {
  return isValidElement(value) || (Array.isArray(value) && value.some(hasElement));
}
