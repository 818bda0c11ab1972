import { basename } from "node:path";
import type { ExportSettings, RemoteMediaMode } from "@octavo/site";
import { OctavoError, addressForms } from "@octavo/site/core";
import type { AddressForm } from "@octavo/site/core";
import { allRemoteHosts } from "../../core/index.ts";
import { readAllowList } from "../../config/index.ts";
import { readBaseUrl, readChoice } from "../flags.ts";
import type { CommandContext } from "../context.ts";
import { findSite, findCacheFolder } from "./site-folder.ts";
import type { SiteFlags } from "./site-folder.ts";

/** Flags that become settings of an export, as the user types them. Each command supports some of them. */
export interface SettingsFlags extends SiteFlags {
  readonly paths?: string;
  readonly baseUrl?: string;
  readonly editUrl?: string;
  readonly addresses?: string;
  readonly remoteMedia?: string;
  readonly remoteScripts?: string;
  readonly remoteApis?: true;
  readonly cache?: string | false;
}

export const remoteApisFlag = [
  "--remote-apis",
  "fetch API descriptions that the site references on other hosts",
] as const;

/**
 * Returns the settings for an export of the folder `site` with these flags. Throws an `invalid_input` error that names
 * the flag if a value is not valid.
 */
export async function readExportSettings(
  context: CommandContext,
  site: string,
  flags: SettingsFlags,
): Promise<ExportSettings> {
  const siteDir = await findSite(context, site, flags);
  const remoteMedia = await readRemoteMedia(flags.remoteMedia);
  const { remoteApis = false } = flags;
  const needsFetch = remoteApis || remoteMedia === "vendor";
  return {
    siteDir,
    folderName: basename(siteDir),
    paths: readList(flags.paths),
    addresses: readAddresses(flags.addresses),
    baseUrl: readBaseUrl(flags.baseUrl),
    editUrl: readEditUrl(flags.editUrl),
    cacheDir: findCacheFolder(context, siteDir, flags.cache),
    remoteMedia,
    remoteScripts: readList(flags.remoteScripts),
    remoteApis,
    fetchRemote: needsFetch ? await openFetch(context) : undefined,
  };
}

/** Parses a list of pages or hosts such as `a, b,c`. Returns undefined for an empty list. */
export function readList(text: string | undefined): readonly string[] | undefined {
  const entries = text
    ?.split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
  return entries && entries.length > 0 ? entries : undefined;
}

function readAddresses(text: string | undefined): AddressForm | undefined {
  return text === undefined ? undefined : readChoice("--addresses", addressForms, text);
}

async function readRemoteMedia(text: string | undefined): Promise<RemoteMediaMode | undefined> {
  if (text === undefined) return undefined;
  const { remoteMediaModes } = await import("@octavo/site");
  return readChoice("--remote-media", remoteMediaModes, text);
}

/** Throws `invalid_input` if OCTAVO_ALLOW cannot be parsed. */
async function openFetch({ env }: CommandContext): Promise<ExportSettings["fetchRemote"]> {
  const { createRemoteFetch } = await import("../../net/index.ts");
  return createRemoteFetch({ hosts: allRemoteHosts, allow: readAllowList(env) });
}

/** Reads the value of `--edit-url`. Throws `invalid_input` unless the value is an address that contains `{path}`. */
function readEditUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const url = URL.parse(text);
  const isAddress =
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (isAddress && text.includes("{path}") && !/[\s\p{Cc}]/u.test(text)) return text;
  throw new OctavoError(
    "invalid_input",
    "--edit-url must be an http or https address with {path} in place of the file's path, e.g. " +
      "https://git.example.com/docs/edit/main/{path}.",
  );
}
