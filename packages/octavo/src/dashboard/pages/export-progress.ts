import { exportStages } from "../../jobs/index.ts";
import type {
  ExportLogEntry,
  ExportProgress,
  ExportStage,
  StaticExportJob,
} from "../../jobs/index.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { renderClockTime, formatCount } from "../format.ts";

const stageNames: Readonly<Record<ExportStage, string>> = {
  checkout: "Checkout",
  rendering: "Rendering",
  packing: "Packing",
  storing: "Storing",
};

/** Renders the stages of a running export, with the number of finished pages and the time left. */
export function renderExportStages(job: StaticExportJob, progress: ExportProgress): SafeHtml {
  const current = currentStage(progress);
  const at = current === undefined ? -1 : exportStages.indexOf(current);
  return safeHtml`<ol class="stages" aria-label="Stages">
      ${exportStages.map((stage, index) => {
        const state = getStageState(index, at);
        return safeHtml`<li class="stage-${state}" ${state === "current" && safeHtml`aria-current="step"`}>
          ${stageNames[stage]}${state === "done" && safeHtml`<span class="hidden">, done</span>`}
        </li>`;
      })}
    </ol>
    <div class="progress">
      <progress max="100" value="${job.progress}" aria-label="Progress of the export">
        ${job.progress} %
      </progress>
      <span>${progressText(job, progress)}</span>
    </div>`;
}

function getStageState(index: number, current: number): "done" | "current" | "later" {
  if (index === current) return "current";
  return index < current ? "done" : "later";
}

/** Returns the current stage; undefined until a worker starts the export. */
function currentStage({ log }: ExportProgress): ExportStage | undefined {
  return log.findLast(({ stage }) => stage !== undefined)?.stage;
}

function progressText(job: StaticExportJob, progress: ExportProgress): string {
  const { totalPages, log } = progress;
  if (job.status === "queued" && log.length === 0) return "Waiting for a worker";
  if (totalPages === 0) return `${job.progress} %`;
  const pages = `${job.pageCount.toLocaleString("en")} of ${formatCount(totalPages, "page")}`;
  const left = secondsLeft(job, progress);
  return left === undefined ? pages : `${pages}, ${timeLeft(left)} left`;
}

/** Before this, an estimate would fluctuate. */
const minSeconds = 3;
const minShare = 0.05;

/** Estimates the time left from the rendering pace so far; undefined in other stages. */
function secondsLeft(
  { pageCount }: StaticExportJob,
  { totalPages, log }: ExportProgress,
): number | undefined {
  const last = log.findLast(({ stage }) => stage !== undefined);
  if (last?.stage !== "rendering" || pageCount >= totalPages) return undefined;
  const seconds = (Date.now() - Date.parse(last.at)) / 1000;
  if (seconds < minSeconds || pageCount / totalPages < minShare) return undefined;
  return (seconds / pageCount) * (totalPages - pageCount);
}

function timeLeft(seconds: number): string {
  if (seconds < 60)
    return `about ${formatCount(Math.max(5, Math.ceil(seconds / 5) * 5), "second")}`;
  return `about ${formatCount(Math.ceil(seconds / 60), "minute")}`;
}

/** Renders the export's log, with the time of each line; open while the export runs and after a failure. */
export function renderExportLog({ log }: ExportProgress, isOpen: boolean): SafeHtml | false {
  return (
    log.length > 0 &&
    safeHtml`<details class="log" id="log" ${isOpen && safeHtml`open`}>
      <summary><h2>Log</h2></summary>
      <ol>
        ${log.map(logLine)}
      </ol>
    </details>`
  );
}

function logLine({ at, text }: ExportLogEntry): SafeHtml {
  return safeHtml`<li>${renderClockTime(at)} <span>${text}</span></li>`;
}
