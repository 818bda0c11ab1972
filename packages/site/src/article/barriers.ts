import type { Problem } from "../core/index.ts";
import { isElement, type Place } from "../page/index.ts";
import type { HeadingNode, Survey } from "./survey.ts";

/** Of one page. */
const maxBarriers = 500;

/**
 * What stands in the way of readers who cannot see the page, in its order: pictures without a text, and headings that
 * skip a level, by which screen readers move. The page's title is of level 1.
 */
export function findBarriers({ headings, untitledPictures }: Survey): Problem[] {
  const skipped = headings.flatMap(({ node }, at) => {
    const previous = headings[at - 1];
    const [level, before] = [levelOf(node), previous === undefined ? 1 : levelOf(previous.node)];
    if (level <= before + 1) return [];
    const message = `A heading of level ${level} follows one of level ${before}; use level ${before + 1}.`;
    return [barrier("heading_level_skipped", message, node.place)];
  });
  const unseen = untitledPictures.map((place) => {
    const message =
      'The picture has no text for readers who cannot see it; describe it, or write alt="" in an <img> that only decorates.';
    return barrier("picture_without_text", message, place);
  });
  return [...skipped, ...unseen].slice(0, maxBarriers);
}

function barrier(code: string, message: string, { file, line, column }: Place): Problem {
  return { severity: "warning", code, message, file, line, column };
}

function levelOf(node: HeadingNode): number {
  return isElement(node) ? Number(node.name.slice(1)) : node.depth;
}
