/** The syntax tree of the shell. Immutable, so that one parse serves every container that runs the same text. */

/** A piece of a word. `q`: inside quotes, so neither split nor globbed. */
export type Part =
  | { readonly t: 'lit'; readonly s: string; readonly q: boolean }
  | { readonly t: 'var'; readonly name: string; readonly op: string; readonly arg: Word | null; readonly q: boolean }
  | { readonly t: 'cmd'; readonly body: List; readonly q: boolean }
  | { readonly t: 'arith'; readonly expr: Word; readonly q: boolean };

export interface Word {
  readonly parts: readonly Part[];
  /** The text if it needs no expansion at all, else null. */
  readonly fixed: string | null;
}

export interface Redirect {
  readonly fd: number;
  readonly op: '>' | '>>' | '<' | '>&' | '<&' | '<<' | '<>';
  readonly target: Word;
}

export interface Assign {
  readonly name: string;
  readonly value: Word;
}

export type Command =
  | {
      readonly t: 'simple';
      readonly assigns: readonly Assign[];
      readonly words: readonly Word[];
      readonly redirects: readonly Redirect[];
    }
  | { readonly t: 'group' | 'subshell'; readonly body: List; readonly redirects: readonly Redirect[] }
  | {
      readonly t: 'if';
      readonly arms: readonly { readonly cond: List; readonly body: List }[];
      readonly otherwise: List | null;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly t: 'while';
      readonly until: boolean;
      readonly cond: List;
      readonly body: List;
      readonly idle: IdleLoop | null;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly t: 'for';
      readonly name: string;
      readonly words: readonly Word[] | null;
      readonly body: List;
      readonly redirects: readonly Redirect[];
    }
  | {
      readonly t: 'case';
      readonly word: Word;
      readonly arms: readonly { readonly patterns: readonly Word[]; readonly body: List }[];
      readonly redirects: readonly Redirect[];
    }
  | { readonly t: 'function'; readonly name: string; readonly body: Command; readonly redirects: readonly Redirect[] };

/** A loop for ever whose body only sleeps fixed times: nobody can see its turns, so they need not be run. Micros. */
export interface IdleLoop {
  readonly sleeps: readonly number[];
}

export interface Pipeline {
  readonly negate: boolean;
  readonly commands: readonly Command[];
}

/** `first && second || third`: `rest` in order. */
export interface AndOr {
  readonly first: Pipeline;
  readonly rest: readonly { readonly op: '&&' | '||'; readonly pipeline: Pipeline }[];
  readonly background: boolean;
}

/** Commands in order. */
export type List = readonly AndOr[];

/** The text is not a shell program. `message` as busybox ash words it. */
export class ShellSyntaxError extends Error {
  override readonly name = 'ShellSyntaxError';
}
