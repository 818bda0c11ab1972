import { sha256 } from "../core/index.ts";
import type { BundleFile } from "../core/index.ts";

/** One script of an index, which hands its data to the search. */
export function partFile(name: string, part: string, json: string): BundleFile {
  const content = `octavoSearch.put(${JSON.stringify(name)},${JSON.stringify(part)},${json})\n`;
  return { path: partPath(name, part), content, identity: sha256(content).slice(0, 32) };
}

/** The same where it is known what it is made of: its text is made when it is asked for. */
export function lazyPartFile(
  name: string,
  part: string,
  { identity, json }: { readonly identity: string; readonly json: () => string },
): BundleFile {
  return {
    path: partPath(name, part),
    identity,
    get content() {
      return partFile(name, part, json()).content;
    },
  };
}

function partPath(name: string, part: string): string {
  return `_octavo/search/${name}/${part}.js`;
}
