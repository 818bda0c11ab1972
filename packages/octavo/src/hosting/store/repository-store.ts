import type { Readable } from "node:stream";
import type { CopiedRepository } from "../../git/index.ts";

/** A bare repository that every node serves, and this node's copy of it. */
export interface HostedRepository extends CopiedRepository {
  readonly store: RepositoryStore;
}

/** What is true of a hosted repository at one moment. */
export interface RepositoryState {
  /** Counts the changes of refs, from 0 for a new repository. */
  readonly generation: number;
  /** The full name of the branch that HEAD stands for. */
  readonly head: string;
  /** Commits by full names of refs. */
  readonly refs: ReadonlyMap<string, string>;
}

export interface RefUpdate {
  /** In full: `refs/heads/main`. */
  readonly name: string;
  /** A full commit in the repository, or null to remove the ref. */
  readonly to: string | null;
  /** Its required current commit; null: it must not exist. Default: any. */
  readonly expected?: string | null;
}

export interface StoredPack {
  readonly key: string;
  readonly bytes: number;
}

export interface Publication {
  /** The generation whose refs reach every object that the new commits need and the pack does not have. */
  readonly basis: number;
  /** Of different refs. */
  readonly updates: readonly RefUpdate[];
  /** The new objects; undefined if there are none. */
  readonly pack?: StoredPack | undefined;
  /** One ref that is not where it is expected keeps all others from moving. */
  readonly isAtomic: boolean;
  /** Whether a commit that a ref reached may be out of reach afterwards. */
  readonly losesCommits: boolean;
  /** The new HEAD; default: as it is. */
  readonly head?: string | undefined;
  /** Of all packs; beyond it the publication is refused as `too_large`. */
  readonly maxBytes: number;
}

/** `outdated`: nothing was changed, because the pack may lack objects by now; to be made again at the current state. */
export type Published =
  | { readonly kind: "outdated" }
  | {
      readonly kind: "published";
      /** Names of the refs that were not where they were expected; they did not move. */
      readonly lost: readonly string[];
      /** How many packs the repository has. */
      readonly packs: number;
    };

/** How much a repository may grow. */
export interface Allowance {
  /** 0 where there is no room. */
  readonly bytes: number;
  /** What a client is told whose push is larger, without a full stop. */
  readonly reason: string;
}

/**
 * Where a hosted repository lasts, one for all nodes; folders are copies of it. Every method may be called on several
 * nodes at once. All throw `OctavoError`: `not_found` if the project is gone, `unavailable`.
 */
export interface RepositoryStore {
  /** Undefined if the repository was never created. */
  readGeneration(): Promise<number | undefined>;
  /** Creates an empty repository; leaves an existing one unchanged. */
  create(): Promise<void>;
  /** A consistent state, and the packs that a copy lacks which is complete at the generation `since`, oldest first. */
  read(since: number): Promise<RepositoryState & { readonly packs: readonly StoredPack[] }>;
  /** The commits of the refs with these full names, or below them. */
  readRefs(names: readonly string[]): Promise<Map<string, string>>;
  /** What may be added now; `publish` decides. */
  readAllowance(): Promise<Allowance>;
  /** Stores a file that may be gone afterwards. It is not used before it is published, and removed after a day. */
  putPack(file: string): Promise<StoredPack>;
  /** Throws `not_found` if it was removed, because another pack has its objects. */
  readPack(key: string): Promise<Readable>;
  /** Moves refs in one step. When it resolves, this holds on every node and on the disk. */
  publish(publication: Publication): Promise<Published>;
  /** Puts one pack with every object of `generation` in place of the others; false if the refs have changed since. */
  replacePacks(generation: number, pack: StoredPack): Promise<boolean>;
  /** Does nothing if there is none. */
  remove(): Promise<void>;
}
