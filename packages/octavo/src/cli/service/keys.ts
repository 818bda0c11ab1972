import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { accessScopes } from "../../core/index.ts";
import type { AccessScope } from "../../core/index.ts";
import type { ApiKey, KeyOptions } from "../../projects/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { addTargetFlags, runOnTarget } from "./target-flags.ts";
import type { TargetFlags, ManagementTargets } from "./target-flags.ts";
import { formatTable } from "../format.ts";
import { listAll, readAllPages } from "./list-all.ts";

interface KeyFlags extends TargetFlags {
  readonly name?: string;
  readonly project?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly json?: true;
}

/** A key as the API or the data folder returns it. The API sends times as text. */
type ShownKey = Pick<ApiKey, "id" | "name" | "prefix" | "projectId" | "scopes"> & {
  readonly expiresAt: Date | string | null;
  readonly lastUsedAt: Date | string | null;
};

interface NewKey extends Omit<KeyOptions, "memberId"> {
  readonly name: string;
  /** The project to which the key is limited; null means the whole organization. */
  readonly projectId: string | null;
}

/** The keys of one organization, local or remote. Throws in the same cases as `Keys`. */
interface ManagedKeys {
  create(key: NewKey): Promise<ShownKey & { readonly secret: string }>;
  list(): Promise<readonly ShownKey[]>;
  revoke(id: string): Promise<void>;
}

const keysPath = "/v2/keys";

const keyTargets: ManagementTargets<ManagedKeys> = {
  remote: (client) => ({
    async create({ projectId, ...key }) {
      const body = { ...key, ...(projectId !== null && { projectId }) };
      return (await client.call("POST", keysPath, body)) as Awaited<
        ReturnType<ManagedKeys["create"]>
      >;
    },
    list: () => listAll<ShownKey>(client, keysPath, "keys"),
    revoke: async (id) =>
      void (await client.call("DELETE", `${keysPath}/${encodeURIComponent(id)}`)),
  }),
  local: ({ keys, projects }, scope) => ({
    async create({ name, projectId, ...options }) {
      // Throws if the project does not exist, before the key is created.
      if (projectId !== null) await projects.get(scope, projectId);
      return await keys.create({ ...scope, projectId }, name, options);
    },
    list: () => readAllPages((page) => keys.list(scope, page)),
    revoke: (id) => keys.revoke(scope, id),
  }),
};

export function defineKeys(group: Command, context: CommandContext): void {
  group
    .description(
      "Manages an organization's API keys. With --url, these are the keys of a running service, otherwise those " +
        "in the data folder.",
    )
    .addHelpText("after", formatExamples("keys create --name ci", "keys list"));

  addTargetFlags(group.command("create"))
    .summary("create a key")
    .description("Creates a key. Its secret is shown only once, because only its hash is stored.")
    .addHelpText(
      "after",
      formatExamples("keys create --name ci --scopes export --expires 2030-01-31"),
    )
    .requiredOption("--name <name>", "what the key is for")
    .option("--project <id>", "limit the key to one project")
    .option("--scopes <list>", `scopes of the key, from ${accessScopes.join(",")} (default: all)`)
    .option("--expires <date>", "day or time when the key stops working, such as 2030-01-31")
    .option("--json", "print the result, or the error, as one JSON object")
    .action((flags: KeyFlags) =>
      runOnTarget(context, flags, keyTargets, (keys) => createKey(context, keys, flags)),
    );

  addTargetFlags(group.command("list"))
    .summary("list the keys")
    .description("Lists valid keys, newest first.")
    .addHelpText("after", formatExamples("keys list"))
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: KeyFlags) =>
      runOnTarget(context, flags, keyTargets, (keys) => listKeys(context, keys, flags)),
    );

  addTargetFlags(group.command("revoke"))
    .summary("revoke a key")
    .description("Revokes a key immediately, on every node.")
    .addHelpText("after", formatExamples("keys revoke <id>"))
    .argument("<id>", "ID of the key, from `octavo keys list`")
    .action((id: string, flags: KeyFlags) =>
      runOnTarget(context, flags, keyTargets, async (keys) => {
        await keys.revoke(id);
        context.terminal.print(`Revoked ${id}.`);
      }),
    );
}

async function createKey(
  { terminal }: CommandContext,
  keys: ManagedKeys,
  flags: KeyFlags,
): Promise<void> {
  const { name = "", project: projectId = null } = flags;
  const created = await keys.create({ name, projectId, ...readKeyOptions(flags) });
  const { secret, ...key } = created;
  if (flags.json) {
    terminal.print(JSON.stringify({ ...key, secret }));
    return;
  }
  terminal.note(`Created the key ${key.id}. This is its secret, which will not be shown again:`);
  terminal.print(secret);
}

function readKeyOptions({ scopes, expires }: KeyFlags): KeyOptions {
  return {
    ...(scopes !== undefined && { scopes: scopes.split(",").map(readScope) }),
    ...(expires !== undefined && { expiresAt: readTime(expires) }),
  };
}

function readScope(text: string): AccessScope {
  const scope = accessScopes.find((known) => known === text.trim());
  if (scope) return scope;
  throw new OctavoError(
    "invalid_input",
    `--scopes: ${JSON.stringify(text)} is not a scope; choose from ${accessScopes.join(", ")}.`,
  );
}

function readTime(text: string): Date {
  const time = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? new Date(text) : undefined;
  if (time && !Number.isNaN(time.getTime())) return time;
  throw new OctavoError(
    "invalid_input",
    `--expires takes a day or time such as 2030-01-31 or 2030-01-31T12:00:00Z, not ${JSON.stringify(text)}.`,
  );
}

async function listKeys(
  { terminal }: CommandContext,
  keys: ManagedKeys,
  flags: KeyFlags,
): Promise<void> {
  const listed = await keys.list();
  const lines = flags.json
    ? [JSON.stringify(listed)]
    : formatTable(
        ["ID", "KEY", "PROJECT", "SCOPES", "EXPIRES", "LAST USED", "NAME"],
        listed.map(toKeyRow),
      );
  for (const line of lines) terminal.print(line);
}

function toKeyRow({ id, prefix, projectId, name, ...key }: ShownKey): (string | null)[] {
  const times = [key.expiresAt, key.lastUsedAt].map((time) => time && new Date(time).toISOString());
  return [id, `${prefix}…`, projectId, key.scopes.join(","), ...times, name];
}
