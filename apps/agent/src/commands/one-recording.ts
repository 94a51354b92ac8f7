/** Helpers that commands about one recording share. */
import { UsageError } from '../base/errors.js';

/** The one file that a command is about. */
export function oneFile(command: string, positionals: readonly string[]): string {
  const [file, extra] = positionals;
  if (file === undefined)
    throw new UsageError(`a recording is required: syncloop ${command} FILE, or - for standard input`);
  if (extra !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(extra)}: one recording at a time`);
  return file;
}

/** Returns a text from a file for a terminal, without what would steer it. */
export const clean = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}]/gu, '?');
