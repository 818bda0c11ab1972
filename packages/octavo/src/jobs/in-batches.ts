/** Runs a statement that touches few rows until it touches none, so that no reader waits for long; gives how many it touched in all. */
export async function inBatches(statement: () => Promise<bigint>): Promise<number> {
  let total = 0;
  for (;;) {
    const touched = await statement();
    if (touched === 0n) return total;
    total += Number(touched);
  }
}
