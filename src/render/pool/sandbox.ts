import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { limits } from "../limits.ts";

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
  // As the child: with nothing of the service's environment, which holds keys.
  return spawnSync(program, args, { env: {}, stdio: "ignore", timeout: 5_000 }).status === 0;
}

const packageRoot = fileURLToPath(new URL("../../../", import.meta.url));

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
  const own = [join(packageRoot, "src/*"), join(packageRoot, "package.json")];
  return [...new Set([...own, ...linked, `${real}*`])];
}

/**
 * Starts a child of the pool: it reads the program's own files and nothing else, writes nothing,
 * starts no process or thread, has an empty environment and a bounded heap.
 */
export function spawnSandboxed(sandbox: Sandbox, script: URL): ChildProcess {
  const command = [
    ...sandbox.wrapper,
    process.execPath,
    "--permission",
    "--allow-addons",
    ...programFiles().map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${Math.floor(limits.childBytes / 2 / 1024 / 1024)}`,
    // Half of V8's own choice: 100 MB less of each child on 3,400 pages, for no measurable time.
    "--max-semi-space-size=8",
    "--no-warnings",
    fileURLToPath(script),
  ];
  return spawn(command[0] ?? process.execPath, command.slice(1), {
    cwd: "/",
    env: {},
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
}
