import { limits } from "../../core/index.ts";
import type { Problem } from "../../core/index.ts";
import {
  isRemote,
  parseDescriptionFile,
  type DescriptionFile,
  type LinkedFiles,
} from "../../openapi/index.ts";
import type { ReadLocation } from "./location-reader.ts";

export interface LinkedFileOptions {
  readonly read: ReadLocation;
  readonly report: (problem: Problem) => void;
  /** Takes bytes from what the descriptions of the site may have in all; false if they are used up. */
  readonly take: (bytes: number) => boolean;
}

/** Finds the files that descriptions refer to, and reads each once for a site. */
export class FileLinker {
  readonly #options: LinkedFileOptions;
  readonly #files = new Map<string, DescriptionFile | string>();

  constructor(options: LinkedFileOptions) {
    this.#options = options;
  }

  /** A file that was read before. */
  known(name: string): DescriptionFile | undefined {
    const file = this.#files.get(name);
    return typeof file === "string" ? undefined : file;
  }

  /** All files that `main` refers to, directly or not. Rejects only if the signal is aborted. */
  async linkedTo(main: DescriptionFile): Promise<LinkedFiles> {
    this.#files.set(main.name, main);
    const linked = new Map<string, DescriptionFile | string>();
    const names = new Set(main.linked);
    let weight = main.weight;
    // The loop also visits what it adds.
    for (const name of names) {
      if (name === main.name) continue;
      const file = linked.size < limits.linkedFiles ? await this.#file(name, main) : tooMany;
      if (typeof file !== "string") weight += file.weight;
      const isTooLarge = weight > limits.descriptionWeight;
      const found = isTooLarge ? "but the files of this description are too large together" : file;
      linked.set(name, found);
      if (typeof found === "string") continue;
      for (const next of found.linked) names.add(next);
    }
    return linked;
  }

  async #file(name: string, main: DescriptionFile): Promise<DescriptionFile | string> {
    const known = this.#files.get(name) ?? (await this.#read(name, main));
    this.#files.set(name, known);
    if (typeof known === "string" || this.#options.take(known.bytes)) return known;
    return "but the descriptions of this site are too large together";
  }

  async #read(name: string, main: DescriptionFile): Promise<DescriptionFile | string> {
    const { read, report } = this.#options;
    const outcome = await read(name);
    if ("reason" in outcome) return `which ${outcome.reason}`;
    const file = isRemote(name) ? main.placeOf([]).file : name;
    const parsed = parseDescriptionFile({ file, name, text: outcome.text }, report);
    return parsed ?? "which is not valid";
  }
}

const tooMany = `but a description may refer to ${limits.linkedFiles} other files at most`;
