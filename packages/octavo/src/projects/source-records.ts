import type { Kysely } from "kysely";
import type { Tables } from "../db/index.ts";
import { inferCodeHost } from "./repository.ts";
import type { RepositoryCredentials } from "./repository.ts";
import type { Vault } from "./secrets.ts";
import type { ProjectSource, ReadableSource, SourceFields } from "./sources.ts";

export interface SourceRecordsOptions {
  readonly db: Kysely<Tables>;
  readonly vault: Vault;
  readonly gitHubHosts: ReadonlySet<string>;
}

/** The columns of a project that hold its sources, of checked fields. */
export interface SourceColumns {
  readonly sources: string;
  readonly source_credentials: Uint8Array | null;
}

export interface SourceRecords {
  newColumns(projectId: string, wanted: readonly SourceFields[] | undefined): SourceColumns;
  /**
   * Credentials that are not given stay as they are stored for the same repository. No columns where the sources stay
   * as they are.
   */
  changedColumns(
    projectId: string,
    wanted: readonly SourceFields[] | undefined,
  ): Promise<Partial<SourceColumns>>;
  /** With decrypted credentials; none if there is no such project. Throws `unavailable` as the vault does. */
  read(projectId: string): Promise<readonly ReadableSource[]>;
}

type OwnCredentials = RepositoryCredentials | null;

export function createSourceRecords({
  db,
  vault,
  gitHubHosts,
}: SourceRecordsOptions): SourceRecords {
  async function readStored(projectId: string): Promise<readonly ReadableSource[]> {
    const row = await db
      .selectFrom("projects")
      .select(["sources", "source_credentials as sealed"])
      .where("id", "=", projectId)
      .executeTakeFirst();
    const credentials = row?.sealed ? openList(row.sealed, projectId) : [];
    return (row?.sources ?? []).map((source, index) => {
      const own = credentials[index];
      const codeHost = inferCodeHost(source.repository, gitHubHosts);
      return { ...source, codeHost, ...(own && { credentials: own }) };
    });
  }

  function openList(sealed: Uint8Array, projectId: string): readonly OwnCredentials[] {
    return JSON.parse(vault.open(sealed, ownerOf(projectId))) as readonly OwnCredentials[];
  }

  function columnsOf(
    projectId: string,
    wanted: readonly SourceFields[],
    stored: readonly ReadableSource[],
  ): SourceColumns {
    const credentials = wanted.map(({ repository, credentials: given }): OwnCredentials => {
      if (given !== undefined) return given;
      return stored.find((one) => one.repository === repository)?.credentials ?? null;
    });
    const sources = wanted.map(({ repository, ref = null, directory = "." }): ProjectSource => ({
      repository,
      ref,
      directory,
    }));
    const isOpen = credentials.every((own) => own === null);
    const sealed = isOpen ? null : vault.seal(JSON.stringify(credentials), ownerOf(projectId));
    return { sources: JSON.stringify(sources), source_credentials: sealed };
  }

  return {
    newColumns: (projectId, wanted = []) => columnsOf(projectId, wanted, []),
    async changedColumns(projectId, wanted) {
      if (wanted === undefined) return {};
      return columnsOf(projectId, wanted, await readStored(projectId));
    },
    read: readStored,
  };
}

/** Other than that of the project's own credentials: neither decrypts in the other's place. */
function ownerOf(projectId: string): string {
  return `${projectId} sources`;
}
