import { limits } from "../../core/index.ts";

/** Options of one choice that a page shows, and levels of objects within objects. */
export const maxOptions = 50;
export const maxDepth = 16;

/** Why something of a page's schemas is not shown. */
export type OmissionCause = "room" | "depth" | "options";

const causes: Readonly<Record<OmissionCause, string>> = {
  room: `A page has room for about ${limits.schemaBytes / 1_000} KB of fields, and this one needs more`,
  depth: `Fields are shown ${maxDepth} levels deep, and this page has deeper ones`,
  options: `The first ${maxOptions} options of a choice are shown, and this page has a choice with more`,
};

const sharedRoom =
  "The schemas of this page are shown in part: they refer to each other so often that the pages of their description would become many times its size";

/** Ids of nested fields contain those of all fields around them. */
const maxAnchor = 200;

/** What one page does not show of its schemas. */
export class Omissions {
  readonly #anchors = new Map<OmissionCause, Set<string>>();

  /** `anchor` is the id of the field on the page. */
  add(cause: OmissionCause, anchor: string): void {
    const anchors = this.#anchors.get(cause) ?? new Set();
    this.#anchors.set(cause, anchors.add(anchor));
  }

  /** A sentence for each cause. `isShared`: the page has less room than others, which its description's pages share. */
  messages(isShared: boolean): readonly string[] {
    return Array.from(this.#anchors, ([cause, anchors]) => {
      const [first = ""] = anchors;
      const others = anchors.size === 1 ? "" : ` and ${anchors.size - 1} more places`;
      const reason = cause === "room" && isShared ? sharedRoom : causes[cause];
      return `${reason}: something is missing at #${first.slice(0, maxAnchor)}${others}.`;
    });
  }
}
