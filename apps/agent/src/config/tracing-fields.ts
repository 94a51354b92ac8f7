/** The field `tracing` of a KubeletConfiguration. */
import { map } from '@syncloop/core/shape';
import { type Field, field, int, string } from './readers.js';

/** Like upstream: gRPC without TLS, by name or by socket. */
const endpoint = map(string, (target, r) => {
  const scheme = /^([^/]*?):?\/\//.exec(target)?.[1];
  if (scheme !== undefined && scheme !== 'dns' && scheme !== 'unix')
    throw r.mustBe('HOST:PORT of a collector over gRPC, dns:///HOST:PORT or unix:///PATH (--otlp-endpoint knows more)');
  return target;
});

export const tracingFields: Readonly<Record<string, Field>> = {
  'tracing.endpoint': field(endpoint, (c, v) => {
    c.tracing = { ...c.tracing, endpoint: v };
  }),
  'tracing.samplingRatePerMillion': field(int(0, 1_000_000), (c, v) => {
    c.tracing = { ...c.tracing, samplingRatePerMillion: v };
  }),
};
