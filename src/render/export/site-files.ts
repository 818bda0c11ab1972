import { readFile, stat } from "node:fs/promises";
import { cleanRelativePath, realPathInside, sha256 } from "../../core/index.ts";
import { limits } from "../limits.ts";

/** Reads files of one site, contained in its folder and bounded in size. */
export interface SiteFiles {
  /** Text of a page; `refused` says why there is none. Bytes that are not UTF-8 become U+FFFD, which the parser reports. */
  readonly readPage: (
    path: string,
  ) => Promise<{ readonly text: string } | { readonly refused: string }>;
  /** Text of a snippet, undefined where there is none that may be read. Each is read once. */
  readonly readSnippet: (path: string) => Promise<string | undefined>;
  /** SHA-256 of a snippet's text; empty where there is none, so that its appearance is noticed. */
  readonly hashOf: (path: string) => Promise<string>;
}

export function createSiteFiles(root: string): SiteFiles {
  const snippets = new Map<string, Promise<string | undefined>>();

  async function readPage(path: string) {
    const file = await realPathInside(root, path);
    const { size } = await stat(file);
    if (size > limits.pageBytes) {
      const megabytes = limits.pageBytes / 1024 / 1024;
      return { refused: `The file is larger than ${megabytes} MB and was not rendered.` };
    }
    return { text: new TextDecoder().decode(await readFile(file)) };
  }
  async function readOptional(path: string): Promise<string | undefined> {
    try {
      const result = await readPage(path);
      return "text" in result ? result.text : undefined;
    } catch {
      return undefined;
    }
  }
  function readSnippet(path: string): Promise<string | undefined> {
    const clean = cleanRelativePath(path);
    if (clean === undefined) return Promise.resolve(undefined);
    let text = snippets.get(clean);
    if (!text) snippets.set(clean, (text = readOptional(clean)));
    return text;
  }
  return {
    readPage,
    readSnippet,
    async hashOf(path) {
      const text = await readSnippet(path);
      return text === undefined ? "" : sha256(text);
    },
  };
}
