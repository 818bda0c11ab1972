import type { RepositoryStore } from "./hosted/repository-store.ts";

/** A project's remote repository, one that the service hosts, or one that exists on this machine alone. */
export type Repository = RemoteRepository | HostedRepository | LocalRepository;

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

/** A bare repository that every node serves. */
export interface HostedRepository {
  /** Where this node's copy lies, whether it exists or not. Only this room writes to it, and it may be deleted. */
  readonly path: string;
  readonly store: RepositoryStore;
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
