import { z } from "zod";
import { codeHostNames, hostedRepository, type CodeHostName } from "../../core/index.ts";
import type { RepositoryInspection } from "../../jobs/index.ts";
import type { ProjectFields, RepositoryCredentials } from "../../projects/index.ts";
import type { RefusedForm } from "../form.ts";
import { safeHtml } from "../safe-html.ts";
import type { HtmlValue, SafeHtml } from "../safe-html.ts";
import { renderField, renderFieldRefusal } from "./parts.ts";

const textField = z.string().trim().max(2_000, "One of the fields is too long.").default("");
const secret = z.string().trim().max(20_000, "The key is too long.").default("");

/** The fields of the project forms. Stored credentials are never shown. */
export const ProjectForm = z.object({
  name: textField,
  domain: textField,
  /** `local` for a repository that the service hosts. */
  place: z.enum(["address", hostedRepository]).catch("address"),
  repository: textField,
  /** Empty if the code host is inferred from the address. */
  codeHost: z.enum(["", ...codeHostNames]).catch(""),
  ref: textField,
  directory: textField,
  /** The folder that the connection test suggested. */
  found: textField,
  model: textField,
  /** Set if the model is to be stored without a test. */
  untestedModel: textField,
  username: textField,
  token: secret,
  privateKey: z
    .string()
    .max(20_000, "The key is too long.")
    .transform((key) => key.replaceAll("\r\n", "\n"))
    .default(""),
  removeCredentials: textField,
});
export type ProjectForm = z.output<typeof ProjectForm>;

export const emptyProjectForm: ProjectForm = ProjectForm.parse({});

/** Converts the form to the fields of a project. An empty field resets its setting. */
export function toProjectFields(form: ProjectForm): ProjectFields {
  const { name, domain, place, repository, ref, directory, found, model, untestedModel } = form;
  const codeHost = place === "address" && form.codeHost !== "" ? form.codeHost : undefined;
  const credentials = form.removeCredentials === "" ? readCredentials(form) : null;
  return {
    name,
    domain,
    repository: place === "address" ? repository : hostedRepository,
    ...(codeHost !== undefined && { codeHost }),
    ref: ref === "" ? null : ref,
    directory: directory || found || ".",
    model: model === "" ? null : model,
    testModel: untestedModel === "",
    ...(credentials !== undefined && { credentials }),
  };
}

/** Returns the entered credentials, or undefined if there are none. */
export function readCredentials({
  username,
  token,
  privateKey,
}: ProjectForm): RepositoryCredentials | undefined {
  if (privateKey.trim() !== "") return { privateKey };
  if (token === "") return undefined;
  return { ...(username !== "" && { username }), password: token };
}

/** Renders the fields for the name and domain. */
export function renderIdentityFields(
  { name, domain }: ProjectForm,
  refused?: RefusedForm,
): SafeHtml {
  return safeHtml`${renderField({ name: "name", label: "Name", value: name, placeholder: "Product documentation", isRequired: true, refused })}
  ${renderField({ name: "domain", label: "Domain", value: domain, placeholder: "docs.example.com", isRequired: true, hint: "The site's host name, unique in this service. The site is first published below this service's own domain: connect docs.example.com under Settings, Site.", refused })}`;
}

interface RepositoryFieldsOptions {
  readonly refused: RefusedForm | undefined;
  /** The branches that a test of the connection found. */
  readonly inspection?: Pick<RepositoryInspection, "branches" | "hasMoreBranches"> | undefined;
  readonly refHint?: HtmlValue;
  readonly directoryHint?: HtmlValue;
}

/** Renders the fields for the site's location: a repository on another host or a repository that this service hosts. */
export function renderRepositoryFields(
  form: ProjectForm,
  options: RepositoryFieldsOptions,
): SafeHtml {
  const { refused, directoryHint } = options;
  const renderRadio = (value: ProjectForm["place"], label: string) =>
    safeHtml`<p class="check">
      <input type="radio" id="place-${value}" name="place" value="${value}" ${form.place === value && safeHtml`checked`} />
      <label for="place-${value}">${label}</label>
    </p>`;
  return safeHtml`<fieldset>
      <legend>Repository</legend>
      ${renderRadio("address", "On a code host or Git server")}
      ${renderRadio(hostedRepository, "Hosted by this service, empty until you push")}
    </fieldset>
    ${renderField({ name: "repository", label: "Address", value: form.repository, placeholder: "https://github.com/acme/docs", hint: "HTTPS or SSH, without credentials.", refused })}
    ${renderCodeHostField(form, refused)}
    ${renderRefField(form, options)}
    ${renderField({ name: "directory", label: "Folder of the site", value: form.directory, placeholder: "the repository's root", hint: directoryHint, refused })}`;
}

