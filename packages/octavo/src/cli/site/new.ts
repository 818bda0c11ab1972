import { formatCount } from "../../core/index.ts";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { nameFileInError, OctavoError } from "@octavo/site/core";
import { prepareFolder } from "../../config/index.ts";
import type { CommandContext } from "../context.ts";
import type { Terminal } from "../terminal.ts";
import { formatExamples, readChoice } from "../flags.ts";
import { canAsk, openQuestions } from "../questions.ts";
import type { Questions } from "../questions.ts";
import { formatCommandLine } from "../invocation.ts";

/** The folder with the templates. In their files, `{{name}}` stands for the name of the new site. */
const starterFolder = fileURLToPath(new URL("../../../starter", import.meta.url));

const templates = ["guide", "api", "handbook"] as const;
type Template = (typeof templates)[number];

const templateDescriptions: Readonly<Record<Template, string>> = {
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
      "Creates a small site in a new or empty folder: a configuration, pages, a logo and a favicon. In a terminal, the command asks for the choices that its options leave open.",
    )
    .argument("[folder]", "folder to create; required if the command is not run in a terminal")
    .option("--name <name>", "name of the site (default: the folder's name)")
    .option("--template <template>", "guide, api or handbook (default: guide)")
    .addHelpText("after", formatExamples("new docs", "new docs --name Acme --template api"))
    .action((folder: string | undefined, flags: NewFlags) => createSite(context, folder, flags));
}

async function createSite(
  context: CommandContext,
  named: string | undefined,
  flags: NewFlags,
): Promise<void> {
  const { terminal, invocationDir } = context;
  const { folder, name, template } = await completeChoices(context, {
    folder: named === undefined ? undefined : await readNewFolder(named, invocationDir),
    name: flags.name === undefined ? undefined : readName("--name", flags.name),
    template:
      flags.template === undefined
        ? undefined
        : readChoice("--template", templates, flags.template),
  });
  const advice = "choose another location for the new site";
  prepareFolder({ path: folder, name: "The folder", advice });
  const source = join(starterFolder, template);
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const file of files) {
    const path = join(file.parentPath, file.name);
    const target = join(folder, path.slice(source.length));
    try {
      await mkdir(dirname(target), { recursive: true });
      // The flag "wx" makes the write fail if the file was created in the meantime.
      await writeFile(target, fillTemplate(await readFile(path, "utf8"), name), { flag: "wx" });
    } catch (error) {
      nameFileInError(error, target);
      throw error;
    }
  }
  const pages = files.filter((file) => file.name.endsWith(".mdx")).length;
  const created = terminal.paint("green", "Created");
  const size = formatCount(pages, "page");
  terminal.print(`${created} the site ${name} with ${size} in ${folder}. Next:\n`);
  const nextCommands: [purpose: string, args: string[]][] = [
    ["preview it while you write", ["dev", folder]],
    ["list its problems", ["check", folder]],
    ["render it into a bundle", ["export", folder, "--out", `${folder}.zip`]],
  ];
  for (const [purpose, args] of nextCommands) {
    terminal.print(
      `  ${terminal.paint("dim", `# ${purpose}`)}\n  ${formatCommandLine(context, args)}\n`,
    );
  }
}

interface SiteChoices {
  /** The absolute path. */
  readonly folder: string;
  readonly name: string;
  readonly template: Template;
}

type GivenChoices = { readonly [Key in keyof SiteChoices]: SiteChoices[Key] | undefined };

/** The usual folder for the documentation in a repository. */
const defaultFolder = "docs";

/** Asks the user to make the choices that the options left open. Without a terminal, the defaults apply. */
async function completeChoices(
  { terminal, invocationDir }: CommandContext,
  given: GivenChoices,
): Promise<SiteChoices> {
  const { folder, name, template } = given;
  if (!canAsk(terminal)) {
    if (folder === undefined) {
      const message = `Name the folder to create, e.g. "octavo new ${defaultFolder}".`;
      throw new OctavoError("invalid_input", message);
    }
    return { folder, name: name ?? suggestName(folder), template: template ?? "guide" };
  }
  const cancelledMessage = "The questions were not answered, so nothing was created.";
  using questions = openQuestions(terminal, cancelledMessage);
  const chosenFolder =
    folder ??
    (await questions.ask(`Folder to create (${defaultFolder}): `, (answer) =>
      readNewFolder(answer || defaultFolder, invocationDir),
    ));
  const suggested = suggestName(chosenFolder);
  return {
    folder: chosenFolder,
    name:
      name ??
      (await questions.ask(`Name of the site (${suggested}): `, (answer) =>
        readName("The name", answer || suggested),
      )),
    template: template ?? (await askForTemplate(terminal, questions)),
  };
}

async function askForTemplate(terminal: Terminal, questions: Questions): Promise<Template> {
  for (const [index, template] of templates.entries()) {
    terminal.note(`  ${index + 1}  ${template.padEnd(10)}${templateDescriptions[template]}`);
  }
  return await questions.ask("Template (1): ", (answer) => {
    const number = Number(answer || "1");
    return templates[number - 1] ?? readChoice("The template", templates, answer);
  });
}

/** Returns the absolute path of a folder. Throws if it exists and contains anything other than `.git`. */
async function readNewFolder(named: string, invocationDir: string): Promise<string> {
  const folder = resolve(invocationDir, named);
  const stats = await stat(folder).catch(() => undefined);
  if (!stats) return folder;
  const given = JSON.stringify(named);
  if (!stats.isDirectory()) {
    throw new OctavoError("invalid_input", `${given} is a file; name a folder for the new site.`);
  }
  const names = await readdir(folder);
  if (names.every((name) => name === ".git")) return folder;
  const message = `${given} is not empty; name a new or empty folder for the site.`;
  throw new OctavoError("invalid_input", message);
}

function suggestName(folder: string): string {
  return cleanName(basename(folder)) || "Documentation";
}

function readName(given: string, text: string): string {
  const name = cleanName(text);
  if (name !== "") return name;
  const message = `${given} needs a letter or a digit; ${JSON.stringify(text)} has neither.`;
  throw new OctavoError("invalid_input", message);
}

/** Returns a site name, e.g. `My docs` for `my-docs`, without characters that are special in JSON, XML or MDX. */
function cleanName(text: string): string {
  const words = text.replaceAll(/[^\p{L}\p{M}\p{N}.]+/gu, " ").trim();
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The assumed width of a letter in the logo, wide enough for most letters. */
const letterWidth = 12;
const markWidth = 46;

function fillTemplate(text: string, name: string): string {
  const width = markWidth + letterWidth * name.length;
  return text.replaceAll("{{name}}", name).replaceAll("{{logoWidth}}", String(width));
}
