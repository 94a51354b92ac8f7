/** The flags of `syncloop serve` that open a classroom. */
import type { FlagSpecs } from '../cli/args.js';

export const classroomFlags = {
  class: {
    type: 'bool',
    help: 'open a classroom: an audience follows what you show in its browsers; see docs/users/class.md',
  },
  'class-host': {
    type: 'string',
    value: 'IP',
    help: "address to serve the audience on: one that your class can reach, or 0.0.0.0 for all (default 127.0.0.1, this machine only, until you choose another one on the presenter's page)",
  },
  'class-port': {
    type: 'int',
    value: 'PORT',
    min: 0,
    max: 65535,
    help: 'port for the audience; 0 picks any free port (default 7331)',
  },
  'class-name': {
    type: 'string',
    value: 'NAME',
    many: true,
    help: 'host name by which the audience reaches this machine; may be repeated',
  },
  'class-most': { type: 'int', value: 'N', min: 1, max: 2000, help: 'largest number of followers (default 400)' },
  'class-per-address': {
    type: 'int',
    value: 'N',
    min: 1,
    max: 2000,
    help: "largest number of followers from one IP address, such as that of a school's router (default 64)",
  },
  'class-token-file': {
    type: 'file',
    value: 'FILE',
    help: "file that keeps the audience's token, so that its link stays valid after a restart",
  },
  'class-tls-cert': {
    type: 'file',
    value: 'FILE',
    help: 'serve the audience over HTTPS with this certificate (PEM); needs --class-tls-key',
  },
  'class-tls-key': { type: 'file', value: 'FILE', help: 'private key of that certificate (PEM)' },
} as const satisfies FlagSpecs;
