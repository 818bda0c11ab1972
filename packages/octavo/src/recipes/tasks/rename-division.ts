import { readConfiguration } from "../configuration.ts";
import type { TaskOf } from "../instruction/task.ts";
import { findClosestNames, quote } from "../pages.ts";
import type { Plan } from "../plan.ts";
import { createRefusedError } from "../instruction/refusal.ts";
import { editAll, listPages } from "../site-tools.ts";
import { setString } from "@octavo/site/text";
import {
  findDivisions,
  listDivisions,
  formatDivision,
  filterMainDivisions,
} from "./navigation-groups.ts";
import type { Division } from "./navigation-groups.ts";
import type { Recipe } from "./recipe.ts";
import { formatCode, formatList, joinParagraphs } from "./report-text.ts";

type Renaming = TaskOf<"rename_division">;

/** Renames a group or a tab of the navigation. No address depends on its name. */
export const renameDivision: Recipe<Renaming> = { kind: "rename_division", run };

function* run(task: Renaming): Plan<string> {
  const { division: kind, to } = task;
  const listing = yield* listPages();
  const all = listDivisions(yield* readConfiguration(), kind);
  const named = findDivisions(task.name, all);
  const [division] = namedOnce(task, named);
  if (division === undefined)
    throw unknownDivision(task, named.length > 0 ? named : filterMainDivisions(all));
  if (all.some((other) => other.name === to && isBeside(other, division))) {
    throw createRefusedError(`there is already a ${kind} ${quote(to)} next to it`);
  }
  const { path, root } = division.file;
  const edits = [setString(division.label, to)];
  yield* editAll([{ path, text: root.source.text, edits }], listing);
  const others = named.filter((other) => other !== division).map(formatDivision);
  return joinParagraphs(
    `Renamed the ${kind} ${quote(formatDivision(division))} to ${quote(to)} in ${formatCode(path)}.`,
    formatList(
      `Left unchanged, because they are in another language or version:`,
      others.map(quote),
    ),
  );
}

function namedOnce(task: Renaming, named: readonly Division[]) {
  const found = filterMainDivisions(named, task.name);
  const exact = found.filter(({ name }) => name === task.name);
  const meant = exact.length > 0 ? exact : found;
  if (meant.length < 2) return meant;
  const choices = [...new Set(meant.map(formatDivision))];
  const reason = `the navigation has ${meant.length} ${task.division}s named ${quote(task.name)}`;
  throw createRefusedError(reason, { slot: task.division, choices });
}

function unknownDivision({ division, name }: Renaming, known: readonly Division[]) {
  const choices = findClosestNames(name, [...new Set(known.map(formatDivision))]);
  return createRefusedError(`the navigation has no ${division} ${quote(name)}`, {
    slot: division,
    choices,
  });
}

function isBeside(one: Division, other: Division): boolean {
  return one.file === other.file && one.within.join("\0") === other.within.join("\0");
}
