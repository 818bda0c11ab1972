/** A picture's format and its size in pixels, read from its first bytes. */
export interface PictureSize {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/svg+xml";
  /** Undefined if the file does not contain it, as in an SVG without width or viewBox. */
  readonly width?: number | undefined;
  readonly height?: number | undefined;
}

/** Reads the format and size of a PNG, JPEG, GIF, WebP or SVG; undefined for other files. Does not throw. */
export function readPictureSize(bytes: Buffer): PictureSize | undefined {
  try {
    return pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes) ?? svgSize(bytes);
  } catch (error) {
    // The file ends before its size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function pngSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.toString("latin1", 0, 8) !== "\x89PNG\r\n\x1a\n") return undefined;
  return { mediaType: "image/png", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function gifSize(bytes: Buffer): PictureSize | undefined {
  if (!/^GIF8[79]a$/.test(bytes.toString("latin1", 0, 6))) return undefined;
  return { mediaType: "image/gif", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function webpSize(bytes: Buffer): PictureSize | undefined {
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

/** Walks the segments of a JPEG up to the one that starts a frame. */
function jpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.readUInt16BE(0) !== 0xff_d8) return undefined;
  const mediaType = "image/jpeg";
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return { mediaType };
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) {
      return { mediaType, width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return { mediaType };
}

function svgSize(bytes: Buffer): PictureSize | undefined {
  const start = bytes.toString("utf8", 0, 16_384);
  const at = start.search(/<svg[\s>]/);
  if (at === -1) return undefined;
  const tag = start.slice(at, start.indexOf(">", at) + 1);
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
