const titledGroup =
  /(<g><rect[^>]*\/><rect[^>]* fill="var\(--_group-hdr\)"[^>]*\/>)(<text\b(?:(?!<\/text>)[^])*<\/text>)/g;

/** Moves the titles of groups in front of the edges that cross them, with an outline in the background colour. */
export function raiseGroupTitles(svg: string): string {
  // Titles moved out of a group with a transform would lose it.
  if (svg.includes(" transform=")) return svg;
  let titles = "";
  const rest = svg.replaceAll(titledGroup, (_, box: string, title: string) => {
    titles += title.replace(
      "<text",
      '<text paint-order="stroke" stroke="var(--_group-hdr)" stroke-width="6" stroke-linejoin="round"',
    );
    return box;
  });
  return titles === "" ? svg : rest.replace(/<\/svg>\s*$/, `${titles}</svg>`);
}
