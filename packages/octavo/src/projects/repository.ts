import { cleanRelativePath, type OctavoError, createInputError } from "@octavo/site/core";
import {
  guessCodeHost,
  hostedRepository,
  isOwnCodeHost,
  isRefName,
  parseRepositoryAddress,
  explainDestinationRefusal,
} from "../core/index.ts";
import type {
  AllowList,
  CodeHostName,
  FileAddress,
  KnownHosts,
  NetworkAddress,
} from "../core/index.ts";

/** Credentials for a repository: a token or password for https, or a private key for ssh. */
export interface RepositoryCredentials {
  readonly username?: string;
  readonly password?: string;
  readonly privateKey?: string;
}

/** A key that signs commits. */
interface SigningKey {
  /** The private key in the format that `ssh-keygen` writes. */
  readonly privateKey: string;
  /**
   * The public key, e.g. `ssh-ed25519 AAAA...`. A code host shows the commits as verified if their author's account has
   * this key.
   */
  readonly publicKey: string;
}

const privateKeyPattern =
  /^-----BEGIN OPENSSH PRIVATE KEY-----\s+([A-Za-z\d+/=\s]+?)\s+-----END OPENSSH PRIVATE KEY-----$/;
const keyMagic = "openssh-key-v1\0";
/** The key types with deterministic signatures, so that repeating a commit after a crash creates the same commit. */
const supportedKeyTypes = new Set(["ssh-ed25519", "ssh-rsa"]);

/**
 * Validates a project's repository and returns the address to store. Throws an `invalid_input` error with advice. Its
 * message does not repeat an address with credentials.
 */
export function checkRepository(text: string, allow: AllowList): string {
  if (text === hostedRepository) return text;
  const address = parseRepositoryAddress(text);
  if (address.protocol === "file") return checkFile(address, allow);
  if (address.protocol === "http") {
    throw createInputError("repository is an http: address, which is not encrypted; use https.");
  }
  // Names are resolved and their addresses checked again for every connection.
  const refusal = explainDestinationRefusal(address, allow);
  if (refusal !== undefined) throw createInputError(`repository is refused: ${refusal}`);
  // `git@host:path` is not a URL and is stored unchanged.
  return URL.canParse(text) ? address.url : text;
}

function checkFile({ path, url }: FileAddress, allow: AllowList): string {
  if (allow.allowsFile(path)) return url;
  throw createInputError(
    "repository is a file: address that this service may not read. To allow the address, the operator adds its " +
      "folder to OCTAVO_ALLOW, e.g. file:///srv/git.",
  );
}

/** Returns the code host of a repository, for projects that do not set one. */
export function inferCodeHost(repository: string, knownHosts: KnownHosts): CodeHostName {
  return guessCodeHost(findNetworkAddress(repository)?.host, knownHosts);
}

/** The patterns of repository paths. The address of a self-hosted server may itself have a path. */
const repositoryForms = {
  github: { pathPattern: /^\/[^/]+\/[^/]+\/?$/, example: "https://github.com/owner/name" },
  gitlab: {
    pathPattern: /^(?:\/[^/]+){2,}\/?$/,
    example: "https://gitlab.example.com/group/project",
  },
  gitea: { pathPattern: /^(?:\/[^/]+){2,}\/?$/, example: "https://git.example.com/owner/name" },
} as const;

/** Throws `invalid_input` if the code host cannot open pull requests for this repository. */
export function checkCodeHost(codeHost: CodeHostName, repository: string): void {
  if (isOwnCodeHost(codeHost)) return;
  const { pathPattern: form, example } = repositoryForms[codeHost];
  if (form.test(findNetworkAddress(repository)?.path ?? "")) return;
  throw createInputError(
    `codeHost ${codeHost} requires a repository such as ${example}, not ${repository}.`,
  );
}

/** Returns the network address of a validated repository, or undefined for a hosted repository or a folder. */
function findNetworkAddress(repository: string): NetworkAddress | undefined {
  if (repository === hostedRepository) return undefined;
  const address = parseRepositoryAddress(repository);
  return address.protocol === "file" ? undefined : address;
}

/**
 * Returns `ref` unchanged. Throws `invalid_input` if git would not accept it as the name of a branch, tag or commit, or
 * could parse it as an option.
 */
export function checkRef(ref: string): string {
  if (isRefName(ref)) return ref;
  throw createInputError(`ref ${JSON.stringify(ref.slice(0, 100))} is not a valid Git ref name.`);
}

/** Returns the normalized path of the site's folder relative to the repository's root, or `.` for the root itself. */
export function normalizeDirectory(directory: string): string {
  const clean = cleanRelativePath(directory);
  if (clean !== undefined && clean.length <= 1_000) return clean === "" ? "." : clean;
  throw createInputError(
    "directory points outside the repository; use a folder below its root, e.g. docs.",
  );
}

/**
 * Reads a private key in OpenSSH's own format. Throws `invalid_input` for an unusable key, without repeating the key.
 */
export function readSigningKey(text: string): SigningKey {
  const privateKey = text.trim().replaceAll("\r\n", "\n");
  const bytes = Buffer.from(privateKeyPattern.exec(privateKey)?.[1] ?? "", "base64");
  const reader = createReader(bytes);
  if (reader.take(keyMagic.length).toString("latin1") !== keyMagic) {
    throw createSigningKeyError(
      "is not a private key in the format that ssh-keygen writes (BEGIN OPENSSH PRIVATE KEY)",
    );
  }
  const cipher = reader.readString().toString("latin1");
  if (cipher !== "none") throw createSigningKeyError("has a passphrase; use one without");
  reader.readString();
  reader.readString();
  reader.take(4);
  const publicBytes = reader.readString();
  const type = createReader(publicBytes).readString().toString("latin1");
  if (!supportedKeyTypes.has(type))
    throw createSigningKeyError("has an unsupported type; use Ed25519 or RSA");
  return { privateKey, publicKey: `${type} ${publicBytes.toString("base64")}` };
}

/** Creates a reader of fields. After the end of the data, it returns empty fields. */
function createReader(bytes: Buffer) {
  let offset = 0;
  const take = (length: number): Buffer => {
    const part = bytes.subarray(offset, offset + length);
    offset += length;
    return part;
  };
  return {
    take,
    readString(): Buffer {
      const length = take(4);
      return length.length === 4 ? take(length.readUInt32BE()) : Buffer.alloc(0);
    },
  };
}

function createSigningKeyError(problem: string): OctavoError {
  return createInputError(`signingKey ${problem}.`);
}
