import type { ExportReport } from "../bundle/report.ts";
import { html } from "../html.ts";
import type { Html } from "../html.ts";
import { count } from "../words.ts";
import { statusBadge, empty } from "./parts.ts";

/** What an export found wrong in the site, as its report says. */
export function problemList({ errors, warnings, problems, notChecked }: ExportReport): Html {
  const rest = errors + warnings - problems.length;
  const unchecked = notChecked.map((name) => name.replaceAll("_", " ")).join(", ");
  return html`<p class="soft">
      ${count(errors, "error")},
      ${count(warnings, "warning")}.${unchecked !== "" && ` Not checked: ${unchecked}.`}
    </p>
    ${problems.length === 0 && empty("Nothing is wrong in what was checked.")}
    <ul class="rows problems">
      ${problems.map(
        ({ severity, code, message, file, line, column }) =>
          html`<li class="row">
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
      html`<p class="soft">
        ${count(rest, "more problem")} in <code>_octavo/report.json</code> of the bundle.
      </p>`
    }`;
}
