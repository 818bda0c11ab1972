import type { CommitConvention } from "../../core/index.ts";
import type { Project, PullRequestSettings } from "../../projects/index.ts";
import type { Addresses } from "../addresses.ts";
import { safeHtml } from "../safe-html.ts";
import type { SafeHtml } from "../safe-html.ts";
import { pageHead, projectBreadcrumbs } from "./parts.ts";

/** The fields of the form, as a browser sends them. */
export interface SettingsForm {
  /** Empty for no. */
  readonly draft: string;
  /** Separated by commas, as `reviewers`. */
  readonly labels: string;
  readonly reviewers: string;
  readonly branchPrefix: string;
  readonly authorName: string;
  readonly authorEmail: string;
  readonly commitConvention: CommitConvention | "";
}

export interface SettingsView {
  readonly project: Project;
  readonly form: SettingsForm;
  readonly isSaved?: boolean;
  /** Why the form was not accepted. */
  readonly refusal?: string;
}

export function toSettingsForm(settings: PullRequestSettings): SettingsForm {
  const { draft, labels, reviewers, branchPrefix, author, commitConvention } = settings;
  return {
    draft: draft ? "on" : "",
    labels: labels.join(", "),
    reviewers: reviewers.join(", "),
    branchPrefix,
    authorName: author?.name ?? "",
    authorEmail: author?.email ?? "",
    commitConvention: commitConvention ?? "",
  };
}

export function projectSettingsPage(addresses: Addresses, view: SettingsView): SafeHtml {
  const { project, form, isSaved, refusal } = view;
  return safeHtml`${pageHead(projectBreadcrumbs(addresses, project), "Settings")}
    ${isSaved && safeHtml`<p class="notice" role="status">Saved. They hold for the next pull request.</p>`}
    ${refusal !== undefined && safeHtml`<p class="notice danger" role="alert">${refusal}</p>`}
    <section class="card" aria-labelledby="pull-requests">
      <h2 id="pull-requests">Pull requests of agent jobs</h2>
      <form class="settings" method="post" action="${addresses.projectSettings(project.id)}">
        <p class="check">
          <input id="draft" name="draft" type="checkbox" ${form.draft !== "" && safeHtml`checked`} />
          <label for="draft">Open them as drafts</label>
        </p>
        ${project.codeHost === "local" ? noExtras : extraFields(form)}
        ${field({ name: "branchPrefix", label: "Branches begin with", value: form.branchPrefix, placeholder: "octavo/" })}
        ${field({ name: "authorName", label: "Author of the commits", value: form.authorName, placeholder: "this service" })}
        ${field({ name: "authorEmail", label: "Email address of the author", value: form.authorEmail, placeholder: "docs@example.com" })}
        ${conventionField(form)}
        <p class="faint">
          ${
            project.signingPublicKey === null
              ? "Commits are not signed."
              : safeHtml`Commits are signed with <code>${project.signingPublicKey}</code>.`
          }
          The key is set with the API or <code>octavo projects set-pull-requests</code>.
        </p>
        <button class="primary" type="submit">Save</button>
      </form>
    </section>`;
}

const noExtras = safeHtml`<p class="faint">
  Pull requests on this service have no labels and no reviewers.
</p>`;

function extraFields({ labels, reviewers }: SettingsForm): SafeHtml {
  return safeHtml`${field({ name: "labels", label: "Labels, separated by commas", value: labels, placeholder: "docs" })}
  ${field({ name: "reviewers", label: "Reviewers, separated by commas", value: reviewers, placeholder: "octocat, acme/docs" })}`;
}

interface Field {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
}

function field({ name, label, value, placeholder }: Field): SafeHtml {
  return safeHtml`<div>
    <label for="${name}">${label}</label>
    <input
      id="${name}"
      name="${name}"
      value="${value}"
      placeholder="${placeholder}"
      autocomplete="off"
      spellcheck="false"
    />
  </div>`;
}

const conventions: readonly (readonly [value: SettingsForm["commitConvention"], text: string])[] = [
  ["", "as the newest commits"],
  ["conventional", "docs: explain how to rotate keys"],
  ["plain", "Explain how to rotate keys"],
];

function conventionField({ commitConvention }: SettingsForm): SafeHtml {
  const options = conventions.map(
    ([value, text]) =>
      safeHtml`<option value="${value}" ${value === commitConvention && safeHtml`selected`}>${text}</option>`,
  );
  return safeHtml`<div>
    <label for="commitConvention">Titles of commits and pull requests</label>
    <select id="commitConvention" name="commitConvention">
      ${options}
    </select>
  </div>`;
}
