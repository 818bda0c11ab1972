import type { ComponentChild, ComponentChildren, VNode } from "preact";
import {
  Fragment,
  createContext,
  createElement,
  createPortal,
  useContext,
  useState,
  type ComponentType,
} from "preact/compat";
import { findAll } from "../page.ts";

/** The named pieces of a page's content that were passed to a component, in the order of the page. */
interface Slots {
  /**
   * Creates a component that is within content. Because it is part of the tree around it, it can use the tree's
   * providers.
   */
  readonly bring: (place: HTMLElement) => ComponentChild;
  /**
   * Takes a piece of content with this name that is not shown yet. If all of them are shown, returns a copy. Returns
   * undefined if there is no such content.
   */
  take(name: string): HTMLElement | undefined;
  /** Moves all content back to its original position. */
  restore(): void;
}

export const SlotContext = createContext<Slots>({
  bring: () => undefined,
  take: () => undefined,
  restore: () => undefined,
});

/** Removes the content from a component's first render. */
export function takeSlots(place: HTMLElement, bring: Slots["bring"]): Slots {
  const free = new Map<string, HTMLElement[]>();
  const taken = new Map<string, HTMLElement>();
  const marks = new Map<Comment, HTMLElement>();
  const hidden = new Set<HTMLElement>();
  for (const element of findAll("[data-slot]", place)) {
    // A component within content takes its content itself.
    if (element.closest("[data-module]") !== place) continue;
    // Content within one of the format's components stays there until that component takes it.
    const name = element.dataset["slot"] ?? "";
    if (name === childSlot) continue;
    const mark = document.createComment("");
    element.replaceWith(mark);
    marks.set(mark, element);
    if (element.hidden) hidden.add(element);
    element.hidden = false;
    free.set(name, [...(free.get(name) ?? []), element]);
  }
  return {
    bring,
    take(name) {
      const next = free.get(name)?.shift();
      if (next) taken.set(name, next);
      return next ?? (taken.get(name)?.cloneNode(true) as HTMLElement | undefined);
    },
    restore() {
      for (const [mark, element] of [...marks].toReversed()) {
        element.hidden = hidden.has(element);
        mark.replaceWith(element);
      }
    },
  };
}

/** The name of the slot for the children of one of the format's components. */
const childSlot = "<>";

/** Renders a piece of the page's content within a component. */
export function Slot({ name }: { readonly name: string }): VNode | null {
  const slots = useContext(SlotContext);
  const [content] = useState(() => slots.take(name));
  return content ? holderOf(content, slots) : null;
}

/** Renders content unchanged and hydrates the components within it. */
function holderOf(content: HTMLElement, { bring }: Slots): VNode {
  const holder = createElement("span", {
    className: "component-slot",
    ref: (element: HTMLElement | null) => element?.append(content),
  });
  const within = findComponentElements(content).map((place) => {
    const component = bring(place);
    return component ? createPortal(component, place) : null;
  });
  return createElement(Fragment, {}, holder, ...within);
}

/** Finds the components in a part of the page that are not within another component's content. */
export function findComponentElements(part: HTMLElement | Document): HTMLElement[] {
  const places = findAll("[data-module][data-use]", part);
  return places.filter(
    (place) => !places.some((other) => other !== place && other.contains(place)),
  );
}

interface ShellProps {
  readonly children?: ComponentChildren;
}

const shells = new Map<string, ComponentType<ShellProps>>();

/**
 * Creates one of the format's components, or the component of a Markdown file. It shows its initial content with its
 * current children. If it was not shown initially, it shows only its children.
 */
export function getShell(name: string): ComponentType<ShellProps> {
  const known = shells.get(name);
  if (known) return known;
  const shell = (props: ShellProps) => createElement(Shell, { ...props, name });
  shells.set(name, shell);
  return shell;
}

function Shell({ name, children }: ShellProps & { readonly name: string }): VNode {
  const slots = useContext(SlotContext);
  const [shell] = useState(() => emptied(slots.take(`<${name}>`)));
  if (!shell) return createElement(Fragment, {}, children);
  const { content, inner } = shell;
  const portal = inner && createPortal(createElement(Fragment, {}, children), inner);
  return createElement(Fragment, {}, holderOf(content, slots), portal);
}

function emptied(
  content: HTMLElement | undefined,
): { readonly content: HTMLElement; readonly inner: HTMLElement | null } | undefined {
  if (!content) return undefined;
  const inner = content.querySelector<HTMLElement>(`[data-slot="${childSlot}"]`);
  inner?.replaceChildren();
  return { content, inner };
}
