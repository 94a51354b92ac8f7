import type { Json } from '../trace/records.js';

interface At {
  readonly position: number;
  readonly end: number;
  /** Levels of nodes in it. */
  readonly depth: number;
}

export type Binary =
  | ('==' | '!=' | '<' | '<=' | '>' | '>=' | '=~' | '!~' | 'in')
  | ('+' | '-' | '*' | '/' | '%' | '&&' | '||' | '??');

export type Node = At &
  (
    | { readonly type: 'value'; readonly value: Json }
    | { readonly type: 'name'; readonly name: string }
    | { readonly type: 'field'; readonly of: Node; readonly name: string; readonly nameAt: number }
    | { readonly type: 'index'; readonly of: Node; readonly index: Node }
    | { readonly type: 'list'; readonly items: readonly Node[] }
    | { readonly type: 'unary'; readonly operator: '!' | '-'; readonly of: Node }
    | { readonly type: 'binary'; readonly operator: Binary; readonly left: Node; readonly right: Node }
    | { readonly type: 'choice'; readonly test: Node; readonly yes: Node; readonly no: Node }
    | { readonly type: 'call'; readonly name: string; readonly nameEnd: number; readonly args: readonly Argument[] }
  );

/** `p => p.phase`: `parameter` names the element; an argument without it has `it` and `key`. */
export interface Argument {
  readonly parameter: string | null;
  readonly body: Node;
}
