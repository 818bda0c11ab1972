/**
 * Compares the repairs of `builtin/recipes` with those of authors, for links that real changes broke: in the
 * history of sites, commits renamed pages and repaired the links to them in other pages.
 */
import { progress } from "../progress.ts";
import type { Section } from "../results.ts";
import { table } from "../table.ts";
import { countLinks } from "./links.ts";
import { replayHistory } from "./links/real-history.ts";
import type { RealChange } from "./links/real-history.ts";

/** `histories` is a folder of git bundles, each of one site. */
export async function benchReplays(histories: string | undefined): Promise<Section> {
  if (histories === undefined) {
    throw new Error(
      "Set OCTAVO_HISTORY to a folder that holds git bundles of documentation sites.",
    );
  }
  const changes: RealChange[] = [];
  for await (const change of replayHistory(histories)) {
    progress(`links of ${change.site}, broken by ${change.commit}: ${change.links.length}`);
    changes.push(change);
  }
  const rows = [...Map.groupBy(changes, ({ site }) => site)].map(([site, own]) => {
    const { right, wrong, left } = countLinks(own.flatMap(({ links }) => links));
    return [site, ...[own.length, right, wrong, left].map(String)];
  });
  const others = changes.flatMap(({ site, commit, links }) =>
    links
      .filter(({ verdict }) => verdict === "wrong")
      .map(({ told }) => `- ${site} ${commit}: \`${told}\``),
  );
  const body = [
    table(["site", "commits", "as the author", "elsewhere", "left"], rows),
    others.length === 0
      ? "No link was led to a page that its author did not choose."
      : `Led elsewhere than by the author:\n\n${others.join("\n")}`,
  ].join("\n\n");
  return { title: "Links that real changes broke", limits: [], body };
}
