/** The first place from `from` up to `to` that is not below what is looked for; those that are come first. */
export function binarySearch(from: number, to: number, isBelow: (at: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
