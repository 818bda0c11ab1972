import { compareCodeUnits } from "./lists.ts";

/** A problem of a site with its location, in the form in which `check` and the report list it. */
export interface Problem {
  /**
   * `error`: something that the author wrote is missing or broken for readers. `warning`: it is shown, but not as
   * intended.
   */
  readonly severity: "error" | "warning";
  /** The kind of problem in `snake_case`; stable, because programs filter by it. */
  readonly code: string;
  /** One sentence that a writer can act on. */
  readonly message: string;
  /** The path of the file relative to the site's folder, with forward slashes. */
  readonly file: string;
  /** The 1-based line; absent if the problem concerns the whole file. */
  readonly line?: number;
  readonly column?: number;
}

/**
 * The maximum number of listed problems of one kind. Hostile or generated files can have a million problems, but nobody
 * reads more than this number.
 */
const maxPerCode = 1_000;

type ProblemText = Pick<Problem, "severity" | "code" | "message">;

/** Problems with the same severity, code and message, in the order in which they were listed. */
export interface ProblemGroup<Listed extends ProblemText = Problem> extends ProblemText {
  readonly problems: readonly Listed[];
}

export interface ProblemCounts {
  readonly errors: number;
  readonly warnings: number;
}

/** Collects the problems of one site while it is read. */
export class ProblemLog {
  readonly #listed: Problem[] = [];
  readonly #counts = new Map<string, number>();
  readonly #lastUnlisted = new Map<string, Problem>();

  add(problem: Problem): void {
    const count = (this.#counts.get(problem.code) ?? 0) + 1;
    this.#counts.set(problem.code, count);
    if (count <= maxPerCode) this.#listed.push(problem);
    else this.#lastUnlisted.set(problem.code, problem);
  }

  warn(code: string, message: string, location: ProblemLocation): void {
    this.add({ severity: "warning", code, message, ...location });
  }

  fail(code: string, message: string, location: ProblemLocation): void {
    this.add({ severity: "error", code, message, ...location });
  }

  /**
   * Returns the problems sorted by location. For a kind with too many problems, an additional entry states the number
   * of omitted problems.
   */
  listSorted(): Problem[] {
    const summaries = [...this.#lastUnlisted.values()].map(({ severity, code, file }) => ({
      severity,
      code,
      message: `${(this.#counts.get(code) ?? 0) - maxPerCode} more problems of this kind are not listed.`,
      file,
    }));
    return sortProblems([...this.#listed, ...summaries]);
  }
}

/** The location of a problem, with the same fields as `Problem`. */
export type ProblemLocation = Pick<Problem, "file" | "line" | "column">;

/** Returns a new list ordered by file, line, column, code and message, so that reports are deterministic. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  return problems.toSorted(
    (a, b) =>
      compareCodeUnits(a.file, b.file) ||
      (a.line ?? 0) - (b.line ?? 0) ||
      (a.column ?? 0) - (b.column ?? 0) ||
      compareCodeUnits(a.code, b.code) ||
      compareCodeUnits(a.message, b.message),
  );
}

/**
 * The kinds of content that readers lose because of errors, with the codes of the problems, most serious first. A
 * problem with an `uncounted` code affects several items of content, or an unknown number.
 */
const losses: readonly Loss[] = [
  {
    name: "page",
    codes: [
      "page_missing",
      "page_unreadable",
      "page_not_rendered",
      "page_too_large",
      "page_too_deep",
      "page_duplicate",
    ],
    uncounted: ["folder_unreadable", "folder_too_deep", "file_name_invalid", "site_too_large"],
  },
  {
    name: "API operation",
    codes: ["operation_missing", "channel_missing", "schema_missing"],
    uncounted: [
      "description_missing",
      "description_invalid",
      "description_unsupported",
      "description_limit",
    ],
  },
  {
    name: "passage",
    codes: [
      "invalid_mdx",
      "unclosed_tag",
      "frontmatter_unclosed",
      "snippet_cycle",
      "snippet_too_deep",
      "snippet_unreadable",
    ],
    uncounted: ["page_too_slow", "too_deep", "too_many_snippets"],
  },
  { name: "embedded file", codes: ["media_missing", "asset_unreadable"], uncounted: [] },
  { name: "link", codes: ["link_broken", "external_link_dead"], uncounted: [] },
];

interface Loss {
  readonly name: string;
  readonly codes: readonly string[];
  readonly uncounted: readonly string[];
}

/**
 * Counts the items of content that readers lose because of errors, with the most serious kind first. Kinds without
 * losses are omitted.
 */
export function countLosses(problems: readonly Problem[]): { name: string; count: number }[] {
  const errors = problems.filter(({ severity }) => severity === "error");
  return losses
    .map(({ name, codes }) => ({
      name,
      count: errors.filter(({ code }) => codes.includes(code)).length,
    }))
    .filter(({ count }) => count > 0);
}

/**
 * Groups problems as a to-do list: errors first, those with the most serious losses for readers before others, then the
 * most frequent, then in the order listed.
 */
export function groupProblems<Listed extends ProblemText>(
  problems: readonly Listed[],
): readonly ProblemGroup<Listed>[] {
  const groups = Map.groupBy(problems, ({ severity, code, message }) =>
    JSON.stringify([severity, code, message]),
  );
  return [...groups.values()]
    .flatMap((members) => {
      const [first] = members;
      if (first === undefined) return [];
      const { severity, code, message } = first;
      return [{ severity, code, message, problems: members }];
    })
    .toSorted(
      (one, other) => rank(one) - rank(other) || other.problems.length - one.problems.length,
    );
}

function rank({ severity, code }: ProblemText): number {
  if (severity === "warning") return losses.length + 1;
  const loss = losses.findIndex(
    ({ codes, uncounted }) => codes.includes(code) || uncounted.includes(code),
  );
  return loss === -1 ? losses.length : loss;
}

export function countProblems(problems: readonly Problem[]): ProblemCounts {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: problems.length - errors };
}
