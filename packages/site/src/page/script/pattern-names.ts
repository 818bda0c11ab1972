import type { Pattern } from "acorn";

/** The names that a pattern declares. */
export function namesOf(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "AssignmentPattern":
      return namesOf(pattern.left);
    case "RestElement":
      return namesOf(pattern.argument);
    case "ArrayPattern":
      return pattern.elements.flatMap((item) => (item ? namesOf(item) : []));
    case "ObjectPattern":
      return pattern.properties.flatMap((property) =>
        property.type === "Property" ? namesOf(property.value) : namesOf(property.argument),
      );
    default:
      return [];
  }
}
