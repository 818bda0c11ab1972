export const root = document.documentElement;

/** The relative path from the page to the bundle's root, e.g. `../`. */
export const rootPath = root.dataset["root"] ?? "";

/**
 * The path from the page to the theme's files. A server of several exports sets it in an attribute, so that a page
 * loads the files of its own export even after another one was published.
 */
export const filesPath = root.dataset["files"] ?? `${rootPath}_octavo/`;

export function findAll(selector: string, within: ParentNode = document): HTMLElement[] {
  return [...within.querySelectorAll<HTMLElement>(selector)];
}

/** Calls `start` now, and whenever components that run in the browser have replaced their elements. */
export function startInComponents(start: () => void): void {
  start();
  const observer = new MutationObserver(start);
  for (const place of findAll("[data-module]")) {
    observer.observe(place, { childList: true, subtree: true });
  }
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
 * Loads a script of the theme, whose path begins with `_octavo/`, as a classic script, the only kind that works from
 * `file://`. Scripts run in the order of calls.
 */
export function loadScript(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = make("script", { src: path.replace("_octavo/", () => filesPath) });
    script.async = false;
    script.addEventListener("load", () => resolve());
    script.addEventListener("error", () => reject(new Error(`${path} could not be loaded.`)));
    document.head.append(script);
  });
}
