import { idBesideLayout, layoutIds } from "./layout-ids.ts";
import { aliasSlugs } from "../text/index.ts";

/** The ids of one page: who has which, so that none is given twice. */
export class PageIds {
  readonly #taken = new Set<string>(layoutIds);
  /** Next number to try for a slug, so that a thousand equal headings cost a thousand steps. */
  readonly #nextNumber = new Map<string, number>();
  readonly #shown = new Set<string>();

  /** Keeps an author's own id for the element that carries it. False where another has it already. */
  reserve(id: string): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    return true;
  }

  /** The slug, or the slug with `-2`, `-3`... where it is taken; `-section` where it is the layout's. */
  allocate(slug: string): string {
    if (this.reserve(slug)) return slug;
    if (layoutIds.has(slug) && this.reserve(idBesideLayout(slug))) return idBesideLayout(slug);
    let number = this.#nextNumber.get(slug) ?? 2;
    while (!this.reserve(`${slug}-${number}`)) number++;
    this.#nextNumber.set(slug, number + 1);
    return `${slug}-${number}`;
  }

  /** The free ones among the further ids of a heading whose slug is `slug` and that has claimed `id`. */
  reserveAliases(text: string, slug: string, id: string): string[] {
    const isFirst = id === slug || id === idBesideLayout(slug);
    const ordinal = isFirst ? 1 : Number(id.slice(slug.length + 1));
    return aliasSlugs(text, ordinal).filter((alias) => this.reserve(alias));
  }

  /** Says that `id` is in the HTML now, and so can be linked to. False where it is there already. */
  show(id: string): boolean {
    if (this.#shown.has(id)) return false;
    this.#shown.add(id);
    this.#taken.add(id);
    return true;
  }

  /** Ids in the HTML, in its order. */
  get shown(): readonly string[] {
    return [...this.#shown];
  }
}
