import { safeHtml } from "./safe-html.ts";
import type { SafeHtml } from "./safe-html.ts";

const dates = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "short",
  timeZone: "UTC",
});
const days = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const numbers = new Intl.NumberFormat("en");

const steps = [
  ["day", 24 * 60 * 60],
  ["hour", 60 * 60],
  ["minute", 60],
] as const;
/** The age, in seconds, from which times are shown as dates. */
const relativeSeconds = 7 * 24 * 60 * 60;

/** Renders a relative time, e.g. `5 minutes ago`, with the exact time in its title. */
export function renderRelativeTime(value: Date | string): SafeHtml {
  const moment = new Date(value);
  const exact = `${dates.format(moment)} UTC`;
  return safeHtml`<time datetime="${moment.toISOString()}" title="${exact}"
    >${ago(moment, exact)}</time
  >`;
}

/** Renders a day, e.g. `31 Jan 2030`, with the exact time in its title. */
export function renderDay(moment: Date): SafeHtml {
  const exact = `${dates.format(moment)} UTC`;
  return safeHtml`<time datetime="${moment.toISOString()}" title="${exact}"
    >${days.format(moment)}</time
  >`;
}

function ago(moment: Date, exact: string): string {
  const seconds = Math.max(0, (Date.now() - moment.getTime()) / 1000);
  if (seconds >= relativeSeconds) return exact;
  for (const [unit, length] of steps) {
    if (seconds >= length) return relative.format(-Math.floor(seconds / length), unit);
  }
  return "just now";
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: "UTC" });

/** Renders a time of day, e.g. `14:03:09`, with the date in its title. */
export function renderClockTime(value: string): SafeHtml {
  const moment = new Date(value);
  return safeHtml`<time datetime="${value}" title="${dates.format(moment)} UTC"
    >${clock.format(moment)}</time
  >`;
}

/** Formats a count: `1 page`, `2,300 pages`. */
export function formatCount(amount: number, one: string, many = `${one}s`): string {
  return `${numbers.format(amount)} ${amount === 1 ? one : many}`;
}

export function formatFileSize(bytes: number): string {
  if (bytes < 1000) return formatCount(bytes, "byte");
  const units = ["KB", "MB", "GB", "TB"] as const;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  const [size, unit] = [bytes / 1000 ** power, units[power - 1] ?? "TB"];
  return `${size < 10 ? size.toFixed(1) : numbers.format(Math.round(size))} ${unit}`;
}

export function formatShortCommit(commit: string): string {
  return commit.slice(0, 7);
}

const maxLineLength = 160;

/** Returns the first line of a text, shortened for use as a title. */
export function getTitleLine(text: string): string {
  const [line = ""] = text.trim().split("\n", 1);
  return line.length > maxLineLength ? `${line.slice(0, maxLineLength).toWellFormed()}…` : line;
}

/** Formats seconds as whole minutes, at least one, e.g. `1 minute`, `54 minutes`. */
export function formatMinutes(seconds: number): string {
  return formatCount(Math.max(1, Math.ceil(seconds / 60)), "minute");
}

/** Formats a duration in the largest unit that fits, e.g. `45 seconds`, `12 minutes`, `3 hours`. */
export function formatRoundedDuration(seconds: number): string {
  const [unit, length] = steps.find(([, size]) => seconds >= size) ?? ["second", 1];
  return formatCount(Math.floor(seconds / length), unit);
}
