/** Turns the flags `--class-*` into the options of a classroom. */

import { UsageError } from '../base/errors.js';
import type { Flags } from '../cli/args.js';
import { readFlagFile } from '../cli/flag-file.js';
import { isLoopback } from '../net/listen.js';
import type { ClassroomOptions } from './classroom-host.js';
import type { classroomFlags } from './flags.js';
import { tokenFrom } from './token-file.js';

/** The options of the classroom; null without --class. Throws a UsageError or a SetupError. */
export function classroomSettings(flags: Flags<typeof classroomFlags>, webRoot: string): ClassroomOptions | null {
  if (!flags.class) {
    const other = Object.keys(flags).find((name) => name.startsWith('class-'));
    if (other !== undefined) throw new UsageError(`--${other} needs --class: without it there is no class`);
    return null;
  }
  const host = flags['class-host'] ?? '127.0.0.1';
  if (!/^[\da-f:.]+$/i.test(host) && host !== 'localhost')
    throw new UsageError(
      `--class-host is ${JSON.stringify(host)}, but must be an address of this machine; a name goes to --class-name`,
    );
  const names = flags['class-name'] ?? [];
  const odd = names.find((name) => !/^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/i.test(name));
  if (odd !== undefined)
    throw new UsageError(`--class-name is ${JSON.stringify(odd)}, but must be a host name such as laptop.local`);
  const { 'class-tls-cert': cert, 'class-tls-key': key } = flags;
  if ((cert === undefined) !== (key === undefined))
    throw new UsageError('--class-tls-cert and --class-tls-key go together: give both');
  return {
    host,
    fixed: flags['class-host'] !== undefined,
    port: flags['class-port'] ?? 7331,
    names,
    most: flags['class-most'] ?? 400,
    ...(flags['class-per-address'] !== undefined && { perAddress: flags['class-per-address'] }),
    webRoot,
    remedy: 'choose another with --class-port (0 for any free one) or --class-host',
    ...(flags['class-token-file'] !== undefined && { token: tokenFrom(flags['class-token-file']) }),
    ...(cert !== undefined &&
      key !== undefined && {
        tls: { cert: readFlagFile('--class-tls-cert', cert), key: readFlagFile('--class-tls-key', key) },
      }),
  };
}

/** A warning about an audience on other machines; null if none is needed. */
export function warningOf({ host, tls }: ClassroomOptions): string | null {
  if (isLoopback(host) || tls) return null;
  return (
    'the class is served without encryption: others in that network may read what you show and its link, answer the ' +
    'questions, and change the page on its way to the audience. They cannot reach your session. ' +
    'Use a network that you trust, or --class-tls-cert and --class-tls-key'
  );
}
