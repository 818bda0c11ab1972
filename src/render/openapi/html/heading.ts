import { escapeHtml } from "../../components/html.ts";
import type { ApiContext } from "../api-context.ts";

/** A heading of the page's own, which links can lead to by the same id in every language. */
export function sectionHeading(
  text: string,
  {
    id,
    depth = 2,
    aside = "",
  }: { readonly id: string; readonly depth?: number; readonly aside?: string },
  { page }: ApiContext,
): string {
  const claimed = page.claimId(id);
  page.addOutline({ depth, id: claimed, text });
  const target = escapeHtml(claimed);
  const link = `<a class="anchor" href="#${target}" aria-hidden="true" tabindex="-1"></a>`;
  return `<h${depth} id="${target}">${escapeHtml(text)}${aside}${link}</h${depth}>`;
}
