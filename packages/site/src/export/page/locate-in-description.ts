import type { RenderedPage } from "./rendered-page.ts";
import type { PageMaterial } from "../../load/index.ts";
import type { Problem } from "../../core/index.ts";
import type { Reference } from "../../page/index.ts";
import type { SitePage } from "../../site/index.ts";

/**
 * Gives the problems of a page that is generated from an API description the line of its operation there, as the page
 * has no lines of its own, and what a description refers to, on any page, the line where it does.
 */
export function locateInDescription(
  page: SitePage,
  rendered: RenderedPage,
  material: PageMaterial | undefined,
): RenderedPage {
  const located = page.isGenerated
    ? locateAll(page, rendered, material)
    : locateReferences(page, rendered, material);
  if (located === undefined) return rendered;
  // The others stay where they are: those of a cached page are read on access.
  return new Proxy(rendered, {
    get: (page, name) => Reflect.get(name in located ? located : page, name),
  });
}

type Located = Pick<RenderedPage, "references"> & Partial<RenderedPage>;

function locateAll(
  page: SitePage,
  { barriers, problems, references }: RenderedPage,
  material: PageMaterial | undefined,
): Located | undefined {
  if (barriers.length + problems.length + references.length === 0) return undefined;
  const place = material?.place?.() ?? { file: page.file };
  const { line = 1, column = 1 } = place;
  const atPlace = ({ severity, code, message }: Problem): Problem => {
    return { severity, code, message, ...place };
  };
  return {
    problems: problems.map(atPlace),
    barriers: barriers.map(atPlace),
    references: references.map((reference) =>
      describedBy(material, { ...reference, line, column }),
    ),
  };
}

/** What a description says has the place of the page's head, where its text has none. */
function locateReferences(
  page: SitePage,
  rendered: RenderedPage,
  material: PageMaterial | undefined,
): Located | undefined {
  if (material?.find === undefined) return undefined;
  // Not earlier: those of a cached page are read on access, and nearly every page shows nothing of a description.
  const { references } = rendered;
  const isDescribed = ({ file, line, column }: Reference) =>
    file === page.file && line === 1 && column === 1;
  if (!references.some(isDescribed)) return undefined;
  return {
    references: references.map((reference) =>
      isDescribed(reference) ? describedBy(material, reference) : reference,
    ),
  };
}

/** Where it is written is looked for when somebody asks: only what is broken has to tell it. */
function describedBy(material: PageMaterial | undefined, reference: Reference): Reference {
  return { ...reference, findPlace: () => material?.find?.(reference.target) };
}
