import { appendFile, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** One run of git, or of a program of git's, as it tells of itself. */
export interface TracedGit {
  /** All words of the command. */
  readonly command: string;
  /** Commands of what it started, programs that are not git's among them. */
  readonly started: readonly string[];
  /** Whether it was started by something else than git. */
  readonly isTopLevel: boolean;
  /** The watched variables that it had. */
  readonly variables: ReadonlyMap<string, string>;
  /** How many files it had the system write to the disk. */
  readonly flushes: number;
}

export interface GitTrace {
  /** Returns the git processes that have ended. */
  read(): Promise<TracedGit[]>;
}

interface TraceEvent {
  readonly event: string;
  readonly sid: string;
  readonly argv?: readonly string[];
  readonly param?: string;
  readonly key?: string;
  readonly value?: string;
}

/**
 * Has every git that works with `configFile` tell of itself (git's own trace2), from the next one on: its
 * arguments, those of what it starts, and the values of `variables`. No run of git is too short for that.
 */
export async function traceGit(
  configFile: string,
  folder: string,
  variables: readonly string[],
): Promise<GitTrace> {
  await mkdir(folder);
  const settings = [`eventTarget = ${folder}`, `envVars = ${variables.join(",")}`, "maxFiles = 0"];
  await appendFile(configFile, `[trace2]\n\t${settings.join("\n\t")}\n`);
  return {
    async read() {
      const names = await readdir(folder);
      return await Promise.all(names.map((name) => readTrace(join(folder, name))));
    },
  };
}

async function readTrace(file: string): Promise<TracedGit> {
  const lines = (await readFile(file, "utf8")).split("\n").filter(Boolean);
  const events = lines.map((line) => JSON.parse(line) as TraceEvent);
  const params = events.filter(({ event }) => event === "def_param");
  const [command = "", ...started] = events.flatMap(({ argv }) => (argv ? [argv.join(" ")] : []));
  return {
    command,
    started,
    isTopLevel: events.every(({ sid }) => !sid.includes("/")),
    flushes: Number(events.find(({ key }) => key === "fsync/hardware-flush")?.value ?? 0),
    variables: new Map(params.map(({ param = "", value = "" }) => [param, value])),
  };
}
