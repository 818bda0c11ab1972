import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { readPictureSize } from "../pictures/picture-size.ts";
import type { PictureSize } from "../pictures/picture-size.ts";
import { findPictureUses } from "../pictures/picture-uses.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

/** It is stored with the transcript and sent with every later step; providers refuse more than 3.7 MB. */
const maxBytes = 1_500_000;
/** Providers refuse longer sides. */
const maxSide = 8_000;
const maxLabelsLength = 4_000;

const Input = z.strictObject({
  path: Path.describe("A PNG, JPEG, GIF, WebP or SVG of the site, e.g. images/start.png"),
});

/** `pictureTypes`: the media types that the model can see; none for a model that reads text alone. */
export function createPictureTool(
  workspace: Workspace,
  pictureTypes: readonly string[],
): AgentTool {
  return defineTool({
    name: "picture",
    description: `Looks at a picture of the site${pictureTypes.length > 0 ? ": you see it in the message after the result" : ""}. Gives its size, the pages that show it with their alt texts, and the words in an SVG. Use it before you write or correct alt text.`,
    input: Input,
    isChanging: false,
    async run({ path }, signal) {
      const { size, bytes } = await readPicture(workspace, path);
      const note = reasonNotShown(size, bytes.length, pictureTypes);
      return {
        path,
        ...size,
        bytes: bytes.length,
        uses: await findPictureUses(workspace, path, signal),
        ...(size.mediaType === "image/svg+xml" && { words: wordsOf(bytes) }),
        ...(note !== undefined && { note }),
      };
    },
    async show({ path }) {
      const { size, bytes } = await readPicture(workspace, path);
      const { mediaType } = size;
      if (reasonNotShown(size, bytes.length, pictureTypes) !== undefined) return undefined;
      return { path, mediaType, base64: bytes.toString("base64") };
    },
  });
}

async function readPicture(
  workspace: Workspace,
  path: string,
): Promise<{ readonly size: PictureSize; readonly bytes: Buffer }> {
  const bytes = await workspace.readMedia(path);
  const size = readPictureSize(bytes);
  if (size) return { size, bytes };
  throw new OctavoError("invalid_input", `${path} is no PNG, JPEG, GIF, WebP or SVG.`);
}

/** Why a model is not shown a picture; undefined if it is. */
function reasonNotShown(
  { mediaType, width = 0, height = 0 }: PictureSize,
  length: number,
  pictureTypes: readonly string[],
): string | undefined {
  if (pictureTypes.length === 0)
    return "You cannot see pictures; rely on the alt texts and the pages.";
  if (!pictureTypes.includes(mediaType)) return `You cannot see a picture of type ${mediaType}.`;
  if (length > maxBytes) return `It is too large to be shown: more than ${maxBytes} bytes.`;
  if (Math.max(width, height) > maxSide)
    return `It is too large to be shown: a side has more than ${maxSide} pixels.`;
  return undefined;
}

/** The text elements of an SVG, without markup. */
function wordsOf(bytes: Buffer): string {
  const elements = bytes
    .toString("utf8")
    .matchAll(/<(text|title|desc)\b[^>]{0,2000}>([^]{0,5000}?)<\/\1>/g);
  const texts = [...elements].map(([, , content = ""]) =>
    content
      .replaceAll(/<[^>]{0,2000}>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
  return texts
    .filter((text) => text !== "")
    .join("; ")
    .slice(0, maxLabelsLength);
}
