import { isUtf8 } from "node:buffer";
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import {
  cleanRelativePath,
  describeSystemRefusal,
  isOctavoError,
  resolveRealPathSync,
  sha256,
  limits,
  createInputError,
} from "../../core/index.ts";
import { toFileStat } from "../../core/index.ts";
import type { FileStat } from "../../core/index.ts";

/** Reads files of one site, but only inside its folder and only up to a size limit. */
export interface SiteFiles {
  /**
   * Reads the text of a page; `refused` is the reason why it cannot be read. Bytes that are not UTF-8 become a
   * noncharacter, which the parser reports.
   */
  readonly readPage: (
    path: string,
  ) => Promise<{ readonly text: string; readonly stat: FileStat } | { readonly refused: string }>;
  /**
   * Returns the text of a snippet, which is read once, or undefined if it is missing. Rejects if it exists but cannot
   * be read; the message is the reason, as a sentence.
   */
  readonly readSnippet: (path: string) => Promise<string | undefined>;
  /**
   * Returns the SHA-256 of a snippet's text. The result is empty if the snippet is missing, so that its creation is
   * detected.
   */
  readonly hashOf: (path: string) => Promise<string>;
}

/** The noncharacter that replaces bytes that are not UTF-8. */
const invalidBytesMark = "\uFDD0";

/**
 * With these flags, opening a file does not follow a link that replaced the file after its path was resolved, and does
 * not block on a pipe.
 */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export function createSiteFiles(root: string): SiteFiles {
  const snippets = new Map<string, Promise<string | undefined>>();
  const hashes = new Map<string, Promise<string>>();
  const decoder = new TextDecoder();

  function decodeText(bytes: Buffer): string {
    const text = decoder.decode(bytes);
    // The author may have written this character in the page.
    if (!text.includes("\uFFFD") || isUtf8(bytes)) return text;
    return text.replaceAll("\uFFFD", invalidBytesMark);
  }

  /** Reads synchronously, which takes 20 µs per page; asynchronous reading takes 65 µs. */
  async function readPage(path: string) {
    const descriptor = openSync(resolveRealPathSync(root, path), openFlags);
    try {
      const stats = fstatSync(descriptor);
      if (!stats.isFile()) return { refused: "This is not a regular file, so it was skipped." };
      if (stats.size > limits.pageBytes) {
        const megabytes = limits.pageBytes / 1024 / 1024;
        return { refused: `The file is larger than ${megabytes} MB and was not rendered.` };
      }
      return { text: decodeText(readFileSync(descriptor)), stat: toFileStat(stats) };
    } finally {
      closeSync(descriptor);
    }
  }
  async function readOptional(path: string): Promise<string | undefined> {
    try {
      const result = await readPage(path);
      if ("text" in result) return result.text;
      throw createInputError(result.refused);
    } catch (error) {
      if (isOctavoError(error, "invalid_input")) throw error;
      const reason = describeSystemRefusal(error);
      if (reason === undefined) return undefined;
      throw createInputError(`This file cannot be read: ${reason}.`);
    }
  }
  function readSnippet(path: string): Promise<string | undefined> {
    const cleanPath = cleanRelativePath(path);
    if (cleanPath === undefined) return Promise.resolve(undefined);
    let text = snippets.get(cleanPath);
    if (!text) snippets.set(cleanPath, (text = readOptional(cleanPath)));
    return text;
  }
  return {
    readPage,
    readSnippet,
    hashOf(path) {
      let hash = hashes.get(path);
      if (!hash) hashes.set(path, (hash = hashText(readSnippet(path))));
      return hash;
    },
  };
}

async function hashText(text: Promise<string | undefined>): Promise<string> {
  const found = await text.catch(() => undefined);
  return found === undefined ? "" : sha256(found);
}
