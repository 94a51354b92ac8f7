/** The field `tracing` of a KubeletConfiguration. */
import { type Field, field, int, type Reader, string } from './readers.js';

/** As upstream: gRPC without TLS, by name or by socket. */
const endpoint: Reader<string> = (v) => {
  const read = string(v);
  if ('want' in read) return read;
  const scheme = /^([^/]*?):?\/\//.exec(read.ok)?.[1];
  return scheme === undefined || scheme === 'dns' || scheme === 'unix'
    ? read
    : { want: 'HOST:PORT of a collector over gRPC, dns:///HOST:PORT or unix:///PATH (--otlp-endpoint knows more)' };
};

export const tracingFields: Readonly<Record<string, Field>> = {
  'tracing.endpoint': field(endpoint, (c, v) => {
    c.tracing = { ...c.tracing, endpoint: v };
  }),
  'tracing.samplingRatePerMillion': field(int(0, 1_000_000), (c, v) => {
    c.tracing = { ...c.tracing, samplingRatePerMillion: v };
  }),
};
