import type { Random } from "../support/random.ts";
import { Disk } from "./disk.ts";
import type { Operation } from "./operation.ts";
import type { Recording } from "./recording.ts";

export interface PowerCut {
  /** After how many operations of the recording. */
  readonly at: number;
  /** The rows that were acknowledged by then. */
  readonly acknowledged: readonly unknown[];
  /** Writes what the disk may have to a folder that does not exist. */
  leave(folder: string): void;
}

export interface CutOptions {
  readonly count: number;
  readonly random: Random;
  /** Default: the operations of the recording. */
  readonly operations?: readonly Operation[];
  /** Only after something was acknowledged. */
  readonly isLate?: boolean;
  /** Nothing of the folder was on the disk for certain before. */
  readonly isUnsynced?: boolean;
}

/** Cuts the power at `count` moments of a recording, in their order. */
export function* cutPower(recording: Recording, options: CutOptions): Generator<PowerCut> {
  const { random, isLate = false, isUnsynced = false, operations = recording.operations } = options;
  const disk = new Disk(recording.base, isUnsynced);
  const acknowledged: unknown[] = [];
  const first = isLate ? operations.findIndex(({ kind }) => kind === "acknowledge") + 1 : 0;
  let done = 0;
  for (const at of chooseMoments(operations, first, options)) {
    for (; done < at; done += 1) {
      const operation = operations[done];
      if (operation) disk.apply(operation);
      if (operation?.kind === "acknowledge") acknowledged.push(operation.value);
    }
    yield { at, acknowledged: [...acknowledged], leave: (folder) => disk.cutPower(folder, random) };
  }
}

/** Half of them around what a program does to be sure of its files, where an error shows; the others anywhere. */
function chooseMoments(
  operations: readonly Operation[],
  first: number,
  { count, random }: CutOptions,
): number[] {
  const telling = operations.flatMap(({ kind }, index) => {
    if (index < first) return [];
    return ["sync", "rename", "remove", "acknowledge"].includes(kind) ? [index, index + 1] : [];
  });
  const moments = Array.from({ length: count }, (_, index) => {
    const anywhere = first + Math.floor(random() * (operations.length - first + 1));
    const tellingOne = telling[Math.floor(random() * telling.length)];
    return index % 2 === 0 ? (tellingOne ?? anywhere) : anywhere;
  });
  return moments.toSorted((a, b) => a - b);
}
