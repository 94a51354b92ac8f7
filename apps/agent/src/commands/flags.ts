/** Flags of the commands, apart from their code, so that help need not load it. */
import type { FlagSpecs } from '../cli/args.js';

export const serveFlags = {
  port: { type: 'int', value: 'PORT', min: 0, max: 65535, help: 'port, 0 for any free one (default 7330)' },
  host: { type: 'string', value: 'IP', help: 'loopback address (default 127.0.0.1)' },
  scenario: { type: 'string', value: 'NAME', help: 'scenario to begin with (default hello)' },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of the simulation' },
} as const satisfies FlagSpecs;

export const serveMockFlags = {
  endpoint: { type: 'string', value: 'unix:///PATH', help: 'socket to make (default unix:///tmp/syncloop-mock.sock)' },
  seed: { type: 'int', value: 'N', min: 0, help: 'seed of ids and times' },
} as const satisfies FlagSpecs;

export const simulateFlags = {
  seed: { type: 'int', value: 'N', min: 0, help: 'seed; the same one gives the same run' },
  record: { type: 'string', value: 'FILE', help: 'write a recording' },
  until: { type: 'duration', help: 'how much time to simulate (default: as long as the scenario says)' },
} as const satisfies FlagSpecs;
