import type { Corpus } from "../corpus.ts";

/** For generators that keep a large site in memory: Node's own limit ends them. */
export const roomyHeap = "--max-old-space-size=12288";

/** How one generator builds one site. */
export interface Build {
  readonly command: readonly string[];
  readonly cwd: string;
  /** Over the environment of the benchmark. */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder that holds the built site. */
  readonly output: string;
  /** Folders that the generator keeps for its next build; removed, with the output, before a cold build. */
  readonly caches: readonly string[];
}

/** A generator that is measured, with everything at its defaults unless `setup` says otherwise. */
export interface Peer {
  readonly name: string;
  /** The exact versions that are installed. */
  readonly version: string;
  /** The generator's outputs besides pages, and its configuration. */
  readonly setup: string;
  /** Pages that it is asked to build at most; none where it is asked for every size. */
  readonly mostPages?: number;
  /** Installs it into `folder`, which is its own and is kept between runs, unless it is there. */
  install(folder: string): Promise<void>;
  /** Writes the corpus as a site into the empty folder `site`, which is below the `folder` of `install`. */
  prepare(corpus: Corpus, site: string): Promise<Build>;
}
