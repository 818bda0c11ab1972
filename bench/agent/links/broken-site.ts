import { openAuthor } from "../../../test/support/git-fixture.ts";
import { spoilAddresses } from "./address-changes.ts";
import type { WrongAddress } from "./address-changes.ts";
import { copySite, openEditedSite } from "./edited-site.ts";
import type { EditedSite } from "./edited-site.ts";
import {
  flattenFolder,
  mergeOne,
  moveOne,
  moveSection,
  removeOne,
  renameFolder,
  renameOne,
  restyleNames,
  rewordHeading,
  splitFolder,
} from "./page-changes.ts";
import type { SiteChange } from "./page-changes.ts";
import { createRandom } from "./random.ts";
import type { LinkedSite } from "./site-links.ts";

export interface BreakOptions {
  readonly seed: number;
  /** Whether the changes are commits of a repository in the folder. */
  readonly hasHistory: boolean;
  /** How often each kind of change is made. */
  readonly rounds: number;
}

export interface BrokenSite {
  readonly edited: EditedSite;
  readonly wrong: readonly WrongAddress[];
}

/** A few are enough: each breaks many links. */
const folderChanges: readonly SiteChange[] = [
  renameFolder,
  splitFolder,
  renameFolder,
  flattenFolder,
  restyleNames,
];
const changes: readonly SiteChange[] = [
  moveOne,
  renameOne,
  rewordHeading,
  removeOne,
  rewordHeading,
  mergeOne,
  moveSection,
];

/**
 * Copies a site and breaks links of it as history does: addresses that were always wrong, then pages and headings that
 * went elsewhere, each in a commit of its own.
 */
export async function breakSite(
  siteDir: string,
  folder: string,
  { before, seed, hasHistory, rounds }: BreakOptions & { readonly before: LinkedSite },
): Promise<BrokenSite> {
  const random = createRandom(seed);
  await copySite(siteDir, folder);
  const edited = await openEditedSite(folder, before);
  const wrong = await spoilAddresses(edited, random, rounds);
  const author = hasHistory ? await openAuthor(folder) : undefined;
  await author?.commit({});
  for (let round = 0; round < rounds; round++) {
    const folderChange =
      round % 2 === 0 ? folderChanges[(round / 2) % folderChanges.length] : undefined;
    for (const change of [...(folderChange ? [folderChange] : []), ...changes]) {
      await change(edited, random);
      await author?.commit({});
    }
  }
  return { edited, wrong };
}
