import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Problem } from "@octavo/site/core";
import type { CheckedPage } from "@octavo/site";
import { readAllowList, findUserCacheFolder } from "../../config/index.ts";
import { findDestination } from "../../core/index.ts";
import type { AllowList } from "../../core/index.ts";
import type { CommandContext } from "../context.ts";
import { formatNumber } from "../format.ts";

/** A link or image with its location. */
export type Reference = CheckedPage["rendered"]["references"][number];

/** An address that was found is not requested again for this time. */
const freshMs = 24 * 60 * 60 * 1_000;
/** Example names (RFC 2606), names without a domain, and IP addresses: these depend on the reader's environment. */
const placeholders =
  /^(?:(?:.+\.)?example\.(?:com|net|org)|.+\.(?:example|test|invalid|localhost)|[^.]+|[\d.]+)$/;

const fileName = "external-links.json";
const cacheFile = z.record(z.string(), z.number());

/**
 * Finds dead links and images on other hosts: an error if the server reports it, a warning if no server responds.
 * Placeholder addresses, and addresses that responded within a day, are not requested.
 */
export async function checkExternalLinks(
  context: CommandContext,
  references: readonly Reference[],
): Promise<readonly Problem[]> {
  const { env, terminal } = context;
  const { createLinkProbe } = await import("../../net/index.ts");
  const allow = readAllowList(env);
  const places = Map.groupBy(references, (reference) => findAddress(reference, allow) ?? "");
  places.delete("");
  const folder = findUserCacheFolder(env);
  const known = await readKnown(folder);
  const now = Date.now();
  const addresses = [...places.keys()].filter((url) => (known[url] ?? 0) < now - freshMs);
  if (addresses.length > 0) {
    terminal.note(`Requesting ${formatNumber(addresses.length)} addresses on other hosts`);
  }
  const states = await createLinkProbe({ allow })(addresses, context.interrupted());
  const there = [...states].flatMap(([url, { kind }]) => (kind === "there" ? [[url, now]] : []));
  await cacheKnownLinks(folder, { ...known, ...Object.fromEntries(there) });
  return [...states].flatMap(([url, state]) => {
    if (state.kind === "there") return [];
    const severity = state.kind === "gone" ? "error" : "warning";
    const message = `The address ${JSON.stringify(url)} leads nowhere: ${state.reason}`;
    return (places.get(url) ?? []).map(({ file, line, column }): Problem => {
      return { severity, code: "external_link_dead", message, file, line, column };
    });
  });
}

export function listReferences(pages: readonly CheckedPage[]): readonly Reference[] {
  return pages.flatMap(({ rendered }) => rendered.references);
}

/**
 * Returns the address without its fragment, which concerns only the page. Undefined for a placeholder, unless
 * OCTAVO_ALLOW names it.
 */
function findAddress({ target }: Reference, allow: AllowList): string | undefined {
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  const destination = url && findDestination(url);
  if (!url || !destination) return undefined;
  const isAllowed = allow.allowsHost(destination.host, destination.port);
  if (placeholders.test(url.hostname) && !isAllowed) return undefined;
  url.hash = "";
  return url.href;
}

async function readKnown(folder: string | undefined): Promise<Readonly<Record<string, number>>> {
  if (folder === undefined) return {};
  try {
    return cacheFile.parse(JSON.parse(await readFile(join(folder, fileName), "utf8")));
  } catch {
    // There is no cache yet, or it is from another version: every address is requested.
    return {};
  }
}

async function cacheKnownLinks(
  folder: string | undefined,
  known: Readonly<Record<string, number>>,
): Promise<void> {
  if (folder === undefined) return;
  const path = join(folder, fileName);
  const fresh = Object.entries(known).filter(([, at]) => at >= Date.now() - freshMs);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.${process.pid}`, JSON.stringify(Object.fromEntries(fresh)));
  await rename(`${path}.${process.pid}`, path);
}
