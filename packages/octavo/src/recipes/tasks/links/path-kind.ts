export type PageKind = "reference" | "example" | "changelog" | "guide";

const kinds: readonly (readonly [PageKind, RegExp])[] = [
  ["changelog", /^(?:changelogs?|release-notes?|releases?|updates|blog|news|whats-new)$/],
  ["reference", /^(?:api|apis|.*-?reference|ref|sdks?|.*-sdks?|endpoints?|schemas?|operations?)$/],
  ["example", /^(?:examples?|samples?|cookbooks?|recipes?|templates?|showcase|gallery|demos?)$/],
  [
    "guide",
    /^(?:guides?|how-?tos?|tutorials?|learn|walkthroughs?|quickstarts?|get(?:ting)?-started)$/,
  ],
];

/** What kind of page a path names, by its folders; undefined where they do not say. */
export function kindOf(path: string, isOperation: boolean): PageKind | undefined {
  if (isOperation) return "reference";
  const folders = path.toLowerCase().split("/").slice(0, -1);
  for (const folder of folders) {
    const kind = kinds.find(([, form]) => form.test(folder))?.[0];
    if (kind !== undefined) return kind;
  }
  return undefined;
}
