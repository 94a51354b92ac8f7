/** Credentials for a collector, from a file: `Name: value`, one a line. */
import { SetupError } from '../base/errors.js';
import { readSettings } from '../base/read-file.js';

export type Headers = ReadonlyMap<string, string>;

const most = 64 * 1024;
/** Headers that the protocol itself sets. */
const reserved = /^(content-|transfer-encoding$|connection$|host$|te$|grpc-)/;

/**
 * Reads them. Blank lines and lines that begin with # are skipped; names are taken in lower case. Rejects with a
 * SetupError.
 */
export async function readHeaders(file: string): Promise<Headers> {
  let text: string;
  try {
    text = await readSettings(file);
  } catch (err) {
    throw new SetupError(`--otlp-headers-file ${file} cannot be read: ${(err as Error).message}`);
  }
  if (text.length > most)
    throw new SetupError(`--otlp-headers-file ${file} is larger than 64 KiB, which no list of headers is`);
  const headers = new Map<string, string>();
  for (const [i, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    // The line may have a secret: the error does not repeat it.
    const wrong = (why: string) =>
      new SetupError(`${file}:${i + 1}: ${why}; write a line such as "authorization: Bearer TOKEN"`);
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (colon < 0) throw wrong('there is no colon');
    if (!/^[a-z0-9_.-]+$/.test(name)) throw wrong('there is no valid name of a header before the colon');
    if (reserved.test(name)) throw wrong(`the header ${name} cannot be set here`);
    if (!/^[\x20-\x7e]+$/.test(value))
      throw wrong(`the value of ${name} is empty or has characters that no header has`);
    headers.set(name, value);
  }
  return headers;
}
