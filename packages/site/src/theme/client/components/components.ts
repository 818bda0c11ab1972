/** The entry point of `components.js`, which hydrates the components whose first render is in the page. */
import * as React from "preact/compat";
import type { ComponentChildren } from "preact";
import {
  Component,
  createElement,
  render,
  type ComponentType,
  unmountComponentAtNode,
} from "preact/compat";
import { AdditionContext, addAddresses, findAdditions } from "./additions.ts";
import {
  Slot,
  SlotContext,
  findComponentElements,
  getShell,
  takeSlots,
  type Revival,
} from "./slots.ts";

type Exports = Record<string, unknown>;

/** A compiled file of the site. `components` contains the format's components, keyed by name. */
type ModuleFunction = (
  require: (specifier: string) => Exports,
  exports: Exports,
  react: Exports,
  components: Readonly<Record<string, ComponentType>>,
) => void;

interface ModuleDefinition {
  /** Paths relative to the site's folder, keyed by specifier. */
  readonly imports: Readonly<Record<string, string>>;
  readonly run: ModuleFunction;
}

interface Modules {
  define(path: string, definition: ModuleDefinition): void;
  /** Returns a file's exports. The file runs on the first call, and its errors are rethrown. */
  load(path: string): Exports;
}

let lastId = 0;

/**
 * Returns an id that is unique on the page. Preact's own ids are not unique, because each component is a separate tree.
 */
function useId(): string {
  return React.useState(() => `:${(lastId += 1)}:`)[0];
}

const preact: Exports = { ...React, useId };
const react: Exports = { ...preact, default: preact, __esModule: true };

/** The packages that components of a site may import. */
const packages: Readonly<Record<string, Exports>> = {
  react,
  "react-dom": react,
  "next/link": toDefaultExports((props: object) => createElement("a", props)),
  "next/image": toDefaultExports((props: object) => createElement("img", props)),
  "next/script": toDefaultExports(() => null),
};

function toDefaultExports(value: unknown): Exports {
  return { default: value, __esModule: true };
}

/** The format's own components, whose initial content is in the page. */
const components = new Proxy<Record<string, ComponentType>>(
  {},
  { get: (_, name) => (typeof name === "string" ? createBuiltIn(name) : undefined) },
);

/** Returns a component such as `Tree`, which has `Tree.Folder` as a member. */
function createBuiltIn(name: string): ComponentType {
  return new Proxy(getShell(name), {
    get: (shell, member) =>
      typeof member === "string" && /^[A-Z]/.test(member)
        ? getShell(`${name}.${member}`)
        : (Reflect.get(shell, member) as unknown),
  });
}

function createModules(): Modules {
  const definitions = new Map<string, ModuleDefinition>();
  const loaded = new Map<string, Exports>();

  function load(path: string): Exports {
    const cachedExports = loaded.get(path);
    if (cachedExports) return cachedExports;
    const exports: Exports = {};
    loaded.set(path, exports);
    const definition = definitions.get(path);
    const { imports = {}, run } = definition ?? {};
    const require = (specifier: string): Exports => {
      if (Object.hasOwn(imports, specifier)) return load(imports[specifier] ?? "");
      return Object.hasOwn(packages, specifier) ? (packages[specifier] ?? {}) : {};
    };
    run?.(require, exports, react, components);
    // A Markdown file exports its content. It needs no definition, because it contains no scripts.
    if (/\.mdx?$/.test(path)) exports["default"] = getShell(path);
    if (!run) exports["__esModule"] = true;
    return exports;
  }
  return { define: (path, definition) => void definitions.set(path, definition), load };
}

declare global {
  interface Window {
    octavoComponents: (
      path: string,
      imports: Readonly<Record<string, string>>,
      run: ModuleFunction,
    ) => void;
  }
}

const modules = createModules();
window.octavoComponents = (path, imports, run) => modules.define(path, { imports, run });

// When this event fires, the scripts that define the components have run, because they are deferred like this script.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of findComponentElements(document)) mountComponent(place, modules);
});

/**
 * Replaces a component's initial content with the component itself. If the component fails, the page shows the initial
 * content again.
 */
