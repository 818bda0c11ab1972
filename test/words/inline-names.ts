const inline = new Set(
  "a abbr b bdi bdo cite code del dfn em i ins kbd mark q s samp small span strong sub sup time u var wbr".split(
    " ",
  ),
);

/** Whether the letters before and after a tag of this name are of one word. */
export function isInline(name: string): boolean {
  return inline.has(name);
}
