const titledGroup =
  /(<g><rect[^>]*\/><rect[^>]* fill="var\(--_group-hdr\)"[^>]*\/>)(<text\b(?:(?!<\/text>)[^])*<\/text>)/g;

/** Puts the names of groups over the edges that cross them, each with a rim of its ground. */
export function raiseGroupTitles(svg: string): string {
  // What is moved out of its place would lose what moves the place.
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
