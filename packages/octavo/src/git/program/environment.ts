import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getCACertificates } from "node:tls";
import { acquireLock, isAbandoned } from "./lock.ts";
import { placeFile } from "./place-file.ts";

/** The search path for git and the programs that it needs: ssh and sh. */
export const searchPath =
  "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/homebrew/bin";

/**
 * Harmless faults that old programs left in the history of many ordinary repositories. Git rejects a fetch with any
 * other fault.
 */
export const toleratedFaults = [
  "badTimezone",
  "missingNameBeforeEmail",
  "missingSpaceBeforeDate",
  "missingSpaceBeforeEmail",
  "zeroPaddedFilemode",
  "zeroPaddedDate",
];

/** The settings of every call. A repository's own configuration cannot override them. */
const settings: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.attributesFile=/dev/null",
  "core.symlinks=true",
  "core.autocrlf=false",
  "core.askPass=",
  "credential.helper=",
  "filter.lfs.smudge=",
  "filter.lfs.process=",
  "filter.lfs.required=false",
  "submodule.recurse=false",
  "fetch.recurseSubmodules=false",
  "protocol.version=2",
  "transfer.fsckObjects=true",
  ...toleratedFaults.map((fault) => `fetch.fsck.${fault}=ignore`),
  "http.followRedirects=false",
  "http.proxy=",
  // A connection slower than 1 kB per second for a minute is considered hung.
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=60",
  "gc.autoDetach=false",
  // A reader and a push may access the same ref at the same time. On a busy machine, the process that has the lock may
  // be paused for longer than the 0.1 s that git waits by default.
  "core.filesRefLockTimeout=10000",
  "core.packedRefsTimeout=10000",
];

/** The arguments with which every git command begins. */
export const settingArguments: readonly string[] = settings.flatMap((setting) => ["-c", setting]);

/**
 * A credential helper that reads the user name and password from the environment of a single call, so that neither
 * appears in an address, an argument or a file. (An askpass program would receive the user name as an argument, and
 * some hosts use a token as the user name.)
 */
const loginScript = `#!/bin/sh
[ "$1" = get ] || exit 0
printf 'username=%s\\npassword=%s\\n' "$OCTAVO_GIT_USERNAME" "$OCTAVO_GIT_PASSWORD"
`;

/**
 * The only setting that must be in a file, because git does not pass `-c` settings to the process that serves a `file:`
 * repository. The repository may belong to another user, but its hooks and configuration do not run anything in a
 * fetch.
 */
const globalConfig = `[safe]
\tdirectory = *
`;

/** The environment of every call: no settings of this machine or user, no prompts, no network. */
export const plainEnvironment: Readonly<Record<string, string>> = {
  // `failure.ts` parses the messages.
  LC_ALL: "C",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PROTOCOL_FROM_USER: "0",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ALLOW_PROTOCOL: "",
  GIT_DEFAULT_REF_FORMAT: "files",
};

/** The basis of every call to git: its own home folder, and an environment built from scratch. */
export interface GitHome {
  readonly folder: string;
  /** The `credential.helper` of calls that may use credentials. */
  readonly login: string;
  readonly knownHosts: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Creates the home folder below `cacheDir`. Its path is the same on every start. */
export async function openGitHome(cacheDir: string): Promise<GitHome> {
  const folder = join(cacheDir, "home");
  const [login, config] = [join(folder, "login"), join(folder, "config")];
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await removeAbandonedKeys(folder);
  await placeFile(config, globalConfig);
  await placeFile(login, loginScript, 0o700);
  await chmod(login, 0o700);
  const authorities = await writeAuthorities(folder);
  return {
    folder,
    login,
    knownHosts: join(folder, "known_hosts"),
    environment: {
      ...plainEnvironment,
      PATH: searchPath,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      GIT_CONFIG_GLOBAL: config,
      ...authorities,
    },
  };
}

/** Makes git trust the certificates that the operator added to Node (`NODE_EXTRA_CA_CERTS`). */
async function writeAuthorities(folder: string): Promise<Readonly<Record<string, string>>> {
  const extra = getCACertificates("extra");
  if (extra.length === 0) return {};
  const file = join(folder, "authorities.pem");
  // The file replaces git's default certificates, so it must also contain the system's certificates.
  const all = new Set([...getCACertificates("default"), ...getCACertificates("system"), ...extra]);
  await placeFile(file, [...all].join("\n"));
  return { GIT_SSL_CAINFO: file };
}

/** A private key in a file of mode 0600. Disposing of it deletes the file. */
interface TemporaryKey extends AsyncDisposable {
  readonly file: string;
}

const keyFolderPrefix = "ssh-";

/**
 * Writes a key for ssh, which reads keys only from files, into a separate folder below `home`. `removeAbandonedKeys`
 * deletes the keys of a service that was killed.
 */
export async function openTemporaryKey(home: string, privateKey: string): Promise<TemporaryKey> {
  await removeAbandonedKeys(home);
  const folder = await mkdtemp(join(home, keyFolderPrefix));
  const lock = await acquireLock(getLockPath(folder));
  const file = join(folder, "key");
  await writeFile(file, `${privateKey.trimEnd()}\n`, { mode: 0o600 });
  return {
    file,
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
      await lock[Symbol.asyncDispose]();
    },
  };
}

/** Removes the keys of dead processes, but not the keys of other processes that share the folder. */
async function removeAbandonedKeys(home: string): Promise<void> {
  const names = await readdir(home);
  for (const name of names) {
    const folder = join(home, name);
    if (!name.startsWith(keyFolderPrefix) || !(await isAbandoned(getLockPath(folder)))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

function getLockPath(folder: string): string {
  return join(folder, "lock");
}
