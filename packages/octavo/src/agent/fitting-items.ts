/** As many of the first as `maxLength` characters of JSON hold. */
export function fittingItems<T>(items: readonly T[], maxLength: number): readonly T[] {
  let length = 0;
  const end = items.findIndex((item) => (length += JSON.stringify(item).length + 1) > maxLength);
  return end < 0 ? items : items.slice(0, end);
}
