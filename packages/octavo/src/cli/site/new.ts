import { formatCount } from "../../core/index.ts";
import { mkdir, readFile, readdir, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { nameFileInError, OctavoError } from "@octavo/site/core";
import { prepareFolder } from "../../config/index.ts";
import type { CommandContext } from "../context.ts";
import { formatExamples } from "../flags.ts";
import { formatCommandLine } from "../invocation.ts";

/** The folder of the starter site. In its files, `{{name}}` is replaced by the new site's name. */
const starter = fileURLToPath(new URL("../../../starter", import.meta.url));

export function defineNew(command: Command, context: CommandContext): void {
  command
    .description(
      "Creates a small site in a new or empty folder: a configuration, four pages, a logo and a favicon.",
    )
    .argument("<folder>", "folder to create; the site is named after it")
    .addHelpText("after", formatExamples("new docs"))
    .action((folder: string) => createSite(context, folder));
}

async function createSite(context: CommandContext, named: string): Promise<void> {
  const { terminal, invocationDir } = context;
  const folder = resolve(invocationDir, named);
  await requireEmptyFolder(folder, named);
  const advice = "choose another location for the new site";
  prepareFolder({ path: folder, name: "The folder", advice });
  const name = siteName(basename(folder));
  const entries = await readdir(starter, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  for (const file of files) {
    const source = join(file.parentPath, file.name);
    const target = join(folder, source.slice(starter.length));
    try {
      await mkdir(dirname(target), { recursive: true });
      // The flag "wx" makes this fail if the file was created in the meantime.
      await writeFile(target, fill(await readFile(source, "utf8"), name), { flag: "wx" });
    } catch (error) {
      nameFileInError(error, target);
      throw error;
    }
  }
  const pages = files.filter((file) => file.name.endsWith(".mdx")).length;
  const created = terminal.paint("green", "Created");
  terminal.print(`${created} a site of ${formatCount(pages, "page")} in ${folder}. Next:\n`);
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
function siteName(folder: string): string {
  const words = folder.replaceAll(/[^\p{L}\p{M}\p{N}.]+/gu, " ").trim();
  return words === "" ? "Documentation" : words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** The assumed width of a letter in the logo, wide enough for most letters. */
const letterWidth = 12;
const markWidth = 46;

function fill(text: string, name: string): string {
  const width = markWidth + letterWidth * name.length;
  return text.replaceAll("{{name}}", name).replaceAll("{{logoWidth}}", String(width));
}
