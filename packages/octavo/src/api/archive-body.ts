import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import type { Api } from "./api.ts";

/** The archive in a request's body. */
export interface ArchiveBody {
  readonly format: "tar.gz" | "zip";
  /** The content, which only one reader can read. */
  readonly content: IncomingMessage;
  /** The hash of the content, once it was read. */
  sha256?: string;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set if the body is an archive, on routes that accept one. */
    archive: ArchiveBody | undefined;
  }
  interface FastifyContextConfig {
    /** The maximum size of an archive, on routes that accept one. */
    maxArchiveBytes?: number;
  }
}

/** The media types of archives. */
export const archiveTypes = {
  "application/zip": "zip",
  "application/gzip": "tar.gz",
} as const satisfies Readonly<Record<string, ArchiveBody["format"]>>;

/** Returns the format of the archive that a request declares to send. */
export function findArchiveFormat({
  headers,
}: Pick<FastifyRequest, "headers">): ArchiveBody["format"] | undefined {
  const type = headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return Object.entries(archiveTypes).find(([known]) => known === type)?.[1];
}

/** Accepts archives besides JSON. The handler reads the archive; to all checks before it, the body is empty. */
export function acceptArchives(api: Api): void {
  api.decorateRequest("archive", undefined);
  api.addContentTypeParser(
    Object.keys(archiveTypes),
    async (request: FastifyRequest, content: IncomingMessage) => {
      const format = findArchiveFormat(request);
      request.archive = format && { format, content };
      return {};
    },
  );
}
