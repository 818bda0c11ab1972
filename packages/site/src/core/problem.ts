/** One thing that is wrong in a site, with its place, as `check` and the report list it. */
export interface Problem {
  /** `error`: something that the author wrote is missing or broken for readers. `warning`: shown, but not as meant. */
  readonly severity: "error" | "warning";
  /** What kind of problem, `snake_case`, stable: programs filter by it. */
  readonly code: string;
  /** One sentence a writer can act on. */
  readonly message: string;
  /** Path below the site's folder, with forward slashes. */
  readonly file: string;
  /** 1-based; absent where the whole file is meant. */
  readonly line?: number;
  readonly column?: number;
}
