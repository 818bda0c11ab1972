import { candidatesOf } from "./link-evidence.ts";
import type { Candidate } from "./link-evidence.ts";
import type { LinkFacts, LostLink } from "./link-facts.ts";
import { code } from "../telling.ts";

/** The page or place meant, with the evidence for it, or why that cannot be said. */
export type Verdict =
  | { readonly found: string; readonly because: string }
  | { readonly reason: string };

/** What must speak for a page, and how much more than for any other. */
const minScore = 6;
const minLead = 2;
/** With less, nobody would take it for what was meant. */
const minOffer = -5;

/**
 * Which page a link means that leads nowhere: the one for which clearly most speaks. Two pages that are not clearly
 * apart are none. What is not sure comes back as the two best with what speaks for and against them.
 */
export function judgeLink(link: LostLink, facts: LinkFacts): Verdict {
  if (link.wanted === "") return { reason: "it names nothing" };
  const [best, second] = candidatesOf(link, facts).filter(({ score }) => score > minOffer);
  if (best === undefined) {
    const went = facts.lost.get(link.wanted);
    const isDeleted = went !== undefined && went.renamedTo === undefined;
    return {
      reason: isDeleted ? "the page was deleted, and no other is like it" : "no page is like it",
    };
  }
  // Its page is the redirect's, and no other of the same name.
  if (!best.isCertain && facts.index.hasDeadRedirect(link.wanted)) {
    return { reason: "a redirect leads from it to a page that is not there" };
  }
  const lead = best.score - Math.max(second?.score ?? 0, 0);
  if (best.score >= minScore && lead >= minLead) {
    return { found: best.page, because: best.reasons.join("; ") };
  }
  const others = second === undefined ? "" : `, or ${offer(second)}`;
  const doubt = best.score >= minScore ? "either could be meant" : "not sure enough";
  return { reason: `${doubt}: perhaps ${offer(best)}${others}` };
}

function offer({ page, reasons }: Candidate): string {
  return `${code(`/${page}`)} (${reasons.join("; ")})`;
}
