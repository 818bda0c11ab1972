import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process as everybody on the machine, or at least its own user, can see it. */
export interface SeenProcess {
  /** Program and arguments, with blanks between. */
  readonly command: string;
  /** `NAME=value` each; undefined where the system shows none. */
  readonly environment: readonly string[] | undefined;
}

export interface ProcessWatch extends Disposable {
  /** Every process that was met below the watched one, the same command and environment once. */
  readonly seen: () => readonly SeenProcess[];
  /** Looks now, not only when it is time again. */
  look(): void;
}

const everyMs = 20;
const hasProc = process.platform === "linux";

/**
 * Looks again and again at all that a process starts, and at what they start. Programs that end within
 * milliseconds are often missed: who must not miss one holds it up, and looks.
 */
export function watchProcesses(rootPid: number): ProcessWatch {
  const met = new Map<string, SeenProcess>();
  const look = (): void => {
    const found = hasProc ? childrenInProc(rootPid) : childrenByPs(rootPid);
    for (const one of found) met.set(JSON.stringify(one), one);
  };
  const timer = setInterval(look, hasProc ? everyMs : everyMs * 10).unref();
  return {
    seen: () => [...met.values()],
    look,
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

function childrenInProc(rootPid: number): SeenProcess[] {
  const found: SeenProcess[] = [];
  const rest = [{ pid: rootPid, command: commandOf(rootPid) }];
  for (let parent = rest.pop(); parent; parent = rest.pop()) {
    for (const pid of childrenOf(parent.pid)) {
      const command = commandOf(pid);
      // Between fork and exec a child is still a copy of its parent, in all that can be seen of it.
      if (command === undefined || command === parent.command) continue;
      rest.push({ pid, command });
      const environment = textOf(pid, "environ")?.split("\0").filter(Boolean);
      found.push({ command, environment });
    }
  }
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const lists = threads.map((thread) => textOf(pid, `task/${thread}/children`) ?? "");
    return lists.flatMap((list) => list.split(" ").filter(Boolean).map(Number));
  } catch {
    return [];
  }
}

function commandOf(pid: number): string | undefined {
  return textOf(pid, "cmdline")?.replaceAll("\0", " ").trim();
}

/** Undefined for a process that has ended, or is another user's. */
function textOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return undefined;
  }
}

function childrenByPs(rootPid: number): SeenProcess[] {
  const lines = execFileSync("ps", ["-axo", "pid=,ppid=,args="], { encoding: "utf8" }).split("\n");
  const rows = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []);
  const below = new Set([String(rootPid)]);
  // Numbers go up but for where they begin again: a second look finds the few that come before their parent.
  for (const [, pid = "", parent = ""] of [...rows, ...rows]) if (below.has(parent)) below.add(pid);
  return rows
    .filter(([, , parent = ""]) => below.has(parent))
    .map(([, , , command = ""]) => ({ command, environment: undefined }));
}
