import type { RenderedPage } from "./rendered-page.ts";
import type { PageMaterial } from "../../load/index.ts";
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
  const { problems, references } = rendered;
  if (page.isGenerated !== true || problems.length + references.length === 0) return rendered;
  const place = material?.place?.() ?? { file: page.file };
  const { line = 1, column = 1 } = place;
  // Texts of a cached page are read on access: spreading would read all of them.
  return Object.defineProperties({} as RenderedPage, {
    ...Object.getOwnPropertyDescriptors(rendered),
    problems: {
      enumerable: true,
      value: problems.map(({ severity, code, message }) => ({ severity, code, message, ...place })),
    },
    references: {
      enumerable: true,
      value: references.map((reference) => ({ ...reference, line, column })),
    },
  });
}
