import { formatCount } from "../../core/index.ts";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { nameFileInError, OctavoError } from "@octavo/site/core";
import { prepareFolder } from "../../config/index.ts";
import type { CommandContext } from "../context.ts";
import type { Terminal } from "../terminal.ts";
import { formatExamples, readChoice } from "../flags.ts";
import { formatCommandLine } from "../invocation.ts";

/** The folder of the templates. In their files, `{{name}}` is replaced by the new site's name. */
const starter = fileURLToPath(new URL("../../../starter", import.meta.url));

const templates = ["guide", "api", "handbook"] as const;
type Template = (typeof templates)[number];

const templateUses: Readonly<Record<Template, string>> = {
  guide: "a product that people learn to use",
  api: "an API, with a reference made from an OpenAPI description",
  handbook: "how a team works",
};

interface NewFlags {
  readonly name?: string;
  readonly template?: string;
}

export function defineNew(command: Command, context: CommandContext): void {
  command
    .description(
      "Creates a small site in a new or empty folder: a configuration, pages, a logo and a favicon. In a terminal, the command asks for what its options do not say.",
    )
    .argument("<folder>", "folder to create")
    .option("--name <name>", "name of the site (default: the folder's name)")
    .option("--template <template>", "guide, api or handbook (default: guide)")
    .addHelpText("after", formatExamples("new docs", "new docs --name Acme --template api"))
    .action((folder: string, flags: NewFlags) => createSite(context, folder, flags));
}

async function createSite(context: CommandContext, named: string, flags: NewFlags): Promise<void> {
  const { terminal, invocationDir } = context;
  const folder = resolve(invocationDir, named);
  const template =
    flags.template === undefined ? undefined : readChoice("--template", templates, flags.template);
  await requireEmptyFolder(folder, named);
  const suggested = cleanName(basename(folder)) || "Documentation";
  const site = await completeChoices(context, { suggested, name: flags.name, template });
  const name = cleanName(site.name);
  if (name === "") {
    throw new OctavoError("invalid_input", "The name of the site contains neither a letter nor a digit. Pass another one with --name."); // prettier-ignore
  }
  const advice = "choose another location for the new site";
  prepareFolder({ path: folder, name: "The folder", advice });
  const source = join(starter, site.template);
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const target = join(folder, path.slice(source.length));
    try {
      await mkdir(dirname(target), { recursive: true });
      // The flag "wx" makes this fail if the file was created in the meantime.
      await writeFile(target, fill(await readFile(path, "utf8"), name), { flag: "wx" });
    } catch (error) {
      nameFileInError(error, target);
      throw error;
    }
  }
  const pages = files.filter((file) => file.name.endsWith(".mdx")).length;
  const created = terminal.paint("green", "Created");
  const size = formatCount(pages, "page");
  terminal.print(`${created} the site ${name} with ${size} in ${folder}. Next:\n`);
  const next: [what: string, args: string[]][] = [
    ["preview it while you write", ["dev", folder]],
    ["list its problems", ["check", folder]],
    ["render it into a bundle", ["export", folder, "--out", `${folder}.zip`]],
  ];
  for (const [what, args] of next) {
    terminal.print(
      `  ${terminal.paint("dim", `# ${what}`)}\n  ${formatCommandLine(context, args)}\n`,
    );
  }
}

interface SiteChoices {
  /** The name that is used if nobody chooses another. */
  readonly suggested: string;
  readonly name: string | undefined;
  readonly template: Template | undefined;
}

/** Asks a person for what the options did not say. Without a terminal, the defaults apply. */
async function completeChoices(
  { terminal }: CommandContext,
  { suggested, name, template }: SiteChoices,
): Promise<{ readonly name: string; readonly template: Template }> {
  if (!process.stdin.isTTY || !terminal.isInteractive) {
    return { name: name ?? suggested, template: template ?? "guide" };
  }
  const questions = createInterface({ input: process.stdin, output: process.stderr });
  // Ctrl-C and Ctrl-D end the questions, of which the open one would otherwise wait forever.
  const stop = new AbortController();
  questions.on("close", () => stop.abort());
  const ask = async (question: string) =>
    (await questions.question(question, { signal: stop.signal })).trim();
  try {
    return {
      name: name ?? ((await ask(`Name of the site (${suggested}): `)) || suggested),
      template: template ?? (await askForTemplate(terminal, ask)),
    };
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    throw new OctavoError("cancelled", "The questions were not answered, so nothing was created.");
  } finally {
    questions.close();
  }
}

async function askForTemplate(
  terminal: Terminal,
  ask: (question: string) => Promise<string>,
): Promise<Template> {
  for (const [index, template] of templates.entries()) {
    terminal.note(`  ${index + 1}  ${template.padEnd(10)}${templateUses[template]}`);
  }
  const answer = (await ask("Template (1): ")) || "1";
  return templates[Number(answer) - 1] ?? readChoice("The template", templates, answer);
}

/** Throws unless the folder is missing or empty. A repository without files is considered empty. */
async function requireEmptyFolder(folder: string, named: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (!found) return;
  const given = JSON.stringify(named);
  if (!found.isDirectory()) {
    throw new OctavoError("invalid_input", `${given} is a file; name a folder for the new site.`);
  }
  const names = await readdir(folder);
  if (names.every((name) => name === ".git")) return;
  const message = `${given} is not empty; name a new or empty folder for the site.`;
  throw new OctavoError("invalid_input", message);
}

/** Returns a site's name, e.g. `My docs` for `my-docs`, without characters that are special in JSON, XML or MDX. */
function cleanName(text: string): string {
  const words = text.replaceAll(/[^\p{L}\p{M}\p{N}.]+/gu, " ").trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The assumed width of a letter in the logo, wide enough for most letters. */
const letterWidth = 12;
const markWidth = 46;

function fill(text: string, name: string): string {
  const width = markWidth + letterWidth * name.length;
  return text.replaceAll("{{name}}", name).replaceAll("{{logoWidth}}", String(width));
}
