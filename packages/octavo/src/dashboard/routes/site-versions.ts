import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import { formatCount } from "../../core/index.ts";
import type { Project } from "../../projects/index.ts";
import { listMatchedRefs, type SiteVersion, type VersionRule } from "../../publish/index.ts";
import type { Addresses } from "../addresses.ts";
import { parseForm } from "../form.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderEmptyNote, renderPageHead, renderStatusBadge } from "../pages/parts.ts"; // prettier-ignore
import { renderSettingsNav, sendProjectPage, findProject, toProjectScope } from "./project-page.ts";
import { safeHtml, type SafeHtml } from "../safe-html.ts";
import type { DashboardServices } from "../services.ts";
import { getSignedInUser } from "../session/sessions.ts";

/** The kinds of rules that the form offers, and their labels. */
const kindLabels = {
  "tag pattern": "Tags named",
  "tag range": "Tags of versions",
  "branch pattern": "Branches named",
  "branch range": "Branches of versions",
} as const;
const actionLabels: Readonly<Record<VersionRule["action"], string>> = {
  publish: "Publish",
  default: "Publish, the newest at the root",
  hide: "Publish without listing",
  remove: "Do not publish",
};

/** A field that occurs once or several times in a form. */
const repeatedField = z
  .union([z.string(), z.array(z.string()).max(100)])
  .default([])
  .transform((value) => [value].flat());
const Rules = z.object({ kind: repeatedField, match: repeatedField, action: repeatedField });
const Query = z.object({ saved: z.string().optional(), match: z.unknown().optional() });
const maxShownNames = 8;

/** Adds the page with the versions of a site and the rules that create them. */
export function addSiteVersionPages(app: FastifyInstance, services: DashboardServices): void {
  const { projects, deployments, publishedSites, addresses } = services;
  const path = "/projects/:projectId/versions";

  app.get(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const { saved, match } = parseForm(Query, request.query);
    const isTrial = match !== undefined;
    const { versionRules } = await publishedSites.read(project);
    const rules = isTrial ? readRules(parseForm(Rules, request.query)) : versionRules;
    return await sendVersions(services, request, { reply, project, rules, isTrial, isSaved: saved !== undefined }); // prettier-ignore
  });

  app.post(path, createPageOptions("projects.write"), async (request, reply) => {
    const { project } = await findProject(projects, request);
    const rules = readRules(parseForm(Rules, request.body));
    const scope = toProjectScope(project, getSignedInUser(request));
    try {
      await publishedSites.change(scope, project, { versionRules: rules });
    } catch (error) {
      if (!isOctavoError(error, "invalid_input")) throw error;
      reply.code(400);
      const refused = error.message;
      return await sendVersions(services, request, { reply, project, rules, refused });
    }
    await deployments.followVersions(project.id);
    return await reply.redirect(`${addresses.siteVersions(project.id)}?saved`, 303);
  });
}

/** Parses the rows of the form. A row without a name or range is skipped. */
function readRules({ kind, match, action }: z.output<typeof Rules>): readonly VersionRule[] {
  return match.flatMap((text, index) => {
    const value = text.trim();
    if (value === "") return [];
    const [type, field] = (kind[index] ?? "").split(" ");
    const chosen = action[index] ?? "";
    return {
      type: type === "branch" ? "branch" : "tag",
      [field === "range" ? "range" : "pattern"]: value,
      action: isAction(chosen) ? chosen : "publish",
    };
  });
}

function isAction(text: string): text is VersionRule["action"] {
  return Object.hasOwn(actionLabels, text);
}

interface VersionsView {
  readonly project: Project;
  readonly rules: readonly VersionRule[];
  /** Whether the rules are only tried out, not saved. */
  readonly isTrial?: boolean;
  readonly isSaved?: boolean;
  /** The reason why the rules were not accepted. */
  readonly refused?: string;
}

async function sendVersions(
  services: DashboardServices,
  request: FastifyRequest,
  { reply, ...view }: VersionsView & { readonly reply: FastifyReply },
): Promise<FastifyReply> {
  const { addresses, deployments, publishedSites } = services;
  const { project, rules } = view;
  const [site, versions, refs] = await Promise.all([
    publishedSites.read(project),
    publishedSites.listVersions(project.id),
    deployments.listKnownRefs(project.id),
  ]);
  const matches =
    view.refused === undefined ? rules.map((rule) => listMatchedRefs(rule, refs)) : [];
  return sendProjectPage(services, request, reply, {
    project,
    tab: "settings",
    title: "Versions",
    main: safeHtml`${renderSettingsNav(addresses, project, "versions")} ${renderPageHead([], "Versions")}
      ${view.refused !== undefined && safeHtml`<p class="notice danger" role="alert">${view.refused}</p>`}
      ${view.isSaved && safeHtml`<p class="notice" role="status">Saved. New versions are built now.</p>`}
      ${view.isTrial && safeHtml`<p class="notice" role="status">These rules are not saved yet.</p>`}
      ${renderVersions(site.url, versions)}
      ${renderRulesForm(addresses, view, { matches, hasRefs: refs.length > 0 })}`,
  });
}

