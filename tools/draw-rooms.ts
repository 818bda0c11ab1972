/**
 * `npm run rooms` prints the number of imports between each two rooms. Exits with 1 if an import, including imports in
 * tests, leads to a room above or bypasses a room's door, or if imports are circular. The lint rule `octavo/rooms`
 * checks the first two conditions while a file is edited.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { findImportProblem, repository, testFile } from "./import-problem.ts";
import { rooms } from "./rooms.ts";

const packages = join(repository, "packages");
const statement = /^(?:import|export)\s[^;"]*?from "([^"]+)";|\bimport\("([^"]+)"\)/gm;

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Returns the imports between files of packages. Paths are relative to `packages/`. */
function readImports(files: readonly string[]): Import[] {
  return files.flatMap((from) =>
    [...readFileSync(join(packages, from), "utf8").matchAll(statement)].flatMap(
      ([, declared, dynamic]) => {
        const to = targetOf(from, declared ?? dynamic ?? "");
        return to === undefined ? [] : [{ from, to }];
      },
    ),
  );
}

/** Returns the imported file, or undefined for a package that is not in this repository. */
function targetOf(from: string, specifier: string): string | undefined {
  const door = /^@octavo\/site(?:\/(.+))?$/.exec(specifier);
  if (door) return join("site/src", door[1] ?? "", "index.ts");
  if (!specifier.startsWith(".")) return undefined;
  return relative(packages, resolve(packages, dirname(from), specifier));
}

/** Returns the room of a file, e.g. `site/text` for `site/src/text/slug.ts`, or `site` for the package's door. */
function roomOf(path: string): string {
  const [name = "", , room = ""] = path.split("/");
  return room.endsWith(".ts") ? name : `${name}/${room}`;
}

function draw(imports: readonly Import[]): string {
  const counts = new Map<string, Map<string, number>>();
  for (const { from, to } of imports) {
    if (roomOf(from) === roomOf(to)) continue;
    const targets = counts.get(roomOf(from)) ?? new Map<string, number>();
    counts.set(roomOf(from), targets.set(roomOf(to), (targets.get(roomOf(to)) ?? 0) + 1));
  }
  const lines = [...new Set(imports.map(({ from }) => roomOf(from)))]
    .toSorted(byTable)
    .map((room) => {
      const targets = [...(counts.get(room) ?? [])].toSorted(([a], [b]) => byTable(a, b));
      const drawn = targets.map(([target, count]) => `${target.replace(/^octavo\//, "")} ${count}`);
      return `${room.padEnd(20)} → ${drawn.join(", ") || "nothing"}`;
    });
  return lines.join("\n");
}

const order = Object.entries(rooms).flatMap(([name, table]) =>
  Object.keys(table).map((room) => (room.endsWith(".ts") ? name : `${name}/${room}`)),
);

/** Compares two rooms by their positions in `rooms.ts`. */
function byTable(a: string, b: string): number {
  return order.indexOf(a) - order.indexOf(b);
}

/** Returns the imports that the rules forbid. `files` are relative to the repository's root. */
function findForbidden(files: readonly string[]): string[] {
  return files.flatMap((file) => {
    const path = join(repository, file);
    return [...readFileSync(path, "utf8").matchAll(statement)].flatMap(([, declared, dynamic]) => {
      const problem = findImportProblem(path, declared ?? dynamic ?? "");
      return problem === undefined ? [] : [`${file}: ${problem}`];
    });
  });
}

/** Finds the files that import themselves directly or through other files. */
function findCircular(imports: readonly Import[]): string[] {
  const targets = Map.groupBy(imports, ({ from }) => from);
  const next = (file: string) => (targets.get(file) ?? []).map(({ to }) => to);
  return [...targets.keys()].filter((file) => {
    const reached = new Set<string>();
    const ahead = next(file);
    for (let one = ahead.pop(); one !== undefined; one = ahead.pop()) {
      if (one === file) return true;
      if (!reached.has(one)) ahead.push(...next(one));
      reached.add(one);
    }
    return false;
  });
}

const sources = globSync("*/src/**/*.ts", { cwd: packages });
const shipped = sources.filter((file) => !testFile.test(file));
const imports = readImports(shipped);
const outside = globSync("{test,bench,tools}/**/*.ts", { cwd: repository });
const tests = readImports([
  ...sources.filter((file) => testFile.test(file)),
  ...outside.map((file) => join("..", file)),
]).filter(({ from, to }) => roomOf(from) !== roomOf(to) && to.split("/")[1] === "src");
const forbidden = findForbidden([...sources.map((file) => join("packages", file)), ...outside]);
const circles = findCircular(imports);
process.stdout.write(
  `${draw(imports)}\n\n${imports.length} imports, and ${tests.length} of tests between rooms.\n`,
);
process.stdout.write(
  forbidden.length === 0
    ? "No import leads to a room above or bypasses a door.\n"
    : `Forbidden:\n  ${forbidden.join("\n  ")}\n`,
);
process.stdout.write(
  circles.length === 0
    ? "No circular imports between files.\n"
    : `In circles:\n  ${circles.join("\n  ")}\n`,
);
process.exitCode = forbidden.length + circles.length === 0 ? 0 : 1;
