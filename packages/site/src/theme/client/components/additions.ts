import { options, type ComponentChild, type VNode } from "preact";
import { Component, createContext, createElement, type ComponentType } from "preact/compat";
import { findAll } from "../page.ts";
import { findOwnElements } from "./ranges.ts";

/** An element of a component's first render with additions to what its author wrote. */
interface Addition {
  readonly key: string;
  readonly element: Element;
  isUsed: boolean;
}

/** The additions of one component, in the order of its first render. */
interface Additions {
  /**
   * Takes the addition for elements with this key. Elements can share an addition, except headings, whose ids must be
   * unique.
   */
  take(key: string): Addition | undefined;
  /** Takes the next unused heading with this tag name, because the text of the heading is not known yet. */
  takeHeading(name: string): Addition | undefined;
}

export const AdditionContext = createContext<Additions>({
  take: () => undefined,
  takeHeading: () => undefined,
});

/** Finds what a component's first render adds to what its author wrote. Its slots must not be taken out yet. */
export function findAdditions(place: HTMLElement): Additions {
  const additions: Addition[] = [];
  const byKey = new Map<string, Addition[]>();
  for (const element of findOwnElements(place)) {
    const key = getElementKey(element);
    if (key === undefined) continue;
    const addition = { key, element, isUsed: false };
    additions.push(addition);
    byKey.set(key, [...(byKey.get(key) ?? []), addition]);
  }
  const use = (addition: Addition | undefined) => {
    if (addition) addition.isUsed = true;
    return addition;
  };
  return {
    take(key) {
      const found = byKey.get(key);
      const isShared = found !== undefined && !isHeading(found[0]?.element);
      return use(found?.find(({ isUsed }) => !isUsed) ?? (isShared ? found[0] : undefined));
    },
    takeHeading: (name) =>
      use(additions.find(({ element, isUsed }) => !isUsed && element.localName === name)),
  };
}

function isHeading(element: Element | null | undefined): boolean {
  return headingTags.includes(element?.localName ?? "");
}

/**
 * The attributes that a page adds to elements. Headings are handled separately, because they are found by their text.
 */
const addedAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ["target", "rel", "aria-label", "aria-hidden", "tabindex"],
  img: ["alt", "loading", "data-no-zoom", "data-actions", "data-placement"],
  video: ["preload"],
  svg: ["width", "height"],
  iframe: ["loading"],
};

const headingTags = ["h1", "h2", "h3", "h4", "h5", "h6"];

/** Attributes of pictures that only the first render reads. */
const pictureOptions = new Set(["nozoom", "actions", "actionsplacement"]);

function getElementKey(element: Element): string | undefined {
  const name = element.localName;
  if (isHeading(element)) return `${name} ${element.textContent}`;
  if (element.matches("a.frame-consent, a.missing-media")) {
    return getReplacementKey(element.getAttribute("href"));
  }
  if (element.matches(".anchor") && isHeading(element.parentElement)) return undefined;
  if (element.matches(".picture-actions > *")) return undefined;
  // Only drawings without an authored size have this width.
  if (name === "svg" && element.getAttribute("width") !== "1em") return undefined;
  return name in addedAttributes
    ? getKey(name, (attribute) => element.getAttribute(attribute))
    : undefined;
}

function getKey(name: string, valueOf: (attribute: string) => unknown): string {
  const value = valueOf(keyAttributes[name] ?? "src");
  return `${name} ${typeof value === "string" ? value : ""}`;
}

/** Returns the key of a link that replaces a frame, picture or video on another host. */
function getReplacementKey(address: unknown): string {
  return `link ${String(address)}`;
}

/** The attributes that distinguish elements of the same kind, if not `src`. */
const keyAttributes: Readonly<Record<string, string>> = { a: "href", svg: "viewBox" };

/** The names of the props for an author's `ref`, and for an authored address that the bundle cannot show. */
const elementRef = "data-element-ref";
const hiddenAddress = "data-hidden-address";

type Attributes = Readonly<Record<string, unknown>>;

/** Renders an author's element with what the first render added to it. */
abstract class CompletedElement extends Component<Attributes> {
  static override contextType = AdditionContext;
  declare context: Additions;
  addition: Addition | undefined;

  override componentWillUnmount(): void {
    this.use(undefined);
  }

  use(addition: Addition | undefined): void {
    if (this.addition) this.addition.isUsed = false;
    this.addition = addition;
  }
}

function createCompletedHeading(name: string): ComponentType<Attributes> {
  return class extends CompletedElement {
    /** Whether the heading has ever had the text of its addition. */
    isKnown = false;

    override componentWillMount(): void {
      this.use(this.context.takeHeading(name));
    }

    override componentDidMount(): void {
      this.complete();
    }

    override componentDidUpdate(): void {
      this.complete();
    }

    /** Finds the heading with the same text in the first render. The text is known only after rendering. */
    complete(): void {
      const key = `${name} ${this.base?.textContent ?? ""}`;
      if (key === this.addition?.key) {
        this.isKnown = true;
        return;
      }
      const addition = this.context.take(key);
      if (!addition && (this.isKnown || !this.addition)) return;
      this.use(addition);
      this.isKnown = addition !== undefined;
      this.forceUpdate();
    }

    override render(): ComponentChild {
      const { children, ...attributes } = this.props;
      const firstElement = this.addition?.element;
      const marks = findAll(":scope > span[id]:empty", firstElement ?? new DocumentFragment());
      const anchor = firstElement?.querySelector(":scope > .anchor");
      return createPlain(
        name,
        { ...attributes, id: attributes["id"] ?? (firstElement?.id || undefined) },
        marks.map(({ id }) => createElement("span", { id, key: id })),
        children,
        anchor && createPlain("a", readAttributes(anchor, anchor.getAttributeNames())),
      );
    }
  };
}

