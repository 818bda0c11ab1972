import { sha256 } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";

/** A script of an index, which passes its data to the search engine. */
export function partFile(name: string, part: string, json: string): BundleFile {
  const content = `octavoSearch.put(${JSON.stringify(name)},${JSON.stringify(part)},${json})\n`;
  return { path: partPath(name, part), content, fingerprint: sha256(content).slice(0, 32) };
}

/** The same with a known fingerprint; its content is made only on demand. */
export function lazyPartFile(
  name: string,
  part: string,
  { fingerprint, json }: { readonly fingerprint: string; readonly json: () => string },
): BundleFile {
  return {
    path: partPath(name, part),
    fingerprint,
    get content() {
      return partFile(name, part, json()).content;
    },
  };
}

function partPath(name: string, part: string): string {
  return `_octavo/search/${name}/${part}.js`;
}
