/** The type of a value, known before there is one: used to find misspelt fields and to complete names. */
export type Shape =
  | { readonly type: 'text' | 'number' | 'boolean' | 'any' }
  | { readonly type: 'list'; readonly of: Shape }
  | { readonly type: 'map'; readonly of: Shape }
  | { readonly type: 'object'; readonly fields: ReadonlyMap<string, Shape> };
