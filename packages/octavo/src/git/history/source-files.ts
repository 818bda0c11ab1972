import { OctavoError, cleanRelativePath, createInputError } from "@octavo/site/core";
import { findTree } from "../mirror/ref.ts";
import { readStart, streamGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";
import type { Mirror } from "../repository.ts";

export interface SourceContext {
  readonly tools: GitTools;
  readonly mirror: Mirror;
  /** The path in the repository; `.` is its root. */
  readonly directory: string;
}

/** A regular file at a commit. */
export interface SourceFile {
  /** The path from the repository's root. */
  readonly path: string;
  readonly object: string;
  readonly bytes: number;
}

export interface SourceListing {
  /** Regular files, by path. Omits links, submodules, and names with control characters. */
  readonly files: readonly SourceFile[];
  /** False if the list is incomplete. */
  readonly isWhole: boolean;
}

/** Receives a file's text. Return false to stop. */
export type VisitText = (path: string, text: string) => boolean;

const maxFiles = 100_000;
const maxTextBytes = 4 * 1024 * 1024;
/** Files above this size are usually generated, or contain data. */
const maxScannedFileBytes = 1024 * 1024;
const maxScannedBytes = 256 * 1024 * 1024;
const maxEntryBytes = 64 * 1024;
/** The size of git's own lines between the texts of a batch. */
const batchLineBytes = 100;

/** Names are not quoted. With a custom format, git would quote names even with `-z`. */
const listEntries = ["ls-tree", "-z", "--long"];
const entryPattern = /^(\d{6}) [a-z]+ ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/s;
const regularFile = /^100\d{3}$/;
/** Names that cannot appear in a line of text or in a citation. U+FFFD replaces bytes that are not UTF-8. */
const unusableName = /[\p{C}\u{fffd}]/u;
const pointerToLfs = /^version https:\/\/git-lfs\.github\.com\/spec\/v\d/;

/** Lists the files of a directory. Throws `not_found` if the directory does not exist at the commit. */
export async function listSourceFiles(
  { tools, mirror, directory }: SourceContext,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<SourceListing> {
  const tree = await findTree(tools, mirror, { commit, directory });
  if (tree === undefined) {
    const at = commit.slice(0, 12);
    throw new OctavoError("not_found", `There is no folder ${JSON.stringify(directory)} at ${at}.`);
  }
  const prefix = directory === "." ? "" : `${directory}/`;
  const files: SourceFile[] = [];
  const decoder = new TextDecoder();
  let [rest, entries] = ["", 0];
  const isWhole = await streamGit(tools, mirror, [...listEntries, "-r", tree], {
    signal,
    onOutput(chunk) {
      const records = (rest + decoder.decode(chunk, { stream: true })).split("\0");
      rest = records.pop() ?? "";
      entries += records.length;
      for (const record of records) {
        const [, mode = "", object = "", size = "", path = ""] = entryPattern.exec(record) ?? [];
        if (!regularFile.test(mode) || !isUsableName(path)) continue;
        files.push({ path: prefix + path, object, bytes: Number(size) });
      }
      return entries <= maxFiles;
    },
  });
  return { files: files.slice(0, maxFiles), isWhole };
}

/**
 * Throws `too_large` if there are too many files to compare. Git keeps all of them in memory, and a tree of a few
 * kilobytes can represent millions of files.
 */
export async function refuseManyFiles(
  { tools, mirror }: SourceContext,
  commit: string,
  {
    paths,
    signal,
  }: { readonly paths: readonly string[]; readonly signal: AbortSignal | undefined },
): Promise<void> {
  const max = tools.limits.checkoutFiles;
  let entries = 0;
  const args = ["ls-tree", "-r", "-z", "--format=", commit, ...paths];
  const isWhole = await streamGit(tools, mirror, args, {
    signal,
    onOutput: (chunk) => (entries += chunk.length) <= max,
  });
  if (isWhole) return;
  throw new OctavoError(
    "too_large",
    `There are more than ${max.toLocaleString("en")} files to compare at ${commit.slice(0, 12)}; name a folder or a file.`,
  );
}

export async function readSourceText(
  place: SourceContext,
  commit: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { tools, mirror } = place;
  checkSourcePath(place, path);
  const args = [...listEntries, commit, path];
  const { bytes } = await readStart(tools, mirror, args, { signal, maxBytes: maxEntryBytes });
  const [, mode = "", object = "", size = "", name = ""] =
    entryPattern.exec(bytes.toString().replace(/\0$/, "")) ?? [];
  if (name !== path) {
    throw new OctavoError(
      "not_found",
      `There is no file ${JSON.stringify(path)} at ${commit.slice(0, 12)}.`,
    );
  }
  refuseKind(path, mode);
  if (Number(size) > maxTextBytes) {
    throw new OctavoError("too_large", `${path} is larger than ${maxTextBytes / 1024 / 1024} MB.`);
  }
  const blob = ["cat-file", "blob", object];
  const { bytes: content } = await readStart(tools, mirror, blob, {
    signal,
    maxBytes: maxTextBytes,
  });
  const text = decodeText(content);
  if (text === undefined) throw createInputError(`${path} is not text in UTF-8.`);
  if (pointerToLfs.test(text)) {
    throw createInputError(
      `${path} is stored in Git LFS; the repository contains only a pointer to it.`,
    );
  }
  return text;
}

/** Scans text files; skips other files. */
export async function scanSourceTexts(
  { tools, mirror }: SourceContext,
  files: readonly SourceFile[],
  visit: VisitText,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const wanted: SourceFile[] = [];
  let total = 0;
  for (const file of files) {
    if (file.bytes > maxScannedFileBytes) continue;
    total += file.bytes + batchLineBytes;
    if (total > maxScannedBytes) break;
    wanted.push(file);
  }
  if (wanted.length === 0) return files.length === 0;
  let at = 0;
  const parse = createBlobParser((bytes) => {
    const path = wanted[at++]?.path ?? "";
    const text = bytes && decodeText(bytes);
    return text === undefined || pointerToLfs.test(text) || visit(path, text);
  });
  const input = wanted.map(({ object }) => `${object}\n`).join("");
  const limits = { ...tools.limits, outputBytes: maxScannedBytes };
  const isEnded = await streamGit(
    { ...tools, limits },
    mirror,
    ["cat-file", "--batch", "--buffer"],
    {
      signal,
      input,
      onOutput: parse,
    },
  );
  return isEnded && wanted.length === files.length;
}

export function isUsableName(path: string): boolean {
  return !unusableName.test(path);
}

/** Throws `invalid_input` unless the path is normalized and inside the directory. */
export function checkSourcePath(
  { directory }: Pick<SourceContext, "directory">,
  path: string,
): void {
  const isPlain = path !== "" && cleanRelativePath(path) === path && isUsableName(path);
  if (!isPlain) {
    throw createInputError(
      `${JSON.stringify(path)} is not a path from the repository's root in the form that the other tools use.`,
    );
  }
  if (directory === "." || path === directory || path.startsWith(`${directory}/`)) return;
  throw createInputError(
    `${path} is not in ${directory}, the part of the repository that may be read.`,
  );
}

function refuseKind(path: string, mode: string): void {
  if (regularFile.test(mode)) return;
  const kinds: Readonly<Record<string, string>> = {
    "040000": "is a folder",
    "120000": "is a symbolic link, which is not followed",
    "160000": "is a submodule, whose files are in another repository",
  };
  throw createInputError(`${path} ${kinds[mode] ?? "is not a file"}.`);
}

/** Decodes text; undefined if it is not UTF-8 or contains NUL. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** Receives an object's bytes, which are valid until the function returns; undefined for a missing object. */
type VisitBlob = (bytes: Uint8Array | undefined) => boolean;

const newline = 0x0a;
/** Enough for a name of 64 digits, a type and a size. */
const maxHeaderLength = 200;

/**
 * Creates a parser for the output of `git cat-file --batch`, which can be passed in chunks of any size. Each object
 * consists of a line with type and size, the bytes, and a line break. At most one object is in memory at a time. The
 * parser returns false once `visit` has returned false, or if the input cannot be git's output.
 */
function createBlobParser(visit: VisitBlob): (chunk: Buffer) => boolean {
  let header = "";
  let body: { readonly bytes: Buffer; filled: number } | undefined;

  /** Returns how much of the chunk was consumed; undefined to stop. */
  function takeHeader(chunk: Buffer): number | undefined {
    const end = chunk.indexOf(newline);
    header += chunk.toString("latin1", 0, end < 0 ? chunk.length : end);
    if (end < 0) return header.length > maxHeaderLength ? undefined : chunk.length;
    const [, size] = /^[0-9a-f]+ [a-z]+ (\d+)$/.exec(header) ?? [];
    header = "";
    if (size !== undefined) body = { bytes: Buffer.allocUnsafe(Number(size) + 1), filled: 0 };
    else if (!visit(undefined)) return undefined;
    return end + 1;
  }

  function takeBody(chunk: Buffer, open: NonNullable<typeof body>): number | undefined {
    const taken = chunk.copy(open.bytes, open.filled);
    open.filled += taken;
    if (open.filled < open.bytes.length) return taken;
    body = undefined;
    return visit(open.bytes.subarray(0, -1)) ? taken : undefined;
  }

  return (chunk) => {
    for (let rest = chunk; rest.length > 0;) {
      const taken = body ? takeBody(rest, body) : takeHeader(rest);
      if (taken === undefined) return false;
      rest = rest.subarray(taken);
    }
    return true;
  };
}
