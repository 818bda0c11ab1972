import { readFileSync, statSync } from "node:fs";
import {
  describeSystemRefusal,
  limits,
  resolveRealPathSync,
  sha256,
  type Problem,
} from "../core/index.ts";
import type { Reference } from "../page/index.ts";
import { createSiteLinks, resolveLink, resolveMedia, type SiteLinks } from "../site/index.ts";
import type { ExportRun } from "./export-run.ts";
import { mapBounded } from "./map-bounded.ts";
import { hasOwnAddresses, rewriteOwnText, type OwnText } from "./media/own-addresses.ts";

const concurrentCopies = 16;

type CopyRun = Pick<ExportRun, "settings" | "source" | "bundle">;

interface ReferringPage {
  readonly page: { readonly path: string };
  readonly rendered: { readonly references: readonly Reference[] };
}

/**
 * Copies the site's own files into the bundle. The addresses in style sheets, SVG images and manifests are rewritten
 * so that they are valid there; all other files are copied unchanged. Files in ignored folders are copied if a page or
 * a copied file refers to them. Returns a problem for each file that cannot be read, and for each missing file to which
 * a style sheet or a file in use refers.
 */
export async function copyAssets(
  run: CopyRun,
  pages: readonly ReferringPage[],
): Promise<readonly Problem[]> {
  const { site } = run.source;
  let links: SiteLinks | undefined;
  const getLinks = () => (links ??= createSiteLinks(site));
  const copy = new AssetCopy(run, getLinks);
  await copy.add([...site.assets, ...site.styles, ...site.scripts]);
  const spare = new Set(site.spareAssets);
  if (spare.size === 0 && !copy.hasProblems) return copy.problems(() => true);
  const named = listNamedFiles(pages, getLinks());
  for (let added: readonly string[] = [...named]; added.length > 0;) {
    await copy.add(added.filter((file) => spare.has(file)));
    added = copy.takeNamed().filter((file) => !named.has(file));
    for (const file of added) named.add(file);
  }
  return copy.problems((file) => named.has(file));
}

class AssetCopy {
  readonly #run: CopyRun;
  readonly #getLinks: () => SiteLinks;
  readonly #styles: ReadonlySet<string>;
  readonly #unreadable: Problem[] = [];
  readonly #texts = new Map<string, OwnText["problems"]>();
  #named: string[] = [];

  constructor(run: CopyRun, getLinks: () => SiteLinks) {
    this.#run = run;
    this.#getLinks = getLinks;
    this.#styles = new Set(run.source.site.styles);
  }

  async add(paths: readonly string[]): Promise<void> {
    const { settings, source, bundle } = this.#run;
    const { root } = source.site;
    await mapBounded(paths, concurrentCopies, async (path) => {
      settings.signal?.throwIfAborted();
      if (bundle.isTaken(path)) return;
      try {
        const changed = hasOwnAddresses(path) ? this.#rewrite(root, path) : undefined;
        if (changed === undefined) await bundle.copyAsset(root, path);
        else bundle.place({ path, content: changed }, sha256(changed));
      } catch (error) {
        // A full disk is not a problem of the site.
        if (isDiskFull(error)) throw error;
        const reason = describeSystemRefusal(error);
        const plain = error instanceof Error ? error.message : String(error);
        const message = reason === undefined ? plain : `This file cannot be read: ${reason}.`;
        this.#unreadable.push({ severity: "error", code: "asset_unreadable", message, file: path });
      }
    });
  }

  /** Returns the new text of a file; undefined if it does not change. */
  #rewrite(root: string, path: string): string | undefined {
    const file = resolveRealPathSync(root, path);
    if (statSync(file).size > limits.pageBytes) return undefined;
    const text = readFileSync(file, "utf8");
    const own = rewriteOwnText(path, text, this.#getLinks, this.#run.source.site);
    this.#named.push(...own.files);
    this.#texts.set(path, own.problems);
    return own.text === text ? undefined : own.text;
  }

  /** Returns the files to which files copied since the last call refer. */
  takeNamed(): readonly string[] {
    const named = this.#named;
    this.#named = [];
    return named;
  }

  get hasProblems(): boolean {
    return this.#texts.values().some(({ length }) => length > 0);
  }

  /** Returns the problems of files in use and of the style sheets of all pages. */
  problems(isNamed: (file: string) => boolean): readonly Problem[] {
    const used = [...this.#texts].filter(([file]) => this.#styles.has(file) || isNamed(file));
    return [...this.#unreadable, ...used.flatMap(([, problems]) => problems)];
  }
}

function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return code === "ENOSPC" || code === "EDQUOT" || code === "EROFS";
}

/** Returns the files of the site to which pages refer. */
function listNamedFiles(pages: readonly ReferringPage[], links: SiteLinks): Set<string> {
  const named = new Set<string>();
  for (const { page, rendered } of pages) {
    for (const { kind, target, file } of rendered.references) {
      const resolve = kind === "link" ? resolveLink : resolveMedia;
      const resolution = resolve(target, { page: page.path, file }, links);
      if (resolution.kind === "file") named.add(resolution.path);
    }
  }
  return named;
}
