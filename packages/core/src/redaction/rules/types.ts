/** A secret whose form says what it is. */
export interface IssuedRule {
  readonly id: string;
  /** One of these is in each, in lower case: nothing else is looked at. */
  readonly words: readonly string[];
  /** The number of characters before the word; 0 if it begins with it. */
  readonly before?: number;
  /** An expression in JavaScript's syntax which can match in one way only, and takes a bounded number of characters. */
  readonly form: string;
  /** Shannon's entropy in bits per character that it has at least: `sk_live_xxxxxxxxxx` is an example. */
  readonly entropy?: number;
}

/** A secret that is one because of the service that is named before it: `datadog_api: ...`. */
export interface ServiceRule {
  readonly id: string;
  /** Texts of which one is in the name before the value, in lower case. */
  readonly after: readonly string[];
  /** The whole value, as `IssuedRule.form`. */
  readonly form: string;
  readonly entropy?: number;
}
