import { EVENT_ID, getScalarValue, parseEvents } from "js-yaml";
import type { Event, ScalarEvent } from "js-yaml";
import { limits } from "../core/index.ts";
import { pointerKeys } from "./pointer.ts";

/** 1-based. */
export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** Events that all look-ups of one description may pass: a file full of faults costs no more than a few seconds. */
const eventsAllowed = 20_000_000;

/**
 * Finds where in a JSON or YAML text a pointer leads: the key that holds the value, else the nearest
 * thing above it. The text is taken apart again for that, at the first look-up: most descriptions are
 * without faults. Undefined where the text cannot be read, or after too many look-ups.
 */
export function createLocator(text: string): (pointer: string) => TextPlace | undefined {
  let events: readonly Event[] | undefined;
  let left = eventsAllowed;
  return (pointer) => {
    events ??= readEvents(text);
    left -= events.length;
    if (left < 0 || events.length === 0) return undefined;
    return placeAt(text, new EventWalk(text, events).find(pointerKeys(pointer)));
  };
}

function readEvents(text: string): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth: limits.descriptionDepth });
  } catch {
    return [];
  }
}

function placeAt(text: string, offset: number): TextPlace {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1;
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return { line, column: offset - lineStart + 1 };
}

class EventWalk {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 1;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  /** Offset of the last of `keys` that is there. */
  find(keys: readonly string[]): number {
    let found = 0;
    for (const key of keys) {
      const offset = this.#enter(key);
      if (offset === undefined) break;
      found = offset;
    }
    return found;
  }

  /** Steps to the value under `key` of what stands here; its offset, or that of the key. */
  #enter(key: string): number | undefined {
    const holder = this.#events[this.#at];
    if (holder?.type === EVENT_ID.MAPPING) return this.#enterMember(key);
    if (holder?.type === EVENT_ID.SEQUENCE) return this.#enterItem(Number(key));
    return undefined;
  }

  #enterMember(key: string): number | undefined {
    this.#at += 1;
    for (;;) {
      const event = this.#events[this.#at];
      if (event === undefined || event.type === EVENT_ID.POP) return undefined;
      this.#pass();
      if (event.type === EVENT_ID.SCALAR && this.#valueOf(event) === key) return event.valueStart;
      this.#pass();
    }
  }

  #enterItem(index: number): number | undefined {
    this.#at += 1;
    for (let item = 0; ; item++) {
      const event = this.#events[this.#at];
      if (event === undefined || event.type === EVENT_ID.POP) return undefined;
      if (item === index) return offsetOf(event);
      this.#pass();
    }
  }

  /** Over one value, with all that it holds. */
  #pass(): void {
    let depth = 0;
    do {
      const type = this.#events[this.#at]?.type;
      if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth += 1;
      if (type === EVENT_ID.POP) depth -= 1;
      this.#at += 1;
    } while (depth > 0 && this.#at < this.#events.length);
  }

  #valueOf(event: ScalarEvent): string {
    return getScalarValue(this.#text, event);
  }
}

function offsetOf(event: Event): number {
  if (event.type === EVENT_ID.SCALAR) return event.valueStart;
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart;
  return "start" in event ? event.start : 0;
}
