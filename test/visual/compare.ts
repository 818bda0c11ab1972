import { blankPicture, colorAt, distanceOf, setColorAt, type Picture } from "./picture.ts";

export interface Tolerance {
  /** How far apart two colors may be that count as the same, 0 to 255. */
  readonly distance: number;
  /** The part of all pixels that may differ. */
  readonly share: number;
}

export interface Difference {
  /** Pixels that differ. */
  readonly count: number;
  /** The expected picture, pale, with red where the actual one differs. */
  readonly picture: Picture;
}

const red = 0xe00000;

/** Where two pictures differ by more than is tolerated; undefined where they do not. */
export function differenceOf(
  expected: Picture,
  actual: Picture,
  tolerance: Tolerance,
): Difference | undefined {
  const width = Math.max(expected.width, actual.width);
  const height = Math.max(expected.height, actual.height);
  const picture = blankPicture(width, height);
  let count = 0;
  for (let index = 0; index < width * height; index += 1) {
    const [x, y] = [index % width, Math.floor(index / width)];
    const [one, other] = [at(expected, x, y), at(actual, x, y)];
    const isSame =
      one !== undefined && other !== undefined && distanceOf(one, other) <= tolerance.distance;
    if (!isSame) count += 1;
    setColorAt(picture, index, isSame ? pale(one) : red);
  }
  return count > width * height * tolerance.share ? { count, picture } : undefined;
}

function at(picture: Picture, x: number, y: number): number | undefined {
  if (x >= picture.width || y >= picture.height) return undefined;
  return colorAt(picture, y * picture.width + x);
}

/** A gray between the color and white. */
function pale(color: number): number {
  const mean = ((color >> 16) + ((color >> 8) & 0xff) + (color & 0xff)) / 3;
  return Math.round(255 - (255 - mean) / 4) * 0x010101;
}
