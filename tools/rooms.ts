/**
 * The rooms (folders) of each package's `src/`, and the other rooms that each may import, only through their doors
 * (`index.ts`). The lint rule `octavo/rooms` enforces these tables; a room that is not in the tables must not import
 * any room.
 */

/**
 * The rooms of `@octavo/site` in dependency order: a room may import only rooms before it. `src/index.ts` is the
 * package's door.
 */
export const siteRooms = [
  "core",
  "sandbox",
  "text",
  "markup",
  "openapi",
  "site",
  "load",
  "page",
  "highlight",
  "components",
  "reference",
  "article",
  "theme",
  "search",
  "outputs",
  "export",
  "check",
  "preview",
] as const;

/**
 * The rooms of `octavo` in dependency order, each with the rooms that it may import besides `core` and the doors of
 * `@octavo/site`. `cli` imports every room. Tests of a room may import any room before it.
 */
const serviceRooms: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: [],
  engine: [],
  db: ["engine"],
  storage: [],
  net: [],
  telemetry: [],
  git: ["net"],
  isolation: [],
  dev: [],
  client: [],
  model: ["net"],
  recipes: ["model"],
  projects: ["db"],
  publish: ["db", "projects"],
  tls: ["db", "net", "projects", "telemetry"],
  people: ["db", "net", "projects"],
  hosting: ["db", "git"],
  codehost: ["db", "git", "hosting", "net"],
  reviews: ["git", "hosting", "codehost"],
  bundles: ["storage", "isolation"],
  difference: ["isolation", "bundles"],
  sites: ["storage", "bundles", "difference", "telemetry"],
  agent: ["git", "model", "recipes"],
  jobs: [
    "db",
    "storage",
    "git",
    "codehost",
    "model",
    "recipes",
    "net",
    "telemetry",
    "agent",
    "projects",
    "publish",
  ],
  backup: ["db", "storage"],
  api: ["db", "storage", "git", "hosting", "codehost", "telemetry", "projects", "publish", "jobs"],
  dashboard: [
    "storage",
    "git",
    "reviews",
    "telemetry",
    "projects",
    "publish",
    "people",
    "bundles",
    "difference",
    "jobs",
    "isolation",
  ],
  node: [
    "config",
    "engine",
    "db",
    "storage",
    "net",
    "telemetry",
    "git",
    "isolation",
    "model",
    "recipes",
    "projects",
    "publish",
    "people",
    "hosting",
    "codehost",
    "reviews",
    "bundles",
    "difference",
    "sites",
    "tls",
    "agent",
    "jobs",
    "api",
    "dashboard",
  ],
  cli: ["*"],
};

/** The rooms that each room may import, keyed by the package's folder below `packages/` and by room. */
export const rooms: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  site: Object.fromEntries([
    ...siteRooms.map((room, place) => [room, siteRooms.slice(0, place)] as const),
    ["index.ts", siteRooms],
  ]),
  octavo: Object.fromEntries(
    Object.entries(serviceRooms).map(([room, others]) => [
      room,
      room === "core" ? [] : ["core", ...others],
    ]),
  ),
};

/** The rooms that tests of a room may import: all rooms before it. */
export const roomsBelow: typeof rooms = Object.fromEntries(
  Object.entries(rooms).map(([name, table]) => {
    const order = Object.keys(table);
    return [name, Object.fromEntries(order.map((room, index) => [room, order.slice(0, index)]))];
  }),
);

/** The doors of `@octavo/site` that the other package may import. */
export const siteDoors: readonly string[] = [
  "@octavo/site",
  "@octavo/site/core",
  "@octavo/site/sandbox",
  "@octavo/site/text",
];

/**
 * The only locations in which a dangerous module may be imported, as path prefixes below `packages/`, keyed by module.
 */
export const capabilities: Readonly<Record<string, readonly string[]>> = {
  "node:child_process": [
    "octavo/src/git/",
    "octavo/src/dev/open-browser.ts",
    "octavo/src/isolation/page-camera.ts",
    "site/src/export/pool/",
    "site/src/sandbox/",
  ],
  // Code that opens its own connections bypasses the checks in `net`.
  "node:dns": ["octavo/src/net/"],
  "node:dns/promises": ["octavo/src/net/"],
  "node:https": ["octavo/src/net/"],
};

/** The rooms that may call `fetch` or import the functions of `node:http` that open connections. */
export const fetchRooms: readonly string[] = ["net", "codehost"];

/** The only room that reads `process.env`; all other rooms, including `cli`, receive a validated `Config`. */
export const environmentRooms: readonly string[] = ["config"];
