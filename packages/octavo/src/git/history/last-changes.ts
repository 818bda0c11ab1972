import { StringDecoder } from "node:string_decoder";
import { cleanRelativePath, isOctavoError } from "@octavo/site/core";
import { isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { shallowCommits } from "./shallow.ts";
import { readGit } from "../program/tools.ts";
import type { GitCaller, GitLimits } from "../program/tools.ts";

export interface LastChangesQuery {
  /** A full commit that the repository holds; nothing after it is looked at. */
  readonly commit: string;
  /** Of the repository; `.` is its root. */
  readonly directory: string;
  /** Relative to `directory`. */
  readonly files: ReadonlySet<string>;
  readonly signal?: AbortSignal | undefined;
}

/** By path relative to the directory asked for: the day of a commit, `2026-11-20`, as its committer's calendar had it. */
export type LastChanges = ReadonlyMap<string, string>;

/**
 * Nothing that the repository's own configuration asks for is run or changes the list. A merge lists what it has from
 * neither side. What leads out of the directory is not looked at.
 */
const logArguments = [
  "-c",
  "log.showRoot=true",
  "-c",
  "log.follow=false",
  "--literal-pathspecs",
  "log",
  "-z",
  "--name-only",
  "--no-renames",
  "--no-relative",
  "-O/dev/null",
  "--diff-merges=combined",
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--no-show-signature",
  "--no-notes",
  "--no-decorate",
  "--no-mailmap",
  "--ignore-submodules=all",
  // No path of a tree begins with a slash, so nothing that is committed looks like this line.
  "--format=/%H %cs",
];

/**
 * The day of the last commit that touched each of the files, in one pass over the history, which ends when all are
 * known. Files that no commit touched are not in it, nor those whose last change a shallow clone does not hold, or
 * that lies further back than the limits let git read. Throws `internal` for what is no repository, and `cancelled`.
 */
export async function findLastChanges(
  tools: GitCaller & { readonly limits: Pick<GitLimits, "historyMs"> },
  mirror: Mirror,
  { commit, directory, files, signal }: LastChangesQuery,
): Promise<LastChanges> {
  const folder = cleanRelativePath(directory);
  if (folder === undefined || !isFullCommit(commit) || files.size === 0) return new Map();
  const reader = createLogReader(folder === "" ? "" : `${folder}/`, {
    files,
    shallow: await shallowCommits(tools, mirror, signal),
  });
  const { outputBytes, historyMs } = tools.limits;
  const bounded = { ...tools, limits: { outputBytes, commandMs: historyMs } };
  const where = folder === "" ? [] : [folder];
  try {
    await readGit(bounded, mirror, [...logArguments, commit, "--", ...where], {
      // A clone that left objects out must not ask its server for them.
      environment: { GIT_NO_LAZY_FETCH: "1" },
      signal,
      onOutput: reader.read,
    });
  } catch (error) {
    if (isOctavoError(error, "cancelled")) throw error;
    // Ended because all is known or it took too much, or damaged further back: what was found is right.
  }
  return reader.found;
}

const dayForm = /^\d{4}-\d{2}-\d{2}$/;

interface LogReader {
  readonly found: LastChanges;
  /** False when all that can be known is. */
  readonly read: (chunk: Buffer) => boolean;
}

/** Reads what `logArguments` writes: a line for each commit, newest first, and the names that it touched. */
function createLogReader(
  prefix: string,
  {
    files,
    shallow,
  }: { readonly files: ReadonlySet<string>; readonly shallow: ReadonlySet<string> },
): LogReader {
  const found = new Map<string, string>();
  /** Files whose last commit was met, whether it tells a day or not. */
  const seen = new Set<string>();
  const decoder = new StringDecoder("utf8");
  let rest = "";
  let day: string | undefined;
  let isFirstName = false;

  function take(field: string): void {
    const [, commit = "", its = ""] = /^\/([0-9a-f]+) (.*)$/.exec(field) ?? [];
    if (commit !== "") {
      // A commit can tell any time at all, also one of a year with five digits.
      day = shallow.has(commit) || !dayForm.test(its) ? undefined : its;
      isFirstName = true;
      return;
    }
    // Git ends the commit's line, and the names of merges begin with an empty one.
    const name = isFirstName ? field.replace(/^\n/, "") : field;
    isFirstName = false;
    if (!name.startsWith(prefix)) return;
    const file = name.slice(prefix.length);
    if (!files.has(file) || seen.has(file)) return;
    seen.add(file);
    if (day !== undefined) found.set(file, day);
  }
  return {
    found,
    read(chunk) {
      const fields = decoder.write(chunk).split("\0");
      fields[0] = rest + (fields[0] ?? "");
      rest = fields.pop() ?? "";
      for (const field of fields) take(field);
      return seen.size < files.size;
    },
  };
}
