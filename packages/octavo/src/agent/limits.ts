/** What one turn of an agent may cost. Counted over the turn, whatever died in between but time. */
export interface AgentLimits {
  /** Answers of the model. */
  readonly steps: number;
  /** Input and output together. */
  readonly tokens: number;
  /** Wall time of this run, in milliseconds. */
  readonly timeMs: number;
  readonly changedFiles: number;
}

export const defaultAgentLimits: AgentLimits = {
  steps: 100,
  tokens: 4_000_000,
  timeMs: 30 * 60 * 1_000,
  changedFiles: 500,
};

/** Bounds that nobody needs to set. */
export const bounds = {
  /** A text that is read or written whole; the largest of 17,800 real pages is 726 KB. */
  textBytes: 4 * 1024 * 1024,
  /** Files that are looked at in one site. */
  files: 100_000,
  /** One tool's answer, in characters: some 12,000 tokens. */
  outputLength: 48_000,
  /** Pictures that a turn shows to the model, in characters of base64: some 100 of usual size. */
  picturesLength: 30_000_000,
  /** Wall time of one answer of the model, its retries included. */
  answerMs: 10 * 60 * 1_000,
  /** Calls in a row that no tool could take. */
  faultyCalls: 8,
  /** Times that the same call is answered while nothing changes, and after which the turn ends. */
  sameCalls: 3,
  sameCallsEnd: 8,
  /** Answers in a row without a call and without a word to end with. */
  emptyAnswers: 3,
  /** Times in a row that a provider may refuse a conversation as too long. */
  refusedConversations: 3,
  /** Times that a change is given back because it brought errors. */
  mends: 3,
} as const;
