/** The parts of Lighthouse's report on a page that the benchmark reads. */
export interface LighthouseReport {
  /** By category, 0 to 100. */
  readonly scores: Readonly<Record<Category, number>>;
  /** Audits that keep a category from 100. */
  readonly failures: readonly Failure[];
  /**
   * Lighthouse's own measure of the machine during the run. It is lower while other work goes on, and pages
   * seem slower then.
   */
  readonly machine: number;
  /** Sent over the wire: bytes of everything that the page loads. */
  readonly bytes: number;
}

export interface Failure {
  readonly category: Category;
  /** Its id, e.g. `link-name`. */
  readonly audit: string;
  /** 0 to 99 */
  readonly score: number;
  /** The measured value, if it is a number. */
  readonly value: string | undefined;
  /** Markup of the first element that it complains of. */
  readonly element: string | undefined;
}

/** The categories and the least that each shall reach. */
export const minScores = {
  performance: 100,
  accessibility: 95,
  "best-practices": 95,
  seo: 95,
} as const;

export type Category = keyof typeof minScores;

export const categories = Object.keys(minScores) as Category[];

interface Audit {
  readonly title: string;
  readonly score: number | null;
  readonly displayValue?: string;
  readonly details?: { readonly items?: readonly unknown[] };
}

interface Result {
  readonly environment: { readonly benchmarkIndex: number };
  readonly runtimeError?: { readonly message: string };
  readonly categories: Readonly<
    Partial<
      Record<
        Category,
        {
          readonly score: number | null;
          readonly auditRefs: readonly { readonly id: string; readonly weight: number }[];
        }
      >
    >
  >;
  readonly audits: Readonly<Record<string, Audit>>;
}

/** Reads Lighthouse's JSON; throws where it did not get to see the page. */
export function readReport(json: string): LighthouseReport {
  const result = JSON.parse(json) as Result;
  if (result.runtimeError !== undefined) throw new Error(result.runtimeError.message);
  const scores = Object.fromEntries(
    categories.map((category) => [category, percent(result.categories[category]?.score ?? null)]),
  ) as Record<Category, number>;
  const failures = categories.flatMap((category) => failuresOf(result, category));
  const { benchmarkIndex: machine } = result.environment;
  return { scores, failures, machine, bytes: transferred(result) };
}

function percent(score: number | null): number {
  return Math.round((score ?? 0) * 100);
}

function failuresOf(result: Result, category: Category): Failure[] {
  const { auditRefs = [] } = result.categories[category] ?? {};
  return auditRefs.flatMap(({ id, weight }) => {
    const audit = result.audits[id];
    if (weight === 0 || audit === undefined || audit.score === null || audit.score === 1) return [];
    const { displayValue: value, details } = audit;
    const element = firstElement(details?.items ?? []);
    return [{ category, audit: id, score: percent(audit.score), value, element }];
  });
}

function firstElement(items: readonly unknown[]): string | undefined {
  for (const item of items) {
    const { node } = item as { node?: { snippet?: string } };
    if (node?.snippet !== undefined) return node.snippet.slice(0, 160);
  }
  return undefined;
}

function transferred({ audits }: Result): number {
  const requests = audits["network-requests"]?.details?.items ?? [];
  let bytes = 0;
  for (const request of requests) {
    bytes += (request as { transferSize?: number }).transferSize ?? 0;
  }
  return bytes;
}
