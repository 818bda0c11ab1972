import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { findLoginsFile } from "../../config/index.ts";
import { OctavoError } from "@octavo/site/core";
import { formatExamples, readServiceUrl } from "../flags.ts";
import type { CommandContext } from "../context.ts";

interface LoginFlags {
  readonly url: string;
  readonly keyFile?: string;
}

const urlFlag = ["--url <url>", "address of the service"] as const;

export function defineLogin(command: Command, context: CommandContext): void {
  command
    .description(
      "Stores the address of a running service and a key for it, for the commands projects, exports, jobs and " +
        "api. The key is read from standard input or from a file.",
    )
    .requiredOption(...urlFlag)
    .option("--key-file <file>", "file with the key, such as admin-key in the data folder")
    .addHelpText(
      "after",
      formatExamples(
        "login --url http://127.0.0.1:4400 --key-file .octavo/admin-key",
        "login --url https://octavo.example.com < key",
      ),
    )
    .action((flags: LoginFlags) => login(context, flags));
}

export function defineLogout(command: Command, context: CommandContext): void {
  command
    .description(
      "Removes the stored key for a service. The key itself stays valid until it is revoked.",
    )
    .requiredOption(...urlFlag)
    .addHelpText("after", formatExamples("logout --url https://octavo.example.com"))
    .action(async ({ url: given }: LoginFlags) => {
      const { removeLogin } = await import("../../client/index.ts");
      const url = readServiceUrl("--url", given) ?? "";
      const isForgotten = await removeLogin(requireLoginsFile(context), url);
      context.terminal.note(isForgotten ? `Logged out of ${url}.` : `There was no key for ${url}.`);
    });
}

async function login(context: CommandContext, flags: LoginFlags): Promise<void> {
  const { createClient, storeLogin } = await import("../../client/index.ts");
  const file = requireLoginsFile(context);
  const url = readServiceUrl("--url", flags.url) ?? "";
  const key = await readKey(context, flags);
  const client = createClient({ url, key, signal: context.interrupted() });
  await client.call("GET", "/v2/projects?limit=1");
  await storeLogin(file, { url, key });
  context.terminal.note(`Logged in to ${url}. The key is stored in ${file}.`);
}

async function readKey(
  { terminal, invocationDir }: CommandContext,
  { keyFile }: LoginFlags,
): Promise<string> {
  if (keyFile === undefined && process.stdin.isTTY) {
    terminal.note("Paste the key and end it with a line break and Ctrl-D:");
  }
  const path = resolve(invocationDir, keyFile ?? "");
  const content = keyFile === undefined ? text(process.stdin) : readFile(path, "utf8");
  const key = (
    await content.catch((cause: unknown) => {
      throw new OctavoError("invalid_input", `The key file ${path} cannot be read.`, { cause });
    })
  ).trim();
  if (/^\S+$/.test(key)) return key;
  throw new OctavoError(
    "invalid_input",
    `${keyFile === undefined ? "Standard input" : path} must contain the key and nothing else.`,
  );
}

function requireLoginsFile({ env }: CommandContext): string {
  const file = findLoginsFile(env);
  if (file !== undefined) return file;
  throw new OctavoError(
    "invalid_input",
    "The key cannot be stored because HOME is not set; set OCTAVO_URL and OCTAVO_KEY instead.",
  );
}
