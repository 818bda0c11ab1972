import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { z } from "zod";
import type { Problem } from "@octavo/site/core";
import type { CheckedPage } from "@octavo/site";
import { readAllowList, userCacheFolder } from "../../config/index.ts";
import { destinationOf } from "../../core/index.ts";
import type { AllowList } from "../../core/index.ts";
import type { CommandContext } from "../context.ts";
import { formatNumber } from "../format.ts";

/** A link or a picture, where it stands. */
export type Reference = CheckedPage["rendered"]["references"][number];

/** What was there is not asked for again for this long. */
const freshMs = 24 * 60 * 60 * 1_000;
/** Names of examples (RFC 2606), names without a domain, and addresses: what is meant lies with the reader. */
const placeholders =
  /^(?:(?:.+\.)?example\.(?:com|net|org)|.+\.(?:example|test|invalid|localhost)|[^.]+|[\d.]+)$/;

const fileName = "external-links.json";
const cacheFile = z.record(z.string(), z.number());

/**
 * The links and pictures that lead nowhere on other hosts: an error where their server says so, a warning where
 * none answers. What stands for an example is not asked, nor is what answered within a day.
 */
export async function checkExternalLinks(
  context: CommandContext,
  references: readonly Reference[],
): Promise<readonly Problem[]> {
  const { env, terminal } = context;
  const { createLinkProbe } = await import("../../net/index.ts");
  const allow = readAllowList(env);
  const places = Map.groupBy(references, (reference) => addressOf(reference, allow) ?? "");
  places.delete("");
  const folder = userCacheFolder(env);
  const known = await readKnown(folder);
  const now = Date.now();
  const addresses = [...places.keys()].filter((url) => (known[url] ?? 0) < now - freshMs);
  if (addresses.length > 0) {
    terminal.note(`Asking for ${formatNumber(addresses.length)} addresses on other hosts`);
  }
  const states = await createLinkProbe({ allow })(addresses, context.interrupted());
  const there = [...states].flatMap(([url, { kind }]) => (kind === "there" ? [[url, now]] : []));
  await keepKnown(folder, { ...known, ...Object.fromEntries(there) });
  return [...states].flatMap(([url, state]) => {
    if (state.kind === "there") return [];
    const severity = state.kind === "gone" ? "error" : "warning";
    const message = `The address ${JSON.stringify(url)} leads nowhere: ${state.reason}`;
    return (places.get(url) ?? []).map(({ file, line, column }): Problem => {
      return { severity, code: "external_link_dead", message, file, line, column };
    });
  });
}

export function referencesOf(pages: readonly CheckedPage[]): readonly Reference[] {
  return pages.flatMap(({ rendered }) => rendered.references);
}

/**
 * Without the place within the page, which is the page's own matter. Undefined for what is not asked; what OCTAVO_ALLOW
 * names is.
 */
function addressOf({ target }: Reference, allow: AllowList): string | undefined {
  const url = /^https?:/i.test(target) ? URL.parse(target) : null;
  const destination = url && destinationOf(url);
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
    // None yet, or of another version: everything is asked.
    return {};
  }
}

async function keepKnown(
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
