import type { Clause } from "./clauses.ts";
import type { Scope } from "./task.ts";

/** In a pattern: quoted words, or one word that is a path or a name. */
export const argument = String.raw`("\d+"|[^\s",]+)`;
/** In a pattern: quoted words alone. */
export const quoted = String.raw`("\d+")`;
export const article = String.raw`(?:the |our |my |a |an )?`;
export const everyArticle = String.raw`(?:(?:all|any|every|each|the|of|our|my|those|these|some|remaining) )*`;

/** A pattern over a clause's whole text; blanks stand for one blank each. */
export function clausePattern(...parts: readonly string[]): RegExp {
  return new RegExp(`^${parts.join("")}$`, "i");
}

/** What an argument of a pattern stands for. */
export function valueOf(part: string | undefined, { quotes }: Clause): string {
  const index = /^"(\d+)"$/.exec(part ?? "")?.[1];
  return (index === undefined ? (part ?? "") : (quotes[Number(index)] ?? "")).trim();
}

export function isQuoted(part: string | undefined): boolean {
  return /^"\d+"$/.test(part ?? "");
}

/** Whether a name is a path and no title or word: `guides/start`, `start.mdx`. */
export function isPath(name: string): boolean {
  return !/\s/.test(name) && (/[^/]\/[^/]|^\/[^/]/.test(name) || /\.mdx?$/i.test(name));
}

const place = "(?:in|under|within|inside|across|throughout|on|of|for|from)";
const wholeSite = new RegExp(
  `^(.*?),? (?:(?:everywhere|site-?wide|globally)(?: ${place} .*)?|${place} (?:all (?:of )?)?(?:the |our |my |this |these |every |each )?(?:whole |entire |complete |full )?(?:(?:documentation |docs? )?(?:web)?site|docs?|documentation|project|repo(?:sitory)?|pages?|files?|content|manual))$`,
  "i",
);
const partOfSite = new RegExp(
  `^(.*?),? ${place} (?:all (?:of )?|every(?:thing)? (?:in )?)?(?:the |our |my )?(?:(?:pages?|files?|docs) (?:in|of|under) (?:the )?)?(?:(?:folder|directory|section|page|file) )?("\\d+"|[\\w.-]+(?:/[\\w.-]*)*|/[\\w./-]+|[\\w-]+ [\\w-]+)(?: (?:folder|directory|section|pages?|files?|docs))?$`,
  "i",
);

/** Takes the part of the site off a clause's end: `... in the guides`, `... everywhere`. */
export function takeScope(clause: Clause): { readonly clause: Clause; readonly scope?: Scope } {
  const whole = wholeSite.exec(clause.text);
  if (whole !== null) return takeScope({ ...clause, text: whole[1] ?? "" });
  const part = partOfSite.exec(clause.text);
  if (part === null) return { clause };
  const name = valueOf(part[2], clause);
  return { clause: { ...clause, text: part[1] ?? "" }, scope: { name } };
}
