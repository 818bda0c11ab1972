import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { compileCacheFolder, programBeside, limits } from "../../core/index.ts";

/** What a render child is started with, found out once for each pool. */
export interface Sandbox {
  /** Programs put before `node`, each of which executes the rest of its arguments. */
  readonly wrapper: readonly string[];
  /** Whether the system gives the child a network of its own, with nothing in it. */
  readonly hasNoNetwork: boolean;
}

/**
 * Asks the system what it grants. Node's permissions do not cover the network, so on Linux the child
 * gets an empty network namespace, as root or through a user namespace; and it ends with its parent,
 * also where the parent is killed and the child hangs. `setpriv` comes last: a change of credentials
 * clears the parent-death signal.
 */
export function detectSandbox(): Sandbox {
  if (process.platform !== "linux") return { wrapper: [], hasNoNetwork: false };
  const endWithParent = works(["setpriv", "--pdeathsig", "KILL", "true"])
    ? ["setpriv", "--pdeathsig", "KILL"]
    : [];
  for (const isolate of [
    ["unshare", "--net"],
    ["unshare", "--user", "--map-current-user", "--net"],
  ]) {
    if (works([...isolate, "true"])) {
      return { wrapper: [...isolate, ...endWithParent], hasNoNetwork: true };
    }
  }
  return { wrapper: endWithParent, hasNoNetwork: false };
}

function works([program = "", ...args]: readonly string[]): boolean {
  // As the child: with nothing of the service's environment, which holds keys. What is only slow, on a machine
  // that is held up, is granted all the same.
  return spawnSync(program, args, { env: {}, stdio: "ignore", timeout: 60_000 }).status === 0;
}

/** `src/` or `dist/` of this package. */
const programFolder = fileURLToPath(new URL("../../", import.meta.url));

/**
 * The program's own files: this package, and the folders of its packages. Those lie in it or in a folder
 * above it, and may be links: a child reads them by the way that leads there and by where they are.
 */
function programFiles(): string[] {
  const packages = createRequire(import.meta.url).resolve.paths("satteri") ?? [];
  const folder = packages.find((candidate) => existsSync(join(candidate, "satteri")));
  const parser = fileURLToPath(import.meta.resolve("satteri"));
  const name = `${sep}node_modules${sep}`;
  const real = parser.slice(0, parser.lastIndexOf(name) + name.length);
  const linked = folder === undefined ? [] : [join(folder, "*")];
  const own = [join(programFolder, "*"), join(programFolder, "../package.json")];
  return [...new Set([...own, ...linked, `${real}*`])];
}

/**
 * A child that takes compiled code from where this process keeps it starts in half the time, but Node lets it do so
 * only with the right to write there: it gets that right where it can give it back (`start-child.ts`), which this
 * Node must know how to do. Undefined otherwise.
 */
function childCacheFolder(): string | undefined {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const canGiveBack = major > 26 || (major === 24 && minor >= 20);
  return canGiveBack ? compileCacheFolder() : undefined;
}

function rightsToCompileCache(folder: string): string[] {
  return ["read", "write"].flatMap((right) =>
    [folder, join(folder, "*")].map((path) => `--allow-fs-${right}=${path}`),
  );
}

/** Of a heap that is not looked through for what is not used any more; all that is kept for a large site takes half of it. */
const unhurriedMegabytes = 256;

const starter = fileURLToPath(programBeside(import.meta.url, "start-child"));

/**
 * Starts a child of the pool: when its program's `main` is called, it reads the program's own files and nothing
 * else, writes nothing, starts no process or thread, has an empty environment and a bounded heap.
 */
export function spawnSandboxed(sandbox: Sandbox, program: URL): ChildProcess {
  const cacheFolder = childCacheFolder();
  const command = [
    ...sandbox.wrapper,
    process.execPath,
    "--permission",
    "--allow-addons",
    ...programFiles().map((path) => `--allow-fs-read=${path}`),
    ...(cacheFolder === undefined ? [] : rightsToCompileCache(cacheFolder)),
    `--max-old-space-size=${Math.floor(limits.childBytes / 2 / 1024 / 1024)}`,
    // Whenever its young generation is full, V8 copies what is still in use: with 8 MB 1,400 times on 3,400 pages, for
    // more than 0.5 s of CPU. It has as much as that from the beginning, and grows where a child goes on (`optimization.ts`).
    // With 64 MB a child would be 80 MB larger.
    "--min-semi-space-size=8",
    "--max-semi-space-size=32",
    // With a bounded heap V8 collects all of it whenever it grew by a third: 41 times on 3,400 pages, of which
    // each page leaves next to nothing. That took a quarter of the CPU; from here on it does so 5 times.
    `--initial-old-space-size=${unhurriedMegabytes}`,
    "--no-warnings",
    starter,
    program.href,
    ...(cacheFolder === undefined ? [] : [cacheFolder]),
  ];
  return spawn(command[0] ?? process.execPath, command.slice(1), {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
}
