import { cleanRelativePath, createInputError, OctavoError } from "@octavo/site/core";
import { parseAllowList } from "../../core/index.ts";
import { findTree, resolveRef } from "../mirror/ref.ts";
import type { Commit, Mirror } from "../repository.ts";
import { ownProcesses } from "../program/processes.ts";
import type { GitTools } from "../program/tools.ts";
import { quietDiff, readNameStatus } from "../work/compare.ts";
import type { CommitRange, GitFileChange } from "../work/compare.ts";
import { readOutputStart, streamGit } from "../program/tools.ts";

/** A commit without its author. */
export interface SourceCommit {
  readonly commit: string;
  /** The day of the commit, such as `2026-11-20`. */
  readonly date: string;
  readonly subject: string;
  /** The message after its first line. */
  readonly body: string;
  readonly tags: readonly string[];
}

interface SourceLogQuery {
  /**
   * Full commit hashes. The commits in `to` that are not in `from` are listed. If `from` is omitted, all commits in
   * `to` are listed.
   */
  readonly from?: string | undefined;
  readonly to: string;
  /** If set, only commits that change this file or folder are listed. */
  readonly path?: string | undefined;
  readonly limit: number;
}

type SourceRange = CommitRange & {
  /** If set, only this file or folder is included. */
  readonly path?: string | undefined;
};

interface SourceChanges {
  readonly files: readonly GitFileChange[];
  /** Whether the list is complete. */
  readonly isWhole: boolean;
}

interface SourcePatch {
  readonly text: string;
  /** Whether the diff is complete. False if only its beginning is included. */
  readonly isWhole: boolean;
}

/**
 * Reads one directory of a repository at a commit, and its history, from the copy on this machine. Nothing is fetched,
 * checked out or written. Paths are relative to the repository's root and must be in the directory.
 *
 * The repository is untrusted: symbolic links are not followed, submodules are not entered, and filters, drivers and
 * LFS do not run; the size and number of files and the time are bounded. All methods throw `OctavoError`:
 * `ref_not_found`, `not_found` (no such file), `invalid_input` (not text, or not in the directory), `too_large`,
 * `cancelled`.
 */
export interface SourceReader {
  /** Used to read the same directory in another process, with `reopenSourceReader`. */
  readonly position: SourcePosition;
  /** The commit that is read by default. It does not change. */
  readonly at: Commit;
  /** The directory that was passed when the reader was opened, normalized; `.` for the root. */
  readonly directory: string;
  /** Resolves a branch, a tag, or a prefix of a commit hash in the copy. */
  resolveRef(ref: string): Promise<Commit>;
  /** Lists the files at a full commit hash, by path, including files that are not text. */
  listFiles(commit: string, signal?: AbortSignal): Promise<SourceListing>;
  /** Returns a file's complete text at a full commit hash. */
  readText(commit: string, path: string, signal?: AbortSignal): Promise<string>;
  /**
   * Passes the texts of `files` to `visit`, in order. Returns false if `visit` stopped the scan or if some files are
   * too large.
   */
  scan(files: readonly SourceFile[], visit: VisitText, signal?: AbortSignal): Promise<boolean>;
  /** Returns commits, newest first. */
  listCommits(query: SourceLogQuery, signal?: AbortSignal): Promise<readonly SourceCommit[]>;
  /** Returns the files that differ between two full commit hashes. */
  listChanges(range: SourceRange, signal?: AbortSignal): Promise<SourceChanges>;
  /** Returns the unified diff between two full commit hashes, or the beginning of a long diff. */
  readPatch(range: SourceRange, maxBytes: number, signal?: AbortSignal): Promise<SourcePatch>;
  /** Returns the names of the newest tags, newest first. */
  listTags(signal?: AbortSignal): Promise<readonly string[]>;
}

/**
 * A reader in a form that can be sent to another process: its location and commit, and the settings for calling git.
 */
export interface SourcePosition {
  readonly tools: Pick<GitTools, "home" | "cacheDir" | "limits">;
  readonly mirror: Mirror;
  readonly at: Commit;
  readonly directory: string;
}

/** Opens a reader at a position from another process. Nothing is fetched, so no hosts are allowed. */
export async function reopenSourceReader(position: SourcePosition): Promise<SourceReader> {
  const { mirror, at, directory } = position;
  const tools: GitTools = {
    ...position.tools,
    processes: ownProcesses,
    allow: parseAllowList(""),
    log: () => undefined,
  };
  return await openSourceReader(tools, { mirror, at }, directory);
}