function renderVersions(url: string, versions: readonly SiteVersion[]): SafeHtml {
  if (versions.length === 0) {
    return renderEmptyNote(
      "The site has one version: the project's branch. Add a rule below to publish other branches or tags as versions.",
    );
  }
  return safeHtml`<ul class="rows">
    ${versions.map(
      ({ slug, ref, type, isDefault, isHidden, problem, deploymentId }) => safeHtml`<li class="row">
        <span class="row-main">
          ${
            problem === null
              ? renderStatusBadge(
                  deploymentId === null ? "queued" : "completed",
                  deploymentId === null ? "not built yet" : "published",
                )
              : renderStatusBadge("failed", "not published")
          }
          <span class="row-title"
            >${
              deploymentId === null
                ? ref
                : safeHtml`<a href="${url}${isDefault ? "/" : `/${slug ?? ""}/`}">${ref}</a>`
            }</span
          >
        </span>
        <span class="row-facts">
          <span>${type}</span>
          ${isDefault && safeHtml`<span>at the root</span>`}
          ${isHidden && safeHtml`<span>not listed</span>`}
        </span>
        ${problem !== null && safeHtml`<p class="soft">${problem}</p>`}
      </li>`,
    )}
  </ul>`;
}

function renderRulesForm(
  addresses: Addresses,
  { project, rules }: VersionsView,
  {
    matches,
    hasRefs,
  }: {
    readonly matches: readonly (readonly string[])[];
    /** Whether any branch or tag of the repository is known. */
    readonly hasRefs: boolean;
  },
): SafeHtml {
  const rows: readonly (VersionRule | undefined)[] = [...rules, undefined];
  return safeHtml`<form class="card settings" method="post" action="${addresses.siteVersions(project.id)}">
    <h2>Rules</h2>
    <p class="soft">
      The first rule that matches a branch or tag decides. In a name, <code>*</code> stands for any characters; a range
      is a SemVer range, such as <code>&gt;=2</code> or <code>1.x</code>. Clear a field to remove its rule.
    </p>
    ${rows.map((rule, index) => renderRule(rule, { index, matched: hasRefs ? matches[index] : undefined }))}
    ${!hasRefs && safeHtml`<p class="faint">The branches and tags that the rules match are shown here soon after you save a rule.</p>`}
    <p>
      <button class="primary" type="submit">Save</button>
      <button type="submit" formmethod="get">Show what the rules match</button>
    </p>
  </form>`;
}

function renderRule(
  rule: VersionRule | undefined,
  {
    index,
    matched: matchedRefs,
  }: { readonly index: number; readonly matched: readonly string[] | undefined },
): SafeHtml {
  const kind = rule ? `${rule.type} ${rule.range === undefined ? "pattern" : "range"}` : "";
  const number = index + 1;
  return safeHtml`<div class="inline">
    <div class="narrow">
      <label for="kind-${number}">Rule ${number}</label>
      <select id="kind-${number}" name="kind">${renderOptions(kindLabels, kind)}</select>
    </div>
    <div>
      <label for="match-${number}">Name or range</label>
      <input id="match-${number}" name="match" value="${rule?.range ?? rule?.pattern ?? ""}" maxlength="255"
        autocomplete="off" placeholder="${rule ? "" : "v*"}" />
    </div>
    <div class="narrow">
      <label for="action-${number}">Action</label>
      <select id="action-${number}" name="action">${renderOptions(actionLabels, rule?.action ?? "")}</select>
    </div>
  </div>
  ${rule && matchedRefs && safeHtml`<p class="faint">${describeMatches(matchedRefs)}</p>`}`;
}

function renderOptions(labels: Readonly<Record<string, string>>, chosen: string): SafeHtml {
  return safeHtml`${Object.entries(labels).map(
    ([value, text]) =>
      safeHtml`<option value="${value}" ${value === chosen && safeHtml`selected`}>${text}</option>`,
  )}`;
}

function describeMatches(names: readonly string[]): string {
  if (names.length === 0) return "Matches nothing yet.";
  const shown = names.slice(0, maxShownNames).join(", ");
  const more = names.length > maxShownNames ? `, and ${names.length - maxShownNames} more` : "";
  return `Matches ${formatCount(names.length, "name")}: ${shown}${more}.`;
}
