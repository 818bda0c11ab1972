import { escapeHtml } from "../../markup/index.ts";
import type { ApiContext } from "../api-context.ts";
import type { AsyncServer, Server } from "../../openapi/index.ts";
import { addressCode, code, label } from "./markup.ts";

/** The addresses that an API is reached at, with what their variables can be. */
export function serversHtml(
  servers: readonly (Server | AsyncServer)[],
  { words }: ApiContext,
): string {
  if (servers.length === 0) return "";
  const items = servers.map((server) => `<li>${serverHtml(server)}</li>`).join("");
  return `<div class="api-servers"><p class="api-servers-title">${escapeHtml(words.servers)}</p><ul>${items}</ul></div>`;
}

function serverHtml(server: Server | AsyncServer): string {
  const { url, description, variables } = server;
  const parts = ["protocol" in server ? label("", server.protocol) : "", addressCode(url)];
  if (description !== undefined) parts.push(`<span>${escapeHtml(description)}</span>`);
  for (const [name, variable] of Object.entries(variables)) {
    const values = new Set([variable.default, ...variable.values]);
    const shown = Array.from(values, (value) => code(value)).join(" ");
    const text = variable.description === undefined ? "" : ` ${escapeHtml(variable.description)}`;
    parts.push(`<span>${code(`{${name}}`)}: ${shown}${text}</span>`);
  }
  return parts.filter((part) => part !== "").join(" ");
}
