/**
 * `npm run rooms`: draws which rooms import which, with the number of imports, and ends with 1 where an import goes
 * up, past a door, or in a circle. The lint rule `octavo/rooms` holds the same while a file is edited.
 */
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { rooms } from "./rooms.ts";

const packages = resolve(import.meta.dirname, "../packages");
const statement = /^(?:import|export)\s[^;"]*?from "([^"]+)";|\bimport\("([^"]+)"\)/gm;
const notShipped = /\.(?:test|test-support|test-process|contract)\.ts$/;

interface Import {
  readonly from: string;
  readonly to: string;
}

/** Paths below `packages/`, tests left out. */
function readImports(): Import[] {
  const files = globSync("*/src/**/*.ts", { cwd: packages }).filter(
    (file) => !notShipped.test(file),
  );
  return files.flatMap((from) =>
    [...readFileSync(join(packages, from), "utf8").matchAll(statement)].flatMap(
      ([, declared, dynamic]) => {
        const to = targetOf(from, declared ?? dynamic ?? "");
        return to === undefined ? [] : [{ from, to }];
      },
    ),
  );
}

/** Undefined for packages that are not ours. */
function targetOf(from: string, specifier: string): string | undefined {
  const door = /^@octavo\/site(?:\/(.+))?$/.exec(specifier);
  if (door) return join("site/src", door[1] ?? "", "index.ts");
  if (!specifier.startsWith(".")) return undefined;
  return relative(packages, resolve(packages, dirname(from), specifier));
}

/** `site/text` of `site/src/text/slug.ts`; `site` of the package's door. */
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

/** In the order of `rooms.ts`, from the ground up. */
function byTable(a: string, b: string): number {
  return order.indexOf(a) - order.indexOf(b);
}

function forbidden(imports: readonly Import[]): string[] {
  return imports.flatMap(({ from, to }) => {
    const [source = "", , room = ""] = from.split("/");
    const [target = "", , targetRoom = ""] = to.split("/");
    if (source !== target || room === targetRoom) return [];
    const allowed = rooms[source]?.[room] ?? [];
    const isAllowed = allowed.includes("*") || allowed.includes(targetRoom);
    // Scripts for the browser name the single files that they are made of.
    const isDoor = to === `${target}/src/${targetRoom}/index.ts` || from.includes("/client/");
    return isAllowed && isDoor ? [] : [`${from} imports ${to}`];
  });
}

/** The files that can be reached from themselves. */
function circular(imports: readonly Import[]): string[] {
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

const imports = readImports();
const [wrong, circles] = [forbidden(imports), circular(imports)];
process.stdout.write(`${draw(imports)}\n\n${imports.length} imports.\n`);
process.stdout.write(
  wrong.length === 0
    ? "No arrow goes up, none past a door.\n"
    : `Forbidden:\n  ${wrong.join("\n  ")}\n`,
);
process.stdout.write(
  circles.length === 0 ? "No circle between files.\n" : `In circles:\n  ${circles.join("\n  ")}\n`,
);
process.exitCode = wrong.length + circles.length === 0 ? 0 : 1;
