import { spawn, spawnSync, type ChildProcess, type StdioOptions } from "node:child_process";
import type { Writable } from "node:stream";
import { existsSync, readSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { findCompileCacheFolder, resolveSiblingModule, limits } from "../core/index.ts";
import { buildSystemCallFilter } from "./system-call-filter.ts";

/** The method of starting a render child. It is detected once for all children of one owner. */
export type Sandbox = Bubblewrap | WrapperSandbox;

/** The method for systems on which Bubblewrap cannot start. */
export interface WrapperSandbox {
  /** Programs that precede `node` on the command line, each of which executes the rest of the command line. */
  readonly wrapper: readonly string[];
  /** Whether the child has a network namespace of its own, which is empty. */
  readonly hasNoNetwork: boolean;
}

/** Host files that a program in Bubblewrap can see, besides the libraries with which it is linked. */
interface VisibleFiles {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/**
 * Bubblewrap: the program has its own namespaces for files, processes, users, the network and everything else that
 * supports namespaces, and a filter that denies system calls. It exits with the process that started it.
 */
interface Bubblewrap {
  /**
   * The filter for system calls, which the code that starts the program writes to `descriptor`. Undefined if there is
   * no filter.
   */
  readonly filter: Buffer | undefined;
  /** Returns the part of the command line that precedes the program's own command line. */
  around(files: VisibleFiles, descriptor: number): readonly string[];
}

/** Folders of libraries, including the folder of NixOS. Folders that do not exist are left out. */
const libraries = [
  "/lib",
  "/lib32",
  "/lib64",
  "/usr/lib",
  "/usr/lib32",
  "/usr/lib64",
  "/usr/local/lib",
  "/nix/store",
  "/etc/ld.so.cache",
];

/**
 * Detects the containment that the system supports. It is needed because Node's permissions do not cover the network
 * and signals, and native code can bypass them.
 */
export function detectSandbox(): Sandbox {
  if (process.platform !== "linux") return { wrapper: [], hasNoNetwork: false };
  return findBubblewrap() ?? detectWrapper();
}

/**
 * Returns wrappers for Linux. They give a process an empty network namespace, as root or through a user namespace, and
 * kill it when its parent exits, even if the parent is killed while the process hangs. `setpriv` comes last, because a
 * change of credentials clears the parent-death signal.
 */
export function detectWrapper(): WrapperSandbox {
  if (process.platform !== "linux") return { wrapper: [], hasNoNetwork: false };
  const endWithParent = ["setpriv", "--pdeathsig", "KILL"];
  for (const isolate of [
    ["unshare", "--net"],
    ["unshare", "--user", "--map-current-user", "--net"],
  ]) {
    // Both wrappers are tried together first: nearly every system supports both, and each attempt blocks this process
    // for milliseconds.
    for (const wrapper of [[...isolate, ...endWithParent], isolate]) {
      if (canRun([...wrapper, "true"])) return { wrapper, hasNoNetwork: true };
    }
  }
  const wrapper = canRun([...endWithParent, "true"]) ? endWithParent : [];
  return { wrapper, hasNoNetwork: false };
}

/** The degree to which render processes are isolated from the system, for this user on this machine. */
export type Containment = "contained" | "without network" | "by Node alone";

export function describeContainment(): Containment {
  const sandbox = detectSandbox();
  if ("around" in sandbox) return "contained";
  return sandbox.hasNoNetwork ? "without network" : "by Node alone";
}

function canRun([program = "", ...args]: readonly string[]): boolean {
  // Like the child, the program does not get the service's environment, which contains keys. The timeout is long
  // enough for overloaded machines.
  return spawnSync(program, args, { env: {}, stdio: "ignore", timeout: 60_000 }).status === 0;
}

/** `src/` or `dist/` of this package. A child run from `src/` also reads the bundled packages in `build/`. */
const programFolder = fileURLToPath(new URL("../", import.meta.url));

/**
 * Returns the program's own files: this package and the folders of its dependencies, which are in the package or in a
 * parent folder. If a dependency's folder is a link, a child needs both the link's path and the real path.
 */
function listProgramFiles(): string[] {
  const packages = createRequire(import.meta.url).resolve.paths("satteri") ?? [];
  const folder = packages.find((candidate) => existsSync(join(candidate, "satteri")));
  const parser = fileURLToPath(import.meta.resolve("satteri"));
  const name = `${sep}node_modules${sep}`;
  const real = parser.slice(0, parser.lastIndexOf(name) + name.length);
  const linkedFiles = folder === undefined ? [] : [join(folder, "*")];
  const ownFiles = ["*", "../package.json", "../build/*"].map((path) => join(programFolder, path));
  return [...new Set([...ownFiles, ...linkedFiles, `${real}*`])];
}

/**
 * Returns the folder of this process's compile cache, with which a child starts in half the time. Node uses the cache
 * only with write access, and a child gets that access only if this version of Node can drop it again
 * (`start-child.ts`). Undefined otherwise.
 */
function findChildCacheFolder(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canDropRights = major > 26 || (major === 24 && minor >= 20);
  return canDropRights ? findCompileCacheFolder() : undefined;
}

function listCacheRights(folder: string): string[] {
  return ["read", "write"].flatMap((right) =>
    [folder, join(folder, "*")].map((path) => `--allow-fs-${right}=${path}`),
  );
}

/** Below this size, V8 performs no full garbage collection. A child's data for a large site takes half of it. */
const initialHeapMegabytes = 256;

const starter = fileURLToPath(resolveSiblingModule(import.meta.url, "start-child"));

export interface StartOptions {
  /** Whether the child is only a shell, which takes 1 MB and 1 ms of CPU, until `wakeChild` is called. */
  readonly isAsleep: boolean;
}

/**
 * Starts a child of the pool. Once the `main` function of its program is called, it can read only the program's own
 * files, and cannot write anything or start processes or threads. Its environment is empty and its heap is limited.
 */
export function spawnSandboxed(
  sandbox: Sandbox,
  program: URL,
  { isAsleep }: StartOptions = { isAsleep: false },
): ChildProcess {
  const cacheFolder = findChildCacheFolder();
  const files = listProgramFiles();
  const args = [
    "--permission",
    "--allow-addons",
    ...files.map((path) => `--allow-fs-read=${path}`),
    ...(cacheFolder === undefined ? [] : listCacheRights(cacheFolder)),
    `--max-old-space-size=${Math.floor(limits.renderChildBytes / 2 / 1024 / 1024)}`,
    // Whenever the young generation is full, V8 copies the objects still in use. With 8 MB, it does so 119 times on 344
    // pages and 1,400 times on 3,400 pages, which takes more than 0.5 s of CPU; with 16 MB, half as often. The young
    // generation starts at 16 MB and grows in a long run (`engine-flags.ts`). 64 MB would make a child 80 MB larger.
    "--min-semi-space-size=16",
    "--max-semi-space-size=32",
    // V8 collects a bounded heap whenever it has grown by a third. On 3,400 pages, V8 does so 41 times, which takes a
    // quarter of the CPU time, although a page leaves almost nothing behind. With this initial size, V8 does so 5
    // times.
    `--initial-old-space-size=${initialHeapMegabytes}`,
    "--no-warnings",
    starter,
    program.href,
    ...(cacheFolder === undefined ? [] : [cacheFolder]),
  ];
  const prefix = isAsleep ? sleepingShell : [];
  if (!("around" in sandbox)) {
    return startChild([...prefix, ...sandbox.wrapper, process.execPath, ...args]);
  }
  const readable = [process.execPath, ...files.map((path) => path.replace(/\/\*$/, ""))];
  const writable = cacheFolder === undefined ? [] : [cacheFolder];
  const around = sandbox.around({ readable, writable }, filterDescriptor);
  const child = startChild([...prefix, ...around, process.execPath, ...args], ["pipe"]);
  const pipe = child.stdio[filterDescriptor] as Writable | null | undefined;
  // A program that could not be started does not read the filter.
  pipe?.on("error", () => {}).end(sandbox.filter);
  return child;
}

/**
 * A pipe from the exporting process to a render child, for data that grows with a site. Messages would copy the data
 * several times on both sides: for 52,479 pages (26 MB), that takes 0.1 s of CPU and 100 MB of memory. Data that a
 * child writes into the pipe is not read.
 */

/** The pipe's descriptor in the child: the descriptor after the descriptors of the streams and the messages. */
export const bulkDescriptor = 4;

/**
 * Ignores pipe errors, because the child's `exit` event already reports that the child no longer reads. Must be called
 * for each child when it is started.
 */
export function ignorePipeErrors(child: ChildProcess): void {
  findPipe(child)?.on("error", () => {});
}

/** Sends bytes, which the child must receive in the same order. They must not be modified afterwards. */
export function sendBytes(child: ChildProcess, bytes: Uint8Array): void {
  const pipe = findPipe(child);
  if (pipe?.writable) pipe.write(bytes);
}

/** Waits for the next `length` bytes. For use in the child. Throws if the exporting process has exited. */
export function receiveBytes(length: number): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let end = 0; end < length;) {
    const read = readSync(bulkDescriptor, bytes, end, length - end, null);
    if (read === 0) throw new Error("The exporting process has exited.");
    end += read;
  }
  return bytes;
}

