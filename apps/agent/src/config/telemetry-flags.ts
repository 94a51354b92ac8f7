/** Flags of `syncloop kubelet` about spans, apart from their code. */
import type { FlagSpecs } from '../cli/args.js';

export const telemetryFlags = {
  'otlp-endpoint': {
    type: 'string',
    value: 'URL',
    help: 'send spans of the loop to this collector: http(s)://HOST:4318, or grpc(s)://HOST:4317; see docs/telemetry.md',
  },
  'otlp-sampling': {
    type: 'int',
    value: 'N',
    min: 0,
    max: 1_000_000,
    help: 'of a million traces, how many are sent (default: all)',
  },
  'otlp-headers-file': {
    type: 'string',
    value: 'FILE',
    help: 'headers for the collector, such as its token: NAME: VALUE, one a line; read again for each request',
  },
  'otlp-ca-file': { type: 'string', value: 'FILE', help: "authority of the collector's certificate (PEM)" },
  'otlp-no-own-spans': { type: 'bool', help: 'only the spans that a real kubelet makes' },
} as const satisfies FlagSpecs;
