import type { RemoteRequest } from "../../outputs/index.ts";
import type { Reference } from "../../page/index.ts";
import { remoteAddress } from "../../site/index.ts";
import type { ExportRun } from "../export-run.ts";

interface PageReferences {
  readonly rendered: { readonly references: readonly Reference[]; readonly hasFrames?: boolean };
}

/**
 * Everything but pictures, sounds and videos that the site names on other hosts, for the report: what its own style
 * sheets and scripts name, its fonts, then the frames of its pages.
 */
export function listRemoteRequests(
  { settings, source, shared }: Pick<ExportRun, "settings" | "source" | "shared">,
  pages: readonly PageReferences[],
): readonly RemoteRequest[] {
  const { remoteMedia } = settings;
  const { site } = source;
  const ofFiles = shared.requests.map(({ kind, address, ...rest }): RemoteRequest => {
    const { file, line, column, blocked } = rest;
    return { kind, address, file, line, column, blocked };
  });
  const ofConfig = remoteMedia === "vendor" ? [] : shared.remoteFonts;
  const references = pages.flatMap(({ rendered }) =>
    rendered.hasFrames === false ? [] : rendered.references,
  );
  return [
    ...ofFiles,
    ...ofConfig.map((address) => fontRequest(address, site.configFile)),
    ...references.flatMap(({ kind, target, file, line, column }): RemoteRequest[] => {
      const address = kind === "frame" ? remoteAddress(target) : undefined;
      if (address === undefined) return [];
      const blocked = remoteMedia !== "keep";
      return [{ kind: "frame", address, file, line, column, blocked }];
    }),
  ];
}

/** The theme loads no font from another host, whatever hosts pages may ask. */
function fontRequest(address: string, file: string): RemoteRequest {
  return { kind: "font", address, file, blocked: true };
}
