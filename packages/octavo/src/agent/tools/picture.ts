import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { FileStart } from "../contained-folder.ts";
import { readPictureSize } from "../picture-size.ts";
import type { PictureSize } from "../picture-size.ts";
import { findPictureUses } from "../pictures/picture-uses.ts";
import { svgWords } from "../pictures/svg-words.ts";
import type { Workspace } from "../workspace.ts";
import { defineTool, Path } from "./tool.ts";
import type { AgentTool } from "./tool.ts";

/** It is stored with the transcript and sent with every later step; providers refuse more than 3.7 MB. */
const maxBytes = 1_500_000;
/** Providers refuse longer sides. */
const maxSide = 8_000;

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
      const { size, bytes, length } = await readPicture(workspace, path);
      const note = reasonNotShown(size, length, pictureTypes);
      return {
        path,
        ...size,
        bytes: length,
        uses: await findPictureUses(workspace, path, signal),
        ...(size.mediaType === "image/svg+xml" && { words: svgWords(bytes.toString("utf8")) }),
        ...(note !== undefined && { note }),
      };
    },
    async show({ path }) {
      const { size, bytes, length } = await readPicture(workspace, path);
      const { mediaType } = size;
      if (reasonNotShown(size, length, pictureTypes) !== undefined) return undefined;
      return { path, mediaType, base64: bytes.toString("base64") };
    },
  });
}

async function readPicture(
  workspace: Workspace,
  path: string,
): Promise<FileStart & { readonly size: PictureSize }> {
  const start = await workspace.readMedia(path, maxBytes);
  const size = readPictureSize(start.bytes);
  if (size) return { ...start, size };
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
