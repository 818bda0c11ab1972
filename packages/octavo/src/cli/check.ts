import type { Command } from "commander";
import type { CommandContext } from "./context.ts";
import { readExportSettings } from "./export-settings.ts";
import type { SettingsFlags } from "./export-settings.ts";
import { counted } from "./figures.ts";
import { countProblems, countsText, problemLine } from "./problem-lines.ts";
import { renderShown } from "./render-command.ts";

interface CheckFlags extends SettingsFlags {
  readonly strict?: true;
  readonly json?: true;
}

export function addCheck(program: Command, context: CommandContext): void {
  program
    .command("check")
    .summary("find what is broken in a site")
    .description(
      "Renders a site's folder without keeping the result, and lists what is broken: links, anchors, files, components, configuration. Exits with 1 when there are errors.",
    )
    .argument("<site>", "folder that holds the site: its docs.json, or just Markdown")
    .option("--strict", "exit with 1 also when there are only warnings")
    .option(
      "--base-url <url>",
      "where the bundle will be served: what is shown only there is not told then",
    )
    .option("--cache <dir>", "where rendered pages are kept (~/.cache/octavo)")
    .option("--no-cache", "render every page anew")
    .option("--json", "one JSON object on standard output at the end")
    .addHelpText(
      "after",
      `
Each problem is one line:
  guides/start.mdx:14:8  error  The link "/guides/stop" leads to no page or file of this site.  [link_broken]

Examples:
  octavo check docs
  octavo check docs --strict --json`,
    )
    .action((site: string, flags: CheckFlags) => runCheck(context, site, flags));
}

async function runCheck(context: CommandContext, site: string, flags: CheckFlags): Promise<void> {
  const { terminal } = context;
  const settings = await readExportSettings(context, site, flags);
  const { pages, problems } = await renderShown(context, settings);
  const counts = countProblems(problems);
  if (counts.errors > 0 || (flags.strict && counts.warnings > 0)) context.exitWith(1);
  if (flags.json) {
    terminal.print(JSON.stringify({ pages, ...counts, problems }));
    return;
  }
  for (const problem of problems) terminal.print(problemLine(terminal, problem));
  const found = countsText(counts);
  terminal.note(`Checked ${counted(pages, "page")}: ${found}.`);
}
