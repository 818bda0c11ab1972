import type { AddressInfo } from "node:net";
import { once } from "node:events";
import type { Command } from "commander";
import { invocation } from "../config/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { DevServer } from "../dev/index.ts";
import type { Problem } from "@octavo/site/core";
import type { CommandContext } from "./context.ts";
import { readExportSettings } from "./export-settings.ts";
import type { SettingsFlags } from "./export-settings.ts";
import { counted, duration } from "./figures.ts";
import { notListening } from "./listen.ts";
import { countProblems, countsText, printable, problemLine } from "./problem-lines.ts";
import { folderOrigin } from "./site-origin.ts";

interface DevFlags extends Pick<SettingsFlags, "editUrl"> {
  readonly port: string;
  readonly open: string;
}

/** This machine alone: what is written is not published yet. */
const host = "127.0.0.1";
const defaultPort = "3000";

export function addDev(program: Command, context: CommandContext): void {
  program
    .command("dev")
    .summary("preview a site while it is written")
    .description(
      "Shows a site's folder in a browser on this machine, and has the pages that change load themselves again. Pages are rendered when they are looked at. Ends with Ctrl-C.",
    )
    .argument("<site>", "folder that holds the site: its docs.json, or just Markdown")
    .option("--port <number>", "port to take requests on; 0 for any that is free", defaultPort)
    .option("--open <yes|no>", "open your browser, where there is a terminal", "yes")
    .option(
      "--edit-url <url>",
      "where a page's file is edited, with {path} for its path: each page links there",
    )
    .addHelpText(
      "after",
      `
Examples:
  octavo dev docs
  octavo dev docs --port 4000 --open no`,
    )
    .action((site: string, flags: DevFlags) => runDev(context, site, flags));
}

async function runDev(context: CommandContext, site: string, flags: DevFlags): Promise<void> {
  const start = performance.now();
  const { terminal } = context;
  const port = readPort(flags.port);
  const opens = readYesOrNo(flags.open);
  const { editUrl } = flags;
  const settings = await readExportSettings(
    context,
    site,
    editUrl === undefined ? {} : { editUrl },
  );
  const signal = context.interrupted();
  const news = createNews(context);
  // Here, so that no other command waits for what a server needs to load (0.05 s).
  const { openBrowser, openDevServer } = await import("../dev/index.ts");
  const origin = folderOrigin(context, settings.siteDir);
  await using dev = await openDevServer({ settings: { ...settings, origin }, ...news });
  const address = `http://${host}:${await listen(dev, port)}/`;
  const pages = dev.site?.pages.length ?? 0;
  const shown = `${terminal.paint("green", "Showing")} ${counted(pages, "page")} at ${address}`;
  terminal.print(`${shown}, read in ${duration(performance.now() - start)}. Ctrl-C ends it.`);
  if (dev.site) introduce(context, { site, problems: dev.site.problems, news });
  if (opens && terminal.hasReader) openBrowser(address);
  if (!signal.aborted) await once(signal, "abort");
}

async function listen({ server }: DevServer, port: number): Promise<number> {
  try {
    server.listen({ host, port });
    await once(server, "listening");
  } catch (cause) {
    throw notListening({ host, port }, cause);
  }
  return (server.address() as AddressInfo).port;
}

/** More lines at the start would push the address out of sight. */
const fewProblems = 5;

function introduce({ terminal, env }: CommandContext, { site, problems, news }: Introduced): void {
  if (problems.length === 0) return;
  const counts = countsText(countProblems(problems));
  const isFew = problems.length <= fewProblems;
  const rest = isFew ? ":" : `; \`${invocation(env)} check ${site}\` lists them.`;
  terminal.note(`Its configuration and frontmatter have ${counts}${rest}`);
  if (isFew) news.onProblems("", problems);
}

interface Introduced {
  readonly site: string;
  readonly problems: readonly Problem[];
  readonly news: Pick<ReturnType<typeof createNews>, "onProblems">;
}

/** Prints each problem once, when it comes, and says when the last of a page is mended. */
function createNews({ terminal }: CommandContext) {
  const known = new Map<string, ReadonlySet<string>>();
  return {
    onProblems(page: string, problems: readonly Problem[]): void {
      const lines = problems.map((problem) => problemLine(terminal, problem));
      const before = known.get(page) ?? new Set();
      known.set(page, new Set());
      const others = new Set([...known.values()].flatMap((set) => [...set]));
      known.set(page, new Set(lines));
      for (const line of lines) {
        if (!before.has(line) && !others.has(line)) terminal.print(line);
      }
      if (before.size > 0 && lines.length === 0) {
        terminal.note(
          page === "" ? "The site has no more problems." : `${page} has no more problems.`,
        );
      }
    },
    onFailure(failure: OctavoError | undefined): void {
      if (failure)
        terminal.print(`${terminal.paint("red", "error")}  ${printable(failure.message)}`);
      else terminal.note("The site can be read again.");
    },
    onFault(error: unknown): void {
      const trace = error instanceof Error ? error.stack : String(error);
      terminal.note(`octavo: This should not have happened, please report it.\n${trace}`);
    },
  };
}

function readPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65_535) return port;
  throw new OctavoError(
    "invalid_input",
    `--port takes a number up to 65535, not ${JSON.stringify(text)}.`,
  );
}

function readYesOrNo(text: string): boolean {
  if (text === "yes" || text === "no") return text === "yes";
  throw new OctavoError("invalid_input", `--open takes yes or no, not ${JSON.stringify(text)}.`);
}
