import { SetupError } from '../base/errors.js';
import { readRegularSync, settingsLimit } from '../base/read-file.js';

/** The text of the file that a flag names. Throws a SetupError that names the flag. */
export function readFlagFile(flag: string, file: string): string {
  try {
    return readRegularSync(file, { limit: settingsLimit }).toString('utf8');
  } catch (err) {
    throw new SetupError(`${flag} ${file} cannot be read: ${(err as Error).message}`);
  }
}
