import { isOctavoError, OctavoError, createInputError } from "@octavo/site/core";
import type { Kysely } from "kysely";
import { hostedRepository } from "../core/index.ts";
import type { AllowList, CodeHostName, KnownHosts } from "../core/index.ts";
import {
  checkCodeHost,
  checkRef,
  checkRepository,
  normalizeDirectory,
  inferCodeHost,
} from "./repository.ts";
import type { RepositoryCredentials } from "./repository.ts";
import type { Tables } from "../db/index.ts";
import type { Vault } from "./secrets.ts";

/** The maximum number of sources. With more, an agent would need a search engine rather than context. */
export const maxSources = 10;

/** A repository that a project's agents may read. */
export interface ProjectSource {
  readonly repository: string;
  /** The branch, tag or commit; null means the remote's HEAD. */
  readonly ref: string | null;
  /** The folder that agents may read; `.` means the whole repository. */
  readonly directory: string;
}

/** The fields of a source that the caller passes. */
export interface SourceFields {
  readonly repository: string;
  readonly ref?: string | null | undefined;
  readonly directory?: string | undefined;
  /** If omitted, the credentials stored for the repository are kept; null removes them. */
  readonly credentials?: RepositoryCredentials | null | undefined;
}

/** A source with the credentials to read it, for git and code hosts only. */
export interface ReadableSource extends ProjectSource {
  readonly codeHost: CodeHostName;
  readonly credentials?: RepositoryCredentials | undefined;
}

interface SourceRecordsOptions {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly knownHosts: KnownHosts;
}

/** The columns that contain a project's sources. */
interface SourceColumns {
  readonly sources: string;
  readonly source_credentials: Uint8Array | null;
}

interface SourceRecords {
  buildNewColumns(
    projectId: string,
    newSources: readonly SourceFields[] | undefined,
  ): SourceColumns;
  /**
   * Returns the columns to change, or no columns if the sources do not change. If credentials are omitted, those stored
   * for the same repository are kept.
   */
  buildChangedColumns(
    projectId: string,
    newSources: readonly SourceFields[] | undefined,
  ): Promise<Partial<SourceColumns>>;
  /**
   * Returns the sources with decrypted credentials, or an empty list if the project does not exist. Throws
   * `unavailable` as the vault does.
   */
  read(projectId: string): Promise<readonly ReadableSource[]>;
}

type SourceCredentials = RepositoryCredentials | null;

/**
 * Returns the sources in the normalized form in which they are stored. Throws an `invalid_input` error that names the
 * invalid source.
 */
export function checkSources(
  sources: readonly SourceFields[],
  allow: AllowList,
  knownHosts: KnownHosts,
): readonly SourceFields[] {
  if (sources.length > maxSources) {
    throw createInputError(`A project can have at most ${maxSources} sources.`);
  }
  const seenKeys = new Set<string>();
  return sources.map((source, index) => {
    const checkedSource = prefixErrors(index, () => checkSource(source, allow, knownHosts));
    const key = JSON.stringify([
      checkedSource.repository,
      checkedSource.ref,
      checkedSource.directory,
    ]);
    if (seenKeys.has(key))
      throw createInvalidSourceError(index, "is a duplicate; each source can be listed only once.");
    seenKeys.add(key);
    return checkedSource;
  });
}

function checkSource(
  { repository, ref = null, directory = ".", credentials }: SourceFields,
  allow: AllowList,
  knownHosts: KnownHosts,
): SourceFields {
  if (repository === hostedRepository) {
    throw createInputError("repository must be an address, not local.");
  }
  const checkedRepository = checkRepository(repository, allow);
  checkCodeHost(inferCodeHost(checkedRepository, knownHosts), checkedRepository);
  if (ref !== null) checkRef(ref);
  return {
    repository: checkedRepository,
    ref,
    directory: normalizeDirectory(directory),
    credentials,
  };
}

function prefixErrors<T>(index: number, check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!isOctavoError(error, "invalid_input")) throw error;
    throw createInvalidSourceError(index, error.message, error);
  }
}

function createInvalidSourceError(
  index: number,
  message: string,
  cause?: OctavoError,
): OctavoError {
  return new OctavoError("invalid_input", `sources[${index}]: ${message}`, { cause });
}

export function createSourceRecords({
  db,
  vault,
  knownHosts,
}: SourceRecordsOptions): SourceRecords {
  async function readStoredSources(projectId: string): Promise<readonly ReadableSource[]> {
    const row = await db
      .selectFrom("projects")
      .select(["sources", "source_credentials as sealed"])
      .where("id", "=", projectId)
      .executeTakeFirst();
    const credentials = row?.sealed ? decryptCredentials(row.sealed, projectId) : [];
    return (row?.sources ?? []).map((source, index) => {
      const sourceCredentials = credentials[index];
      const codeHost = inferCodeHost(source.repository, knownHosts);
      return { ...source, codeHost, ...(sourceCredentials && { credentials: sourceCredentials }) };
    });
  }

  function decryptCredentials(sealed: Uint8Array, projectId: string): readonly SourceCredentials[] {
    return JSON.parse(vault.open(sealed, toSourceOwner(projectId))) as readonly SourceCredentials[];
  }

  function buildColumns(
    projectId: string,
    newSources: readonly SourceFields[],
    storedSources: readonly ReadableSource[],
  ): SourceColumns {
    const credentials = newSources.map(
      ({ repository, credentials: newCredentials }): SourceCredentials => {
        if (newCredentials !== undefined) return newCredentials;
        return storedSources.find((one) => one.repository === repository)?.credentials ?? null;
      },
    );
    const sources = newSources.map(
      ({ repository, ref = null, directory = "." }): ProjectSource => ({
        repository,
        ref,
        directory,
      }),
    );
    const hasNoCredentials = credentials.every((own) => own === null);
    const sealed = hasNoCredentials
      ? null
      : vault.seal(JSON.stringify(credentials), toSourceOwner(projectId));
    return { sources: JSON.stringify(sources), source_credentials: sealed };
  }

  return {
    buildNewColumns: (projectId, newSources = []) => buildColumns(projectId, newSources, []),
    async buildChangedColumns(projectId, newSources) {
      if (newSources === undefined) return {};
      return buildColumns(projectId, newSources, await readStoredSources(projectId));
    },
    read: readStoredSources,
  };
}

/**
 * Returns the owner of the sources' credentials. It differs from the owner of the project's own credentials, so that
 * neither value can be decrypted in the other's column.
 */
function toSourceOwner(projectId: string): string {
  return `${projectId} sources`;
}
