import type { FoundSite, RepositoryInspection } from "../../jobs/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { formatCount } from "../format.ts";
import { renderPageHead } from "./parts.ts";
import {
  renderCredentialFields,
  renderIdentityFields,
  renderModelField,
  renderRepositoryFields,
} from "./project-fields.ts";
import type { ProjectForm } from "./project-fields.ts";

export interface NewProjectView {
  readonly form: ProjectForm;
  readonly defaultModel: string;
  /** The result of a connection test, or why it failed. */
  readonly tested:
    | { readonly inspection: RepositoryInspection }
    | { readonly refusal: string }
    | undefined;
  /** Why the project was not added. */
  readonly refusal: string | undefined;
}

export function renderNewProjectPage(addresses: Addresses, view: NewProjectView): SafeHtml {
  const { form, defaultModel, tested, refusal } = view;
  const test = `${addresses.newProject}/test`;
  return safeHtml`${renderPageHead([["Projects", addresses.projects]], "Add a project")}
    ${refusal !== undefined && safeHtml`<p class="notice danger" role="alert">${refusal}</p>`}
    <form class="card settings" method="post" action="${addresses.newProject}">
      ${renderIdentityFields(form)} ${renderRepositoryFields(form, "Leave it empty and test the connection to get a suggestion.")}
      ${renderCredentialFields(false)}
      <button
        type="submit"
        formaction="${test}#found"
        formnovalidate
        hx-post="${test}"
        hx-target="#found"
        hx-select="#found"
        hx-swap="outerHTML"
      >
        Test the connection
      </button>
      <section class="found" id="found" aria-live="polite" aria-label="Test of the connection">
        ${tested && ("refusal" in tested ? failedTest(tested.refusal) : foundSites(tested.inspection, form))}
      </section>
      ${renderModelField(form, defaultModel)}
      <button class="primary" type="submit">Add the project</button>
    </form>`;
}

function failedTest(refusal: string): SafeHtml {
  return safeHtml`<p class="notice danger">${refusal}</p>`;
}

/** The number of branches that are listed by name; the rest are counted. */
const maxBranches = 8;

function foundSites(
  { branches, ref, sites, pages }: RepositoryInspection,
  form: ProjectForm,
): SafeHtml {
  const rest = branches.length - maxBranches;
  const chosen = sites.find(({ directory }) => directory === form.directory) ?? sites[0];
  return safeHtml`<p class="notice">
      <strong>The repository can be read.</strong> Checked <code>${ref}</code>.
      ${formatCount(branches.length, "branch", "branches")}:
      ${branches.slice(0, maxBranches).map((name) => safeHtml`<code>${name}</code> `)}
      ${rest > 0 && `and ${rest} more`}
    </p>
    ${
      sites.length === 0
        ? safeHtml`<p class="notice">
            No <code>docs.json</code> was found. ${
              pages === 0
                ? "There are no Markdown pages either. Add some before you export the site."
                : `Its ${formatCount(pages, "Markdown page")} will be shown as a site without a configuration.`
            }
          </p>`
        : safeHtml`<fieldset>
            <legend>Where the site was found</legend>
            ${sites.map((site) => siteChoice(site, site === chosen))}
          </fieldset>`
    }`;
}

function siteChoice(
  { directory, configuration, pages, problem }: FoundSite,
  isChosen: boolean,
): SafeHtml {
  const id = `found-${directory}`;
  return safeHtml`<p class="check">
      <input type="radio" id="${id}" name="found" value="${directory}" ${isChosen && safeHtml`checked`} />
      <label for="${id}"
        >${directory === "." ? "The root" : safeHtml`<code>${directory}</code>`}, with
        <code>${configuration}</code> and ${formatCount(pages, "page")}</label
      >
    </p>
    ${problem !== undefined && safeHtml`<p class="notice danger">${problem}</p>`}`;
}
