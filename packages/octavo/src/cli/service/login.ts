import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { findLoginsFile } from "../../config/index.ts";
import { OctavoError } from "@octavo/site/core";
import { formatExamples, readServiceUrl } from "../flags.ts";
import { openQuestions } from "../questions.ts";
import type { CommandContext } from "../context.ts";

interface LoginFlags {
  readonly url?: string;
  readonly keyFile?: string;
}

/** The address of the service, as an argument or, as for all other commands, as a flag. */
const urlArgument = ["[url]", "address of the service"] as const;
const urlFlag = ["--url <url>", "same as the argument"] as const;

export function defineLogin(command: Command, context: CommandContext): void {
  command
    .description(
      "Stores the address of a running service and a key for it. The commands exports, publish, deployments, jobs, " +
        "audit and api then call this service. The commands keys, projects, domains and webhooks use the key if you " +
        "pass the address with --url. In a terminal, the command asks for the key; otherwise it reads the key from " +
        "standard input.",
    )
    .argument(...urlArgument)
    .option(...urlFlag)
    .option("--key-file <file>", "file with the key, such as admin-key in the data folder")
    .addHelpText(
      "after",
      formatExamples(
        "login https://octavo.example.com",
        "login http://127.0.0.1:4400 --key-file .octavo/admin-key",
        "login https://octavo.example.com < key",
      ),
    )
    .action((given: string | undefined, flags: LoginFlags) => logIn(context, given, flags));
}

export function defineLogout(command: Command, context: CommandContext): void {
  command
    .description(
      "Removes the stored key for a service. The key itself stays valid until it is revoked.",
    )
    .argument("[url]", `${urlArgument[1]} (default: the only one to which you have logged in)`)
    .option(...urlFlag)
    .addHelpText("after", formatExamples("logout", "logout https://octavo.example.com"))
    .action((given: string | undefined, flags: LoginFlags) => forgetLogin(context, given, flags));
}

async function logIn(
  context: CommandContext,
  given: string | undefined,
  flags: LoginFlags,
): Promise<void> {
  const { createClient, storeLogin } = await import("../../client/index.ts");
  const file = requireLoginsFile(context);
  const url = readGivenUrl(given, flags);
  if (url === undefined) {
    const example = '"octavo login http://127.0.0.1:4400"';
    throw new OctavoError("invalid_input", `Name the address of the service, e.g. ${example}.`);
  }
  const key = await readKey(context, url, flags);
  const client = createClient({ url, key, signal: context.listenForInterruption() });
  await client.call("GET", "/v2/projects?limit=1");
  await storeLogin(file, { url, key });
  context.terminal.note(`Logged in to ${url}. The key is stored in ${file}.`);
}

async function forgetLogin(
  context: CommandContext,
  given: string | undefined,
  flags: LoginFlags,
): Promise<void> {
  const { readLogins, removeLogin } = await import("../../client/index.ts");
  const file = requireLoginsFile(context);
  let url = readGivenUrl(given, flags);
  if (url === undefined) {
    const [only, ...others] = (await readLogins(file)).map((login) => login.url);
    if (only === undefined) return context.terminal.note("You are not logged in to any service.");
    if (others.length > 0) {
      const services = [only, ...others].join(", ");
      const message = `You are logged in to several services; name the address of one: ${services}.`;
      throw new OctavoError("invalid_input", message);
    }
    url = only;
  }
  const isForgotten = await removeLogin(file, url);
  context.terminal.note(isForgotten ? `Logged out of ${url}.` : `There was no key for ${url}.`);
}

function readGivenUrl(given: string | undefined, flags: LoginFlags): string | undefined {
  const fromFlag = readServiceUrl("--url", flags.url);
  const url = readServiceUrl("The argument", given) ?? fromFlag;
  if (fromFlag === undefined || fromFlag === url) return url;
  const message = `The argument names the service ${url}, and --url names ${fromFlag}; name only one.`;
  throw new OctavoError("invalid_input", message);
}

async function readKey(
  context: CommandContext,
  url: string,
  { keyFile }: LoginFlags,
): Promise<string> {
  const path = resolve(context.invocationDir, keyFile ?? "");
  const content = keyFile === undefined ? readTypedKey(context, url) : readFile(path, "utf8");
  const key = (
    await content.catch((cause: unknown) => {
      if (cause instanceof OctavoError) throw cause;
      throw new OctavoError("invalid_input", `The key file ${path} cannot be read.`, { cause });
    })
  ).trim();
  if (/^\S+$/.test(key)) return key;
  const typed = process.stdin.isTTY ? "The answer" : "Standard input";
  throw new OctavoError(
    "invalid_input",
    `${keyFile === undefined ? typed : path} must contain the key and nothing else.`,
  );
}

/** Asks a person for the key, or reads the key that another program sends. */
async function readTypedKey({ terminal }: CommandContext, url: string): Promise<string> {
  if (!process.stdin.isTTY) return await text(process.stdin);
  using questions = openQuestions(terminal, "No key was entered, so you are not logged in.");
  return await questions.askForSecret(`Key for ${url} (not shown): `);
}

function requireLoginsFile({ env }: CommandContext): string {
  const file = findLoginsFile(env);
  if (file !== undefined) return file;
  throw new OctavoError(
    "invalid_input",
    "The key cannot be stored because HOME is not set; set OCTAVO_URL and OCTAVO_KEY instead.",
  );
}
