/** Of a model, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** Of those of the input that the provider read from its cache. */
  readonly cachedInput: number;
  readonly output: number;
}

interface PricedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of the input. */
  readonly cachedInputTokens?: number | undefined;
}

/** Reads `3/15`, input and output, or `3/0.30/15` with cached input between them; undefined for anything else. */
export function parseModelPrice(text: string): ModelPrice | undefined {
  const prices = text.split("/").map((price) => price.trim());
  if (prices.length < 2 || prices.length > 3) return undefined;
  if (!prices.every((price) => /^\d{1,6}(?:\.\d{1,6})?$/.test(price))) return undefined;
  const [input = 0, ...others] = prices.map(Number);
  const output = others.at(-1) ?? 0;
  return { input, cachedInput: others.length > 1 ? (others[0] ?? 0) : input, output };
}

/** In US dollars. */
export function costOf(price: ModelPrice, usage: PricedUsage): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const input = (inputTokens - cached) * price.input + cached * price.cachedInput;
  return (input + outputTokens * price.output) / 1_000_000;
}

/** To the cent, or to the hundredth of one below a cent. */
export function formatDollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}
