import {
  escapeHtml,
  fillHtml,
  html,
  joinHtml,
  wrap,
  type ApiWords,
  type Html,
  type Template,
} from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import { renderDescription } from "../description.ts";
import type { SecurityScheme } from "../../openapi/index.ts";
import { authorizationValue } from "../sample/request.ts";
import { fieldIdPart } from "../schema/shape.ts";
import { codeElement, joinSpaced, label, labelledNote, sectionHeading } from "./markup.ts";

/** How a caller authenticates; alternatives are separated by a line that says "or". */
export function securityHtml(
  alternatives: readonly (readonly SecurityScheme[])[],
  context: ApiContext,
): Html {
  const { words } = context;
  const needed = alternatives.filter((schemes) => schemes.length > 0);
  if (needed.length === 0) return "";
  const isRequired = needed.length === alternatives.length;
  const or = html`<p class="api-or"><span>${escapeHtml(words.or)}</span></p>`;
  const heading = sectionHeading(words.authorization, { id: "authorizations" }, context);
  const groups = needed.map((schemes) =>
    joinHtml(schemes.map((scheme) => schemeHtml(scheme, isRequired, context))),
  );
  return html`${heading}${joinHtml(groups, or)}`;
}

function schemeHtml(scheme: SecurityScheme, isRequired: boolean, context: ApiContext): Html {
  const { page, place, words } = context;
  const header = authorizationValue(scheme);
  const name = header === undefined ? (scheme.keyName ?? scheme.name) : "Authorization";
  const where = header === undefined ? scheme.place : "header";
  const id = escapeHtml(page.ids.claim(`authorization-${fieldIdPart(name)}`));
  const labels: Html[] = [
    scheme.type === "mutualTLS" ? "" : label("field-type", "string"),
    where === undefined ? "" : label("field-location", where),
    isRequired ? label("field-required", words.required) : "",
  ];
  const said = renderDescription(scheme.description, { place }, page);
  const scopes = joinSpaced(scheme.scopes.map((scope) => codeElement(scope)));
  const usage = said === "" ? usageHtml(scheme, header, words) : said;
  const content = html`${usage}${scopes === "" ? "" : labelledNote(words.scopes, scopes)}`;
  const link = html`<a class="field-name" href="#${id}">${codeElement(name)}</a>`;
  const head = html`<div class="field-head" id="${id}">${link} ${joinSpaced(labels)}</div>`;
  return html`<div class="field">${head}${wrap("div", "field-content", content)}</div>`;
}

/** General instructions for the scheme's type, if the description has none. */
function usageHtml({ type }: SecurityScheme, header: string | undefined, words: ApiWords): Html {
  if (type === "mutualTLS") return html`<p>${escapeHtml(words.mutualTls)}</p>`;
  const texts: Partial<Record<SecurityScheme["type"], Template<"header">>> = {
    bearer: words.bearer,
    basic: words.basic,
    oauth2: words.oauth2,
    openIdConnect: words.openIdConnect,
  };
  const text = texts[type];
  return text === undefined
    ? ""
    : html`<p>${fillHtml(text, { header: codeElement(header ?? "") })}</p>`;
}
