/** The words after the language of a block of code. */
export interface FenceWords {
  readonly titles: readonly string[];
  readonly options: readonly string[];
}

const words = /[\w-]+=(?:"[^"]*"|'[^']*'|\{[^}]*\})|\{[^}]*\}|\S+/g;
const option = /^(?:wrap|lines|expandable|nocopy|twoslash|showLineNumbers|[{[].*|[\w-]+=.*)$/;

/** Reads the words of a fence's info string. Words that are not options are the title. */
export function readFenceWords(meta: string): FenceWords {
  const titles: string[] = [];
  const options: string[] = [];
  for (const word of meta.match(words) ?? []) {
    const [, name = "", title] = /^(title|filename)=["'](.*)["']$/.exec(word) ?? [];
    if (title === undefined && option.test(word)) options.push(word);
    else titles.push(title ?? word);
    options.push(name);
  }
  return { titles, options };
}
