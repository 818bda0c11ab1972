import type { Command } from "commander";
import { OctavoError } from "@octavo/site/core";
import { accessScopes } from "../core/index.ts";
import type { AccessScope } from "../core/index.ts";
import type { ApiKey, KeyOptions } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { formatExamples } from "./examples.ts";
import { chooseOrganization, organizationFlag } from "./organization-choice.ts";
import { everyPage } from "./every-page.ts";
import { addDataFlags, withRecords } from "./service-flags.ts";
import { formatTable } from "./table.ts";
import type { Records } from "./records.ts";

interface KeyFlags {
  readonly name?: string;
  readonly org?: string;
  readonly project?: string;
  readonly scopes?: string;
  readonly expires?: string;
  readonly json?: true;
}

export function defineKeys(group: Command, context: CommandContext): void {
  group
    .description("Manages an organisation's API keys.")
    .addHelpText("after", formatExamples("keys create --name ci", "keys list"));

  addDataFlags(group.command("create"))
    .summary("create a key")
    .description("Creates a key. Its secret is shown only once: just a hash of it is kept.")
    .addHelpText(
      "after",
      formatExamples("keys create --name ci --scopes export --expires 2030-01-31"),
    )
    .requiredOption("--name <name>", "what the key is for")
    .option("--project <id>", "limit the key to one project")
    .option("--scopes <list>", `what the key may do, of ${accessScopes.join(",")}; all by default`)
    .option("--expires <date>", "day or time after which the key stops working, such as 2030-01-31")
    .option(...organizationFlag)
    .option("--json", "print the result, or the error, as one JSON object")
    .action((flags: KeyFlags) =>
      withRecords(context, { ...flags }, (records) => createKey(context, records, flags)),
    );

  addDataFlags(group.command("list"))
    .summary("list the keys")
    .description("Lists the keys that are valid, newest first.")
    .addHelpText("after", formatExamples("keys list"))
    .option(...organizationFlag)
    .option("--json", "print the list, or an error object, as JSON")
    .action((flags: KeyFlags) =>
      withRecords(context, { ...flags }, (records) => listKeys(context, records, flags)),
    );

  addDataFlags(group.command("revoke"))
    .summary("revoke a key")
    .description("Revokes a key, at once and on every node.")
    .addHelpText("after", formatExamples("keys revoke <id>"))
    .argument("<id>", "ID of the key, as keys list shows it")
    .option(...organizationFlag)
    .action((id: string, flags: KeyFlags) =>
      withRecords(context, { ...flags }, async (records) => {
        await records.keys.revoke(await chooseOrganization(records, flags.org), id);
        context.terminal.print(`Revoked ${id}.`);
      }),
    );
}

async function createKey(
  { terminal }: CommandContext,
  records: Records,
  flags: KeyFlags,
): Promise<void> {
  const scope = await chooseOrganization(records, flags.org);
  const { project: projectId = null } = flags;
  // Says that there is no such project before a key is made for it.
  if (projectId !== null) await records.projects.get(scope, projectId);
  const made = await records.keys.create(
    { ...scope, projectId },
    flags.name ?? "",
    readKeyOptions(flags),
  );
  const { secret, ...key } = made;
  if (flags.json) {
    terminal.print(JSON.stringify({ ...key, secret }));
    return;
  }
  terminal.note(`Created the key ${key.id}. This is its secret, which is not shown again:`);
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
    `--scopes: there is no scope ${JSON.stringify(text)}; there are ${accessScopes.join(", ")}.`,
  );
}

function readTime(text: string): Date {
  const time = /^\d{4}-\d\d-\d\d(T|$)/.test(text) ? new Date(text) : undefined;
  if (time && !Number.isNaN(time.getTime())) return time;
  throw new OctavoError(
    "invalid_input",
    `--expires ${JSON.stringify(text)} is no day or time such as 2030-01-31 or 2030-01-31T12:00:00Z.`,
  );
}

async function listKeys(
  { terminal }: CommandContext,
  records: Records,
  flags: KeyFlags,
): Promise<void> {
  const scope = await chooseOrganization(records, flags.org);
  const keys = await everyPage((page) => records.keys.list(scope, page));
  const lines = flags.json
    ? [JSON.stringify(keys)]
    : formatTable(
        ["ID", "KEY", "PROJECT", "SCOPES", "EXPIRES", "LAST USED", "NAME"],
        keys.map(rowOf),
      );
  for (const line of lines) terminal.print(line);
}

function rowOf({ id, prefix, projectId, name, ...key }: ApiKey): (string | null)[] {
  const times = [key.expiresAt, key.lastUsedAt].map((time) => time?.toISOString() ?? null);
  return [id, `${prefix}…`, projectId, key.scopes.join(","), ...times, name];
}
