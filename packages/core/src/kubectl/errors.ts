/** An error in what was typed, in both languages. `message` is the English one. */
export class ConsoleError extends Error {
  override readonly name = 'ConsoleError';
  constructor(
    en: string,
    readonly zh: string,
  ) {
    super(en);
  }
}
