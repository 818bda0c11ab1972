import type { Command } from "commander";
import type { ApiKey } from "../projects/index.ts";
import type { CommandContext } from "./context.ts";
import { chooseOrganization, organizationFlag } from "./organization-choice.ts";
import { everyPage } from "./every-page.ts";
import { addDataFlags, withRecords } from "./service-flags.ts";
import { table } from "./table.ts";
import type { Records } from "./records.ts";

interface KeyFlags {
  readonly name?: string;
  readonly org?: string;
  readonly project?: string;
  readonly json?: true;
}

export function addKeys(program: Command, context: CommandContext): void {
  const group = program.command("keys").description("API keys of an organisation");

  addDataFlags(group.command("create"))
    .description("Make a key. Its secret is shown this once; only a hash of it is kept.")
    .requiredOption("--name <name>", "what the key is for")
    .option("--project <id>", "limit it to one project")
    .option(...organizationFlag)
    .option("--json", "one JSON object")
    .action((flags: KeyFlags) =>
      withRecords(context, { ...flags }, (records) => createKey(context, records, flags)),
    );

  addDataFlags(group.command("list"))
    .description("Keys that work, newest first.")
    .option(...organizationFlag)
    .option("--json", "one JSON list")
    .action((flags: KeyFlags) =>
      withRecords(context, { ...flags }, (records) => listKeys(context, records, flags)),
    );

  addDataFlags(group.command("revoke"))
    .description("Stop a key, at once and on every node.")
    .argument("<id>", "the key's ID, as `octavo keys list` shows it")
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
  const { secret, ...key } = await records.keys.create({ ...scope, projectId }, flags.name ?? "");
  if (flags.json) {
    terminal.print(JSON.stringify({ ...key, secret }));
    return;
  }
  terminal.note(`Made the key ${key.id}. This is its secret; it is not shown again:`);
  terminal.print(secret);
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
    : table(["ID", "KEY", "PROJECT", "LAST USED", "NAME"], keys.map(rowOf));
  for (const line of lines) terminal.print(line);
}

function rowOf({ id, prefix, projectId, lastUsedAt, name }: ApiKey): (string | null)[] {
  return [id, `${prefix}…`, projectId, lastUsedAt?.toISOString() ?? null, name];
}
