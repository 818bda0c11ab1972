import { sha256, type BundleFile } from "../core/index.ts";

/** Creates a script of an index, which passes its data to the search engine. */
export function createPartFile(
  name: string,
  part: string,
  json: string,
): BundleFile & { readonly fingerprint: string } {
  const content = `octavoSearch.put(${JSON.stringify(name)},${JSON.stringify(part)},${json})\n`;
  return { path: partPath(name, part), content, fingerprint: sha256(content).slice(0, 32) };
}

/** A file whose content is not kept in memory. */
interface LazyPartFile extends BundleFile {
  readonly fingerprint: string;
  /** Drops the content that was generated for the fingerprint. If it is read later, it is generated again. */
  forget(): void;
}

/**
 * Creates a script whose content is generated on each access. If the fingerprint is unknown, the content is generated
 * once in advance to compute it.
 */
export function createLazyPartFile(
  name: string,
  part: string,
  { fingerprint, json }: { readonly fingerprint: string | undefined; readonly json: () => string },
): LazyPartFile {
  let made = fingerprint === undefined ? createPartFile(name, part, json()) : undefined;
  return {
    path: partPath(name, part),
    fingerprint: fingerprint ?? made?.fingerprint ?? "",
    get content() {
      return (made ?? createPartFile(name, part, json())).content;
    },
    forget() {
      made = undefined;
    },
  };
}

/** Returns JSON that is also valid JavaScript and does not contain text that could end a script element. */
export function formatScriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

function partPath(name: string, part: string): string {
  return `_octavo/search/${name}/${part}.js`;
}