/** The time limit of one call to git. People wait for the result while a model reads. */
const commandMs = 60_000;

/** Opens a reader. Throws `not_found` if the repository does not contain the directory at the commit. */
export async function openSourceReader(
  sharedTools: GitTools,
  { mirror, at }: { readonly mirror: Mirror; readonly at: Commit },
  directory: string,
): Promise<SourceReader> {
  const limits = {
    ...sharedTools.limits,
    commandMs: Math.min(commandMs, sharedTools.limits.commandMs),
  };
  const tools = { ...sharedTools, limits };
  const context = { tools, mirror, directory };
  if ((await findTree(tools, mirror, { commit: at.commit, directory })) === undefined) {
    throw new OctavoError(
      "not_found",
      `There is no folder ${JSON.stringify(directory)} in the repository at ${at.ref} (${at.commit.slice(0, 12)}).`,
    );
  }
  const { home, cacheDir } = sharedTools;
  return {
    position: {
      tools: { home, cacheDir, limits: sharedTools.limits },
      mirror: { path: mirror.path },
      at,
      directory,
    },
    at,
    directory,
    resolveRef: (ref) => resolveRef(tools, mirror, ref),
    listFiles: (commit, signal) => listSourceFiles(context, commit, signal),
    readText: (commit, path, signal) => readSourceText(context, commit, path, signal),
    scan: (files, visit, signal) => scanSourceTexts(context, files, visit, signal),
    listCommits: (query, signal) => readSourceLog(context, query, signal),
    listChanges: (range, signal) => listSourceChanges(context, range, signal),
    readPatch: (range, maxBytes, signal) =>
      readSourcePatch(context, { ...range, maxBytes }, signal),
    listTags: (signal) => readSourceTags(context, signal),
  };
}

const maxLogBytes = 4 * 1024 * 1024;
const maxListBytes = 8 * 1024 * 1024;
const maxTags = 40;
const logFormat = "%H%x1f%cs%x1f%D%x1f%s%x1f%b";
const tagPrefix = "tag: ";
/**
 * Arguments for a diff of bounded cost. It detects only renames with unchanged content, because the cost of comparing
 * all removed files with all added files is the product of their numbers. Files larger than 1 MB are only named, like
 * binary files.
 */
const boundedDiffArguments = [
  "-c",
  "core.bigFileThreshold=1m",
  "diff",
  ...quietDiff,
  "--find-renames=100%",
];

/** Reads the log. Omits a record that git did not finish writing. */
async function readSourceLog(
  context: SourceContext,
  { from, to, path, limit }: SourceLogQuery,
  signal: AbortSignal | undefined,
): Promise<readonly SourceCommit[]> {
  const args = [
    "log",
    "-z",
    "--no-show-signature",
    "--no-notes",
    "--no-mailmap",
    "--decorate-refs=refs/tags/*",
    `--max-count=${limit}`,
    `--format=${logFormat}`,
    from === undefined ? to : `${from}..${to}`,
    "--",
    ...buildPathArguments(context, path),
  ];
  const { tools, mirror } = context;
  const { bytes, isWhole } = await readOutputStart(tools, mirror, args, {
    signal,
    maxBytes: maxLogBytes,
  });
  const records = bytes.toString().split("\0");
  return (isWhole ? records : records.slice(0, -1)).flatMap((record) => readCommit(record) ?? []);
}

function readCommit(record: string): SourceCommit | undefined {
  const [commit = "", date = "", refs = "", subject = "", ...body] = record.split("\u001f");
  if (body.length === 0) return undefined;
  const tags = refs.split(", ").filter((ref) => ref.startsWith(tagPrefix));
  return {
    commit: commit.trim(),
    date,
    subject,
    body: body.join(" ").trim(),
    tags: tags.map((tag) => tag.slice(tagPrefix.length)),
  };
}

