import { text } from "node:stream/consumers";
import { z } from "zod";
import type { StoredBundle } from "../../jobs/index.ts";
import type { Storage } from "../../storage/index.ts";
import { filesOf } from "./archive-files.ts";

const reportPath = "_octavo/report.json";
/** A report of some 50,000 problems. */
const largestReport = 16 * 1024 * 1024;
/** Problems that a page shows; the report has them all. */
const problemsShown = 200;
/** Reports kept in memory: they are looked at again while somebody works on a site. */
const reportsKept = 50;

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
  problems: z.array(Problem).transform((problems) => problems.slice(0, problemsShown)),
});

/** What an export found; `problems` has the first ones only. */
export type ExportReport = z.output<typeof Report>;

/** Reads the reports of bundles. A bundle's bytes never change, so neither does its report. */
export type ReadReport = (bundle: StoredBundle) => Promise<ExportReport | undefined>;

export function createReportReader(storage: Storage): ReadReport {
  const kept = new Map<string, Promise<ExportReport | undefined>>();
  return (bundle) => {
    const found = kept.get(bundle.key);
    if (found) return found;
    const reading = readReport(storage, bundle);
    kept.set(bundle.key, reading);
    // What could not be read may be there the next time.
    reading.catch(() => kept.delete(bundle.key));
    const oldest = kept.keys().next();
    if (kept.size > reportsKept && !oldest.done) kept.delete(oldest.value);
    return reading;
  };
}

/** Undefined where the bundle has none that can be read. */
async function readReport(
  storage: Storage,
  bundle: StoredBundle,
): Promise<ExportReport | undefined> {
  for await (const file of filesOf(storage, bundle)) {
    if (file.path !== reportPath || file.bytes > largestReport) continue;
    const result = Report.safeParse(parseJson(await text(await file.open())));
    return result.data;
  }
  return undefined;
}

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