/** Returns undefined for a child that could not be started. */
function findPipe({ stdio }: Partial<ChildProcess>): Writable | null | undefined {
  return stdio?.[bulkDescriptor] as Writable | null | undefined;
}

/** The descriptor from which Bubblewrap reads the filter for system calls. */
const filterDescriptor = bulkDescriptor + 1;

/** Removes the variables that shells set, which the child must not have. */
const withoutVariables = "env -u PWD -u OLDPWD -u SHLVL -u _";
const sleepingShell = [
  "sh",
  "-c",
  `read -r line <&${bulkDescriptor} && exec ${withoutVariables} "$@"`,
  "sh",
];
const wakingLine = Buffer.from("\n");

/** Starts the program of a child that is asleep. Must be called once, before anything is sent to the child. */
export function wakeChild(child: ChildProcess): void {
  sendBytes(child, wakingLine);
}

/** Starts a process. `others` are additional descriptors, after those that every child has. */
function startChild(
  [program = "", ...args]: readonly string[],
  others: readonly "pipe"[] = [],
): ChildProcess {
  const stdio: StdioOptions = ["ignore", "ignore", "pipe", "ipc", "pipe", ...others];
  const child = spawn(program, args, { cwd: "/", env: {}, stdio, serialization: "advanced" });
  ignorePipeErrors(child);
  return child;
}

