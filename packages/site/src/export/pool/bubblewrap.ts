import { spawnSync } from "node:child_process";
import { systemCallFilter } from "./system-call-filter.ts";

/** What a program in Bubblewrap can see of the host's files, besides the libraries that it is linked with. */
interface VisibleFiles {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
}

/**
 * Bubblewrap: a program has namespaces of its own, for files, processes, users, the network and all else that can have
 * one, and a filter that refuses system calls. It ends with the process that started it.
 */
export interface Bubblewrap {
  /** What the system is to refuse; the program's starter writes it to `filterAt`. Undefined where there is no filter. */
  readonly filter: Buffer | undefined;
  /** The command line to put before the program's. */
  around(files: VisibleFiles, filterAt: number): readonly string[];
}

/** NixOS keeps libraries in a place of its own. What a system does not have is left out. */
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

/** Undefined where Bubblewrap is missing, or the system lets no program be contained, as some containers do not. */
export function findBubblewrap(): Bubblewrap | undefined {
  const found: Bubblewrap = { filter: systemCallFilter(), around: argumentsAround };
  const { execPath } = process;
  const [program = "", ...args] = argumentsAround({ readable: [execPath], writable: [] }, 0);
  const check = spawnSync(program, [...args, execPath, "--version"], {
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
    input: found.filter ?? "",
    // Long, for overloaded machines.
    timeout: 60_000,
  });
  return check.status === 0 ? found : undefined;

  function argumentsAround(files: VisibleFiles, filterAt: number): readonly string[] {
    const shown = [
      ...[...libraries, ...files.readable].flatMap((path) => ["--ro-bind-try", path, path]),
      ...files.writable.flatMap((path) => ["--bind-try", path, path]),
    ];
    // `--as-pid-1`: without a process between that nobody waits for, whose CPU would count as nobody's. What was
    // written into the root, if that were allowed, would be memory that nobody counts.
    const isolated =
      "--unshare-all --as-pid-1 --die-with-parent --new-session --cap-drop ALL --dev /dev";
    const filtered = found.filter ? ["--seccomp", String(filterAt)] : [];
    return [
      "bwrap",
      ...isolated.split(" "),
      ...shown,
      "--remount-ro",
      "/",
      "--chdir",
      "/",
      ...filtered,
      "--",
    ];
  }
}
