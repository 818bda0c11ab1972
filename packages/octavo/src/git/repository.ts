/** A remote repository, a copy that its owner updates, or a repository that exists only on this machine. */
export type Repository = RemoteRepository | CopiedRepository | LocalRepository;

export interface RemoteRepository {
  /**
   * The address: `https:`, `ssh:` (also as `git@host:path`), or, if the operator allows the location, `http:` or
   * `file:`.
   */
  readonly url: string;
  readonly credentials?: Credentials;
  /**
   * Identifies the owner of credentials that are renewed from time to time, so that a copy made with earlier
   * credentials remains in use. Set it only to a reader that has just received credentials for this repository.
   */
  readonly reader?: string;
}

/** The path of a bare repository on this machine, created by `createRepository`. It must never come from a request. */
export interface LocalRepository {
  readonly path: string;
}

/** A bare repository on this machine that its owner builds from data stored elsewhere. */
export interface CopiedRepository {
  /** The path of the copy, which need not exist. The copy may be deleted; the next update creates it again. */
  readonly path: string;
  readonly origin: CopyOrigin;
}

/** The origin from which a copy is built. All methods throw `OctavoError`. */
export interface CopyOrigin {
  /** Updates the copy to the origin's state at the time of this call, or newer. */
  updateCopy(signal?: AbortSignal): Promise<void>;
  /**
   * Moves a ref of the origin. Returns false if someone else has moved it. Once this resolves, the change is visible to
   * every reader. Idempotent. The caller must have checked that this ref may be moved.
   */
  moveRef(move: RefMove, signal?: AbortSignal): Promise<boolean>;
}

export interface RefMove {
  /** The full name, such as `refs/heads/main`. */
  readonly name: string;
  /** A full commit hash, or null to remove the ref. */
  readonly to: string | null;
  /** The ref's required current commit; null if it must not exist. */
  readonly expected: string | null;
  /** The object folders, in addition to the copy's own, that contain the new commits. */
  readonly objectFolders: readonly string[];
}

/** Secrets, which reach git only in the environment or in a file of mode 0600. */
export interface Credentials {
  /** The user name for https. Code hosts that use tokens accept any name. */
  readonly username?: string;
  /** The token or password for https. */
  readonly password?: string;
  /** The private key for ssh, in OpenSSH or PEM form, without a passphrase. */
  readonly privateKey?: string;
}

/** A bare repository on disk that can be read without the network. */
export interface Mirror {
  readonly path: string;
}

export interface Commit {
  /** The full hash: 40 or 64 hexadecimal digits. */
  readonly commit: string;
  /** The short name of a branch or tag, or the full hash if a commit was requested. */
  readonly ref: string;
}
