const variablePattern = /\{\{[ \t]*([\w.-]{1,100})[ \t]*\}\}/g;

/**
 * Replaces `{{name}}` for declared variables. Other names are left unchanged, because sites also show prompt templates
 * with the same braces. Values are put on one line. Values that would make the text longer than `maxLength` are
 * omitted.
 */
export function fillVariables(
  text: string,
  variables: Readonly<Record<string, string>>,
  maxLength: number,
): string {
  if (!text.includes("{{")) return text;
  let remaining = maxLength - text.length;
  return text.replace(variablePattern, (whole, name: string) => {
    if (!Object.hasOwn(variables, name)) return whole;
    const value = (variables[name] ?? "").replace(/\s*\n\s*/g, " ");
    remaining -= value.length - whole.length;
    return remaining < 0 ? whole : value;
  });
}
