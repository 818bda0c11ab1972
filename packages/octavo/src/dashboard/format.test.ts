import { formatCount } from "../core/index.ts";
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatFileSize, renderClockTime, renderDay, renderRelativeTime } from "./format.ts";

const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeZone: "UTC" });
const exact = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" }); // prettier-ignore
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const numbers = new Intl.NumberFormat("en");

describe("dates, times and numbers are written as ICU writes them", () => {
  for (let month = 0; month < 12; month++) {
    const moment = new Date(Date.UTC(2030, month, month * 2 + 1, month * 2, 5, 9));
    it(`in month ${month + 1}`, () => {
      const shown = renderDay(moment).toString();
      assert.ok(shown.includes(`>${day.format(moment)}<`), shown);
      assert.ok(shown.includes(`"${exact.format(moment)} UTC"`), shown);
      const time = renderClockTime(moment.toISOString()).toString();
      assert.ok(time.includes(`>${moment.toISOString().slice(11, 19)}<`), time);
    });
  }

  for (const [count, unit] of [
    [1, "minute"],
    [59, "minute"],
    [1, "hour"],
    [23, "hour"],
    [1, "day"],
    [6, "day"],
  ] as const) {
    it(`${count} ${unit} ago`, () => {
      const seconds = { minute: 60, hour: 3600, day: 86_400 }[unit];
      const moment = new Date(Date.now() - count * seconds * 1000 - 1000);
      const shown = renderRelativeTime(moment).toString();
      assert.ok(shown.includes(`>${relative.format(-count, unit)}<`), shown);
    });
  }

  it("in counts and sizes", () => {
    for (const count of [0, 1, 999, 1000, 12_345, 1_234_567]) {
      assert.equal(
        formatCount(count, "page"),
        `${numbers.format(count)} ${count === 1 ? "page" : "pages"}`,
      );
    }
    assert.equal(formatFileSize(999_400), "999 KB");
    assert.equal(formatFileSize(4_200_000), "4.2 MB");
  });
});
