import {
  escapeHtml,
  fillHtmlPlaceholders,
  html,
  joinHtml,
  wrapInElement,
  type ApiWords,
  type Html,
  type Template,
} from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import { renderApiDescription } from "../description.ts";
import type { SecurityScheme } from "../../openapi/index.ts";
import { findAuthorization } from "../sample/request.ts";
import { createFieldIdPart } from "../schema/shape.ts";
import {
  renderCode,
  joinWithSpaces,
  renderFieldLabel,
  renderLabeledNote,
  renderSectionHeading,
} from "./markup.ts";

/** Renders how a caller authenticates. A line with the word "or" separates alternatives. */
export function renderSecurity(
  alternatives: readonly (readonly SecurityScheme[])[],
  context: ApiContext,
): Html {
  const { words } = context;
  const needed = alternatives.filter((schemes) => schemes.length > 0);
  if (needed.length === 0) return "";
  const isRequired = needed.length === alternatives.length;
  const or = html`<p class="api-or"><span>${escapeHtml(words.or)}</span></p>`;
  const heading = renderSectionHeading(words.authorization, { id: "authorizations" }, context);
  const groups = needed.map((schemes) =>
    joinHtml(schemes.map((scheme) => renderScheme(scheme, isRequired, context))),
  );
  return html`${heading}${joinHtml(groups, or)}`;
}

function renderScheme(scheme: SecurityScheme, isRequired: boolean, context: ApiContext): Html {
  const { page, place, words } = context;
  const header = findAuthorization(scheme);
  const name = header === undefined ? (scheme.keyName ?? scheme.name) : "Authorization";
  const where = header === undefined ? scheme.place : "header";
  const id = escapeHtml(page.ids.claim(`authorization-${createFieldIdPart(name)}`));
  const labels: Html[] = [
    scheme.type === "mutualTLS" ? "" : renderFieldLabel("field-type", "string"),
    where === undefined ? "" : renderFieldLabel("field-location", where),
    scheme.format === undefined ? "" : renderFieldLabel("", scheme.format),
    isRequired ? renderFieldLabel("field-required", words.required) : "",
  ];
  const said = renderApiDescription(scheme.description, { place }, page);
  const usage = said === "" ? renderUsage(scheme, header, words) : said;
  const addresses = Object.entries(scheme.addresses ?? {}).map(([key, address]) =>
    renderLabeledNote(key, renderCode(address)),
  );
  const content = html`${usage}${renderScopes(scheme, words)}${joinHtml(addresses)}`;
  const link = html`<a class="field-name" href="#${id}">${renderCode(name)}</a>`;
  const head = html`<div class="field-head" id="${id}">${link} ${joinWithSpaces(labels)}</div>`;
  return html`<div class="field">${head}${wrapInElement("div", "field-content", content)}</div>`;
}

/** Renders the scopes that the operation requires. Each scope with a description has a line of its own. */
function renderScopes({ scopes, scopeDescriptions = {} }: SecurityScheme, words: ApiWords): Html {
  if (scopes.length === 0) return "";
  const parts = scopes.map((scope) => {
    const said = Object.hasOwn(scopeDescriptions, scope) ? scopeDescriptions[scope] : undefined;
    return { code: renderCode(scope), said };
  });
  const isPlain = parts.every(({ said }) => said === undefined);
  if (isPlain)
    return renderLabeledNote(words.scopes, joinWithSpaces(parts.map(({ code }) => code)));
  const lines = parts.map(({ code, said = "" }) =>
    said === "" ? code : html`${code}: ${escapeHtml(said)}`,
  );
  return renderLabeledNote(words.scopes, joinHtml(lines, html`<br>`));
}

/** Renders general instructions for the type of a scheme, for descriptions that do not contain any. */
function renderUsage({ type }: SecurityScheme, header: string | undefined, words: ApiWords): Html {
  if (type === "mutualTLS") return html`<p class="api-usage">${escapeHtml(words.mutualTls)}</p>`;
  const texts: Partial<Record<SecurityScheme["type"], Template<"header">>> = {
    bearer: words.bearer,
    basic: words.basic,
    oauth2: words.oauth2,
    openIdConnect: words.openIdConnect,
  };
  const text = texts[type];
  return text === undefined
    ? ""
    : html`<p class="api-usage">${fillHtmlPlaceholders(text, { header: renderCode(header ?? "") })}</p>`;
}
