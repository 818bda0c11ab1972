import type { TaskOf } from "../../instruction/task.ts";
import type { CheckResult, Listing, Problem } from "../../site-tools.ts";
import type { BrokenLink } from "./broken-links.ts";
import type { Decision } from "./link-repair.ts";
import {
  code,
  count,
  inWords,
  tellFailures,
  tellFiles,
  tellList,
  tellParts,
  tellScope,
  tellUnseen,
} from "../telling.ts";

/** What came of each link, by its key. */
export interface LinkWork {
  readonly mended: Map<string, MendedLink>;
  readonly left: Map<string, LeftLink>;
  readonly failures: Map<string, string>;
}

/** A link that is left as it is, and why. */
export interface LeftLink {
  readonly link: BrokenLink;
  readonly reason: string;
}

export interface MendedLink extends Decision {
  /** The address that it was given first was mended again. */
  readonly isFollowed?: true;
}

export interface LinkStory {
  readonly task: TaskOf<"fix_links">;
  readonly listing: Listing;
  readonly first: CheckResult;
  readonly last: CheckResult;
  readonly isMeant: (problem: Problem) => boolean;
  readonly work: LinkWork;
}

/** What to tell of it, in Markdown. */
export function tellLinks({ task, listing, first, last, isMeant, work }: LinkStory): string {
  const media = last.counts.get("media_missing") ?? 0;
  const numberOf = ({ problems }: CheckResult) => problems.filter(isMeant).length;
  const mended = [...work.mended.values()];
  return tellParts(
    head(task, mended, { before: numberOf(first), after: numberOf(last) }),
    tellList(
      "Mended:",
      grouped(mended.map((own) => ({ ...own, told: tellMended(own) }))),
      maxAddresses,
    ),
    tellList(
      "Left as they are:",
      grouped([...work.left.values()].map((own) => ({ ...own, told: tellLeft(own) }))),
      maxAddresses,
    ),
    tellFailures(work.failures),
    media > 0 ? `${count(media, "picture or other file", "pictures and other files")} that pages show ${media === 1 ? "is" : "are"} not in the site; I cannot make them.` : "", // prettier-ignore
    last.unlisted > 0 ? `There are ${last.unlisted} more such problems than I look at in one go.` : "", // prettier-ignore
    tellUnseen(listing),
  );
}

/** Whoever reads what was offered has to see all of it. */
const maxAddresses = 200;

const plurals = { link: "links", anchor: "anchors", redirect: "redirects" } as const;

function head(
  { what, scope }: TaskOf<"fix_links">,
  mended: readonly Decision[],
  { before, after }: { readonly before: number; readonly after: number },
): string {
  const where = tellScope(scope);
  const many = what === "anchors" ? "broken anchors" : "broken links and anchors";
  if (before === 0) return `The check finds no ${many}${where}.`;
  const found = count(before, `broken ${what === "anchors" ? "anchor" : "link or anchor"}`, many);
  if (mended.length === 0) {
    return `The check finds ${found}${where}, of which none can be mended without guessing.`;
  }
  const kinds = (["link", "anchor", "redirect"] as const).flatMap((kind) => {
    const number = mended.filter(({ link }) => link.kind === kind).length;
    return number === 0 ? [] : [count(number, `broken ${kind}`, `broken ${plurals[kind]}`)];
  });
  return `Mended ${inWords(kinds)}${where}. The check found ${found} before and finds ${after === 0 ? "none" : after} now.`;
}

/** Each address once, with what became of it and every place that names it. */
function grouped(items: readonly { readonly link: BrokenLink; readonly told: string }[]): string[] {
  return [...Map.groupBy(items, ({ told }) => told)].map(
    ([told, own]) => `${told}, in ${tellFiles([...new Set(own.map(({ link }) => place(link)))])}`,
  );
}

function tellMended({ link, to, because }: MendedLink): string {
  return `${code(link.target)} → ${code(to)} (${because})`;
}

function tellLeft({ link, reason }: LeftLink): string {
  return `${code(link.target)}: ${reason}`;
}

function place({ file, line }: BrokenLink): string {
  return line === undefined ? file : `${file}:${line}`;
}
