/** Pixels as red, green and blue, a byte each, row by row. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Reads the pixel numbered `index`, from the top left, as one number. */
export function colorAt({ pixels }: Picture, index: number): number {
  const at = index * 3;
  return ((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0);
}

/** Sets that pixel. */
export function setColorAt({ pixels }: Picture, index: number, color: number): void {
  const at = index * 3;
  pixels[at] = color >> 16;
  pixels[at + 1] = (color >> 8) & 0xff;
  pixels[at + 2] = color & 0xff;
}

export function blankPicture(width: number, height: number): Picture {
  return { width, height, pixels: new Uint8Array(width * height * 3) };
}

/** How far apart two colors are: the largest difference of a channel, 0 to 255. */
export function distanceOf(one: number, other: number): number {
  const red = Math.abs((one >> 16) - (other >> 16));
  const green = Math.abs(((one >> 8) & 0xff) - ((other >> 8) & 0xff));
  return Math.max(red, green, Math.abs((one & 0xff) - (other & 0xff)));
}

/**
 * The mean colors of squares of `cell` pixels, those at the right and lower edge cut off: a page's layout
 * without a word of it.
 */
export function shrink(picture: Picture, cell: number): Picture {
  const width = Math.ceil(picture.width / cell);
  const height = Math.ceil(picture.height / cell);
  const sums = new Float64Array(width * height * 3);
  const counts = new Uint32Array(width * height);
  for (let y = 0; y < picture.height; y += 1) {
    for (let x = 0; x < picture.width; x += 1) {
      const to = Math.floor(y / cell) * width + Math.floor(x / cell);
      const from = (y * picture.width + x) * 3;
      counts[to] = (counts[to] ?? 0) + 1;
      for (let channel = 0; channel < 3; channel += 1) {
        sums[to * 3 + channel] =
          (sums[to * 3 + channel] ?? 0) + (picture.pixels[from + channel] ?? 0);
      }
    }
  }
  const pixels = Uint8Array.from(sums, (sum, at) => sum / (counts[Math.floor(at / 3)] ?? 1));
  return { width, height, pixels };
}

/** Colors that a picture may have to be kept with one byte for each pixel. */
const maxColors = 256;

/** Colors as near as this to one that is kept need not be kept themselves: edges of letters have many grays. */
const nearby = 6;

/**
 * The picture with at most 256 colors: those that it has most of and that are not alike, and for the others
 * the nearest of these.
 */
export function reduceColors(picture: Picture): Picture {
  const counts = new Map<number, number>();
  const length = picture.width * picture.height;
  for (let index = 0; index < length; index += 1) {
    const color = colorAt(picture, index);
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  if (counts.size <= maxColors) return picture;
  const byCount = [...counts].toSorted(([, one], [, other]) => other - one);
  const kept: number[] = [];
  for (const [color] of byCount) {
    if (kept.length === maxColors) break;
    if (kept.every((other) => distanceOf(color, other) > nearby)) kept.push(color);
  }
  const nearest = new Map(byCount.map(([color]) => [color, nearestOf(kept, color)]));
  const reduced = blankPicture(picture.width, picture.height);
  for (let index = 0; index < length; index += 1) {
    setColorAt(reduced, index, nearest.get(colorAt(picture, index)) ?? 0);
  }
  return reduced;
}

function nearestOf(colors: readonly number[], color: number): number {
  let [best = 0] = colors;
  for (const candidate of colors) {
    if (distanceOf(candidate, color) < distanceOf(best, color)) best = candidate;
  }
  return best;
}
