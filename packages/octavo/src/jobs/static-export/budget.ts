import { isOctavoError, OctavoError } from "@octavo/site/core";
import { checkPages } from "../lifecycle/quotas.ts";
import type { QuotaScope } from "../lifecycle/job-kind.ts";

/** The resources that one attempt of an export may use. */
export interface AttemptBudget {
  /** Milliseconds from the attempt's start until its bundle is stored. */
  readonly wallMs: number;
  /** Milliseconds of CPU time for all processes that render its pages. */
  readonly cpuMs: number;
  readonly memoryBytes: number;
}

/** Enough for a site of 100,000 pages. An attempt ends before the queue gives it to another worker. */
export const defaultBudget: AttemptBudget = {
  wallMs: 60 * 60_000,
  cpuMs: 240 * 60_000,
  memoryBytes: 8e9,
};

/** Watches an attempt's use of resources until disposed. */
export interface BudgetWatch extends Disposable {
  /** Aborts with `too_large` when a budget or quota is exceeded. */
  readonly signal: AbortSignal;
  /** Records the export's number of pages once it is known. */
  readonly notePages: (total: number) => void;
  /** Converts an error of the attempt: names the setting that raises the exceeded budget. */
  readonly explain: (error: unknown) => unknown;
}

const settingOf: Readonly<Record<string, string>> = {
  cpu: "OCTAVO_EXPORT_CPU_MINUTES",
  memory: "OCTAVO_EXPORT_MEMORY_MB",
};

export function watchBudget(
  { wallMs }: AttemptBudget,
  scope: Pick<QuotaScope, "plan" | "quotas">,
): BudgetWatch {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(tookTooLong(wallMs)), wallMs).unref();
  return {
    signal: controller.signal,
    notePages(total) {
      try {
        checkPages(total, scope);
      } catch (error) {
        controller.abort(error);
      }
    },
    explain(failure) {
      const error: unknown = controller.signal.aborted ? controller.signal.reason : failure;
      if (!isOctavoError(error, "too_large")) return error;
      const setting = settingOf[String(error.details["budget"])];
      if (setting === undefined) return error;
      return new OctavoError("too_large", `${error.message} ${advice(setting)}`, { cause: error });
    },
    [Symbol.dispose]() {
      clearTimeout(timer);
    },
  };
}

function tookTooLong(wallMs: number): OctavoError {
  const time = wallMs < 60_000 ? `${wallMs / 1_000} s` : `${Math.round(wallMs / 60_000)} minutes`;
  return new OctavoError(
    "too_large",
    `The export has taken ${time}, which is the maximum. ${advice("OCTAVO_EXPORT_MINUTES")}`,
  );
}

function advice(setting: string): string {
  return `Export part of the site with \`paths\`, or ask the operator to raise ${setting}.`;
}
