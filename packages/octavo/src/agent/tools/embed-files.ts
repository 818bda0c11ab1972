import { readFile, stat } from "node:fs/promises";
import { getContentType } from "../../core/index.ts";
import type { DefaultTreeAdapterTypes } from "./parse-html.bundled.ts";

/** Returns the file at a path of the bundle: its content, or its absolute path if it is a file of the site. */
export type FindBundleFile = (
  path: string,
) => Promise<{ readonly content: string | Uint8Array } | { readonly file: string } | undefined>;

/** The maximum size of one file and of all files in a document. What is larger stays out of the picture. */
const maxBytes = { one: 4_000_000, all: 16_000_000 };

/** Scripts, and what only readers without scripts see. */
const removed: ReadonlySet<string> = new Set(["script", "noscript"]);

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

/**
 * Puts the style sheets and images of a page into its document, so that it can be drawn without any other file, and
 * removes its scripts. `path` is the page's path in the bundle. Does not load addresses of other hosts.
 */
export async function embedFiles(
  document: string,
  path: string,
  find: FindBundleFile,
): Promise<string> {
  const { parse, serialize } = await import("./parse-html.bundled.ts");
  const files = createFileReader(find);
  const root = parse(document);
  await embedInto(root);
  return serialize(root);

  async function embedInto(node: Node): Promise<void> {
    if (!("childNodes" in node)) return;
    node.childNodes = node.childNodes.filter((child) => !removed.has(child.nodeName));
    for (const child of node.childNodes) {
      if ("tagName" in child) await embedElement(child);
      await embedInto(child);
    }
  }

  async function embedElement(element: Element): Promise<void> {
    const get = (name: string) => element.attrs.find((attribute) => attribute.name === name)?.value;
    if (element.tagName === "link" && get("rel") === "stylesheet") {
      const own = resolvePath(get("href"), path);
      const css = own === undefined ? undefined : await files.read(own);
      if (own === undefined || css === undefined) return;
      const text = await embedIntoCss(css.toString(), own, (file) => files.readDataUrl(file));
      element.tagName = element.nodeName = "style";
      element.attrs = [];
      element.childNodes = [{ nodeName: "#text", value: text, parentNode: element }];
    } else if (element.tagName === "img") {
      const own = resolvePath(get("src"), path);
      const url = own === undefined ? undefined : await files.readDataUrl(own);
      if (url === undefined) return;
      const others = element.attrs.filter(
        ({ name }) => !["src", "srcset", "loading"].includes(name),
      );
      element.attrs = [...others, { name: "src", value: url }];
    }
  }
}

/** Replaces the relative addresses of fonts and images in a style sheet. */
async function embedIntoCss(
  css: string,
  path: string,
  readDataUrl: (path: string) => Promise<string | undefined>,
): Promise<string> {
  const pattern = /url\(\s*(["']?)([^"')\s]+)\1\s*\)/g;
  const urls = new Map<string, string>();
  for (const [whole, , address] of css.matchAll(pattern)) {
    const own = resolvePath(address, path);
    const url = own === undefined || urls.has(whole) ? undefined : await readDataUrl(own);
    if (url !== undefined) urls.set(whole, `url("${url}")`);
  }
  return css.replaceAll(pattern, (whole) => urls.get(whole) ?? whole);
}

/** Resolves an address in a file of the bundle to a path of the bundle; undefined if it leads elsewhere. */
function resolvePath(address: string | undefined, from: string): string | undefined {
  const base = "https://bundle.invalid";
  const url = URL.parse(address ?? "", `${base}/${from}`);
  if (address === undefined || url?.origin !== base) return undefined;
  try {
    return decodeURIComponent(url.pathname.slice(1));
  } catch {
    // The path contains a malformed escape, so that no file has it.
    return undefined;
  }
}

/** Reads files of the bundle until they exceed the limits. */
function createFileReader(find: FindBundleFile) {
  let left = maxBytes.all;
  async function read(path: string): Promise<Buffer | undefined> {
    const found = await find(path);
    if (!found) return undefined;
    const size = "file" in found ? (await stat(found.file)).size : found.content.length;
    if (size > Math.min(left, maxBytes.one)) return undefined;
    left -= size;
    return "file" in found ? await readFile(found.file) : Buffer.from(found.content);
  }
  return {
    read,
    async readDataUrl(path: string): Promise<string | undefined> {
      const bytes = await read(path);
      return bytes && `data:${getContentType(path)};base64,${bytes.toString("base64")}`;
    },
  };
}
