import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, test } from "node:test";
import { Command } from "commander";
import { putEmptyDatabase } from "../../../../test/support/empty-database.ts";
import { folderFor } from "../../../../test/support/git-fixture.ts";
import { openDatabase } from "../db/index.ts";
import { run } from "./cli.test-support.ts";
import { commands } from "./commands.ts";
import { createTerminal } from "./terminal.ts";

/** The IDs that earlier commands printed, by the words in front of them. */
type Ids = Readonly<Record<string, string>>;

/** Commands that change the data folder's database, with the events that the audit log gets, in an order that works. */
const changing: readonly (readonly [
  command: string,
  args: (ids: Ids) => string[],
  action: string,
])[] = [
  ["orgs create", () => ["Acme"], "organization.created"],
  ["orgs set-plan", ({ org = "" }) => [org, "pro"], "organization.changed"],
  [
    "keys create",
    ({ org = "" }) => ["--org", org, "--name", "CI", "--scopes", "read", "--json"],
    "key.created",
  ],
  ["projects create", ({ org = "" }) => ["--org", org, "--name", "Docs", "--domain", "docs.acme.example", "--repository", "local"], "project.created"], // prettier-ignore
  ["projects set-pull-requests", ({ org = "", pr = "" }) => ["--org", org, pr, "--branch-prefix", "docs/"], "project.changed"], // prettier-ignore
  ["projects set-model", ({ org = "", pr = "" }) => ["--org", org, pr, "builtin/recipes"], "project.changed"], // prettier-ignore
  ["webhooks create", ({ org = "" }) => ["--org", org, "https://hooks.example/x", "--json"], "webhook.created"], // prettier-ignore
  ["webhooks update", ({ org = "", wh = "" }) => ["--org", org, wh, "--events", "agent.failed"], "webhook.changed"], // prettier-ignore
  [
    "domains add",
    ({ org = "", pr = "" }) => ["--org", org, pr, "docs.acme.example"],
    "domain.added",
  ],
  [
    "domains prove",
    ({ org = "", pr = "" }) => ["--org", org, pr, "docs.acme.example"],
    "domain.proven",
  ],
  [
    "domains remove",
    ({ org = "", pr = "" }) => ["--org", org, pr, "docs.acme.example"],
    "domain.removed",
  ],
  ["webhooks delete", ({ org = "", wh = "" }) => ["--org", org, wh], "webhook.deleted"],
  ["projects delete", ({ org = "", pr = "" }) => ["--org", org, pr], "project.deleted"],
  ["keys revoke", ({ org = "", key = "" }) => ["--org", org, key], "key.revoked"],
];

/** Commands that change no database, or through a service, whose routes record what they change. */
const others: Readonly<Record<string, string>> = {
  new: "writes a folder of the user",
  export: "writes a bundle of the user",
  check: "reads a folder",
  dev: "reads a folder",
  completion: "prints a script",
  agent: "edits a folder of the user",
  login: "stores a key in the user's home",
  logout: "removes it",
  "exports list": "through a service",
  "exports show": "through a service",
  "exports watch": "through a service",
  "exports cancel": "through a service",
  "exports download": "through a service",
  "exports start": "through a service",
  publish: "through a service",
  "deployments list": "through a service",
  "deployments show": "through a service",
  "deployments publish": "through a service",
  "jobs list": "through a service",
  "jobs show": "through a service",
  "jobs watch": "through a service",
  "jobs diff": "through a service",
  "jobs cancel": "through a service",
  "jobs archive": "through a service",
  "jobs create": "through a service",
  "jobs message": "through a service",
  audit: "through a service",
  api: "through a service",
  serve: "the first start is tried in projects.test.ts",
  worker: "works on jobs of others",
  backup: "reads the data",
  restore: "brings a whole database into an empty folder, with its log",
  "orgs list": "reads",
  "keys list": "reads",
  "projects list": "reads",
  "projects show": "reads",
  "domains list": "reads",
  "domains check": "records a proof as domains prove does, and otherwise what was found",
  "webhooks list": "reads",
  "webhooks show": "reads",
  "webhooks test": "through a service",
  "webhooks send-again": "through a service",
};

/** Returns the names of all commands that can be run. */
async function listCommands(cwd: string): Promise<readonly string[]> {
  const context = {
    terminal: createTerminal({
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      isColorDisabled: true,
    }),
    args: [],
    invocation: "octavo",
    env: {},
    cwd,
    invocationDir: cwd,
    listenForInterruption: () => new AbortController().signal,
    setExitCode: () => undefined,
  };
  const names: string[] = [];
  for (const { name, load } of commands) {
    const command = new Command(name);
    (await load())(command, context);
    const below = command.commands.map((one) => `${name} ${one.name()}`);
    names.push(...(below.length > 0 ? below : [name]));
  }
  return names;
}

describe("the audit log of commands", () => {
  test("has a row here for every command", async (t) => {
    const known = [...changing.map(([name]) => name), ...Object.keys(others)];
    assert.deepEqual((await listCommands(await folderFor(t))).toSorted(), known.toSorted());
  });

  test("has an event for every change", async (t) => {
    const cwd = await folderFor(t);
    const dataDir = `${cwd}/data`;
    await putEmptyDatabase(dataDir);
    const ids: Record<string, string> = {};
    const wrong: string[] = [];
    let count = 0;
    for (const [name, args, action] of changing) {
      const line = [...name.split(" "), ...args(ids), "--data", dataDir];
      const { stdout, stderr, code } = await run(line, { cwd });
      for (const [id, kind = ""] of stdout.matchAll(/\b(org|key|pr|wh)_[0-9a-z]{26}\b/g)) ids[kind] ??= id; // prettier-ignore
      await using database = await openDatabase({ dataDir });
      const rows = await database.kysely.selectFrom("audit_events").select(["action", "actor"]).orderBy("id").execute(); // prettier-ignore
      const added = rows.slice(count).map((row) => (row.actor ? "somebody" : row.action));
      if (added.join() !== action) wrong.push(`${name}: ${code} ${stderr} ${added.join() || "no event"}`); // prettier-ignore
      count = rows.length;
    }
    assert.deepEqual(wrong, []);
  });
});
