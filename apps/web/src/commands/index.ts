import { branchCommands } from '../features/branches/commands.js';
import { breakpointCommands } from '../features/breakpoints/commands.js';
import { classCommands } from '../features/classroom/commands.js';
import { consoleCommands } from '../features/console/commands.js';
import { graphCommands } from '../features/graph/commands.js';
import { laneCommands } from '../features/graph/lanes/commands.js';
import { inspectorCommands } from '../features/inspector/commands.js';
import { lessonCommands } from '../features/lessons/commands.js';
import { manifestCommands } from '../features/manifests/commands.js';
import { noteCommands } from '../features/notes/commands.js';
import { offlineCommands } from '../features/offline/commands.js';
import { pictureCommands } from '../features/pictures/commands.js';
import { podCommands } from '../features/pods/commands.js';
import { recordingCommands } from '../features/recordings/commands.js';
import { shareCommands } from '../features/share/commands.js';
import { sourceCommands } from '../features/source/commands.js';
import { timelineCommands } from '../features/timeline/commands.js';
import { transportCommands } from '../features/transport/commands.js';
import { t } from '../i18n/index.js';
import { notify } from '../page/ui-store.js';
import { StoppedError } from '../session/session.js';
import { viewCommands } from '../shell/commands.js';
import { editCommands } from '../shell/edit-commands.js';
import type { CommandDef } from './types.js';

/** All commands by id. */
export const COMMANDS = {
  ...transportCommands,
  ...timelineCommands,
  ...podCommands,
  ...manifestCommands,
  ...branchCommands,
  ...breakpointCommands,
  ...classCommands,
  ...recordingCommands,
  ...offlineCommands,
  ...pictureCommands,
  ...shareCommands,
  ...noteCommands,
  ...viewCommands,
  ...editCommands,
  ...consoleCommands,
  ...graphCommands,
  ...inspectorCommands,
  ...sourceCommands,
  ...laneCommands,
  ...lessonCommands,
} as const;
export type CommandId = keyof typeof COMMANDS;
type ArgOf<I extends CommandId> = (typeof COMMANDS)[I] extends CommandDef<infer A> ? A : never;
/** Commands that need no argument. */
export type PlainCommandId = { [I in CommandId]: ArgOf<I> extends undefined ? I : never }[CommandId];

export function isAvailable(id: CommandId): boolean {
  return COMMANDS[id].available?.() ?? true;
}

/** Runs a command and gives its error, if any, to the caller. Does nothing while it is not available. */
export async function tryCommand<I extends CommandId>(
  id: I,
  ...args: ArgOf<I> extends undefined ? [] : [ArgOf<I>]
): Promise<void> {
  if (!isAvailable(id)) return;
  const { run } = COMMANDS[id] as unknown as CommandDef<unknown>;
  await run(args[0]);
}

/** Runs a command; an error becomes a notice that names the command. */
export function runCommand<I extends CommandId>(id: I, ...args: ArgOf<I> extends undefined ? [] : [ArgOf<I>]): void {
  tryCommand(id, ...args).catch((error: unknown) => {
    if (error instanceof StoppedError) return;
    notify(
      t('session.commandFailed', {
        command: t(COMMANDS[id].title),
        error: error instanceof Error ? error.message : String(error),
      }),
      true,
    );
  });
}
