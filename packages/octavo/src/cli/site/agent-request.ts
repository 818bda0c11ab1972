import { access } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import type { DescribedRequest, GuideRepository } from "../../agent/index.ts";
import type { Terminal } from "../terminal.ts";

/** Prints what a model would be sent first: the request to standard output, its size to standard error. */
export function printRequest(terminal: Terminal, request: DescribedRequest): void {
  const { system, tools, message, tokens } = request;
  for (const { name, text } of system) printPart(terminal, `system: ${name}`, text);
  for (const { name, description, inputSchema } of tools) {
    printPart(terminal, `tool: ${name}`, `${description}\n${JSON.stringify(inputSchema)}`);
  }
  printPart(terminal, "message", message);
  const total = tokens.reduce((sum, part) => sum + part.tokens, 0);
  const rows = [...tokens, { part: "together", tokens: total }];
  for (const { part, tokens: count } of rows) terminal.note(`${part.padEnd(12)} ${count} tokens`);
  terminal.note("Estimated at three bytes of JSON for a token. Nothing was sent.");
}

function printPart(terminal: Terminal, title: string, text: string): void {
  terminal.print(terminal.paint("bold", `=== ${title}`));
  for (const line of text.split("\n")) {
    terminal.print(line.replaceAll(/[^\P{Cc}\t]/gu, "\u{fffd}"));
  }
}

/** The repository on this machine that a folder is in; undefined if it is in none. */
export async function enclosingRepository(
  siteDir: string,
  createReader: (root: string) => GuideRepository["reader"],
): Promise<GuideRepository | undefined> {
  for (let root = siteDir; ; root = dirname(root)) {
    if (await exists(join(root, ".git"))) {
      const siteFolder = relative(root, siteDir).split(sep).join("/");
      return { reader: createReader(root), siteFolder };
    }
    if (dirname(root) === root) return undefined;
  }
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
