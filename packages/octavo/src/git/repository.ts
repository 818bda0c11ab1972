/** A remote repository, the copy of one whose owner updates it, or one that exists on this machine alone. */
export type Repository = RemoteRepository | CopiedRepository | LocalRepository;

export interface RemoteRepository {
  /** `https:`, `ssh:` (also as `git@host:path`), and `http:` and `file:` where the operator allows the place. */
  readonly url: string;
  readonly credentials?: Credentials;
  /**
   * Whose credentials these are, where they are renewed from time to time: the copy that was made with
   * the ones before serves on. Only who was just given credentials for this repository may be named.
   */
  readonly reader?: string;
}

/** A bare repository on this machine, created by `createRepository`. Never a path from a request. */
export interface LocalRepository {
  readonly path: string;
}

/** A bare repository on this machine that its owner makes from what is stored elsewhere. */
export interface CopiedRepository {
  /** Where the copy lies, whether it exists or not. It may be deleted: the next update makes it again. */
  readonly path: string;
  readonly origin: CopyOrigin;
}

/** What a copy is made from. All methods throw `OctavoError`. */
export interface CopyOrigin {
  /** Makes the copy hold what the origin had when this was called, or newer. */
  updateCopy(signal?: AbortSignal): Promise<void>;
  /**
   * Moves a ref of the origin; false if somebody else has moved it. When this resolves, it holds for every reader.
   * Idempotent. The caller must have checked that this ref may be moved.
   */
  moveRef(move: RefMove, signal?: AbortSignal): Promise<boolean>;
}

export interface RefMove {
  /** In full: `refs/heads/main`. */
  readonly name: string;
  /** A full commit, or null to remove the ref. */
  readonly to: string | null;
  /** Its required current commit; null: it must not exist. */
  readonly expected: string | null;
  /** Folders of objects besides the copy's, in which the new commits are. */
  readonly objects: readonly string[];
}

/** Secrets: they reach git by environment or by a file of mode 0600 only. */
export interface Credentials {
  /** For https: the user's name; code hosts that take tokens accept any. */
  readonly username?: string;
  /** For https: a token or password. */
  readonly password?: string;
  /** For ssh: a private key in OpenSSH or PEM form, without a passphrase. */
  readonly privateKey?: string;
}

/** A bare repository on disk that can be read without the network. */
export interface Mirror {
  readonly path: string;
}

export interface Commit {
  /** The full name: 40 or 64 hexadecimal digits. */
  readonly commit: string;
  /** Branch or tag by its short name, or the full commit where a commit was asked for. */
  readonly ref: string;
}
