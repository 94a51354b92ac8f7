/** The flags of `syncloop serve` that open a classroom. */
import type { FlagSpecs } from '../cli/args.js';

export const classroomFlags = {
  class: { type: 'bool', help: 'let an audience follow what you show; see docs/class.md' },
  'class-host': {
    type: 'string',
    value: 'IP',
    help: 'address for the audience (default 127.0.0.1, this machine only): the one your class reaches, 0.0.0.0 for all',
  },
  'class-port': { type: 'int', value: 'PORT', min: 0, max: 65535, help: 'its port, 0 for any free one (default 7331)' },
  'class-name': {
    type: 'string',
    value: 'NAME',
    many: true,
    help: 'a host name that the audience uses for this machine',
  },
  'class-most': { type: 'int', value: 'N', min: 1, max: 2000, help: 'how many may follow (default 400)' },
  'class-per-address': {
    type: 'int',
    value: 'N',
    min: 1,
    max: 2000,
    help: 'how many of them may come from one address, such as that of a school (default 64)',
  },
  'class-token-file': {
    type: 'string',
    value: 'FILE',
    help: "keep the audience's token there, so that its link is good after a restart",
  },
  'class-tls-cert': { type: 'string', value: 'FILE', help: 'serve the audience by HTTPS, with this certificate (PEM)' },
  'class-tls-key': { type: 'string', value: 'FILE', help: "the certificate's key (PEM)" },
} as const satisfies FlagSpecs;
