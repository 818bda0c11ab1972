import {
  CORE_SCHEMA,
  EVENT_ID,
  FAILSAFE_SCHEMA,
  getScalarValue,
  load,
  mergeTag,
  parseEvents,
  YAMLException,
} from "js-yaml";
import type { Event, ScalarEvent } from "js-yaml";
import { LineIndex } from "./line-index.ts";
import type { TextPlace } from "./line-index.ts";
import type { ParseResult } from "./parse-result.ts";

export interface YamlOptions {
  readonly maxDepth: number;
  /** Unlimited by default: a caller that sets no limit bounds what aliases expand to. */
  readonly maxAliases?: number;
  /**
   * `asTexts`: scalars are strings, as written. `likeJson`: the last of equal keys counts, `<<` is
   * followed, and no scalar is a date. Otherwise equal keys are an error.
   */
  readonly reading?: "asTexts" | "likeJson";
}

const readings = {
  asTexts: { schema: FAILSAFE_SCHEMA },
  likeJson: { schema: CORE_SCHEMA.withTags(mergeTag), json: true },
} as const;

/** Reads YAML; never throws. A text without a value is an error. */
export function parseYaml(text: string, { reading, ...bounds }: YamlOptions): ParseResult {
  try {
    return { value: load(text, { ...bounds, ...(reading && readings[reading]) }) };
  } catch (error) {
    // By its types js-yaml may throw anything; only its own errors have a place.
    if (!(error instanceof YAMLException)) return { reason: String(error) };
    const { mark, reason } = error;
    return { reason, ...(mark && { place: { line: mark.line + 1, column: mark.column + 1 } }) };
  }
}

/** Events that all look-ups in one text may visit: a file full of errors costs no more than a few seconds. */
const maxEvents = 20_000_000;

/**
 * Finds the place that a path of keys leads to in a YAML or JSON text: that of the last key, or of its
 * nearest ancestor that is there. The text is parsed again for that, at the first look-up: most texts have
 * no errors. Undefined if the text cannot be parsed, or after too many look-ups.
 */
export function createYamlLocator(
  text: string,
  maxDepth: number,
): (keys: readonly string[]) => TextPlace | undefined {
  let events: readonly Event[] | undefined;
  let lines: LineIndex | undefined;
  let left = maxEvents;
  return (keys) => {
    events ??= readEvents(text, maxDepth);
    left -= events.length;
    if (left < 0 || events.length === 0) return undefined;
    lines ??= new LineIndex(text);
    return lines.placeAt(new EventWalk(text, events).find(keys));
  };
}

function readEvents(text: string, maxDepth: number): readonly Event[] {
  try {
    return parseEvents(text, { maxDepth });
  } catch {
    return [];
  }
}

class EventWalk {
  readonly #text: string;
  readonly #events: readonly Event[];
  #at = 1;

  constructor(text: string, events: readonly Event[]) {
    this.#text = text;
    this.#events = events;
  }

  /** Offset of the last of `keys` that is found. */
  find(keys: readonly string[]): number {
    let found = 0;
    for (const key of keys) {
      const offset = this.#enter(key);
      if (offset === undefined) break;
      found = offset;
    }
    return found;
  }

  /** Moves to the value of `key` in the current value; gives its offset, or that of the key. */
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
      this.#skipValue();
      if (event.type === EVENT_ID.SCALAR && this.#valueOf(event) === key) return event.valueStart;
      this.#skipValue();
    }
  }

  #enterItem(index: number): number | undefined {
    this.#at += 1;
    for (let item = 0; ; item++) {
      const event = this.#events[this.#at];
      if (event === undefined || event.type === EVENT_ID.POP) return undefined;
      if (item === index) return offsetOf(event);
      this.#skipValue();
    }
  }

  /** Skips one value, with everything in it. */
  #skipValue(): void {
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
