/** A model's name taken apart: `openai/gpt-5` is provider `openai`, model `gpt-5`. */
export interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/**
 * Models of other servers have slashes and colons in their names (`ollama/llama3.1:8b`). No segment may be
 * empty or begin with a dot: Gemini's model stands in the request's path.
 */
const form =
  /^(?<provider>[a-z][a-z0-9-]{0,31})\/(?<model>[A-Za-z0-9][A-Za-z0-9._:@+-]*(?:\/[A-Za-z0-9][A-Za-z0-9._:@+-]*)*)$/;
const maximumLength = 200;

/** Undefined for what is not of the form `provider/model`. */
export function parseModelName(text: string): ModelName | undefined {
  if (text.length > maximumLength) return undefined;
  const { provider, model } = form.exec(text)?.groups ?? {};
  return provider === undefined || model === undefined ? undefined : { provider, model };
}

/** Whether `text` has the form `provider/model`; says nothing of whether there is such a model. */
export function isModelName(text: string): boolean {
  return parseModelName(text) !== undefined;
}
