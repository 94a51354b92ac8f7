/** The table of commands. It is empty by itself: each feature adds its own when it is registered. */
import { t } from '../i18n/index.js';
import { notify } from '../page/ui-store.js';
import { StoppedError } from '../session/session.js';
import type { CommandDef } from './types.js';

/**
 * Every command by its id, with the type of its argument. A feature adds its commands next to their table:
 * `declare module '../../commands/index.js' { interface Commands extends Arguments<typeof noteCommands> {} }`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface Commands {}
/** The argument's type of each command of a table. */
export type Arguments<T> = { readonly [I in keyof T]: T[I] extends CommandDef<infer A> ? A : never };
/** A table of commands, whatever their arguments are. */
export type CommandTable = Readonly<Record<string, CommandDef<never>>>;

export type CommandId = keyof Commands;
/** Commands that need no argument. */
export type PlainCommandId = { [I in CommandId]: Commands[I] extends undefined ? I : never }[CommandId];
type Rest<I extends CommandId> = Commands[I] extends undefined ? [] : [Commands[I]];

const table = new Map<string, CommandDef<unknown>>();

/** Adds commands. Throws if an id is taken: two features would answer to it. */
export function addCommands(commands: CommandTable): void {
  for (const [id, def] of Object.entries(commands)) {
    if (table.has(id)) throw new Error(`the command ${id} is registered twice`);
    table.set(id, def as unknown as CommandDef<unknown>);
  }
}

/** The ids of all commands, in the order in which they were added. */
export const commandIds = (): readonly CommandId[] => [...table.keys()] as CommandId[];

/** Returns a command. Throws if nobody has registered it. */
export function commandOf(id: CommandId): CommandDef<unknown> {
  const def = table.get(id);
  if (!def) throw new Error(`there is no command ${id}: is its feature in features/index.ts?`);
  return def;
}

export function isAvailable(id: CommandId): boolean {
  return commandOf(id).available?.() ?? true;
}

/** Runs a command and gives its error, if any, to the caller. Does nothing while it is not available. */
export async function tryCommand<I extends CommandId>(id: I, ...args: Rest<I>): Promise<void> {
  if (isAvailable(id)) await commandOf(id).run(args[0]);
}

/** Runs a command; an error becomes a notice that names the command. */
export function runCommand<I extends CommandId>(id: I, ...args: Rest<I>): void {
  tryCommand(id, ...args).catch((error: unknown) => {
    if (error instanceof StoppedError) return;
    notify(
      t('session.commandFailed', {
        command: t(commandOf(id).title),
        error: error instanceof Error ? error.message : String(error),
      }),
      true,
    );
  });
}
