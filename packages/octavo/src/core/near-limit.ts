/**
 * How the agent's loop begins what it tells a model near a limit. It stands among the messages as a person's do, and
 * `builtin/recipes` tells it from an instruction by these words.
 */
export const nearLimitOpening = "This turn comes near its limit of";
