import { access, readdir } from "node:fs/promises";
import { join } from "node:path";
import { openRenderChildren } from "../../../packages/site/src/index.ts";
import { git } from "../../../test/support/git-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { JudgedLink } from "./judge.ts";
import { fixLinksIn } from "./run-recipe.ts";
import { readLinks } from "./site-links.ts";
import type { AuthoredLink, LinkedSite, ReadOptions } from "./site-links.ts";

/** The repairs of links that one real commit broke by renaming pages, beside the author's own repairs. */
export interface RealChange {
  readonly site: string;
  readonly commit: string;
  readonly links: readonly JudgedLink[];
}

/** A commit that renamed pages, and the pages beside them that it changed. */
interface Renaming {
  readonly commit: string;
  readonly changed: readonly string[];
}

const maxRenamings = 12;
const page = /\.mdx?$/;

/**
 * Takes real changes in which authors renamed pages and mended the links to them in other pages; undoes the mending,
 * lets the recipe do it, and compares. `folder` holds git bundles of sites.
 */
export async function* replayHistory(folder: string): AsyncGenerator<RealChange> {
  const bundles = (await readdir(folder)).filter((name) => name.endsWith(".bundle"));
  for (const bundle of bundles.toSorted()) {
    const site = bundle.replace(/\.bundle$/, "");
    await using scratch = await temporaryFolder();
    await using children = openRenderChildren();
    const clone = join(scratch.path, "clone");
    await git(scratch.path, "clone", "--quiet", join(folder, bundle), clone);
    const options = { cacheDir: join(scratch.path, "cache"), children };
    for (const renaming of (await renamingsOf(clone)).slice(0, maxRenamings)) {
      const links = await replay(clone, renaming, options);
      if (links.length > 0) yield { site, commit: renaming.commit.slice(0, 12), links };
    }
  }
}

async function renamingsOf(clone: string): Promise<Renaming[]> {
  const format = ["--no-merges", "--find-renames", "--name-status", "--format=/%H"];
  const log = await git(clone, "-c", "core.quotePath=false", "log", ...format);
  return log.split(/^\//m).flatMap((text) => {
    const [commit = "", ...lines] = text.trim().split("\n");
    const files = lines.map((line) => line.split("\t")).filter(([, path = ""]) => page.test(path));
    const changed = files.flatMap(([status, path = ""]) => (status === "M" ? [path] : []));
    const hasRenamed = files.some(([status = ""]) => status.startsWith("R"));
    return hasRenamed && changed.length > 0 ? [{ commit, changed }] : [];
  });
}

async function replay(
  clone: string,
  { commit, changed }: Renaming,
  options: ReadOptions,
): Promise<JudgedLink[]> {
  await git(clone, "checkout", "--quiet", "--force", commit);
  const isNested = await access(join(clone, "docs/docs.json")).then(
    () => true,
    () => false,
  );
  const siteDir = isNested ? join(clone, "docs") : clone;
  const people = await readLinks(siteDir, options);
  await git(clone, "checkout", "--quiet", `${commit}~1`, "--", ...changed);
  const broken = await readLinks(siteDir, options);
  const { cacheDir } = options;
  await fixLinksIn({ folder: siteDir, cacheDir, hasHistory: true });
  return compare(people, broken, await readLinks(siteDir, options));
}

/** Judges each file's broken links: whether they lead where the author's replacement leads. */
function compare(people: LinkedSite, broken: LinkedSite, mended: LinkedSite): JudgedLink[] {
  const theirs = Map.groupBy(people.links, ({ file }) => file);
  const after = Map.groupBy(mended.links, ({ file }) => file);
  return [...Map.groupBy(broken.links, ({ file }) => file)].flatMap(([file, links]) =>
    links.flatMap((link, index): JudgedLink[] => {
      const wasGood = theirs.get(file)?.some(({ target }) => target === link.target) ?? true;
      if (wasGood || broken.resolve(link.target, link) !== undefined) return [];
      if (/^[a-z]+:/i.test(link.target)) return [];
      const target = after.get(file)?.[index]?.target ?? link.target;
      const told = `${file}:${link.line} ${link.target} -> ${target}`;
      if (target === link.target) return [{ kind: "page renamed", verdict: "left", told }];
      const isRight = leadsAsTheirs(mended, { ...link, target }, theirs.get(file) ?? []);
      return [{ kind: "page renamed", verdict: isRight ? "right" : "wrong", told }];
    }),
  );
}

function leadsAsTheirs(
  site: LinkedSite,
  link: AuthoredLink,
  theirs: readonly AuthoredLink[],
): boolean {
  const place = site.resolve(link.target, link);
  return theirs.some((other) => {
    const wanted = site.resolve(other.target, other);
    return wanted !== undefined && wanted.page === place?.page;
  });
}
