const special = /[&<>"]/;
const everySpecial = /[&<>"]/g;
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
};

/** Text as HTML, for content and for attributes in double quotes alike. */
export function escapeHtml(text: string): string {
  if (!special.test(text)) return text;
  return text.replace(everySpecial, (character) => entities[character] ?? character);
}
