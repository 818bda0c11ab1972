import type { Readable } from "node:stream";
import type { CopiedRepository } from "../../git/index.ts";

/** A bare repository that every node serves, and this node's copy of it. */
export interface HostedRepository extends CopiedRepository {
  readonly store: RepositoryStore;
}

/** A consistent state of a hosted repository. */
export interface RepositoryState {
  /** Counts the changes of refs, from 0 for a new repository. */
  readonly generation: number;
  /** The full name of the branch to which HEAD refers. */
  readonly head: string;
  /** Commits by full ref names. */
  readonly refs: ReadonlyMap<string, string>;
}

export interface RefUpdate {
  /** The full name: `refs/heads/main`. */
  readonly name: string;
  /** A full commit name in the repository, or null to remove the ref. */
  readonly to: string | null;
  /** The required current commit; null: the ref must not exist. Default: any. */
  readonly expected?: string | null;
}

export interface StoredPack {
  readonly key: string;
  readonly bytes: number;
}

export interface Publication {
  /** The generation whose refs reach every object that the new commits need and the pack does not contain. */
  readonly basis: number;
  /** Updates of different refs. */
  readonly updates: readonly RefUpdate[];
  /** The new objects; undefined if there are none. */
  readonly pack?: StoredPack | undefined;
  /** Whether one ref that is not at its expected commit prevents all updates. */
  readonly isAtomic: boolean;
  /** Whether a commit that a ref reached may be unreachable afterwards. */
  readonly losesCommits: boolean;
  /** The new HEAD; by default, HEAD does not change. */
  readonly head?: string | undefined;
  /** The limit for all packs together; a publication that exceeds it is refused as `too_large`. */
  readonly maxBytes: number;
}

/** `outdated`: nothing was changed, because the pack may now lack objects; repeat with the current state. */
export type Published =
  | { readonly kind: "outdated" }
  | {
      readonly kind: "published";
      /** The names of the refs that did not move because they were not at their expected commits. */
      readonly lost: readonly string[];
      /** The number of packs of the repository. */
      readonly packs: number;
    };

/** The room that a repository has left. */
export interface Allowance {
  /** 0 if there is no room. */
  readonly bytes: number;
  /** The reason for a client whose push is larger, without a full stop. */
  readonly reason: string;
}

/**
 * The durable store of a hosted repository, shared by all nodes; folders are copies of it. Every method may be called
 * on several nodes at the same time. All throw `OctavoError`: `not_found` if the project was deleted, `unavailable`.
 */
export interface RepositoryStore {
  /** Undefined if the repository was never created. */
  readGeneration(): Promise<number | undefined>;
  /** Creates an empty repository; leaves an existing one unchanged. */
  create(): Promise<void>;
  /** A consistent state, and the packs, oldest first, that a copy lacks if it is complete at the generation `since`. */
  read(since: number): Promise<RepositoryState & { readonly packs: readonly StoredPack[] }>;
  /** The commits of the refs with these full names, or below them. */
  readRefs(names: readonly string[]): Promise<Map<string, string>>;
  /** The room that is left now; `publish` makes the final decision. */
  readAllowance(): Promise<Allowance>;
  /**
   * Stores a file, which may be removed afterwards. It is not used before it is published; if it never is, it is
   * removed after a day.
   */
  putPack(file: string): Promise<StoredPack>;
  /** Throws `not_found` if the pack was removed because another one contains its objects. */
  readPack(key: string): Promise<Readable>;
  /** Moves refs in one step. When it resolves, the change applies to every node and is on the disk. */
  publish(publication: Publication): Promise<Published>;
  /** Replaces all packs with one that contains every object of `generation`; false if the refs have changed since. */
  replacePacks(generation: number, pack: StoredPack): Promise<boolean>;
  /** Does nothing if there is no repository. */
  remove(): Promise<void>;
}
