import type { CodeHost } from "../../packages/octavo/src/codehost/index.ts";
import { codeHostNames } from "../../packages/octavo/src/core/index.ts";
import type { CodeHostName } from "../../packages/octavo/src/core/index.ts";

/** One code host in the place of each that a project can use. */
export function useForAll(host: CodeHost): Readonly<Record<CodeHostName, CodeHost>> {
  const entries = codeHostNames.map((name) => [name, host] as const);
  return Object.fromEntries(entries) as Record<CodeHostName, CodeHost>;
}
