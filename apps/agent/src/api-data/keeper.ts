/** A text that a server makes once and keeps, such as a key. */
export interface Keeper {
  /** Returns the text that was kept by that name; the first time, what `make` returns. Rejects with a SetupError. */
  keep(name: string, make: () => string | Promise<string>): Promise<string>;
}

/** Keeps nothing: every run makes its own. */
export const inMemory: Keeper = { keep: async (_name, make) => make() };
