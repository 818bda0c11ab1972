import { existsSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { cleanRelativePath, OctavoError } from "@octavo/site/core";
import type { TurnSource } from "../../agent/index.ts";
import { findUserCacheFolder } from "../../config/index.ts";
import type { Config } from "../../config/index.ts";
import { isRefName, parseSourceSpec } from "../../core/index.ts";
import type { SourceSpec } from "../../core/index.ts";
import type { CommandContext } from "../context.ts";

interface SourceOptions {
  readonly config: Config;
  /** The values of the flag. */
  readonly sources: readonly string[];
  /** The folder for copies of repositories if the user has no cache folder or does not want one. */
  readonly scratchDir: string;
  readonly isCached: boolean;
}

/** Opens the repositories that the user named: addresses, or folders of this machine, which are read as committed. */
export async function openNamedSources(
  context: CommandContext,
  { config, sources, scratchDir, isCached }: SourceOptions,
): Promise<readonly TurnSource[]> {
  if (sources.length === 0) return [];
  const isFolder = (name: string) =>
    name !== "" && existsSync(resolve(context.invocationDir, name));
  const located = await Promise.all(
    sources.map((text) => locate(context, parseSourceSpec(text, isFolder))),
  );
  const named = new Set(located.flatMap(({ folder }) => folder ?? []));
  const { allow } = config;
  const allowsFile = (path: string) => named.has(path) || allow.allowsFile(path);
  const { createGit } = await import("../../git/index.ts");
  const cacheFolder = isCached ? findUserCacheFolder(context.env) : undefined;
  const git = createGit({
    cacheDir: join(cacheFolder ?? scratchDir, "sources"),
    allow: { ...allow, allowsFile },
  });
  return located.map(({ url, ref, directory }) => ({
    repository: url,
    ref,
    directory,
    open: (commit, signal) => {
      const point = commit === undefined ? { ref: ref ?? undefined } : { commit };
      return git.openSource({ repository: { url }, directory }, point, signal);
    },
  }));
}

interface LocatedSource {
  readonly url: string;
  readonly ref: string | null;
  readonly directory: string;
  /** The path if the source is a folder of this machine. */
  readonly folder?: string;
}

async function locate(
  { invocationDir }: CommandContext,
  { repository, ref, directory }: SourceSpec,
): Promise<LocatedSource> {
  const clean = cleanRelativePath(directory);
  if (clean === undefined || (ref !== null && !isRefName(ref))) {
    throw new OctavoError(
      "invalid_input",
      `--source ${repository}: the ref or folder is not valid.`,
    );
  }
  const place = { ref, directory: clean === "" ? "." : clean };
  if (/^[a-z][a-z\d+.-]*:\/\/|^[\w.-]+@[\w.-]+:/i.test(repository))
    return { url: repository, ...place };
  const folder = await realpath(resolve(invocationDir, repository)).catch(() => undefined);
  if (folder === undefined) {
    throw new OctavoError(
      "invalid_input",
      `--source ${JSON.stringify(repository)} is neither an address nor a folder.`,
    );
  }
  return { url: pathToFileURL(folder).href, ...place, folder };
}
