import { median } from "./reading.ts";

/** What is measured of a node at rest. */
export interface Held {
  readonly rss: number;
  readonly heapUsed: number;
  /** Of all kinds. */
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
 * be counted may not grow at all: what is never closed stays, so that in the end even the lowest count is above what was
 * usual before, however many connections are kept open for a while, and whichever timer is set anew at that moment.
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
