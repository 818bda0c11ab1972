import { z } from "zod";
import { isOctavoError, getBaseName, createInputError } from "@octavo/site/core";
import type { FileStart } from "../contained-folder.ts";
import type { Workspace } from "../workspace.ts";
import { Path, defineTool, findNamedFile, type AgentTool } from "./tool.ts";

/**
 * The maximum size of a picture. The picture is stored with the transcript and sent with every later step; providers
 * reject more than 3.7 MB.
 */
const maxPictureBytes = 1_500_000;
/** The maximum length of a side, in pixels. Providers reject longer sides. */
const maxSidePixels = 8_000;

const PictureInput = z.strictObject({
  path: Path.describe("A PNG, JPEG, GIF, WebP or SVG file, e.g. images/start.png"),
});

/** A line of a page or snippet that refers to a picture. */
interface PictureUse {
  readonly file: string;
  readonly line: number;
  /** The alt text; undefined if the line has none. */
  readonly alt?: string;
}

const maxUses = 20;
const maxLineLength = 5_000;

const maxWordsLength = 4_000;
const textElements: ReadonlySet<string> = new Set(["text", "title", "desc"]);

/**
 * Creates the tool `picture`. `pictureTypes` contains the media types that the model accepts; empty for a model that
 * reads only text.
 */
export function createPictureTool(
  workspace: Workspace,
  pictureTypes: readonly string[],
): AgentTool {
  return defineTool({
    name: "picture",
    description: `Looks at a picture of the site${pictureTypes.length > 0 ? ": you see it in the message after the result" : ""}. Returns its size, the pages that show it with their alt texts, and the words in an SVG. Use it before you write or correct alt text.`,
    input: PictureInput,
    isChanging: false,
    async run({ path: named }, signal) {
      const path = await findNamedFile(workspace, named);
      const { size, bytes, totalBytes } = await readPicture(workspace, path);
      return {
        path,
        ...size,
        bytes: totalBytes,
        uses: await findPictureUses(workspace, path, signal),
        ...(size.mediaType === "image/svg+xml" && {
          words: extractSvgWords(bytes.toString("utf8")),
        }),
      };
    },
    async loadPicture({ path: named }) {
      const path = await findNamedFile(workspace, named);
      const { size, bytes, totalBytes } = await readPicture(workspace, path);
      const note = findOmissionReason(size, totalBytes, pictureTypes);
      if (note !== undefined) return { note };
      return { picture: { path, mediaType: size.mediaType, base64: bytes.toString("base64") } };
    },
  });
}

async function readPicture(
  workspace: Workspace,
  path: string,
): Promise<FileStart & { readonly size: PictureSize }> {
  const start = await workspace.readMedia(path, maxPictureBytes);
  const size = readPictureSize(start.bytes);
  if (size) return { ...start, size };
  throw createInputError(`${path} is not a PNG, JPEG, GIF, WebP or SVG image.`);
}

/** Returns the reason why a picture is not shown to the model, or undefined if it is shown. */
function findOmissionReason(
  { mediaType, width = 0, height = 0 }: PictureSize,
  totalBytes: number,
  pictureTypes: readonly string[],
): string | undefined {
  if (pictureTypes.length === 0)
    return "You cannot see pictures; rely on the alt texts and the pages.";
  if (!pictureTypes.includes(mediaType)) return `You cannot see a picture of type ${mediaType}.`;
  if (totalBytes > maxPictureBytes)
    return `The picture is not shown because it is larger than ${maxPictureBytes} bytes.`;
  if (Math.max(width, height) > maxSidePixels)
    return `The picture is not shown because one side is longer than ${maxSidePixels} pixels.`;
  return undefined;
}

/** Finds the lines of pages that refer to a picture by its path, each with its alt text. */
async function findPictureUses(
  workspace: Workspace,
  path: string,
  signal: AbortSignal,
): Promise<readonly PictureUse[]> {
  const uses: PictureUse[] = [];
  for (const file of await workspace.listFiles()) {
    signal.throwIfAborted();
    if (!/\.mdx?$/.test(file)) continue;
    for (const use of findUsesInFile(
      file,
      await readOptional(workspace, file),
      getBaseName(path),
    )) {
      if (uses.push(use) === maxUses) return uses;
    }
  }
  return uses;
}

function* findUsesInFile(file: string, text: string, name: string): Generator<PictureUse> {
  if (!text.includes(name)) return;
  for (const [index, whole] of text.split("\n").entries()) {
    const line = whole.slice(0, maxLineLength);
    const start = line.indexOf(name);
    if (start === -1 || /[\w-]/.test(line[start - 1] ?? "")) continue;
    const alt = findAltText(line, start);
    yield { file, line: index + 1, ...(alt !== undefined && { alt }) };
  }
}

