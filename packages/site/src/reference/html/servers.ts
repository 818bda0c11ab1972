import { escapeHtml, html, joinHtml, type Html, addressCode } from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import type { AsyncServer, Server } from "../../openapi/index.ts";
import { codeElement, label, joinSpaced } from "./markup.ts";

/** The addresses of an API, with the values of their variables. */
export function serversHtml(
  servers: readonly (Server | AsyncServer)[],
  { words }: ApiContext,
): Html {
  if (servers.length === 0) return "";
  const items = joinHtml(servers.map((server) => html`<li>${serverHtml(server)}</li>`));
  return html`<div class="api-servers"><p class="api-servers-title">${escapeHtml(words.servers)}</p><ul>${items}</ul></div>`;
}

function serverHtml(server: Server | AsyncServer): Html {
  const { url, description, variables } = server;
  const parts: Html[] = ["protocol" in server ? label("", server.protocol) : "", addressCode(url)];
  if (description !== undefined) parts.push(html`<span>${escapeHtml(description)}</span>`);
  for (const [name, variable] of Object.entries(variables)) {
    const values = new Set([variable.default, ...variable.values]);
    const shown = joinSpaced(Array.from(values, (value) => codeElement(value)));
    const text =
      variable.description === undefined ? "" : html` ${escapeHtml(variable.description)}`;
    parts.push(html`<span>${codeElement(`{${name}}`)}: ${shown}${text}</span>`);
  }
  return joinSpaced(parts);
}