function mountComponent(place: HTMLElement, modules: Modules): void {
  const revival = hydrate(place, modules, () => unmountComponentAtNode(place));
  if (revival) render(createElement(React.Fragment, {}, revival.component), place);
}

/** Empties an element and returns its component. Returns undefined if the element stays unchanged. */
function hydrate(place: HTMLElement, modules: Modules, unmount: () => void): Revival | undefined {
  const additions = findAdditions(place);
  const slots = takeSlots(place, (inner) => hydrate(inner, modules, () => undefined));
  const initialNodes = [...place.childNodes];
  const restore = () => {
    place.replaceChildren(...initialNodes);
    slots.restore();
    delete place.dataset["live"];
  };
  const fail = (error: unknown) => {
    // The error is reported to the console, like any error on a page. The reader sees the initial content.
    reportError(error);
    unmount();
    restore();
  };
  try {
    const uses = getUses(place.dataset["module"] ?? "", modules);
    const component = uses[Number(place.dataset["use"])]?.() as ComponentType | undefined;
    if (component === undefined) throw new Error("A component of this page is not defined.");
    addAddresses(JSON.parse(place.dataset["addresses"] ?? "{}") as Record<string, string>);
    const props = decodeProps(JSON.parse(place.dataset["props"] ?? "{}") as object, uses);
    place.replaceChildren();
    place.dataset["live"] = "";
    const wrapped = createElement(SlotContext.Provider, {
      value: slots,
      children: createElement(AdditionContext.Provider, {
        value: additions,
        children: createElement(component, props),
      }),
    });
    const guardedElement = createElement(Boundary, { onError: fail, children: wrapped });
    return { component: guardedElement, restore };
  } catch (error) {
    fail(error);
    return undefined;
  }
}

type Uses = readonly (() => unknown)[];

function getUses(path: string, modules: Modules): Uses {
  const uses = modules.load(path)["$uses"];
  return Array.isArray(uses) ? (uses as Uses) : [];
}

/**
 * Decodes props. `{"$slot": name}` represents content of the page, and `{"$use": n}` a function that the page defines;
 * the other keys that begin with `$` represent values that JSON does not have.
 */
function decodeProps(props: object, uses: Uses): object {
  return Object.fromEntries(
    Object.entries(props).map(([key, value]) => [key, decodeValue(value, uses)]),
  );
}

function decodeValue(value: unknown, uses: Uses): unknown {
  if (Array.isArray(value)) return value.map((item) => decodeValue(item, uses));
  if (typeof value !== "object" || value === null) return value;
  const [[key, content] = ["", undefined]] = Object.entries(value);
  const items = () => decodeValue(content, uses) as never[];
  switch (key) {
    case "$slot":
      return createElement(Slot, { name: String(content) });
    case "$use":
      return uses[Number(content)]?.();
    case "$set":
      return new Set(items());
    case "$map":
      return new Map(items());
    case "$record":
      return decodeProps(content as object, uses);
    default:
      return Object.hasOwn(creators, key) ? creators[key]?.(content) : decodeProps(value, uses);
  }
}

/** Decodes values that contain no other values. */
const creators: Readonly<Record<string, (content: unknown) => unknown>> = {
  $bytes: (content) => new Uint8Array(content as number[]),
  $date: (content) => new Date(content === null ? Number.NaN : Number(content)),
  $number: Number,
  $parameters: (content) => new URLSearchParams(String(content)),
  $pattern: (content) => new RegExp(...(content as [source: string, flags: string])),
  $url: (content) => new URL(String(content)),
};

interface BoundaryProps {
  readonly onError: (error: unknown) => void;
  readonly children: ComponentChildren;
}

class Boundary extends Component<BoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  override componentDidCatch(error: unknown): void {
    const { onError } = this.props;
    this.setState({ hasFailed: true });
    // The callback runs after the failed render, which still changes the page.
    queueMicrotask(() => onError(error));
  }

  override render(): ComponentChildren {
    const { children } = this.props;
    return this.state.hasFailed ? null : children;
  }
}
