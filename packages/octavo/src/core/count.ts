/** Formats a whole number, e.g. `1,234`. Does not use `toLocaleString` because its first call takes 20 ms. */
export function formatNumber(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Formats a count, e.g. `1 page`, `2,300 pages`. */
export function formatCount(amount: number, one: string, many = `${one}s`): string {
  return `${formatNumber(amount)} ${amount === 1 ? one : many}`;
}