/** Renders a list of the branches that a connection test found, or a text field if they are unknown or too many. */
function renderRefField(
  { ref }: ProjectForm,
  { refused, inspection, refHint }: RepositoryFieldsOptions,
): SafeHtml {
  const label = "Branch";
  if (!inspection || inspection.hasMoreBranches) {
    const placeholder = "the repository's default";
    const hint = inspection ? undefined : refHint;
    const field = renderField({ name: "ref", label, value: ref, placeholder, hint, refused });
    return safeHtml`<div id="branch">${field}</div>`;
  }
  // The stored ref may also be a tag or a commit.
  const isOtherRef = ref !== "" && !inspection.branches.includes(ref);
  const options = ["", ...(isOtherRef ? [ref] : []), ...inspection.branches].map(
    (name) =>
      safeHtml`<option value="${name}" ${name === ref && safeHtml`selected`}>${name === "" ? "The repository's default" : name}</option>`,
  );
  return safeHtml`<div id="branch">
    <label for="ref">${label}</label>
    <select id="ref" name="ref">${options}</select>
    ${renderFieldRefusal(refused, { name: "ref", label })}
  </div>`;
}

const codeHostLabels: readonly (readonly [value: CodeHostName | "", label: string])[] = [
  ["", "Where the repository is"],
  ["github", "GitHub"],
  ["gitlab", "GitLab"],
  ["gitea", "Gitea or Forgejo"],
  ["local", "This service"],
];

function renderCodeHostField(
  { codeHost }: ProjectForm,
  refused: RefusedForm | undefined,
): SafeHtml {
  const label = "Pull requests of agent jobs";
  // Once set, a code host can only be replaced with a different one.
  const offeredHosts = codeHostLabels.filter(([value]) => value !== "" || codeHost === "");
  const options = offeredHosts.map(
    ([value, label]) =>
      safeHtml`<option value="${value}" ${value === codeHost && safeHtml`selected`}>${label}</option>`,
  );
  return safeHtml`<div>
    <label for="codeHost">${label}</label>
    <select id="codeHost" name="codeHost" aria-describedby="codeHost-refusal codeHost-hint">
      ${options}
    </select>
    ${renderFieldRefusal(refused, { name: "codeHost", label })}
    <p class="faint" id="codeHost-hint">
      Where pull requests are opened. Choose the code host if the repository's address does not identify it.
    </p>
  </div>`;
}

/** Renders the write-only fields for the repository's credentials. */
export function renderCredentialFields(storedNote: HtmlValue, refused?: RefusedForm): SafeHtml {
  const isRefused = ["username", "token", "privateKey"].includes(refused?.field ?? "");
  return safeHtml`<details class="credentials" ${isRefused && safeHtml`open`}>
    <summary>Credentials</summary>
    <div class="settings">
      <p class="faint">
        For a private repository. Credentials are stored encrypted and never shown. ${storedNote}
      </p>
      ${renderField({ name: "username", label: "Username, if the host requires one", refused })}
      ${renderField({ name: "token", label: "Token or password, for HTTPS", type: "password", refused })}
      <div>
        <label for="privateKey">Private key, for SSH</label>
        <textarea id="privateKey" name="privateKey" rows="3" autocomplete="off" spellcheck="false"></textarea>
        ${renderFieldRefusal(refused, { name: "privateKey", label: "Private key" })}
      </div>
    </div>
  </details>`;
}

interface ModelFieldOptions {
  readonly defaultModel: string;
  readonly refused?: RefusedForm | undefined;
}

/**
 * Renders the field for the model. If the model failed its test, also renders a checkbox for storing the model without
 * a test.
 */
export function renderModelField(
  { model }: ProjectForm,
  { defaultModel, refused }: ModelFieldOptions,
): SafeHtml {
  const field = renderField({
    name: "model",
    label: "Model for agent jobs",
    value: model,
    placeholder: defaultModel,
    hint: "As provider/model. Leave empty for the service's default. A new model is called once before it is saved.",
    refused,
  });
  // A model that is not offered or whose name has the wrong form cannot be stored at all.
  if (refused?.field !== "model" || refused.isMissingSubject) return field;
  return safeHtml`${field}
    <p class="check">
      <input id="untestedModel" name="untestedModel" type="checkbox" />
      <label for="untestedModel">Save the model without a test</label>
    </p>`;
}
