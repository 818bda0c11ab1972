import type { Readable } from "node:stream";
import type { CopiedRepository } from "../../git/index.ts";

/** A bare repository that every node serves, and this node's copy of it. */
export interface HostedRepository extends CopiedRepository {
  readonly store: RepositoryStore;
  /** Is told the full names of refs after they have moved. Must not throw. */
  readonly onMoved?: ((names: readonly string[]) => void) | undefined;
}

/** A consistent state of a hosted repository. */
export interface RepositoryState {
  /** The number of ref changes, starting at 0 for a new repository. */
  readonly generation: number;
  /** The full name of the branch to which HEAD refers. */
  readonly head: string;
  /** Commits by full ref names. */
  readonly refs: ReadonlyMap<string, string>;
}

export interface RefUpdate {
  /** The full name: `refs/heads/main`. */
  readonly name: string;
  /** A full commit hash in the repository, or null to remove the ref. */
  readonly to: string | null;
  /** The required current commit; null if the ref must not exist. By default, any commit is accepted. */
  readonly expected?: string | null;
}

export interface StoredPack {
  readonly key: string;
  readonly bytes: number;
}

export interface Publication {
  /** The generation whose refs reach every object that the new commits need and that the pack does not contain. */
  readonly basis: number;
  /** The updates, each of a different ref. */
  readonly updates: readonly RefUpdate[];
  /** The new objects; undefined if there are none. */
  readonly pack?: StoredPack | undefined;
  /** Whether a single ref that is not at its expected commit prevents all updates. */
  readonly isAtomic: boolean;
  /** Whether a commit that was reachable from a ref may become unreachable. */
  readonly losesCommits: boolean;
  /** The new HEAD; by default, HEAD does not change. */
  readonly head?: string | undefined;
  /** The maximum total size of all packs. A publication that exceeds it is rejected as `too_large`. */
  readonly maxBytes: number;
}

/**
 * `outdated` means that nothing was changed, because the pack may now lack objects; try again with the current state.
 */
export type Published =
  | { readonly kind: "outdated" }
  | {
      readonly kind: "published";
      /** The names of the refs that did not move because they were not at their expected commits. */
      readonly lost: readonly string[];
      /** The number of packs in the repository. */
      readonly packs: number;
    };

/** The space that a repository has left. */
export interface Allowance {
  /** 0 if there is no space left. */
  readonly bytes: number;
  /** The reason for rejecting a larger push, sent to the client, without a period. */
  readonly reason: string;
}

/**
 * The durable store of a hosted repository, shared by all nodes. Folders are copies of it. Every method may be called
 * on several nodes at the same time. All methods throw `OctavoError`: `not_found` if the project was deleted, and
 * `unavailable`.
 */
export interface RepositoryStore {
  /** Returns the current generation; undefined if the repository was never created. */
  readGeneration(): Promise<number | undefined>;
  /** Creates an empty repository; leaves an existing one unchanged. */
  create(): Promise<void>;
  /** Returns a consistent state, and the packs, oldest first, that a complete copy at the generation `since` lacks. */
  read(since: number): Promise<RepositoryState & { readonly packs: readonly StoredPack[] }>;
  /** Returns the commits of the refs with these full names, and of the refs below them. */
  readRefs(names: readonly string[]): Promise<Map<string, string>>;
  /** Returns the space that is left now. `publish` makes the final decision. */
  readAllowance(): Promise<Allowance>;
  /**
   * Stores a file, which may be removed afterwards. The stored pack is not used before it is published. If it is not
   * published within a day, it is removed.
   */
  putPack(file: string): Promise<StoredPack>;
  /** Opens a pack. Throws `not_found` if the pack was removed because another one contains its objects. */
  readPack(key: string): Promise<Readable>;
  /** Moves refs in one step. Once this resolves, the change applies to every node and is on disk. */
  publish(publication: Publication): Promise<Published>;
  /**
   * Replaces all packs with one that contains every object of `generation`. Returns false if the refs have changed
   * since.
   */
  replacePacks(generation: number, pack: StoredPack): Promise<boolean>;
  /** Removes the repository. Does nothing if there is none. */
  remove(): Promise<void>;
}
