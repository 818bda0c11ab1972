/** A question about a site with the answer that its pages give. */
export interface QuestionCase {
  readonly site: string;
  readonly question: string;
  /** The page with the answer; undefined if the site does not document it. */
  readonly page: string | undefined;
  /** A text that stands in this page alone of those in llms.txt. */
  readonly fact: RegExp | undefined;
  /** An answer as a person would give it. */
  readonly answer: string;
  /** Texts of a right answer. */
  readonly expected: readonly RegExp[];
}

export interface QuestionScore {
  readonly isRight: boolean;
  /** The answer is right, and so is the page. */
  readonly isCited: boolean;
  /** A false answer was given, rather than none. */
  readonly isWrong: boolean;
}

const citation = /^[\s*_>`]*Page:[\s*_`]*(?<page>[^\s*_`]+)/gim;
const noPage = "none";

/** Returns the cited page as a path without host and extension; undefined if none is cited. */
export function findCitedPage(text: string): string | undefined {
  const found = [...text.matchAll(citation)].at(-1)?.groups?.["page"];
  const page = found?.replace(/^.*\]\(/, "").replace(/[.,;:)]+$/, "");
  if (page === undefined || page.toLowerCase() === noPage) return undefined;
  return toPagePath(page.replace(/^[a-z]+:\/\/[^/]+/i, "").replace(/[?#].*$/, ""));
}

function toPagePath(path: string): string {
  return path
    .replace(/^\/+/, "")
    .replace(/\.(?:mdx?|html)$/, "")
    .replace(/(?:^|\/)index$/, "");
}

/** Scores a reply. An answer to a question that the site does not document is wrong. */
export function scoreReply({ page, expected }: QuestionCase, text: string): QuestionScore {
  const cited = findCitedPage(text);
  if (page === undefined) {
    const isRight = cited === undefined && text.trim() !== "";
    return { isRight, isCited: isRight, isWrong: cited !== undefined };
  }
  // A model that cites no page says that there is no answer.
  const isAnswer = cited !== undefined;
  const said = text.replaceAll(citation, "");
  const isRight = isAnswer && expected.every((pattern) => pattern.test(said));
  return {
    isRight,
    isCited: isRight && cited === toPagePath(page),
    isWrong: isAnswer && !isRight,
  };
}