/** Returns undefined if Bubblewrap is missing or if the system, as in some containers, does not permit containment. */
function findBubblewrap(): Bubblewrap | undefined {
  const bubblewrap: Bubblewrap = { filter: buildSystemCallFilter(), around: buildPrefix };
  const { execPath } = process;
  const [program = "", ...args] = buildPrefix({ readable: [execPath], writable: [] }, 0);
  const check = spawnSync(program, [...args, execPath, "--version"], {
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
    input: bubblewrap.filter ?? "",
    // The timeout is long enough for overloaded machines.
    timeout: 60_000,
  });
  return check.status === 0 ? bubblewrap : undefined;

  function buildPrefix(files: VisibleFiles, descriptor: number): readonly string[] {
    const mountOptions = [
      ...[...libraries, ...files.readable].flatMap((path) => ["--ro-bind-try", path, path]),
      ...files.writable.flatMap((path) => ["--bind-try", path, path]),
    ];
    // `--as-pid-1` avoids an intermediate process that is never waited for and whose CPU time would not be attributed
    // to any process. The root is read-only because data written into it would be memory that is not measured.
    const isolationOptions =
      "--unshare-all --as-pid-1 --die-with-parent --new-session --cap-drop ALL --dev /dev";
    const filterOptions = bubblewrap.filter ? ["--seccomp", String(descriptor)] : [];
    return [
      "bwrap",
      ...isolationOptions.split(" "),
      ...mountOptions,
      "--remount-ro",
      "/",
      "--chdir",
      "/",
      ...filterOptions,
      "--",
    ];
  }
}
