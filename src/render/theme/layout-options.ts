/**
 * Markup of the icon that an author named (or pointed to by a path or address) in the configuration,
 * the navigation or frontmatter; `rootMark` stands for the way to the bundle's root. Empty where
 * there is none.
 */
export type IconMarkup = (name: string | undefined, type?: string) => string;

export interface LayoutOptions {
  /** Where the bundle will stand, e.g. `https://docs.example.com/manual`: for canonical and preview addresses. */
  readonly baseUrl?: string;
  /** Product and version, e.g. `Octavo 0.1.0`. */
  readonly generator: string;
  /** No icons where absent. */
  readonly icon?: IconMarkup;
}
