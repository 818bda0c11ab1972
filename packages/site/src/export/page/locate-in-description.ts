import type { RenderedPage } from "./rendered-page.ts";
import type { PageMaterial } from "../../load/index.ts";
import type { Problem } from "../../core/index.ts";
import type { SitePage } from "../../site/index.ts";

/**
 * Gives the problems and references of a page that is generated from an API description the line of its operation
 * there: the page has no lines of its own.
 */
export function locateInDescription(
  page: SitePage,
  rendered: RenderedPage,
  material: PageMaterial | undefined,
): RenderedPage {
  if (page.isGenerated !== true) return rendered;
  const { barriers, problems, references } = rendered;
  if (barriers.length + problems.length + references.length === 0) return rendered;
  const place = material?.place?.() ?? { file: page.file };
  const { line = 1, column = 1 } = place;
  const atPlace = ({ severity, code, message }: Problem): Problem => {
    return { severity, code, message, ...place };
  };
  const located = {
    problems: problems.map(atPlace),
    barriers: barriers.map(atPlace),
    references: references.map((reference) => ({ ...reference, line, column })),
  };
  // The others stay where they are: those of a cached page are read on access.
  return new Proxy(rendered, {
    get: (page, name) => Reflect.get(name in located ? located : page, name),
  });
}
