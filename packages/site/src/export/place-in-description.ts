import type { RenderedPage } from "./rendered-page.ts";
import type { PageMaterial, SitePage } from "../site/index.ts";

/**
 * A page that was made of a description has no lines of its own: what is found in it is shown where its
 * operation stands there.
 */
export function placeInDescription(
  page: SitePage,
  rendered: RenderedPage,
  material: PageMaterial | undefined,
): RenderedPage {
  const { problems, references } = rendered;
  if (page.isGenerated !== true || problems.length + references.length === 0) return rendered;
  const place = material?.place?.() ?? { file: page.file };
  const { line = 1, column = 1 } = place;
  // The page's texts may be read only when they are asked for: a copy by spreading would ask.
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
