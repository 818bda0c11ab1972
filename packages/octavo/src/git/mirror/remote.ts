import { realpath } from "node:fs/promises";
import { isIP } from "node:net";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { parseRepositoryAddress } from "../../core/index.ts";
import type { AllowList, FileAddress, NetworkAddress } from "../../core/index.ts";
import { findAddresses } from "../../net/index.ts";
import type { GitHome } from "../program/environment.ts";
import type { Credentials, RemoteRepository } from "../repository.ts";
import { openTemporaryKey } from "../program/environment.ts";

/** A permitted remote, with the settings that restrict git to this remote. */
export interface Remote extends AsyncDisposable {
  readonly url: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Secrets that are sent to the server for authentication. */
  readonly secrets: readonly string[];
}

/**
 * Checks that the service may reach `repository`, and pins the addresses of its host name, so that git connects only to
 * checked addresses. Throws `invalid_input` for a malformed address, and `repository_unreachable` if the address is not
 * allowed or the host name is unknown.
 *
 * The caller must dispose of the result, because an ssh key remains in a file until then.
 */
export async function openRemote(
  repository: RemoteRepository,
  allow: AllowList,
  home: GitHome,
): Promise<Remote> {
  const address = parseRepositoryAddress(repository.url);
  if (address.protocol === "file") return await openFile(address, allow);
  const connectTo = await findPermittedAddresses(address, allow);
  if (address.protocol === "ssh") {
    return await openSsh({ address, connectTo, credentials: repository.credentials, home });
  }
  return openHttp({ address, connectTo, credentials: repository.credentials, home });
}

async function openFile(address: FileAddress, allow: AllowList): Promise<Remote> {
  // Resolves symbolic links first, because the folder that git would actually read must be allowed.
  const path = await realpath(address.path).catch(() => undefined);
  // The message is the same for a missing folder and a forbidden folder, so it reveals nothing about this machine.
  if (path === undefined || !allow.allowsFile(path)) {
    throw new OctavoError(
      "repository_unreachable",
      `The repository ${address.url} cannot be read: there is no such folder, or the operator has not allowed it. ` +
        "To allow a folder on this machine, add it to OCTAVO_ALLOW, for example as file:///srv/git.",
    );
  }
  return {
    url: address.url,
    arguments: [],
    environment: { GIT_ALLOW_PROTOCOL: "file" },
    secrets: [],
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

/** Returns the host's addresses, after checking that all of them may be reached. */
async function findPermittedAddresses(
  address: NetworkAddress,
  allow: AllowList,
): Promise<string[]> {
  try {
    const addresses = await findAddresses(address, allow);
    return addresses.map((one) => one.address);
  } catch (cause) {
    if (isOctavoError(cause)) throw createUnreachableError(address.url, cause.message, cause);
    const reason = "its host name is unknown. Check the address for a misspelling.";
    throw createUnreachableError(address.url, reason, cause, { silent: address.url });
  }
}

interface Connection {
  readonly address: NetworkAddress;
  readonly connectTo: readonly string[];
  readonly credentials: Credentials | undefined;
  readonly home: GitHome;
}

function openHttp({ address, connectTo, credentials, home }: Connection): Remote {
  const { host, port } = address;
  const pinned = `${host}:${port}:${connectTo.map((ip) => (isIP(ip) === 6 ? `[${ip}]` : ip)).join(",")}`;
  const loginSettings = buildLogin(address, credentials, home);
  return {
    url: address.url,
    arguments: [
      // With pinned addresses, curl does not query a name server, so a DNS change after the check has no effect.
      ...(isIP(host) ? [] : ["-c", `http.curloptResolve=${pinned}`]),
      ...loginSettings.arguments,
    ],
    environment: { GIT_ALLOW_PROTOCOL: address.protocol, ...loginSettings.environment },
    secrets: loginSettings.secrets,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function buildLogin(
  { url }: NetworkAddress,
  { username, password }: Credentials = {},
  home: GitHome,
): Pick<Remote, "arguments" | "environment" | "secrets"> {
  if (password === undefined) return { arguments: [], environment: {}, secrets: [] };
  if (/\p{Cc}/u.test((username ?? "") + password)) {
    throw createUnreachableError(
      url,
      "its user name or password contains control characters; enter the project's credentials again.",
    );
  }
  return {
    arguments: ["-c", `credential.helper=!${quoteForShell(home.login)}`],
    environment: {
      OCTAVO_GIT_USERNAME: username ?? "x-access-token",
      OCTAVO_GIT_PASSWORD: password,
    },
    secrets: username === undefined ? [password] : [password, username],
  };
}

async function openSsh({ address, connectTo, credentials, home }: Connection): Promise<Remote> {
  const options = [
    "BatchMode=yes",
    "StrictHostKeyChecking=accept-new",
    `UserKnownHostsFile=${quoteSshPath(home.knownHosts)}`,
    "GlobalKnownHostsFile=/dev/null",
    `HostName=${connectTo[0] ?? address.host}`,
    `HostKeyAlias=${address.port === 22 ? address.host : `[${address.host}]:${address.port}`}`,
    "IdentitiesOnly=yes",
    "PasswordAuthentication=no",
    "ForwardAgent=no",
    "ClearAllForwardings=yes",
    "PermitLocalCommand=no",
    "ConnectTimeout=30",
    "ServerAliveInterval=15",
  ];
  const privateKey = credentials?.privateKey;
  const key =
    privateKey === undefined ? undefined : await openTemporaryKey(home.folder, privateKey);
  if (key) options.push(`IdentityFile=${quoteSshPath(key.file)}`);
  const command = ["ssh", "-F", "/dev/null", ...options.flatMap((option) => ["-o", option])];
  return {
    url: address.url,
    arguments: [],
    environment: {
      GIT_ALLOW_PROTOCOL: "ssh",
      GIT_SSH_VARIANT: "ssh",
      GIT_SSH_COMMAND: command.map(quoteForShell).join(" "),
    },
    secrets: [],
    async [Symbol.asyncDispose]() {
      await key?.[Symbol.asyncDispose]();
    },
  };
}

/** Escapes a path for ssh, which splits paths at spaces and interprets a percent sign as the start of a token. */
function quoteSshPath(path: string): string {
  return `"${path.replaceAll("%", "%%")}"`;
}

/** Quotes a word, because git passes this setting to a shell. */
function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function createUnreachableError(
  url: string,
  reason: string,
  cause?: unknown,
  details: Readonly<Record<string, unknown>> = {},
): OctavoError {
  return new OctavoError(
    "repository_unreachable",
    `The repository ${url} cannot be read: ${reason}`,
    { cause, details },
  );
}
