import type { MessageKey } from '../i18n/index.js';

/** The group under which the sheet of keys and the palette list a command. */
export type KeyGroup = 'run' | 'ask' | 'change' | 'graph' | 'panels' | 'page';

/** An action of a user. Buttons, keys, palette and tests all run it by its id. */
export interface CommandDef<A = undefined> {
  readonly title: MessageKey;
  /** Key combinations, as `Mod+K`, `Shift+ArrowRight`, `Space`, `?`. Mod is Cmd on a Mac and Ctrl elsewhere. */
  readonly keys?: readonly string[];
  /** Its heading on the sheet of keys and in the palette; default: `page`. */
  readonly group?: KeyGroup;
  /** False: it can do nothing now; its buttons are disabled and its keys ignored. */
  readonly available?: () => boolean;
  /** Why it is not available, for the palette, which leaves out unavailable commands without a hint. */
  readonly hint?: () => MessageKey | null;
  /** The likelihood that it is wanted at this moment, up to 1: the palette offers first those above 0. */
  readonly fits?: () => number;
  /** Commands that need an argument are not in the palette. */
  readonly palette?: boolean;
  readonly run: (arg: A) => void | Promise<void>;
}

export function command<A = undefined>(def: CommandDef<A>): CommandDef<A> {
  return def;
}
