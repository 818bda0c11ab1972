import { median } from "./reading.ts";

/** Measurements of a node at rest. */
export interface Held {
  readonly rss: number;
  readonly heapUsed: number;
  /** The number of handles of all kinds. */
  readonly handles: number;
  readonly descriptors: number;
  readonly folders: number;
}

export interface Growth {
  readonly measure: keyof Held;
  readonly before: number;
  readonly after: number;
  readonly isTooMuch: boolean;
}

const maxMemoryGrowth = 1.05;

/**
 * How each measure grew from the second quarter of the readings to the last. Of memory the medians are compared. What can
 * be counted has grown where even the lowest count of the last quarter is above the median of the second: what is never
 * closed stays, whatever comes and goes beside it. Where a count varies by a few, as that of connections kept alive, as
 * many must be lost before that is seen.
 */
export function growthOf(readings: readonly Held[]): Growth[] {
  const length = Math.ceil(readings.length / 4);
  const second = readings.slice(length, 2 * length);
  const last = readings.slice(-length);
  const compare = (
    measure: keyof Held,
    { summary, maxGrowth }: { summary: (values: readonly number[]) => number; maxGrowth: number },
  ): Growth => {
    const before = median(second.map((reading) => reading[measure]));
    const after = summary(last.map((reading) => reading[measure]));
    return { measure, before, after, isTooMuch: !(after <= before * maxGrowth) };
  };
  const memory = { summary: median, maxGrowth: maxMemoryGrowth };
  const count = { summary: lowest, maxGrowth: 1 };
  return [
    compare("rss", memory),
    compare("heapUsed", memory),
    compare("handles", count),
    compare("descriptors", count),
    compare("folders", count),
  ];
}

function lowest(values: readonly number[]): number {
  return Math.min(...values);
}
