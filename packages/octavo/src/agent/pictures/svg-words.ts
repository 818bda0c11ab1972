const maxLength = 4_000;
const elements: ReadonlySet<string> = new Set(["text", "title", "desc"]);

/** The words in an SVG's texts, titles and descriptions, without markup. Takes linear time, whatever it is given. */
export function svgWords(svg: string): string {
  const found: string[] = [];
  let [length, open, words] = [0, "", ""];
  for (const piece of svg.split("<").slice(1)) {
    const end = piece.indexOf(">");
    const tag = end === -1 ? piece : piece.slice(0, end);
    const name = /^\/?[A-Za-z]{1,20}/.exec(tag)?.[0] ?? "";
    if (open === "" && elements.has(name) && !tag.endsWith("/")) [open, words] = [name, ""];
    if (open === "") continue;
    if (name !== `/${open}`) {
      words += ` ${end === -1 ? "" : piece.slice(end + 1)}`;
      continue;
    }
    const text = words.replaceAll(/\s+/g, " ").trim();
    open = "";
    if (text === "") continue;
    found.push(text);
    length += text.length + 2;
    if (length > maxLength) break;
  }
  return found.join("; ").slice(0, maxLength).toWellFormed();
}
