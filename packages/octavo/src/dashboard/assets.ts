import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { OctavoError, sha256 } from "@octavo/site/core";
import { publicPageOptions } from "./page-rights.ts";

/** The file names of the dashboard's assets. Each name contains the hash of the file's content. */
export interface AssetFileNames {
  readonly style: string;
  readonly script: string;
  readonly htmx: string;
  readonly icon: string;
}

interface Asset {
  readonly content: Buffer;
  readonly type: string;
}

const assetFiles = {
  style: [new URL("assets/dashboard.css", import.meta.url), "text/css; charset=utf-8"],
  script: [new URL("assets/dashboard.js", import.meta.url), "text/javascript; charset=utf-8"],
  htmx: [
    new URL(import.meta.resolve("htmx.org/dist/htmx.min.js")),
    "text/javascript; charset=utf-8",
  ],
  icon: [new URL("assets/icon.svg", import.meta.url), "image/svg+xml"],
} as const satisfies Record<keyof AssetFileNames, readonly [URL, string]>;

/** Reads the files once and serves them under `/assets/` as immutable, because changed content gets a new name. */
export async function serveAssets(app: FastifyInstance): Promise<AssetFileNames> {
  const assets = new Map<string, Asset>();
  async function addAsset(name: keyof AssetFileNames): Promise<string> {
    const [url, type] = assetFiles[name];
    const content = await readFile(url);
    const path = fileURLToPath(url);
    const extension = path.slice(path.lastIndexOf("."));
    const fileName = `${name}-${sha256(content).slice(0, 12)}${extension}`;
    assets.set(fileName, { content, type });
    return fileName;
  }
  const names: AssetFileNames = {
    style: await addAsset("style"),
    script: await addAsset("script"),
    htmx: await addAsset("htmx"),
    icon: await addAsset("icon"),
  };
  app.get("/assets/:name", publicPageOptions, async (request, reply) => {
    const { name } = request.params as { name: string };
    const asset = assets.get(name);
    if (!asset) throw new OctavoError("not_found", "This file does not exist.");
    return reply
      .headers({ "cache-control": "public, max-age=31536000, immutable" })
      .type(asset.type)
      .send(asset.content);
  });
  return names;
}
