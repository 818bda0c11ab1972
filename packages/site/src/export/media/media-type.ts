/** The ending of a file in the bundle, by its content, e.g. `png`. */
export type MediaEnding = string;

interface Signature {
  readonly at: number;
  readonly bytes: string;
  readonly ending: MediaEnding;
}

/** What files of a kind begin with, in Latin-1. The media types that servers send are often wrong. */
const signatures: readonly Signature[] = [
  { at: 0, bytes: "\x89PNG\r\n\x1a\n", ending: "png" },
  { at: 0, bytes: "\xff\xd8\xff", ending: "jpg" },
  { at: 0, bytes: "GIF87a", ending: "gif" },
  { at: 0, bytes: "GIF89a", ending: "gif" },
  { at: 8, bytes: "WEBP", ending: "webp" },
  { at: 8, bytes: "WAVE", ending: "wav" },
  { at: 4, bytes: "ftypavif", ending: "avif" },
  { at: 4, bytes: "ftypavis", ending: "avif" },
  { at: 4, bytes: "ftypqt  ", ending: "mov" },
  { at: 4, bytes: "ftypM4A ", ending: "m4a" },
  { at: 4, bytes: "ftyp", ending: "mp4" },
  { at: 0, bytes: "\x1a\x45\xdf\xa3", ending: "webm" },
  { at: 0, bytes: "OggS", ending: "ogg" },
  { at: 0, bytes: "fLaC", ending: "flac" },
  { at: 0, bytes: "ID3", ending: "mp3" },
  { at: 0, bytes: "\xff\xfb", ending: "mp3" },
  { at: 0, bytes: "\xff\xf3", ending: "mp3" },
  { at: 0, bytes: "\0\0\x01\0", ending: "ico" },
  { at: 0, bytes: "BM", ending: "bmp" },
  { at: 0, bytes: "wOFF", ending: "woff" },
  { at: 0, bytes: "wOF2", ending: "woff2" },
  { at: 0, bytes: "WEBVTT", ending: "vtt" },
];

/** Where the longest signature ends. */
const headBytes = 16;
/** What may stand before `<svg`: a declaration, comments, a licence. */
const prologueCharacters = 4_000;

/**
 * What kind of picture, sound, film or font the bytes are. Undefined for everything else, such as pages and programs,
 * and for drawings with active content: a reader may open the file on its own.
 */
export function mediaEnding(bytes: Uint8Array): MediaEnding | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString("latin1");
  const found = signatures.find((signature) => head.startsWith(signature.bytes, signature.at));
  return found?.ending ?? (isDrawing(bytes) ? "svg" : undefined);
}

function isDrawing(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  const start = text.slice(0, prologueCharacters).trimStart();
  if (!/^<(?:svg[\s>]|\?xml|!--|!DOCTYPE svg)/.test(start) || !/<svg[\s>]/.test(start))
    return false;
  return !active.test(text);
}

/** Elements and attributes that run code, load something or bring other markup, and entities that could hide them. */
const active =
  /<(?:[\w-]+:)?(?:script|foreignobject|iframe|embed|object|audio|video|handler)[\s/>]|\son\w+\s*=|(?:javascript|vbscript)\s*:|<!entity|<\?xml-stylesheet|<html|&#/i;
