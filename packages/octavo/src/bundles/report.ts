import { readFile, stat } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { z } from "zod";
import { tryParseJson } from "../core/index.ts";
import type { Isolation } from "../isolation/index.ts";
import type { Storage } from "../storage/index.ts";
import type { StoredArchive } from "./archive.ts";

export const reportPath = "_octavo/report.json";
/** The maximum size of a report, which is enough for about 50,000 problems. */
const maxReportBytes = 16 * 1024 * 1024;
/** The maximum number of problems in memory, errors first. The report itself contains all problems. */
const maxProblems = 2_000;
/** The maximum length of a report that is parsed in this process, in characters. Parsing a million takes 6 ms. */
const maxParsedLength = 256 * 1024;
/**
 * The maximum number of reports in memory. They are cached because they are read repeatedly while somebody works on a
 * site.
 */
const maxCachedReports = 50;

const Problem = z.object({
  severity: z.enum(["error", "warning"]),
  code: z.string(),
  message: z.string(),
  file: z.string(),
  line: z.number().optional(),
  column: z.number().optional(),
});

const Report = z.object({
  errors: z.number(),
  warnings: z.number(),
  notChecked: z.array(z.string()),
  problems: z.array(Problem).transform(selectFirstProblems),
});

function selectFirstProblems(problems: readonly z.output<typeof Problem>[]) {
  const errors = problems.filter(({ severity }) => severity === "error");
  const warnings = problems.filter(({ severity }) => severity === "warning");
  return [...errors, ...warnings].slice(0, maxProblems);
}

/** The report of an export. `problems` contains only the first problems. */
export type ExportReport = z.output<typeof Report>;

export type ReportedProblem = ExportReport["problems"][number];

/** The operations of `createReportReader` that run in a separate process. */
export interface ReportOperations {
  /** Parses a report. Returns undefined if the report is not valid. */
  parseReport(content: string): Promise<ExportReport | undefined>;
}

/** Reads the report of a bundle. A bundle's bytes never change, so neither does its report. */
export type ReadReport = (bundle: StoredArchive) => Promise<ExportReport | undefined>;

export function createReportReader(
  storage: Storage,
  isolation: Isolation<ReportOperations>,
): ReadReport {
  const cached = new Map<string, Promise<ExportReport | undefined>>();
  return (bundle) => {
    const found = cached.get(bundle.key);
    if (found) return found;
    const report = readReport(storage, isolation, bundle);
    cached.set(bundle.key, report);
    // A failed read is not cached, because the next read may succeed.
    report.catch(() => cached.delete(bundle.key));
    const oldest = cached.keys().next();
    if (cached.size > maxCachedReports && !oldest.done) cached.delete(oldest.value);
    return report;
  };
}

/** Reads a bundle's report. Returns undefined if the bundle has no readable report. */
async function readReport(
  storage: Storage,
  isolation: Isolation<ReportOperations>,
  bundle: StoredArchive,
): Promise<ExportReport | undefined> {
  const { readArchive } = await import("./archive.ts");
  for await (const file of readArchive(storage, bundle)) {
    if (file.path !== reportPath || file.bytes > maxReportBytes) continue;
    const content = await text(await file.open());
    if (content.length <= maxParsedLength) return parseReport(content);
    return await isolation.run((program) => program.parseReport(content));
  }
  return undefined;
}

export function parseReport(content: string): ExportReport | undefined {
  return Report.safeParse(tryParseJson(content)).data;
}

/** Counts the problems in the report at a path. Returns null if the report cannot be used. */
export async function countReportedProblems(
  file: string,
): Promise<Pick<ExportReport, "errors" | "warnings"> | null> {
  const { size } = await stat(file);
  const report = size > maxReportBytes ? undefined : parseReport(await readFile(file, "utf8"));
  return report ? { errors: report.errors, warnings: report.warnings } : null;
}
