import { root } from "./page.ts";

const parts = (root.dataset["words"] ?? "").split("|");

/** The layout's words in the page's language, in the order in which the document carries them. */
export const words = {
  copy: parts[0] || "Copy",
  copied: parts[1] || "Copied",
  search: parts[2] || "Search",
  noResults: parts[3] || "No results",
  close: parts[4] || "Close",
  searchHint: parts[5] || "",
  more: parts[6] || "More",
  language: parts[7] || "Language",
  results: parts[8] || "Results",
  linkCopied: parts[9] || "Link copied",
  enlarge: parts[10] || "Enlarge picture",
};
