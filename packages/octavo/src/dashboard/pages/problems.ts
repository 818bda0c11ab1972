import type { ExportReport } from "../bundle/report.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { formatCount } from "../words.ts";
import { statusBadge, emptyNote } from "./parts.ts";

/** The problems in an export's report. */
export function problemList({ errors, warnings, problems, notChecked }: ExportReport): SafeHtml {
  const rest = errors + warnings - problems.length;
  const unchecked = notChecked.map((name) => name.replaceAll("_", " ")).join(", ");
  return safeHtml`<p class="soft">
      ${formatCount(errors, "error")},
      ${formatCount(warnings, "warning")}.${unchecked !== "" && ` Not checked: ${unchecked}.`}
    </p>
    ${problems.length === 0 && emptyNote("No problems found.")}
    <ul class="rows problems">
      ${problems.map(
        ({ severity, code, message, file, line, column }) =>
          safeHtml`<li class="row">
            ${statusBadge(severity)}
            <div>
              <p>${message}</p>
              <p class="faint">
                <code>${[file, line, column].filter((part) => part !== undefined).join(":")}</code>
                <span>${code}</span>
              </p>
            </div>
          </li>`,
      )}
    </ul>
    ${
      rest > 0 &&
      safeHtml`<p class="soft">
        ${formatCount(rest, "more problem")} in <code>_octavo/report.json</code> of the bundle.
      </p>`
    }`;
}
