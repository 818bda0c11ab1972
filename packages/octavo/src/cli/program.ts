import { readFileSync } from "node:fs";
import { Command, CommanderError } from "commander";
import { OctavoError } from "@octavo/site/core";
import { addAgent } from "./agent.ts";
import { addCheck } from "./check.ts";
import type { CommandContext } from "./context.ts";
import { addDev } from "./dev.ts";
import { addExport } from "./export.ts";
import { addKeys } from "./keys.ts";
import { addOrganizations } from "./orgs.ts";
import { addProjects } from "./projects.ts";
import { addServe } from "./serve.ts";
import { addWebhooks } from "./webhooks.ts";
import { addWorker } from "./worker.ts";

/** Wrong use: the command was never begun. */
const wrongUse = 2;
const failed = 1;
/** As shells give it for a process that ended by SIGINT. */
const interrupted = 130;

/**
 * Runs one command line, the program's own name left out, and gives the code to exit with: 0 for
 * success, 1 for failure (also of a check), 2 for wrong use. What goes wrong is said in one sentence
 * on standard error; only a fault of Octavo itself shows where in the program it happened.
 */
export async function runCommand(
  args: readonly string[],
  open: Omit<CommandContext, "exitWith">,
): Promise<number> {
  let exitCode = 0;
  const context = { ...open, exitWith: (code: number) => void (exitCode = code) };
  const program = createProgram(context);
  try {
    await program.parseAsync(args, { from: "user" });
    return exitCode;
  } catch (error) {
    return answer(error, context);
  }
}

function answer(error: unknown, { terminal }: CommandContext): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : wrongUse;
  if (error instanceof OctavoError) {
    terminal.note(`octavo: ${error.message}`);
    if (error.code === "cancelled") return interrupted;
    return error.code === "invalid_input" ? wrongUse : failed;
  }
  const trace = error instanceof Error ? error.stack : String(error);
  terminal.note(`octavo: This should not have happened, please report it.\n${trace}`);
  return failed;
}

function createProgram(context: CommandContext): Command {
  const { terminal } = context;
  const program = new Command("octavo")
    .description(
      "Renders documentation sites into bundles that open anywhere, from the command line or as a service.",
    )
    .version(readVersion(), "--version", "show the version")
    .helpOption("-h, --help", "show what a command does")
    .helpCommand("help [command]", "show what a command does")
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      outputError: (text, write) => write(`octavo: ${inOneLine(text)}; see --help`),
    })
    .exitOverride();
  addExport(program, context);
  addCheck(program, context);
  addDev(program, context);
  addAgent(program, context);
  addServe(program, context);
  addWorker(program, context);
  addOrganizations(program, context);
  addKeys(program, context);
  addProjects(program, context);
  addWebhooks(program, context);
  return program.addHelpText(
    "after",
    `
Examples:
  octavo export docs --out docs.zip    a bundle that opens by a double click
  octavo check docs                    what is broken in it
  octavo dev docs                      a preview that follows what is written
  octavo agent docs "Fix the broken links"
  octavo serve                         the service, on http://127.0.0.1:4400

Every command has its own --help; started by npm, octavo is \`npm run octavo --\`.`,
  );
}

function readVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { readonly version: string }).version;
}

/** The parser writes its suggestion on a line of its own. */
function inOneLine(text: string): string {
  return text
    .replace(/^error: /, "")
    .trim()
    .replace(/\.$/, "")
    .replaceAll(/\s*\n\s*/g, " ");
}
