/**
 * The rules for imports in sources, tests, benchmarks and tools, used by the lint rule `octavo/rooms` and by
 * `npm run rooms`.
 */
import { dirname, join, relative, resolve, sep } from "node:path";
import { capabilities, rooms, roomsBelow, siteDoors } from "./rooms.ts";

export const repository = resolve(import.meta.dirname, "..");
const packages = join(repository, "packages");

/** A source file of a package: `packages/site/src/text/slug.ts` is in the room `text` of `site`. */
export interface SourceFile {
  readonly package: string;
  readonly room: string;
  /** The path below `packages/`, with forward slashes. */
  readonly path: string;
}

/** Returns undefined for a file that is not in the `src/` of a package. */
export function readSourceFile(file: string): SourceFile | undefined {
  const path = relative(packages, file).split(sep).join("/");
  const [name = "", folder, room = ""] = path.split("/");
  return folder === "src" ? { package: name, room, path } : undefined;
}

/** Matches files that are never shipped. */
export const testFile = /\.(test|test-support|test-process|contract)\.ts$|\/testing\.ts$/;

/**
 * Reports, as a sentence, why `file` may not import `specifier`. Returns undefined if it may. `file` is absolute. Files
 * outside of packages may import what tests may.
 */
export function findImportProblem(file: string, specifier: string): string | undefined {
  const from = readSourceFile(file);
  if (from) return findProblemOfSource(from, file, specifier);
  const [folder = ""] = relative(repository, file).split(sep);
  if (!["test", "bench", "tools"].includes(folder) || !specifier.startsWith(".")) return undefined;
  const target = readSourceFile(resolve(dirname(file), specifier));
  return target && findDoorProblem(target, true);
}

function findProblemOfSource(
  from: SourceFile,
  file: string,
  specifier: string,
): string | undefined {
  const isTest = testFile.test(from.path);
  const allowedFor = capabilities[specifier] ?? capabilities[`node:${specifier}`];
  if (allowedFor && !isTest && !allowedFor.some((prefix) => from.path.startsWith(prefix))) {
    return `Only ${allowedFor.join(" and ")} may import ${specifier}.`;
  }
  if (specifier.startsWith("@octavo/site")) return findPackageProblem(from, specifier);
  if (!specifier.startsWith(".")) return undefined;
  const target = readSourceFile(resolve(dirname(file), specifier));
  if (target?.package === from.package) return findRoomProblem(from, target);
  if (isTest) return undefined;
  return `Source files may not import from outside their package's src/: ${specifier}`;
}

function findPackageProblem(from: SourceFile, specifier: string): string | undefined {
  if (from.package === "site") return "Within @octavo/site, import by a relative path.";
  if (siteDoors.includes(specifier)) return undefined;
  return `Import a door of the package: ${siteDoors.join(" or ")}.`;
}

function findRoomProblem(from: SourceFile, target: SourceFile): string | undefined {
  const isTest = testFile.test(from.path);
  if (from.room === target.room) {
    if (isTest || !target.path.endsWith("/testing.ts")) return undefined;
    return `Only tests may import ${target.path}.`;
  }
  const allowed = (isTest ? roomsBelow : rooms)[from.package]?.[from.room] ?? [];
  if (!allowed.includes("*") && !allowed.includes(target.room)) {
    return `The room ${from.room}/ may not import ${target.room}/ (tools/rooms.ts).`;
  }
  // Scripts for the reader's browser may bypass doors, because importing a door would add its whole room to the script.
  const isBrowserScript = from.path.includes("/client/") && !isTest;
  return isBrowserScript ? undefined : findDoorProblem(target, isTest);
}

function findDoorProblem(target: SourceFile, isTest: boolean): string | undefined {
  const room = `${target.package}/src/${target.room}`;
  const doors = [`${target.package}/src/index.ts`, `${room}/index.ts`];
  if (isTest) doors.push(`${room}/testing.ts`);
  if (doors.includes(target.path)) return undefined;
  return `Import the room's door, ${doors.slice(1).join(" or ")}, not ${target.path}.`;
}