/** Returns the text in brackets before the address, or the `alt` attribute of the tag around it. */
function findAltText(line: string, index: number): string | undefined {
  const start = line.lastIndexOf("![", index);
  const end = line.indexOf("](", Math.max(start, 0));
  if (start !== -1 && end !== -1 && end < index) return line.slice(start + 2, end);
  return /\balt=(?:"([^"]{0,500})"|'([^']{0,500})'|\{"([^"]{0,500})"\})/
    .exec(line)
    ?.slice(1)
    .find(Boolean);
}

async function readOptional(workspace: Workspace, file: string): Promise<string> {
  try {
    return await workspace.readText(file);
  } catch (error) {
    if (isOctavoError(error)) return "";
    throw error;
  }
}

/** Returns the words in an SVG's texts, titles and descriptions, without markup. Takes linear time for any input. */
function extractSvgWords(svg: string): string {
  const texts: string[] = [];
  let [length, openElement, words] = [0, "", ""];
  for (const piece of svg.split("<").slice(1)) {
    const end = piece.indexOf(">");
    const tag = end === -1 ? piece : piece.slice(0, end);
    const name = /^\/?[A-Za-z]{1,20}/.exec(tag)?.[0] ?? "";
    if (openElement === "" && textElements.has(name) && !tag.endsWith("/"))
      [openElement, words] = [name, ""];
    if (openElement === "") continue;
    if (name !== `/${openElement}`) {
      words += ` ${end === -1 ? "" : piece.slice(end + 1)}`;
      continue;
    }
    const text = words.replaceAll(/\s+/g, " ").trim();
    openElement = "";
    if (text === "") continue;
    texts.push(text);
    length += text.length + 2;
    if (length > maxWordsLength) break;
  }
  return texts.join("; ").slice(0, maxWordsLength).toWellFormed();
}

/** A picture's format and its size in pixels, as read from its first bytes. */
interface PictureSize {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/svg+xml";
  /** The width in pixels; undefined if the file does not specify it, as in an SVG without a width or viewBox. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Reads the format and size of a PNG, JPEG, GIF, WebP or SVG. Returns undefined for other files. Does not throw. */
function readPictureSize(bytes: Buffer): PictureSize | undefined {
  try {
    return (
      readPngSize(bytes) ??
      readGifSize(bytes) ??
      readWebpSize(bytes) ??
      readJpegSize(bytes) ??
      readSvgSize(bytes)
    );
  } catch (error) {
    // The file ends before the bytes that contain its size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readPngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") return undefined;
  return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGifSize(bytes: Buffer): PictureSize | undefined {
  if (!/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return undefined;
  return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readWebpSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP") {
    return undefined;
  }
  const mediaType = "image/webp";
  const chunk = bytes.toString("latin1", 12, 16);
  if (chunk === "VP8X") {
    return { mediaType, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  if (chunk === "VP8L") {
    const bits = bytes.readUInt32LE(21);
    return { mediaType, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
  }
  return {
    mediaType,
    width: bytes.readUInt16LE(26) & 0x3fff,
    height: bytes.readUInt16LE(28) & 0x3fff,
  };
}

/** Reads the segments of a JPEG up to the segment that starts a frame. */
function readJpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.readUInt16BE(0) !== 0xff_d8) return undefined;
  const mediaType = "image/jpeg";
  for (let position = 2; position + 9 < bytes.length;) {
    if (bytes[position] !== 0xff) return { mediaType };
    const marker = bytes[position + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return {
        mediaType,
        width: bytes.readUInt16BE(position + 7),
        height: bytes.readUInt16BE(position + 5),
      };
    }
    position += 2 + bytes.readUInt16BE(position + 2);
  }
  return { mediaType };
}

function readSvgSize(bytes: Buffer): PictureSize | undefined {
  const start = bytes.toString("utf8", 0, 16_384);
  const index = start.search(/<svg[\s>]/);
  if (index === -1) return undefined;
  const tag = start.slice(index, start.indexOf(">", index) + 1);
  const [, , , boxWidth, boxHeight] =
    /\sviewBox=["']([\d.-]+)[\s,]+([\d.-]+)[\s,]+([\d.]+)[\s,]+([\d.]+)/.exec(tag) ?? [];
  return {
    mediaType: "image/svg+xml",
    width: parseNumber(/\swidth=["']([\d.]+)(?:px)?["']/.exec(tag)?.[1] ?? boxWidth),
    height: parseNumber(/\sheight=["']([\d.]+)(?:px)?["']/.exec(tag)?.[1] ?? boxHeight),
  };
}

function parseNumber(text: string | undefined): number | undefined {
  return text === undefined ? undefined : Math.round(Number(text));
}
