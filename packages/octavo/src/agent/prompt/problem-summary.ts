import { byCodeUnit, countProblems } from "@octavo/site/core";
import type { Problem } from "@octavo/site/core";
import { countsText } from "../problem-counts.ts";
import { pathWords } from "./quoted.ts";

const maxCodes = 12;

/** What the check found, by code: the commonest first, each with its first place. No words of the site. */
export function problemSummary(problems: readonly Problem[]): string {
  if (problems.length === 0) return "Before your work, check finds no errors and no warnings.";
  const codes = [...Map.groupBy(problems, ({ severity, code }) => `${severity} ${code}`)];
  const sorted = codes.toSorted(
    ([a, some], [b, others]) => others.length - some.length || byCodeUnit(a, b),
  );
  const lines = sorted
    .slice(0, maxCodes)
    .map(([name, found]) => `- ${name}: ${found.length}, ${placesOf(found)}`);
  const rest = sorted.length - lines.length;
  if (rest > 0) lines.push(`- ${rest} other kinds`);
  return [`Before your work, check finds ${countsText(countProblems(problems))}:`, ...lines].join(
    "\n",
  );
}

function placesOf(problems: readonly Problem[]): string {
  const files = new Set(problems.map(({ file }) => file));
  const { file = "", line } = problems[0] ?? {};
  const place = `${pathWords(file)}${line === undefined ? "" : `:${line}`}`;
  return files.size > 1 ? `in ${files.size} files, first ${place}` : `in ${place}`;
}
