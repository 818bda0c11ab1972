/** The extension of a file in the bundle, detected from its content, such as `png`. */
type MediaExtension = string;

interface Signature {
  readonly at: number;
  readonly bytes: string;
  readonly extension: MediaExtension;
}

/** The first bytes of files of each type, in Latin-1. The media types that servers send are often wrong. */
const signatures: readonly Signature[] = [
  { at: 0, bytes: "\x89PNG\r\n\x1a\n", extension: "png" },
  { at: 0, bytes: "\xff\xd8\xff", extension: "jpg" },
  { at: 0, bytes: "GIF87a", extension: "gif" },
  { at: 0, bytes: "GIF89a", extension: "gif" },
  { at: 8, bytes: "WEBP", extension: "webp" },
  { at: 8, bytes: "WAVE", extension: "wav" },
  { at: 4, bytes: "ftypavif", extension: "avif" },
  { at: 4, bytes: "ftypavis", extension: "avif" },
  { at: 4, bytes: "ftypqt  ", extension: "mov" },
  { at: 4, bytes: "ftypM4A ", extension: "m4a" },
  { at: 4, bytes: "ftyp", extension: "mp4" },
  { at: 0, bytes: "\x1a\x45\xdf\xa3", extension: "webm" },
  { at: 0, bytes: "OggS", extension: "ogg" },
  { at: 0, bytes: "fLaC", extension: "flac" },
  { at: 0, bytes: "ID3", extension: "mp3" },
  { at: 0, bytes: "\xff\xfb", extension: "mp3" },
  { at: 0, bytes: "\xff\xf3", extension: "mp3" },
  { at: 0, bytes: "\0\0\x01\0", extension: "ico" },
  { at: 0, bytes: "BM", extension: "bmp" },
  { at: 0, bytes: "wOFF", extension: "woff" },
  { at: 0, bytes: "wOF2", extension: "woff2" },
  { at: 0, bytes: "WEBVTT", extension: "vtt" },
];

/** The end of the longest signature. */
const headBytes = 16;
/** Maximum number of characters before `<svg`: a declaration, comments, a license. */
const prologueCharacters = 4_000;

/**
 * Returns the extension of the picture, audio, video or font type that the bytes have. Undefined for all other content,
 * such as pages and programs, and for SVG with active content: a reader may open the file on its own.
 */
export function detectMediaExtension(bytes: Uint8Array): MediaExtension | undefined {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString("latin1");
  const found = signatures.find((signature) => head.startsWith(signature.bytes, signature.at));
  return found?.extension ?? (isSafeSvg(bytes) ? "svg" : undefined);
}

function isSafeSvg(bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  const start = text.slice(0, prologueCharacters).trimStart();
  if (!/^<(?:svg[\s>]|\?xml|!--|!DOCTYPE svg)/.test(start) || !/<svg[\s>]/.test(start))
    return false;
  return !activeContent.test(text);
}

/** Elements and attributes that run code, load something or contain other markup, and entities that could hide them. */
const activeContent =
  /<(?:[\w-]+:)?(?:script|foreignobject|iframe|embed|object|audio|video|handler)[\s/>]|\son\w+\s*=|(?:javascript|vbscript)\s*:|<!entity|<\?xml-stylesheet|<html|&#/i;
