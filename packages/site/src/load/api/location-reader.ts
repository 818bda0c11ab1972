import { OctavoError, limits } from "../../core/index.ts";
import { isRemote } from "../../openapi/index.ts";
import { readTextInside } from "../read-text.ts";
import type { SiteSettings } from "../site-settings.ts";

export type RemoteApiSettings = Pick<SiteSettings, "fetchRemote" | "remoteApis" | "signal">;

/** The text of a description's file, or the reason that it could not be read. */
export type LocationText =
  | { readonly text: string }
  /** `reason` continues a sentence that begins with the file's name. */
  | { readonly failure: "missing" | "unreadable" | "notFetched"; readonly reason: string };

/** Reads a path relative to the site's folder, or an address. Rejects only if the signal is aborted. */
export type ReadLocation = (location: string) => Promise<LocationText>;

/** Creates a reader for the files of one site's descriptions. */
export function createLocationReader(root: string, settings: RemoteApiSettings): ReadLocation {
  const { fetchRemote, remoteApis = false, signal } = settings;
  let remotesLeft = limits.remoteDescriptions;

  async function readFile(path: string): Promise<LocationText> {
    try {
      return { text: await readTextInside(root, path, limits.descriptionBytes) };
    } catch (error) {
      if (!(error instanceof OctavoError)) throw error;
      if (error.code === "not_found") return { failure: "missing", reason: "does not exist" };
      return {
        failure: "unreadable",
        reason: `cannot be read: ${error.message.replace(/\.$/, "")}`,
      };
    }
  }
  async function fetchText(url: string): Promise<LocationText> {
    if (!fetchRemote || !remoteApis) {
      return createFetchFailure("descriptions on other hosts are fetched only with --remote-apis");
    }
    remotesLeft -= 1;
    if (remotesLeft < 0)
      return createFetchFailure(
        `the site names more than ${limits.remoteDescriptions} descriptions on other hosts`,
      );
    try {
      const limit = { maxBytes: limits.descriptionBytes, ...(signal ? { signal } : {}) };
      const { bytes } = await fetchRemote(url, limit);
      return { text: new TextDecoder().decode(bytes.subarray(0, limits.descriptionBytes)) };
    } catch (error) {
      signal?.throwIfAborted();
      return createFetchFailure(
        error instanceof Error ? error.message.replace(/\.$/, "") : String(error),
      );
    }
  }
  return async (location) => {
    signal?.throwIfAborted();
    return isRemote(location) ? await fetchText(location) : await readFile(location);
  };
}

function createFetchFailure(reason: string): LocationText {
  return { failure: "notFetched", reason: `was not fetched (${reason})` };
}
