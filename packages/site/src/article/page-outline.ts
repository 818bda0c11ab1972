import { type Html } from "../markup/index.ts";
import type { ComponentOutline } from "../components/index.ts";
import type { OutlineEntry } from "../page/index.ts";

const maxDepth = 4;

/** The table of contents of one page. */
export class PageOutline implements ComponentOutline {
  readonly entries: OutlineEntry[] = [];
  #hiddenDepth = 0;
  #parentDepth = 0;

  add(entry: OutlineEntry): void {
    if (this.#hiddenDepth > 0) return;
    this.entries.push({ ...entry, depth: Math.min(maxDepth, entry.depth + this.#parentDepth) });
  }

  without(render: () => Html): Html {
    this.#hiddenDepth++;
    const html = render();
    this.#hiddenDepth--;
    return html;
  }

  below(render: () => Html): Html {
    this.#parentDepth++;
    const html = render();
    this.#parentDepth--;
    return html;
  }
}