async function listSourceChanges(
  context: SourceContext,
  { from, to, path }: SourceRange,
  signal: AbortSignal | undefined,
): Promise<SourceChanges> {
  const paths = buildPathArguments(context, path);
  for (const commit of [from, to]) await refuseManyFiles(context, commit, { paths, signal });
  const args = [...boundedDiffArguments, "--name-status", "-z", from, to, "--", ...paths];
  const { tools, mirror } = context;
  const { bytes, isWhole } = await readOutputStart(tools, mirror, args, {
    signal,
    maxBytes: maxListBytes,
  });
  const text = bytes.toString();
  const end = text.lastIndexOf("\0") + 1;
  const files = readNameStatus(text.slice(0, end));
  return { files: files.filter(({ path, from = "" }) => isUsableName(path + from)), isWhole };
}

async function readSourcePatch(
  context: SourceContext,
  { from, to, path, maxBytes }: SourceRange & { readonly maxBytes: number },
  signal: AbortSignal | undefined,
): Promise<SourcePatch> {
  const paths = buildPathArguments(context, path);
  for (const commit of [from, to]) await refuseManyFiles(context, commit, { paths, signal });
  const prefixes = ["--src-prefix=a/", "--dst-prefix=b/"];
  const args = [...boundedDiffArguments, "--unified=3", ...prefixes, from, to, "--", ...paths];
  const { tools, mirror } = context;
  const { bytes, isWhole } = await readOutputStart(tools, mirror, args, { signal, maxBytes });
  const text = bytes.toString();
  return { text: isWhole ? text : text.slice(0, text.lastIndexOf("\n") + 1), isWhole };
}

async function readSourceTags(
  { tools, mirror }: SourceContext,
  signal: AbortSignal | undefined,
): Promise<readonly string[]> {
  const args = ["for-each-ref", "--sort=-creatordate", `--count=${maxTags}`];
  const names = [...args, "--format=%(refname:lstrip=2)", "refs/tags"];
  const { bytes } = await readOutputStart(tools, mirror, names, { signal, maxBytes: maxListBytes });
  return bytes
    .toString()
    .split("\n")
    .filter((name) => name !== "");
}

function buildPathArguments(context: SourceContext, path: string | undefined): string[] {
  if (path !== undefined) checkSourcePath(context, path);
  const requestedPath = path ?? context.directory;
  return requestedPath === "." ? [] : [requestedPath];
}

