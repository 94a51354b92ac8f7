/** A mistake that the type checker found; offsets of the learner's text. */
export interface TypeProblem {
  readonly from: number;
  readonly to: number;
  readonly severity: 'error' | 'warning';
  readonly message: string;
}

export interface TypeOption {
  readonly label: string;
  /** The kind of it, as the checker names it: `property`, `function`, `keyword`. */
  readonly kind: string;
}

export interface TypeInfo {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A question to the worker that checks types. `types`: the stage's declarations. */
export type TypeQuestion = {
  readonly id: number;
  readonly types: string;
  readonly code: string;
  readonly lang: string;
} & (
  | { readonly do: 'check' }
  | { readonly do: 'complete'; readonly at: number }
  | { readonly do: 'info'; readonly at: number }
);

export type TypeAnswer =
  | { readonly id: number; readonly problems: readonly TypeProblem[] }
  | { readonly id: number; readonly options: readonly TypeOption[]; readonly from: number }
  | { readonly id: number; readonly info: TypeInfo | null }
  | { readonly id: number; readonly failed: string };
