/** Flags of `syncloop kubelet` about spans, apart from their code. */
import type { FlagSpecs } from '../cli/args.js';

export const telemetryFlags = {
  'otlp-endpoint': {
    type: 'string',
    value: 'URL',
    help: 'send spans of the loop to this collector: http(s)://HOST:4318, or grpc(s)://HOST:4317; see docs/operators/telemetry.md',
  },
  'otlp-sampling': {
    type: 'int',
    value: 'N',
    min: 0,
    max: 1_000_000,
    help: 'how many of a million traces are sent (default: all)',
  },
  'otlp-headers-file': {
    type: 'file',
    value: 'FILE',
    help: 'file with headers for the collector, such as its token, one `NAME: VALUE` per line; read again for each request',
  },
  'otlp-ca-file': { type: 'file', value: 'FILE', help: "CA of the collector's certificate (PEM)" },
  'otlp-no-own-spans': { type: 'bool', help: 'send only the spans that a real kubelet makes' },
} as const satisfies FlagSpecs;
