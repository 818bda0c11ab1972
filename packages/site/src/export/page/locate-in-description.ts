import type { RenderedPage } from "./rendered-page.ts";
import type { PageMaterial } from "../../load/index.ts";
import type { Problem } from "../../core/index.ts";
import type { Reference } from "../../page/index.ts";
import type { SitePage } from "../../site/index.ts";

/**
 * Adds positions in API descriptions to a rendered page. A page that is generated from a description has no lines of
 * its own, so its problems get the line of its operation in the description. References that come from a description,
 * on any page, get their line in the description.
 */
export function locateInDescription(
  page: SitePage,
  rendered: RenderedPage,
  material: PageMaterial | undefined,
): RenderedPage {
  const locatedFields = page.isGenerated
    ? locateAll(page, rendered, material)
    : locateReferences(page, rendered, material);
  if (locatedFields === undefined) return rendered;
  // A proxy is used so that the other fields are still read only on access, like all fields of a cached page.
  return new Proxy(rendered, {
    get: (page, name) => Reflect.get(name in locatedFields ? locatedFields : page, name),
  });
}

type LocatedFields = Pick<RenderedPage, "references"> & Partial<RenderedPage>;

function locateAll(
  page: SitePage,
  { barriers, problems, references }: RenderedPage,
  material: PageMaterial | undefined,
): LocatedFields | undefined {
  if (barriers.length + problems.length + references.length === 0) return undefined;
  const location = material?.locate?.() ?? { file: page.file };
  const { line = 1, column = 1 } = location;
  const atPosition = ({ severity, code, message }: Problem): Problem => {
    return { severity, code, message, ...location };
  };
  return {
    problems: problems.map(atPosition),
    barriers: barriers.map(atPosition),
    references: references.map((reference) =>
      addLocationFinder(material, { ...reference, line, column }),
    ),
  };
}

/**
 * Adds positions to references from a description. Without these positions, the references are at line 1, column 1 of
 * the page, because they are not in the page's text.
 */
function locateReferences(
  page: SitePage,
  rendered: RenderedPage,
  material: PageMaterial | undefined,
): LocatedFields | undefined {
  if (material?.find === undefined) return undefined;
  // The references are read only here, because the references of a cached page are read on access, and almost no page
  // shows part of a description.
  const { references } = rendered;
  const isDescribed = ({ file, line, column }: Reference) =>
    file === page.file && line === 1 && column === 1;
  if (!references.some(isDescribed)) return undefined;
  return {
    references: references.map((reference) =>
      isDescribed(reference) ? addLocationFinder(material, reference) : reference,
    ),
  };
}

/** Adds a function that finds the position on demand, because only broken references need it. */
function addLocationFinder(material: PageMaterial | undefined, reference: Reference): Reference {
  return { ...reference, findPosition: () => material?.find?.(reference.target) };
}
