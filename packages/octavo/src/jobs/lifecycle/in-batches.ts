/** Runs a statement that changes few rows until it changes none, so that no reader waits for long; returns the total. */
export async function inBatches(statement: () => Promise<bigint>): Promise<number> {
  let total = 0;
  for (;;) {
    const changed = await statement();
    if (changed === 0n) return total;
    total += Number(changed);
  }
}
