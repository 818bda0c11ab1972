import * as React from "preact/compat";
import { createElement, type ComponentType } from "preact/compat";
import { getShell } from "./slots.ts";

type Exports = Record<string, unknown>;

/** A compiled file of the site. `components` contains the format's components by name. */
export type ModuleFunction = (
  require: (specifier: string) => Exports,
  exports: Exports,
  react: Exports,
  components: Readonly<Record<string, ComponentType>>,
) => void;

interface ModuleDefinition {
  /** Paths relative to the site's folder, by specifier. */
  readonly imports: Readonly<Record<string, string>>;
  readonly run: ModuleFunction;
}

export interface Modules {
  define(path: string, definition: ModuleDefinition): void;
  /** Returns a file's exports; the file runs on the first call. Rethrows its errors. */
  load(path: string): Exports;
}

const react: Exports = { ...React, default: React, __esModule: true };

/** Packages that components of the format may import. */
const packages: Readonly<Record<string, Exports>> = {
  react,
  "react-dom": react,
  "next/link": asDefault((props: object) => createElement("a", props)),
  "next/image": asDefault((props: object) => createElement("img", props)),
  "next/script": asDefault(() => null),
};

function asDefault(value: unknown): Exports {
  return { default: value, __esModule: true };
}

/** The format's own components, whose initial content is in the page. */
const components = new Proxy<Record<string, ComponentType>>(
  {},
  { get: (_, name) => (typeof name === "string" ? builtIn(name) : undefined) },
);

/** Returns a component such as `Tree`, with `Tree.Folder` as a member. */
function builtIn(name: string): ComponentType {
  return new Proxy(getShell(name), {
    get: (shell, member) =>
      typeof member === "string" && /^[A-Z]/.test(member)
        ? getShell(`${name}.${member}`)
        : (Reflect.get(shell, member) as unknown),
  });
}

export function createModules(): Modules {
  const definitions = new Map<string, ModuleDefinition>();
  const loaded = new Map<string, Exports>();

  function load(path: string): Exports {
    const known = loaded.get(path);
    if (known) return known;
    const exports: Exports = {};
    loaded.set(path, exports);
    const definition = definitions.get(path);
    const { imports = {}, run } = definition ?? {};
    const require = (specifier: string): Exports => {
      if (Object.hasOwn(imports, specifier)) return load(imports[specifier] ?? "");
      return Object.hasOwn(packages, specifier) ? (packages[specifier] ?? {}) : {};
    };
    run?.(require, exports, react, components);
    // A Markdown file exports its content; without scripts, it does not have a definition that marks it as a module.
    if (/\.mdx?$/.test(path)) exports["default"] = getShell(path);
    if (!run) exports["__esModule"] = true;
    return exports;
  }
  return { define: (path, definition) => void definitions.set(path, definition), load };
}
