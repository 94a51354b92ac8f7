/** Flags that several commands have: of the page that they serve, of the kubectl that they run. */
import type { FlagSpecs } from '../cli/args.js';

/** The address of a page whose port is usually this one. `prefix`: when the flags have an effect. */
export const pageFlags = (port: number, prefix = '') =>
  ({
    port: {
      type: 'int',
      value: 'PORT',
      min: 0,
      max: 65535,
      help: `${prefix}port of the page; 0 picks any free port (default ${port})`,
    },
    host: { type: 'string', value: 'IP', help: `${prefix}loopback address to listen on (default 127.0.0.1)` },
  }) as const satisfies FlagSpecs;

export const kubectlFlags = {
  kubeconfig: { type: 'file', value: 'FILE', help: "kubectl's configuration (default: as kubectl finds it)" },
  context: { type: 'string', value: 'NAME', help: "context of kubectl's configuration (default: the current one)" },
  kubectl: { type: 'string', value: 'PATH', help: 'program to run (default kubectl)' },
} as const satisfies FlagSpecs;
