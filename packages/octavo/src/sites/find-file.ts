import type { BundleEntry, OpenBundle } from "../bundles/index.ts";
import type { RequestPath } from "./request-path.ts";

/** The file that a path shows, or the path of the same version to which it leads. */
export type FoundFile =
  | { readonly kind: "file"; readonly entry: BundleEntry }
  | { readonly kind: "moved"; readonly names: readonly string[]; readonly isFolder: boolean };

/** Files of a bundle that hosts read and do not show. */
const hiddenFiles: ReadonlySet<string> = new Set(["404.html", "_redirects", "_headers"]);

/**
 * Finds the file of a path. A page has one address: `x` for `x.html`, and `x/` for `x/index.html`. Its other addresses
 * lead there.
 */
export function findFile({ entries }: OpenBundle, path: RequestPath): FoundFile | undefined {
  const { names, isFolder, hasEmptyNames } = path;
  const found = findByNames(entries, names, isFolder);
  return found?.kind === "file" && hasEmptyNames ? { kind: "moved", names, isFolder } : found;
}

function findByNames(
  entries: OpenBundle["entries"],
  names: readonly string[],
  isFolder: boolean,
): FoundFile | undefined {
  const name = names.join("/");
  if (isFolder || name === "") return findFolder(entries, names);
  if (hiddenFiles.has(name) || hiddenFiles.has(`${name}.html`)) return undefined;
  const entry = entries.get(name);
  if (entry) return findPageAddress(entries, names) ?? { kind: "file", entry };
  const page = entries.get(`${name}.html`);
  if (page && names.at(-1) === "index") {
    return { kind: "moved", names: names.slice(0, -1), isFolder: true };
  }
  if (page) return { kind: "file", entry: page };
  return entries.has(`${name}/index.html`) ? { kind: "moved", names, isFolder: true } : undefined;
}

function findFolder(
  entries: OpenBundle["entries"],
  names: readonly string[],
): FoundFile | undefined {
  const name = names.join("/");
  const index = entries.get(name === "" ? "index.html" : `${name}/index.html`);
  if (index) return { kind: "file", entry: index };
  const isFile = name !== "" && (entries.has(`${name}.html`) || entries.has(name));
  return isFile && !hiddenFiles.has(name) ? { kind: "moved", names, isFolder: false } : undefined;
}

/** Finds the address of a page whose file was asked for. Returns undefined for files that have no other address. */
function findPageAddress(
  entries: OpenBundle["entries"],
  names: readonly string[],
): FoundFile | undefined {
  const last = names.at(-1) ?? "";
  const folder = names.slice(0, -1);
  if (last === "index.html") return { kind: "moved", names: folder, isFolder: true };
  const name = /^(.+)\.html$/.exec(last)?.[1];
  if (name === undefined || entries.has([...folder, name].join("/"))) return undefined;
  return { kind: "moved", names: [...folder, name], isFolder: false };
}

/** Returns the path at which a page is shown, decoded and without a slash at its beginning. */
export function getPagePath(file: string): string {
  return file.replace(/(^|\/)index\.html$|\.html$/, "$1");
}
