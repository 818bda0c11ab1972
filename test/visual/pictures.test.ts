import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { deflateSync } from "node:zlib";
import { differenceOf } from "./compare.ts";
import { blankPicture, colorAt, reduceColors, setColorAt, shrink } from "./picture.ts";
import type { Picture } from "./picture.ts";
import { decodePng, encodePng } from "./png.ts";

function drawn(width: number, height: number, color: (x: number, y: number) => number): Picture {
  const picture = blankPicture(width, height);
  for (let index = 0; index < width * height; index += 1) {
    setColorAt(picture, index, color(index % width, Math.floor(index / width)));
  }
  return picture;
}

/** A row of gray pixels behind the number of its filter. */
function bytes(filter: number, ...grays: number[]): number[] {
  return [filter, ...grays.flatMap((gray) => [gray, gray, gray])];
}

suite("pictures of the visual test", () => {
  const colorful = drawn(40, 30, (x, y) => ((x * 6) << 16) | ((y * 8) << 8) | (x ^ y));

  test("come back from PNG as they were, with a palette and without", () => {
    const plain = drawn(5, 3, (x, y) => (x === y ? 0x102030 : 0xffffff));
    for (const picture of [plain, colorful]) {
      assert.deepEqual(decodePng(encodePng(picture)), picture);
    }
    assert.ok(encodePng(plain).includes("PLTE"));
    assert.ok(!encodePng(colorful).includes("PLTE"));
  });

  test("are read with each of PNG's filters", () => {
    const expected = drawn(2, 5, (x, y) => (10 * (y + 1) + x) * 0x010101);
    const rows = Buffer.from([
      ...bytes(0, 10, 11),
      ...bytes(1, 20, 1),
      ...bytes(2, 10, 10),
      // The mean of left and above, rounded down.
      ...bytes(3, 25, 41 - ((40 + 31) >> 1)),
      ...bytes(4, 10, 1),
    ]);
    const file = encodePng(expected);
    const start = file.indexOf("IDAT") - 4;
    const content = deflateSync(rows);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(content.length);
    const head = Buffer.from(file.subarray(0, start));
    // From a palette to RGB.
    head[25] = 2;
    const made = Buffer.concat([head, length, Buffer.from("IDAT"), content, Buffer.alloc(4)]);
    assert.deepEqual(decodePng(made), expected);
  });

  test("keep their most frequent colors where there are too many", () => {
    const many = drawn(100, 100, (x, y) =>
      x < 50 ? 0xf8fbff : (((x - 50) >> 1) << 19) | ((y >> 2) << 11),
    );
    const reduced = reduceColors(many);
    const colors = new Set(Array.from({ length: 10_000 }, (_, index) => colorAt(reduced, index)));
    assert.equal(colors.size, 256);
    // Half has one color, the other half 625, of which 255 are kept.
    const share = 0.5 * (1 - 255 / 625);
    assert.ok(differenceOf(many, reduced, { distance: 0, share }) === undefined);
  });

  test("become the mean colors of squares", () => {
    const halves = drawn(6, 5, (x) => (x < 3 ? 0x000000 : 0xff8040));
    const small = shrink(halves, 2);
    assert.deepEqual([small.width, small.height], [3, 3]);
    const colors = [0, 1, 2, 6, 7, 8].map((index) => colorAt(small, index));
    assert.deepEqual(colors, [0, 0x7f4020, 0xff8040, 0, 0x7f4020, 0xff8040]);
  });

  test("differ where colors are far apart, and in size", () => {
    const changed = drawn(40, 30, (x, y) => (x < 4 && y < 3 ? 0 : colorAt(colorful, y * 40 + x)));
    const exactly = { distance: 0, share: 0 };
    assert.equal(differenceOf(colorful, colorful, exactly), undefined);
    assert.equal(differenceOf(colorful, changed, exactly)?.count, 11);
    assert.equal(differenceOf(colorful, changed, { distance: 0, share: 0.01 }), undefined);
    assert.equal(
      differenceOf(
        colorful,
        drawn(40, 31, () => 0),
        exactly,
      )?.picture.height,
      31,
    );
  });
});
