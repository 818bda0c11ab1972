import { execFile } from "node:child_process";
import { delimiter, join, resolve } from "node:path";
import { mkdir, readdir, stat, symlink } from "node:fs/promises";
import { promisify } from "node:util";

const run = promisify(execFile);
export const repository = resolve(import.meta.dirname, "../..");
const maxBuffer = 64 * 1024 * 1024;

/** A package as `npm pack` made it. */
export interface PackedPackage {
  readonly name: string;
  readonly version: string;
  readonly tarball: string;
  readonly files: readonly string[];
}

/** Builds and packs both packages into `folder`, as whoever publishes them does. */
export async function packPackages(folder: string): Promise<readonly PackedPackage[]> {
  const packages = ["-w", "octavo", "-w", "@octavo/site"];
  const { stdout } = await run(
    "npm",
    ["pack", ...packages, "--json", "--pack-destination", folder],
    { cwd: repository, maxBuffer, env: ownEnvironment() },
  );
  const packed = JSON.parse(stdout) as (Omit<PackedPackage, "tarball" | "files"> & {
    readonly filename: string;
    readonly files: readonly { readonly path: string }[];
  })[];
  return packed.map(({ name, version, filename, files }) => ({
    name,
    version,
    tarball: join(folder, filename),
    files: files.map(({ path }) => path),
  }));
}

/** Keeps npm's settings for package sources, and drops the variables that npm sets for scripts of this repository. */
function ownEnvironment(): Record<string, string> {
  const foreign =
    /^(?:npm_(?!config_)|npm_config_(?:.*prefix|workspace)|init_cwd$|node_(?!extra_ca_certs$))/i;
  return Object.fromEntries(
    Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !foreign.test(entry[0]),
    ),
  );
}

/** A folder outside the repository that packages are installed into, with a shell's environment of its own. */
export interface InstallFolder {
  readonly path: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Never throws for an exit code. */
  run(program: string, args: readonly string[], env?: Record<string, string>): Promise<RunOutcome>;
}

export interface RunOutcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The Node that runs this test comes first there; nothing of the repository can be found. */
export async function makeInstallFolder(path: string): Promise<InstallFolder> {
  const programs = join(path, "programs");
  await mkdir(programs, { recursive: true });
  await symlink(process.execPath, join(programs, "node"));
  const others = pathFolders().filter((folder) => !folder.includes("node_modules"));
  const environment = {
    ...ownEnvironment(),
    HOME: process.env["HOME"] ?? path,
    PATH: [programs, ...others].join(delimiter),
    XDG_CACHE_HOME: join(path, "cache"),
    npm_config_cache: join(path, "npm-cache"),
    npm_config_update_notifier: "false",
    npm_config_audit: "false",
    npm_config_fund: "false",
  };
  return {
    path,
    environment,
    async run(program, args, env = {}) {
      try {
        const options = { cwd: path, maxBuffer, env: { ...environment, ...env } };
        const { stdout, stderr } = await run(program, args, options);
        return { code: 0, stdout, stderr };
      } catch (error) {
        const { code, stdout, stderr } = error as RunOutcome & { code: unknown };
        if (typeof code !== "number") throw error;
        return { code, stdout, stderr };
      }
    },
  };
}

/** A Node of the machine that is too old, if it has one: `npm` brought the other along. */
export async function findOldNode(): Promise<string | undefined> {
  for (const folder of pathFolders()) {
    try {
      const { stdout } = await run(join(folder, "node"), ["--version"]);
      if (Number(/^v(\d+)/.exec(stdout)?.[1]) < 24) return folder;
    } catch {
      // No Node here.
    }
  }
  return undefined;
}

function pathFolders(): string[] {
  return (process.env["PATH"] ?? "").split(delimiter);
}

/** Apparent size of all files below a folder, and how many there are. */
export async function measureFolder(folder: string): Promise<{ bytes: number; files: number }> {
  let [bytes, files] = [0, 0];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    bytes += (await stat(join(entry.parentPath, entry.name))).size;
    files += 1;
  }
  return { bytes, files };
}
