import { foldLettersAndDigits } from "../../../packages/site/src/core/index.ts";
import type { EditedSite, Expected } from "./edited-site.ts";
import type { WrongAddress } from "./address-changes.ts";
import type { AuthoredLink, LinkedSite, Place } from "./site-links.ts";

export type Verdict =
  | "right"
  | "wrong"
  | "left"
  /** The page was permanently removed, and the link was left unchanged. */
  | "rightly left";

/** A link that history broke, and its outcome. */
export interface JudgedLink {
  readonly kind: Expected["kind"] | "not broken";
  readonly verdict: Verdict;
  /** `file:line before -> after (expected)`. */
  readonly told: string;
  /** The recipe's evidence for a wrong repair, if its summary shows it. */
  readonly because?: string;
}

/** The site when it was broken and after the recipe, and what is known of its links. */
export interface Outcome {
  readonly edited: EditedSite;
  readonly wrong: readonly WrongAddress[];
  readonly broken: LinkedSite;
  readonly mended: LinkedSite;
  /** The summary of the recipe. */
  readonly summary: string;
}

export interface Judgment {
  readonly links: readonly JudgedLink[];
  /** Links that were broken from the start and that the recipe changed. Their intended target is unknown. */
  readonly unjudged: readonly string[];
}

/** Compares each link that was good with where it leads after the recipe. */
export function judgeLinks({ edited, wrong, broken, mended, summary }: Outcome): Judgment {
  const after = inFiles(mended.links);
  const links: JudgedLink[] = [];
  const unjudged: string[] = [];
  for (const [file, own] of inFiles(broken.links)) {
    const next = after.get(file) ?? [];
    if (next.length !== own.length) throw new Error(`${file} has other links than before.`);
    for (const [index, link] of own.entries()) {
      const target = next[index]?.target ?? "";
      const expected = expectedOf(link, edited, wrong);
      const isBroken = broken.resolve(link.target, link) === undefined;
      if (expected === undefined) judgeUnknown(link, { target, isBroken, links, unjudged });
      if (expected === undefined || !isBroken) continue;
      const verdict = verdictOf(link, target, { expected, mended });
      const places = expected.places.map(({ page, anchor }) => `/${page}${anchor && `#${anchor}`}`);
      const wanted = places.length === 0 ? "gone" : places.join(" or ");
      const told = `${tellChange(link, target)} (${wanted})`;
      const because = verdict === "wrong" ? reasonIn(summary, link.target, target) : undefined;
      links.push({ kind: expected.kind, verdict, told, ...(because && { because }) });
    }
  }
  return { links, unjudged };
}

/** Judges a link whose intended target is unknown. It must not be changed if it leads somewhere. */
function judgeUnknown(
  link: AuthoredLink,
  {
    target,
    isBroken,
    links,
    unjudged,
  }: {
    readonly target: string;
    readonly isBroken: boolean;
    readonly links: JudgedLink[];
    readonly unjudged: string[];
  },
): void {
  if (target === link.target) return;
  const told = tellChange(link, target);
  if (isBroken) unjudged.push(told);
  else links.push({ kind: "not broken", verdict: "wrong", told });
}

function tellChange({ file, line, target: before }: AuthoredLink, target: string): string {
  return `${file}:${line} ${target === before ? before : `${before} -> ${target}`}`;
}

function reasonIn(summary: string, before: string, after: string): string | undefined {
  const start = `\`${before}\` → \`${after}\` (`;
  const line = summary.split("\n").find((text) => text.includes(start));
  return line?.slice(line.indexOf(start) + start.length).replace(/\), in .*$/s, "");
}

function inFiles(links: readonly AuthoredLink[]): Map<string, AuthoredLink[]> {
  return Map.groupBy(links, ({ file }) => file);
}

/** Where a link must lead by now; undefined where it was not good before. */
function expectedOf(
  link: AuthoredLink,
  edited: EditedSite,
  wrong: readonly WrongAddress[],
): Expected | undefined {
  const spoilt = wrong.find(
    ({ file, target }) => target === link.target && isFile(file, link, edited),
  );
  const page = edited.pageBefore(link.page);
  const file = link.file === fileOf(link.page, link.file) ? fileOf(page, link.file) : link.file;
  const place = spoilt?.place ?? edited.before.resolve(link.target, { page, file });
  if (place === undefined) return undefined;
  const changed = edited.expect(place);
  if (spoilt !== undefined) return { kind: spoilt.kind, places: changed?.places ?? [place] };
  const kind = page === link.page ? "not broken" : "link on a moved page";
  if (changed !== undefined) return changed;
  return kind === "not broken" ? undefined : { kind, places: [place] };
}

/** A page's file has its path, a snippet's has not. */
function fileOf(page: string, file: string): string {
  return `${page}${file.slice(file.lastIndexOf("."))}`;
}

function isFile(before: string, link: AuthoredLink, edited: EditedSite): boolean {
  const page = before.replace(/\.mdx?$/, "");
  const now = edited.pageNow(page);
  return link.file === before || (now !== undefined && link.file === fileOf(now, before));
}

function verdictOf(
  link: AuthoredLink,
  target: string,
  { expected, mended }: { readonly expected: Expected; readonly mended: LinkedSite },
): Verdict {
  if (target === link.target) return expected.places.length === 0 ? "rightly left" : "left";
  const found = mended.resolve(target, link);
  // The layout has ids of its own: a heading that would have one of them gets another.
  const leadsTo = ({ page, anchor }: Place, to: Place) => {
    const place = mended.resolve(`/${page}#${anchor}`, link);
    return place !== undefined && isSame(place, to);
  };
  if (found !== undefined) {
    const isRight = expected.places.some((place) => isSame(place, found) || leadsTo(place, found));
    return isRight ? "right" : "wrong";
  }
  // The page is mended and its place still to be: not right, and nothing is lost.
  const page = mended.resolve(target.replace(/#.*$/s, ""), link)?.page;
  const hasPage = expected.places.some((place) => place.page === page);
  const anchor = /#.*$/s.exec(link.target)?.[0];
  return hasPage && anchor !== undefined && target.endsWith(anchor) ? "left" : "wrong";
}

/** Ids that differ in signs alone are those of one heading: the format's, GitHub's and older ones. */
function isSame(a: Place, b: Place): boolean {
  return a.page === b.page && foldLettersAndDigits(a.anchor) === foldLettersAndDigits(b.anchor);
}
