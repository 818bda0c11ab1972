/** The words of the languages in the corpus: renamed, code would no longer be highlighted as code. */
const keywords: ReadonlySet<string> = new Set(
  (
    "abstract alias and array async await begin bool boolean break byte case catch chan char class companion " +
    "const constructor continue data def default defer delete double dyn elif else elsif elseif end ensure enum " +
    "except export extends extern false final finally float fmt fn for foreach from func function get global go " +
    "goto if impl implements import in include init inline instanceof int integer interface internal is lambda " +
    "let long loop map match mod module move mut namespace new nil none nonlocal not null number object of open " +
    "operator or override package param params pass print printf private protected pub public raise range readonly " +
    "ref require rescue return sealed select self set short signed sizeof static str string struct super suspend " +
    "switch task then this throw throws trait true try type typeof undefined union unless unsafe until use using " +
    "val var virtual void when where while with yield echo exit cd sudo npm npx node pip uv cargo dotnet git curl"
  ).split(" "),
);

const fence = /^[ >]*(?:[-+*]|\d+[.)])?[ >]*(`{3,})[\w-]*$/;
const word = /[A-Za-z_][\w]{2,}/g;

/**
 * Gives every name in the page's blocks of code an ending of its own for each block, so that no two
 * blocks are the same, within the page or elsewhere. A block without a name gets one as its last line.
 * `nextEnding` must give another one at each call. The Markdown is that of `toPlainPage`.
 */
export function renameCode(markdown: string, nextEnding: () => string): string {
  const lines: string[] = [];
  let mark: string | undefined;
  let ending = "";
  let hasNames = false;
  for (const line of markdown.split("\n")) {
    const opened: string | undefined = mark === undefined ? fence.exec(line)?.[1] : undefined;
    if (mark === undefined) {
      lines.push(line);
      mark = opened;
      ending = opened === undefined ? "" : nextEnding();
      hasNames = false;
      continue;
    }
    if (line.trimStart().replace(/^[> ]+/, "") === mark) {
      if (!hasNames) lines.push(line.replace(mark, `name${ending}`));
      lines.push(line);
      mark = undefined;
      continue;
    }
    const renamed = line.replaceAll(word, (name) =>
      keywords.has(name.toLowerCase()) ? name : `${name}${ending}`,
    );
    hasNames ||= renamed !== line;
    lines.push(renamed);
  }
  return lines.join("\n");
}
