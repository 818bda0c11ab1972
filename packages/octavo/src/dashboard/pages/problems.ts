import { groupProblems, type ProblemGroup } from "@octavo/site/core";
import { findLinesUrl, hostedRepository, formatCount } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import type { ExportReport, ReportedProblem } from "../../bundles/index.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import { renderEmptyNote, renderStatusBadge } from "./parts.ts";
import { recipesModel } from "./prompt-form.ts";

/** The filter of a list of problems. An omitted field matches all problems. */
export interface ProblemFilter {
  readonly kind?: string | undefined;
  readonly file?: string | undefined;
}

export interface ProblemsView {
  readonly project: Project;
  readonly report: ExportReport;
  /** The commit that was exported. */
  readonly commit: string | null;
  readonly filter: ProblemFilter;
  /** The address of the page, to which the filter is sent. */
  readonly address: string;
  /** The model of the project's agents; undefined if the user may not start agent jobs. */
  readonly model: string | undefined;
}

/** The maximum number of groups on a page. */
const maxGroups = 100;
/** The maximum number of locations in a group. */
const maxLocations = 10;
/** The maximum number of kinds and of files that the filter offers. */
const maxChoices = 100;

/** Renders the problems of an export's report as a to-do list, with errors first and equal problems grouped. */
export function renderProblemList(addresses: Addresses, view: ProblemsView): SafeHtml {
  const { report, filter } = view;
  const { errors, warnings, problems, notChecked } = report;
  const unchecked = notChecked.map((name) => name.replaceAll("_", " ")).join(", ");
  const groups = groupProblems(problems.filter((problem) => isInFilter(problem, filter)));
  const unlistedCount = errors + warnings - problems.length;
  return safeHtml`<p class="soft">
      ${formatCount(errors, "error")},
      ${formatCount(warnings, "warning")}.${unchecked !== "" && ` Not checked: ${unchecked}.`}
    </p>
    ${problems.length > 1 && renderFilterForm(view)}
    ${problems.length === 0 && renderEmptyNote("No problems found.")}
    ${problems.length > 0 && groups.length === 0 && renderEmptyNote("No problems of this kind.")}
    <ul class="rows problems">
      ${groups.slice(0, maxGroups).map((group) => renderGroupRow(addresses, view, group))}
    </ul>
    ${
      groups.length > maxGroups &&
      safeHtml`<p class="soft">
        ${formatCount(groups.length - maxGroups, "more kind of problem", "more kinds of problem")};
        choose a kind or a file.
      </p>`
    }
    ${
      unlistedCount > 0 &&
      safeHtml`<p class="soft">
        ${formatCount(unlistedCount, "more problem")} in <code>_octavo/report.json</code> of the bundle.
      </p>`
    }`;
}

/** Renders the filter, which is sent with a button or, with scripts, as soon as an option is chosen. */
function renderFilterForm({ address, report, filter }: ProblemsView): SafeHtml {
  const kinds = countBy(report.problems, ({ code }) => code);
  const files = countBy(report.problems, ({ file }) => file);
  return safeHtml`<form class="inline problem-filter" method="get" action="${address}#problems" data-send-on-change>
    ${renderChoice({ name: "kind", label: "Kind", allLabel: "All kinds", counts: kinds, chosenValue: filter.kind })}
    ${renderChoice({ name: "file", label: "File", allLabel: "All files", counts: files, chosenValue: filter.file })}
    <button type="submit">Show</button>
  </form>`;
}

interface Choice {
  readonly name: string;
  readonly label: string;
  readonly allLabel: string;
  readonly counts: readonly (readonly [value: string, count: number])[];
  readonly chosenValue: string | undefined;
}

function renderChoice({ name, label, allLabel, counts, chosenValue }: Choice): SafeHtml {
  return safeHtml`<div>
    <label for="filter-${name}">${label}</label>
    <select id="filter-${name}" name="${name}">
      <option value="">${allLabel}</option>
      ${counts.slice(0, maxChoices).map(
        ([value, count]) =>
          safeHtml`<option value="${value}" ${value === chosenValue && safeHtml`selected`}>
            ${value.replaceAll("_", " ")} (${count})
          </option>`,
      )}
    </select>
  </div>`;
}

