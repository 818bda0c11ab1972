import { performSentTurn } from "./isolated-turn.ts";
import { renderSentSite } from "./render-site.ts";

/** The program of an isolated process: what it does when it is asked by name. */
export const operations = { performTurn: performSentTurn, renderSite: renderSentSite };
