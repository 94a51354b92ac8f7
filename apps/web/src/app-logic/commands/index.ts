import { t } from '../../i18n/index.js';
import { notify } from '../../store/ui-store.js';
import { StoppedError } from '../session.js';
import { branchCommands } from './branches.js';
import { breakpointCommands } from './breakpoints.js';
import { classCommands } from './class.js';
import { consoleCommands } from './console.js';
import { editCommands } from './edit.js';
import { graphCommands } from './graph.js';
import { inspectorCommands } from './inspector.js';
import { laneCommands } from './lanes.js';
import { lessonCommands } from './lessons.js';
import { manifestCommands } from './manifests.js';
import { noteCommands } from './notes.js';
import { offlineCommands } from './offline.js';
import { pictureCommands } from './pictures.js';
import { podCommands } from './pods.js';
import { recordingCommands } from './recordings.js';
import { shareCommands } from './share.js';
import { sourceCommands } from './source.js';
import { timelineCommands } from './timeline.js';
import { transportCommands } from './transport.js';
import type { CommandDef } from './types.js';
import { viewCommands } from './view.js';

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
