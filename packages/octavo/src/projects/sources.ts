import { hostedRepository } from "../core/index.ts";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { AllowList, CodeHostName } from "../core/index.ts";
import {
  checkCodeHost,
  checkRef,
  checkRepository,
  cleanDirectory,
  inferCodeHost,
} from "./repository.ts";
import type { RepositoryCredentials } from "./repository.ts";

/** More is no context, but a search engine. */
export const maxSources = 10;

/** A repository that a project's agents may read. */
export interface ProjectSource {
  readonly repository: string;
  /** Branch, tag or commit; null means the remote's HEAD. */
  readonly ref: string | null;
  /** The folder that may be read; `.` for all of it. */
  readonly directory: string;
}

/** The fields of a source as they are given. */
export interface SourceFields {
  readonly repository: string;
  readonly ref?: string | null | undefined;
  readonly directory?: string | undefined;
  /** Absent: those that are stored for the repository; null: none. */
  readonly credentials?: RepositoryCredentials | null | undefined;
}

/** A source with what is needed to read it: for git and code hosts only. */
export interface ReadableSource extends ProjectSource {
  readonly codeHost: CodeHostName;
  readonly credentials?: RepositoryCredentials | undefined;
}

/** Normalized as they are stored. Throws `invalid_input`, which names the source. */
export function checkSources(
  sources: readonly SourceFields[],
  allow: AllowList,
  gitHubHosts: ReadonlySet<string>,
): readonly SourceFields[] {
  if (sources.length > maxSources) {
    throw new OctavoError("invalid_input", `A project has at most ${maxSources} sources.`);
  }
  const seen = new Set<string>();
  return sources.map((source, index) => {
    const checked = named(index, () => checkSource(source, allow, gitHubHosts));
    const key = JSON.stringify([checked.repository, checked.ref, checked.directory]);
    if (seen.has(key)) throw invalid(index, "is the same as another; each source is given once.");
    seen.add(key);
    return checked;
  });
}

function checkSource(
  { repository, ref = null, directory = ".", credentials }: SourceFields,
  allow: AllowList,
  gitHubHosts: ReadonlySet<string>,
): SourceFields {
  if (repository === hostedRepository) {
    throw new OctavoError("invalid_input", "repository must be an address, not local.");
  }
  const checked = checkRepository(repository, allow);
  checkCodeHost(inferCodeHost(checked, gitHubHosts), checked);
  if (ref !== null) checkRef(ref);
  return { repository: checked, ref, directory: cleanDirectory(directory), credentials };
}

function named<T>(index: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isOctavoError(error, "invalid_input")) throw error;
    throw invalid(index, error.message, error);
  }
}

function invalid(index: number, message: string, cause?: OctavoError): OctavoError {
  return new OctavoError("invalid_input", `sources[${index}]: ${message}`, { cause });
}
