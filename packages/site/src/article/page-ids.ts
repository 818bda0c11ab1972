import { idBesideLayout, layoutIds } from "../site/index.ts";
import { aliasSlugs, slugOf } from "../text/index.ts";

/** The ids of one page, so that none is used twice. */
export class PageIds {
  readonly #taken = new Set<string>(layoutIds);
  /** Next number to try for a slug, so that equal headings take linear time. */
  readonly #nextNumber = new Map<string, number>();
  readonly #shown = new Set<string>();

  /** Reserves an id. False if it is taken. */
  reserve(id: string): boolean {
    if (this.#taken.has(id)) return false;
    this.#taken.add(id);
    return true;
  }

  /** Reserves and returns the slug, or the slug with `-2`, `-3`, ... if it is taken, `-section` if the layout uses it. */
  allocate(slug: string): string {
    if (this.reserve(slug)) return slug;
    if (layoutIds.has(slug) && this.reserve(idBesideLayout(slug))) return idBesideLayout(slug);
    let number = this.#nextNumber.get(slug) ?? 2;
    while (!this.reserve(`${slug}-${number}`)) number++;
    this.#nextNumber.set(slug, number + 1);
    return `${slug}-${number}`;
  }

  /** Reserves and returns the free aliases of a heading with the slug `slug` and the id `id`. */
  reserveAliases(text: string, slug: string, id: string): string[] {
    const isFirst = id === slug || id === idBesideLayout(slug);
    const ordinal = isFirst ? 1 : Number(id.slice(slug.length + 1));
    return aliasSlugs(text, ordinal).filter((alias) => this.reserve(alias));
  }

  /** Reserves and returns the free slugs of another text of a heading. */
  reserveOtherSlugs(text: string): string[] {
    return [slugOf(text), ...aliasSlugs(text, 1)].filter((alias) => this.reserve(alias));
  }

  /** Records that `id` is in the HTML. False if it is already there. */
  show(id: string): boolean {
    if (this.#shown.has(id)) return false;
    this.#shown.add(id);
    this.#taken.add(id);
    return true;
  }

  /** Ids in the HTML, in order. */
  get shown(): readonly string[] {
    return [...this.#shown];
  }
}
