import { crc32, deflateSync, inflateSync } from "node:zlib";
import { blankPicture, colorAt, setColorAt, type Picture } from "./picture.ts";

/** PNG as far as this test needs it: eight bits, not interlaced; RGB, RGBA or a palette. */

const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

const rgb = 2;
const palette = 3;
const rgba = 6;
const channelsOf: Readonly<Record<number, number>> = { [rgb]: 3, [palette]: 1, [rgba]: 4 };

/** A PNG of at most a byte for each pixel where the picture has no more than 256 colors. */
export function encodePng(picture: Picture): Buffer {
  const { width, height } = picture;
  const indexes = indexColors(picture);
  const kind = indexes === undefined ? rgb : palette;
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  head[9] = kind;
  const rows = rowsOf(indexes?.pixels ?? picture.pixels, width * (channelsOf[kind] ?? 1), height);
  return Buffer.concat([
    signature,
    chunk("IHDR", head),
    ...(indexes === undefined ? [] : [chunk("PLTE", indexes.colors)]),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

interface Indexed {
  readonly colors: Buffer;
  readonly pixels: Uint8Array;
}

function indexColors(picture: Picture): Indexed | undefined {
  const indexes = new Map<number, number>();
  const pixels = new Uint8Array(picture.width * picture.height);
  for (let at = 0; at < pixels.length; at += 1) {
    const color = colorAt(picture, at);
    let index = indexes.get(color);
    if (index === undefined) {
      index = indexes.size;
      if (index === 256) return undefined;
      indexes.set(color, index);
    }
    pixels[at] = index;
  }
  const colors = Buffer.alloc(indexes.size * 3);
  for (const [color, index] of indexes) colors.writeUIntBE(color, index * 3, 3);
  return { colors, pixels };
}

/** Each row behind a byte that says it is not filtered. */
function rowsOf(pixels: Uint8Array, rowLength: number, height: number): Buffer {
  const rows = Buffer.alloc((rowLength + 1) * height);
  for (let row = 0; row < height; row += 1) {
    rows.set(pixels.subarray(row * rowLength, (row + 1) * rowLength), row * (rowLength + 1) + 1);
  }
  return rows;
}

function chunk(type: string, content: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), content]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(content.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** Reads what `encodePng` and browsers write; throws on other kinds. Transparency is dropped. */
export function decodePng(file: Uint8Array): Picture {
  const chunks = chunksOf(Buffer.from(file.buffer, file.byteOffset, file.byteLength));
  const head = Buffer.concat(chunks.get("IHDR") ?? []);
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const [depth, kind = -1, , , interlaced] = head.subarray(8);
  const channels = channelsOf[kind];
  if (depth !== 8 || interlaced !== 0 || channels === undefined) {
    throw new Error(`PNG of depth ${depth}, kind ${kind}, interlacing ${interlaced} is not read.`);
  }
  const rows = inflateSync(Buffer.concat(chunks.get("IDAT") ?? []));
  const values = unfilter(rows, { height, rowLength: width * channels, channels });
  const colors = kind === palette ? Buffer.concat(chunks.get("PLTE") ?? []) : undefined;
  const picture = blankPicture(width, height);
  for (let index = 0; index < width * height; index += 1) {
    const at = index * channels;
    const color =
      colors === undefined ? values.readUIntBE(at, 3) : colors.readUIntBE((values[at] ?? 0) * 3, 3);
    setColorAt(picture, index, color);
  }
  return picture;
}

function chunksOf(file: Buffer): Map<string, Buffer[]> {
  if (!file.subarray(0, 8).equals(signature)) throw new Error("This is no PNG.");
  const chunks = new Map<string, Buffer[]>();
  for (let at = 8; at < file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    chunks.set(type, [...(chunks.get(type) ?? []), file.subarray(at + 8, at + 8 + length)]);
    at += length + 12;
  }
  return chunks;
}

interface Rows {
  readonly height: number;
  readonly rowLength: number;
  readonly channels: number;
}

/** Undoes the filter of each row, which says by which neighbors its bytes were lessened. */
function unfilter(rows: Buffer, { height, rowLength, channels }: Rows): Buffer {
  const values = Buffer.alloc(rowLength * height);
  for (let row = 0; row < height; row += 1) {
    const filter = rows[row * (rowLength + 1)] ?? 0;
    const start = row * rowLength;
    for (let column = 0; column < rowLength; column += 1) {
      const at = start + column;
      const left = column < channels ? 0 : (values[at - channels] ?? 0);
      const above = row === 0 ? 0 : (values[at - rowLength] ?? 0);
      const corner = column < channels || row === 0 ? 0 : (values[at - rowLength - channels] ?? 0);
      const written = rows[row * (rowLength + 1) + 1 + column] ?? 0;
      values[at] = written + predicted(filter, left, above, corner);
    }
  }
  return values;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4:
      return nearestToSum(left, above, corner);
    default:
      throw new Error(`PNG has no filter ${filter}.`);
  }
}

/** Paeth's predictor. */
function nearestToSum(left: number, above: number, corner: number): number {
  const sum = left + above - corner;
  const [toLeft, toAbove, toCorner] = [left, above, corner].map((value) => Math.abs(sum - value));
  if ((toLeft ?? 0) <= (toAbove ?? 0) && (toLeft ?? 0) <= (toCorner ?? 0)) return left;
  return (toAbove ?? 0) <= (toCorner ?? 0) ? above : corner;
}