function createCompletedElement(name: string): ComponentType<Attributes> {
  return class extends CompletedElement {
    key: string | undefined;

    override render(): ComponentChild {
      const { children, [hiddenAddress]: hidden, ...attributes } = this.props;
      const key = getKey(name, (attribute) => attributes[attribute]);
      if (key !== this.key) {
        this.key = key;
        this.use(undefined);
        const replacement = this.context.take(getReplacementKey(hidden ?? attributes["src"]));
        this.use(replacement ?? this.context.take(key));
      }
      const firstElement = this.addition?.element;
      if (!firstElement) return createPlain(name, attributes, children);
      if (firstElement.localName !== name) return createReplacement(firstElement);
      const element = createPlain(name, complete(name, attributes, firstElement), children);
      // The box of a picture's buttons must not be put around an element that Preact will move or remove.
      return firstElement.parentElement?.matches(".picture-box")
        ? createPlain("span", { class: "picture-box", key: firstElement }, element)
        : element;
    }
  };
}

/**
 * Returns an author's attributes and those that the first render added. Only the first render determines where links
 * open.
 */
function complete(name: string, attributes: Attributes, firstElement: Element): Attributes {
  const authoredEntries = Object.entries(attributes).filter(
    ([key]) => !(name === "img" && pictureOptions.has(key.toLowerCase())),
  );
  const ignoredKeys = name === "a" ? ["target", "rel"] : [];
  const keptEntries = authoredEntries.filter(([key]) => !ignoredKeys.includes(key));
  const names = new Set(keptEntries.map(([key]) => key.toLowerCase()));
  const added = (addedAttributes[name] ?? []).filter((key) => !names.has(key));
  return { ...Object.fromEntries(keptEntries), ...readAttributes(firstElement, added) };
}

/** Renders what the first render shows instead of an element, such as a link to a frame on another host. */
function createReplacement(firstElement: Element): ComponentChild {
  return createPlain(firstElement.localName, {
    ...readAttributes(firstElement, firstElement.getAttributeNames()),
    dangerouslySetInnerHTML: { __html: firstElement.innerHTML },
  });
}

function readAttributes(element: Element, names: readonly string[]): Attributes {
  const presentNames = names.filter((name) => element.hasAttribute(name));
  return Object.fromEntries(presentNames.map((name) => [name, element.getAttribute(name)]));
}

/** Whether the elements being created must stay unchanged. */
let isPlain = false;

function createPlain(
  name: string,
  { [elementRef]: ref, ...attributes }: Attributes,
  ...children: readonly unknown[]
): ComponentChild {
  isPlain = true;
  const element = createElement(
    name,
    ref === undefined ? attributes : { ...attributes, ref },
    ...(children as ComponentChild[]),
  );
  isPlain = false;
  return element;
}

/** Renders a table in the box in which it scrolls. */
function TableBox({ children, ...attributes }: Attributes): ComponentChild {
  return createElement("div", { class: "table" }, createPlain("table", attributes, children));
}

const completions: Readonly<Record<string, ComponentType<Attributes>>> = {
  ...Object.fromEntries(headingTags.map((name) => [name, createCompletedHeading(name)])),
  ...Object.fromEntries(
    Object.keys(addedAttributes).map((name) => [name, createCompletedElement(name)]),
  ),
  table: TableBox,
};

/** Addresses in the bundle, keyed by authored address. */
const addresses = new Map<string, string>();

/** Makes elements with these authored addresses use the addresses from a component's first render. */
export function addAddresses(targetsByAddress: Readonly<Record<string, string>>): void {
  for (const [address, target] of Object.entries(targetsByAddress)) addresses.set(address, target);
}

const previousVnodeHook = options.vnode?.bind(options);
options.vnode = (vnode) => {
  const { type } = vnode;
  if (typeof type === "string" && !isPlain) completeElement(vnode, type);
  previousVnodeHook?.(vnode);
};

function completeElement(vnode: VNode, name: string): void {
  const { props } = vnode;
  for (const attribute of ["href", "src", "poster"]) {
    const authoredAddress = String(Reflect.get(props, attribute));
    const address = addresses.get(authoredAddress);
    if (address === "" && attribute === "src") Reflect.set(props, hiddenAddress, authoredAddress);
    if (address !== undefined) Reflect.set(props, attribute, address);
  }
  const completion = completions[name];
  if (!completion || (name === "svg" && ("width" in props || "height" in props))) return;
  Reflect.set(vnode, "type", completion);
  if (vnode.ref) Reflect.set(props, elementRef, vnode.ref);
  Reflect.set(vnode, "ref", null);
}