interface SourceContext {
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

interface SourceListing {
  /** Regular files, by path. Omits links, submodules, and names with control characters. */
  readonly files: readonly SourceFile[];
  /** Whether the list is complete. */
  readonly isWhole: boolean;
}

/** Receives a file's text. Return false to stop. */
type VisitText = (path: string, text: string) => boolean;

const maxFiles = 100_000;
const maxTextBytes = 4 * 1024 * 1024;
/** Files above this size are usually generated, or contain data. */
const maxScannedFileBytes = 1024 * 1024;
const maxScannedBytes = 256 * 1024 * 1024;
const maxEntryBytes = 64 * 1024;
/** The size of git's own lines between the texts of a batch. */
const batchLineBytes = 100;

/** Arguments that list entries with unquoted names. With a custom format, git would quote names even with `-z`. */
const listArguments = ["ls-tree", "-z", "--long"];
const entryPattern = /^(\d{6}) [a-z]+ ([0-9a-f]{40,64}) +(\d+|-)\t(.+)$/s;
const regularFileMode = /^100\d{3}$/;
/** Names that cannot appear in a line of text or in a citation. U+FFFD replaces bytes that are not UTF-8. */
const unusableName = /[\p{C}\u{fffd}]/u;
const lfsPointer = /^version https:\/\/git-lfs\.github\.com\/spec\/v\d/;

/** Lists the files of a directory. Throws `not_found` if the directory does not exist at the commit. */
async function listSourceFiles(
  { tools, mirror, directory }: SourceContext,
  commit: string,
  signal: AbortSignal | undefined,
): Promise<SourceListing> {
  const tree = await findTree(tools, mirror, { commit, directory });
  if (tree === undefined) {
    const shortCommit = commit.slice(0, 12);
    throw new OctavoError(
      "not_found",
      `There is no folder ${JSON.stringify(directory)} at ${shortCommit}.`,
    );
  }
  const prefix = directory === "." ? "" : `${directory}/`;
  const files: SourceFile[] = [];
  const decoder = new TextDecoder();
  let [rest, entries] = ["", 0];
  const isWhole = await streamGit(tools, mirror, [...listArguments, "-r", tree], {
    signal,
    onOutput(chunk) {
      const records = (rest + decoder.decode(chunk, { stream: true })).split("\0");
      rest = records.pop() ?? "";
      entries += records.length;
      for (const record of records) {
        const [, mode = "", object = "", size = "", path = ""] = entryPattern.exec(record) ?? [];
        if (!regularFileMode.test(mode) || !isUsableName(path)) continue;
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
async function refuseManyFiles(
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

async function readSourceText(
  context: SourceContext,
  commit: string,
  path: string,
  signal: AbortSignal | undefined,
): Promise<string> {
  const { tools, mirror } = context;
  checkSourcePath(context, path);
  const args = [...listArguments, commit, path];
  const { bytes } = await readOutputStart(tools, mirror, args, { signal, maxBytes: maxEntryBytes });
  const [, mode = "", object = "", size = "", name = ""] =
    entryPattern.exec(bytes.toString().replace(/\0$/, "")) ?? [];
  if (name !== path) {
    throw new OctavoError(
      "not_found",
      `There is no file ${JSON.stringify(path)} at ${commit.slice(0, 12)}.`,
    );
  }
  refuseIrregularFile(path, mode);
  if (Number(size) > maxTextBytes) {
    throw new OctavoError("too_large", `${path} is larger than ${maxTextBytes / 1024 / 1024} MB.`);
  }
  const blob = ["cat-file", "blob", object];
  const { bytes: content } = await readOutputStart(tools, mirror, blob, {
    signal,
    maxBytes: maxTextBytes,
  });
  const text = decodeText(content);
  if (text === undefined) throw createInputError(`${path} is not text in UTF-8.`);
  if (lfsPointer.test(text)) {
    throw createInputError(
      `${path} is stored in Git LFS; the repository contains only a pointer to it.`,
    );
  }
  return text;
}

/** Scans text files; skips other files. */
async function scanSourceTexts(
  { tools, mirror }: SourceContext,
  files: readonly SourceFile[],
  visit: VisitText,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const scannedFiles: SourceFile[] = [];
  let total = 0;
  for (const file of files) {
    if (file.bytes > maxScannedFileBytes) continue;
    total += file.bytes + batchLineBytes;
    if (total > maxScannedBytes) break;
    scannedFiles.push(file);
  }
  if (scannedFiles.length === 0) return files.length === 0;
  let fileIndex = 0;
  const parse = createBlobParser((bytes) => {
    const path = scannedFiles[fileIndex++]?.path ?? "";
    const text = bytes && decodeText(bytes);
    return text === undefined || lfsPointer.test(text) || visit(path, text);
  });
  const input = scannedFiles.map(({ object }) => `${object}\n`).join("");
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
  return isEnded && scannedFiles.length === files.length;
}

function isUsableName(path: string): boolean {
  return !unusableName.test(path);
}

/** Throws `invalid_input` unless the path is normalized and inside the directory. */
function checkSourcePath({ directory }: Pick<SourceContext, "directory">, path: string): void {
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

function refuseIrregularFile(path: string, mode: string): void {
  if (regularFileMode.test(mode)) return;
  const kinds: Readonly<Record<string, string>> = {
    "040000": "is a folder",
    "120000": "is a symbolic link, which is not followed",
    "160000": "is a submodule, whose files are in another repository",
  };
  throw createInputError(`${path} ${kinds[mode] ?? "is not a file"}.`);
}

/** Decodes text. Returns undefined if it is not UTF-8 or contains NUL. */
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
/** The maximum length of a header, which is enough for a name of 64 digits, a type and a size. */
const maxHeaderLength = 200;

/**
 * Creates a parser for the output of `git cat-file --batch`, which can be passed in chunks of any size. Each object
 * consists of a line with type and size, the bytes, and a line break. At most one object is in memory at a time. The
 * parser returns false once `visit` has returned false, or if the input cannot be git's output.
 */
function createBlobParser(visit: VisitBlob): (chunk: Buffer) => boolean {
  let header = "";
  let body: { readonly bytes: Buffer; filled: number } | undefined;

  /** Returns the number of bytes that were consumed; undefined to stop. */
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

  function takeBody(chunk: Buffer, current: NonNullable<typeof body>): number | undefined {
    const taken = chunk.copy(current.bytes, current.filled);
    current.filled += taken;
    if (current.filled < current.bytes.length) return taken;
    body = undefined;
    return visit(current.bytes.subarray(0, -1)) ? taken : undefined;
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
