export const root = document.documentElement;

/** The relative path from the page to the bundle's root, e.g. `../`. */
export const rootPath = root.dataset["root"] ?? "";

export function findAll(selector: string, within: ParentNode = document): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(selector)];
}

/** Creates an element. Undefined attributes are omitted. Text is never parsed as markup. */
export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string | undefined>>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Returns the event's target or its nearest ancestor that matches the selector. */
export function findClosest(event: Event, selector: string): HTMLElement | undefined {
  const { target } = event;
  return target instanceof Element
    ? (target.closest<HTMLElement>(selector) ?? undefined)
    : undefined;
}

/**
 * Loads a script of the bundle as a classic script, the only kind that works from `file://`. Scripts run in the order
 * of calls.
 */
export function loadScript(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = make("script", { src: rootPath + path });
    script.async = false;
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`${path} could not be loaded.`)));
    document.head.append(script);
  });
}
