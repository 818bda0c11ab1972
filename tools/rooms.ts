/**
 * The rooms of `src/` and which other rooms each may import, by their doors (`index.ts`) only.
 * The lint rule `octavo/rooms` holds this table; a room that is not in it may import nothing.
 */
export const rooms: Readonly<Record<string, readonly string[]>> = {
  core: [],
  config: ["core"],
  db: ["core"],
  storage: ["core"],
  git: ["core"],
  model: ["core"],
  net: ["core"],
  telemetry: ["core"],
  render: ["core"],
  check: ["core", "render"],
  dev: ["core", "render", "check"],
  projects: ["core", "db"],
  codehost: ["core", "db", "git", "net"],
  agent: ["core", "git", "model", "render", "check"],
  jobs: [
    "core",
    "db",
    "storage",
    "git",
    "codehost",
    "model",
    "net",
    "telemetry",
    "render",
    "check",
    "agent",
    "projects",
  ],
  api: ["core", "db", "storage", "git", "codehost", "telemetry", "projects", "jobs"],
  dashboard: ["core", "storage", "git", "codehost", "render", "projects", "jobs"],
  cli: ["*"],
};

/** Where a capability that can do harm may be used at all, as path prefixes below `src/`. */
export const capabilities: Readonly<Record<string, readonly string[]>> = {
  "node:child_process": ["git/", "render/pool/", "dev/open-browser.ts"],
};

/** Rooms that may call `fetch`. */
export const fetchRooms: readonly string[] = ["net", "model", "codehost"];

/** The only room that reads `process.env`; `cli` and the rest are handed a checked Config. */
export const environmentRooms: readonly string[] = ["config"];
