import { OctavoError } from "@octavo/site/core";
import { z } from "zod";
import type { SourceReader } from "../../git/index.ts";
import { stripLeading } from "../content.ts";

/** A project's read-only source repository, as the caller of the turn accesses it. */
export interface TurnSource {
  /** The address without credentials, for people and the model. */
  readonly repository: string;
  /** Branch, tag or commit; null for the repository's default branch. */
  readonly ref: string | null;
  /** The folder that may be read; `.` for the whole repository. */
  readonly directory: string;
  /**
   * Opens a reader at the commit, or at the ref's current commit if no commit is fixed yet. Throws `OctavoError`s whose
   * messages are for people and contain no secrets.
   */
  readonly open: (commit: string | undefined, signal: AbortSignal) => Promise<SourceReader>;
}

/** A source that stays the same for the whole turn, including later runs of the turn. */
export interface FixedSource {
  /** The name by which the model, its calls and its citations refer to the source. It is unique in the turn. */
  readonly name: string;
  readonly repository: string;
  readonly ref: string | null;
  readonly directory: string;
  /** A full commit hash; null if the source could not be read. */
  readonly commit: string | null;
  /** The reason why the source could not be read; null if it was read. */
  readonly error: string | null;
}

export interface OpenedSource extends FixedSource {
  /** The reader, or the reason why the source cannot be read now. */
  readonly reader: SourceReader | string;
}

/** Input fields that all source tools share. */
export const SourceName = z
  .string()
  .max(200)
  .optional()
  .describe("The source's name. May be omitted if there is only one source.");
export const CommitName = z
  .string()
  .min(1)
  .max(255)
  .optional()
  .describe("A tag, branch or commit. Defaults to the commit that is fixed for this turn.");
export const SourcePath = z
  .string()
  .min(1)
  .max(1_000)
  .transform(stripLeading)
  .describe("Path from the root of the source's repository, e.g. src/cli.ts");

interface ChosenSource {
  readonly name: string;
  readonly reader: SourceReader;
}

/** Throws `not_found` if no source has the name, and `repository_unreachable` if the source cannot be read. */
export function chooseSource(
  sources: readonly OpenedSource[],
  name: string | undefined,
): ChosenSource {
  const source =
    name === undefined && sources.length === 1
      ? sources[0]
      : sources.find((one) => one.name === name);
  if (!source) {
    const known = sources.map((one) => one.name).join(", ");
    const what =
      name === undefined ? "Name the source." : `There is no source ${JSON.stringify(name)}.`;
    throw new OctavoError("not_found", `${what} The sources are: ${known}.`);
  }
  const { reader } = source;
  if (typeof reader !== "string") return { name: source.name, reader };
  throw new OctavoError("repository_unreachable", `${source.name} cannot be read: ${reader}`);
}

/** Returns the full commit hash of `at`, or of the commit that is fixed for the turn. */
export async function resolveCommit(
  { reader }: ChosenSource,
  at: string | undefined,
): Promise<string> {
  return at === undefined ? reader.at.commit : (await reader.resolve(at)).commit;
}

/** Returns the abbreviation that tools and citations use. */
export function shortenCommit(commit: string): string {
  return commit.slice(0, 12);
}