function countBy(
  problems: readonly ReportedProblem[],
  getKey: (problem: ReportedProblem) => string,
): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const problem of problems)
    counts.set(getKey(problem), (counts.get(getKey(problem)) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}

function renderGroupRow(
  addresses: Addresses,
  view: ProblemsView,
  group: ProblemGroup<ReportedProblem>,
): SafeHtml {
  const { severity, code, message, problems } = group;
  const prompt = view.model === undefined ? undefined : createFixPrompt(group, view.model);
  const askAddress = `${addresses.agent(view.project.id)}?prompt=${encodeURIComponent(prompt ?? "")}`;
  const unlistedCount = problems.length - maxLocations;
  return safeHtml`<li class="row">
    ${renderStatusBadge(severity)}
    <div class="problem">
      <p>
        ${message} ${problems.length > 1 && safeHtml`<span class="count">× ${problems.length}</span>`}
      </p>
      <p class="faint">
        ${problems.slice(0, maxLocations).map((problem) => renderLocationLink(view, problem))}
        ${unlistedCount > 0 && safeHtml`<span>and ${formatCount(unlistedCount, "more location")}</span>`}
        <span>${code}</span>
      </p>
    </div>
    ${prompt !== undefined && safeHtml`<a class="fix" href="${askAddress}">Fix with an agent</a>`}
  </li>`;
}

/** Renders the location of a problem, as a link to the source if the addresses of the code host are known. */
function renderLocationLink({ project, commit }: ProblemsView, problem: ReportedProblem): SafeHtml {
  const { file, line, column } = problem;
  const text = [file, line, column].filter((part) => part !== undefined).join(":");
  const { repository, directory, codeHost } = project;
  const folder = directory === "." || directory === "" ? "" : `${directory}/`;
  const href =
    commit === null || repository === hostedRepository
      ? undefined
      : findLinesUrl({
          repository,
          commit,
          path: folder + file,
          line: line ?? 1,
          endLine: line ?? 1,
          codeHost,
        });
  return href === undefined
    ? safeHtml`<code>${text}</code>`
    : safeHtml`<a href="${href}"><code>${text}</code></a>`;
}

function isInFilter(
  { code, file }: ReportedProblem,
  { kind, file: wantedFile }: ProblemFilter,
): boolean {
  return (kind === undefined || code === kind) && (wantedFile === undefined || file === wantedFile);
}

/** Instructions, in the wording that recipes understand, for problems that recipes can fix. */
const recipePrompts: Readonly<Record<string, string>> = {
  link_broken: "Fix the broken links",
  anchor_broken: "Fix the broken anchors",
};
/** Codes of problems that an agent cannot fix, e.g. because a remote file is unavailable. */
const codesNotForAgents: ReadonlySet<string> = new Set([
  "description_not_fetched",
  "remote_media_unavailable",
  "too_large",
  "full_text_cut",
]);
const maxPromptLocations = 20;

/** Returns an instruction for an agent to fix a group of problems, or undefined if the model cannot fix them. */
export function createFixPrompt(
  { code, message, problems }: ProblemGroup<ReportedProblem>,
  model: string,
): string | undefined {
  if (codesNotForAgents.has(code)) return undefined;
  const files = [...new Set(problems.map(({ file }) => file))];
  if (model === recipesModel) {
    const prompt = recipePrompts[code];
    const [only, ...others] = files;
    return prompt === undefined || others.length > 0 || only === undefined
      ? prompt
      : `${prompt} in ${only}`;
  }
  const lines = problems.slice(0, maxPromptLocations).map(({ file, line }) => {
    return `- ${file}${line === undefined ? "" : `, line ${line}`}`;
  });
  const unlistedCount = problems.length - lines.length;
  if (unlistedCount > 0)
    lines.push(`- and ${unlistedCount} more locations, which a check of the site lists`);
  return `Fix this problem of the site, and only this one:\n\n${message}\n\n${lines.join("\n")}`;
}
