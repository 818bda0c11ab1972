import { readFile, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { table } from "./table.ts";

/** Something that a measurement must not exceed, or must reach. */
export interface Limit {
  readonly name: string;
  readonly limit: string;
  readonly measured: string;
  readonly holds: boolean;
}

/** The results of one part of the benchmark. */
export interface Section {
  readonly title: string;
  readonly limits: readonly Limit[];
  /** Markdown without headings of the first two levels. */
  readonly body: string;
  /** Whether the results are partial: they are shown, but do not replace complete ones. */
  readonly isPartial?: boolean;
}

const head = ["measured", "limit", "value", "holds", "on"];
const intro =
  "# Results\n\nWritten by `npm run bench`; a run of some parts replaces what they say and leaves the rest. How it is " +
  "measured stands in [a decision](../docs/decisions/0009-how-we-measure.md).\n\n## Limits\n\n";

/** Puts a section and its limits into the file of results, over those of the same names. */
export async function writeResults(file: string, section: Section): Promise<void> {
  const known = parseResults(await readFile(file, "utf8").catch(() => ""));
  const today = new Date().toISOString().slice(0, 10);
  for (const { name, limit, measured, holds } of section.limits) {
    known.limits.set(name, [name, limit, measured, holds ? "yes" : "**no**", today]);
  }
  known.sections.set(section.title, `${machine(today)}\n\n${section.body}`);
  const texts = [...known.sections].map(([title, body]) => `\n\n## ${title}\n\n${body.trim()}`);
  await writeFile(file, `${intro}${table(head, [...known.limits.values()])}${texts.join("")}\n`);
}

function parseResults(text: string): {
  limits: Map<string, string[]>;
  sections: Map<string, string>;
} {
  const limits = new Map<string, string[]>();
  const sections = new Map<string, string>();
  const [, first = "", ...rest] = text.split(/^## /m);
  for (const line of first.split("\n")) {
    const cells = line.split("|").slice(1, -1);
    const [name = ""] = cells.map((cell) => cell.trim());
    if (cells.length !== head.length || name === head[0] || /^-+$/.test(name)) continue;
    limits.set(
      name,
      cells.map((cell) => cell.trim()),
    );
  }
  for (const part of rest) {
    const end = part.indexOf("\n");
    sections.set(part.slice(0, end), part.slice(end + 1));
  }
  return { limits, sections };
}

function machine(today: string): string {
  const processor = cpus()[0]?.model.trim() ?? "an unknown processor";
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${today}, ${cpus().length} cores of ${processor}, ${gigabytes} GB of memory, Node ${process.version}.`;
}
