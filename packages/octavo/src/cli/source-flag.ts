/** Flag of commands that take source repositories; given once for each. */
export const sourceFlag = [
  "--source <repository[@ref][:directory]>",
  "repository that agents may read; repeat it for more",
  (text: string, others: readonly string[] = []) => [...others, text],
] as const;
