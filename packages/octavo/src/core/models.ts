/** The parts of a model's name: `openai/gpt-5` is provider `openai`, model `gpt-5`. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/**
 * Models of some servers have slashes and colons in their names (`ollama/llama3.1:8b`). No segment may be
 * empty or begin with a dot: Gemini takes the model's name in the request's path.
 */
const modelNamePattern =
  /^(?<provider>[a-z][a-z0-9-]{0,31})\/(?<model>[A-Za-z0-9][A-Za-z0-9._:@+-]*(?:\/[A-Za-z0-9][A-Za-z0-9._:@+-]*)*)$/;
const maxLength = 200;

/** Undefined if `text` does not have the form `provider/model`. */
export function parseModelName(text: string): ModelName | undefined {
  if (text.length > maxLength) return undefined;
  const { provider, model } = modelNamePattern.exec(text)?.groups ?? {};
  return provider === undefined || model === undefined ? undefined : { provider, model };
}

/** Whether `text` has the form `provider/model`; does not check that the model exists. */
export function isModelName(text: string): boolean {
  return parseModelName(text) !== undefined;
}
