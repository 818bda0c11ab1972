import { formatCount, formatNumber } from "../core/index.ts";
import type { AgentMessage } from "../jobs/index.ts";
import { safeHtml } from "./safe-html.ts";
import type { SafeHtml } from "./safe-html.ts";

// The first use of `Intl` loads the data of its languages, which would delay each start of the service by 60 ms.
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"]; // prettier-ignore

const timeUnits = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;
/** The age, in seconds, from which times are shown as dates. */
const minDateAgeSeconds = 7 * 24 * 60 * 60;

/** Renders a relative time, e.g. `5 minutes ago`, with the exact time in its title. */
export function renderRelativeTime(value: Date | string): SafeHtml {
  const moment = new Date(value);
  const exactTime = `${formatDay(moment)}, ${formatTime(moment).slice(0, 5)} UTC`;
  return safeHtml`<time datetime="${moment.toISOString()}" title="${exactTime}"
    >${formatRelativeTime(moment, exactTime)}</time
  >`;
}

/** Renders a day, e.g. `31 Jan 2030`, with the exact time in its title. */
export function renderDay(moment: Date): SafeHtml {
  const exactTime = `${formatDay(moment)}, ${formatTime(moment).slice(0, 5)} UTC`;
  return safeHtml`<time datetime="${moment.toISOString()}" title="${exactTime}"
    >${formatDay(moment)}</time
  >`;
}

/** Formats a day in UTC, e.g. `31 Jan 2030`. */
function formatDay(moment: Date): string {
  return `${moment.getUTCDate()} ${months[moment.getUTCMonth()]} ${moment.getUTCFullYear()}`;
}

/** Formats a time of day in UTC, e.g. `14:03:09`. */
function formatTime(moment: Date): string {
  return moment.toISOString().slice(-13, -5);
}

function formatRelativeTime(moment: Date, exactTime: string): string {
  const seconds = Math.max(0, (Date.now() - moment.getTime()) / 1000);
  if (seconds >= minDateAgeSeconds) return exactTime;
  for (const [unit, unitSeconds] of timeUnits) {
    if (seconds < unitSeconds) continue;
    const count = Math.floor(seconds / unitSeconds);
    return unit === "day" && count === 1 ? "yesterday" : `${formatCount(count, unit)} ago`;
  }
  return "just now";
}

/** Renders a time of day, e.g. `14:03:09`, with the date in its title. */
export function renderClockTime(value: string): SafeHtml {
  const moment = new Date(value);
  return safeHtml`<time datetime="${value}" title="${formatDay(moment)}, ${formatTime(moment).slice(0, 5)} UTC"
    >${formatTime(moment)}</time
  >`;
}

export function formatFileSize(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, "byte");
  const units = ["KB", "MB", "GB", "TB"] as const;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const [size, unit] = [bytes / 1000 ** power, units[power - 1] ?? "TB"];
  return `${size < 10 ? size.toFixed(1) : formatNumber(Math.round(size))} ${unit}`;
}

export function formatShortCommit(commit: string): string {
  return commit.slice(0, 7);
}

const maxTitleLength = 160;

/** Returns the first line of a text, shortened for use as a title. */
export function getTitleLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > maxTitleLength ? `${line.slice(0, maxTitleLength).toWellFormed()}…` : line;
}

/** Returns the title of an agent job: the first line of its first message. */
export function getJobTitle([first]: readonly AgentMessage[]): string {
  return getTitleLine(first?.text ?? "Agent job");
}

/** Formats a duration in the largest unit that fits, e.g. `45 seconds`, `12 minutes`, `3 hours`. */
export function formatRoundedDuration(seconds: number): string {
  const [unit, unitSeconds] = timeUnits.find(([, size]) => seconds >= size) ?? ["second", 1];
  return formatCount(Math.floor(seconds / unitSeconds), unit);
}
