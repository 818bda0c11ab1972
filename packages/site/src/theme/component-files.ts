import { byCodeUnit, type BundleFile } from "../core/index.ts";
import type { ComponentScript } from "../page/index.ts";
import { componentRuntime } from "./client-script.ts";

const runtimeFile = "_octavo/components.js";

function scriptFile({ name }: Pick<ComponentScript, "name">): string {
  return `_octavo/components/${name}.js`;
}

/** The scripts that a page loads to bring its components to life, in their order; none for most pages. */
export function componentFiles(scripts: readonly ComponentScript[]): readonly string[] {
  return scripts.length === 0 ? [] : [runtimeFile, ...scripts.map(scriptFile)];
}

/** The files that pages with such components load, each once. */
export async function componentBundleFiles(
  scripts: readonly ComponentScript[],
): Promise<readonly BundleFile[]> {
  if (scripts.length === 0) return [];
  const byName = new Map(scripts.map((script) => [script.name, script]));
  const sorted = [...byName.values()].toSorted((a, b) => byCodeUnit(a.name, b.name));
  return [
    { path: runtimeFile, content: await componentRuntime() },
    ...sorted.map((script) => ({ path: scriptFile(script), content: script.text })),
  ];
}
