/** Turns flags and KubeletConfiguration into an exporter of spans. */
import { hostname } from 'node:os';
import { type OtlpRun, otlpText } from '@syncloop/core/trace';
import { UsageError } from '../base/errors.js';
import { version } from '../base/version.js';
import type { Flags } from '../cli/args.js';
import { readFlagFile } from '../cli/flag-file.js';
import type { TracingConfig } from '../config/agent-config.js';
import type { telemetryFlags } from '../config/telemetry-flags.js';
import { SpanExporter } from './exporter.js';
import { readHeaders } from './headers.js';
import { senderTo } from './sender.js';
import { parseTarget, targetName } from './target.js';

const localCollector = 'localhost:4317';
const million = 1_000_000;
const requestMillis = 10_000;

/** Returns the exporter; null if no spans are to be sent. Throws a UsageError or SetupError with the remedy. */
export async function exporterFor(
  tracing: TracingConfig | null,
  flags: Flags<typeof telemetryFlags>,
  run: OtlpRun,
  warn: (text: string) => void,
): Promise<SpanExporter | null> {
  const given = flags['otlp-endpoint'];
  if (given === undefined && tracing === null) {
    const idle = (['otlp-sampling', 'otlp-headers-file', 'otlp-ca-file', 'otlp-no-own-spans'] as const).find(
      (name) => flags[name] !== undefined,
    );
    if (idle !== undefined)
      throw new UsageError(`--${idle} has an effect only with --otlp-endpoint: give that as well`);
    return null;
  }
  const from = given === undefined ? 'tracing.endpoint' : '--otlp-endpoint';
  const target = parseTarget(given ?? tracing?.endpoint ?? localCollector, from);
  // A rate in the file counts for the flag, too; without either the flag means all of them.
  const perMillion = flags['otlp-sampling'] ?? tracing?.samplingRatePerMillion ?? (given === undefined ? 0 : million);
  if (perMillion === 0) {
    warn(
      `no spans are sent to ${targetName(target)}: the sampling rate is 0, so only spans of callers that are sampled would be sent; ` +
        'give tracing.samplingRatePerMillion: 1000000, or --otlp-sampling, for all',
    );
    return null;
  }
  const caFile = flags['otlp-ca-file'];
  if (caFile !== undefined && !target.tls)
    throw new UsageError(`--otlp-ca-file is for a collector over TLS: write ${from} with https:// or grpcs://`);
  const headersFile = flags['otlp-headers-file'];
  if (headersFile !== undefined) {
    if (!target.tls && !target.local)
      throw new UsageError(
        `--otlp-headers-file would go in clear to ${targetName(target)}: use https:// or grpcs://, or a collector on this machine`,
      );
    await readHeaders(headersFile);
  }
  return new SpanExporter({
    run,
    resource: [
      otlpText('service.name', 'kubelet'),
      otlpText('host.name', hostname()),
      otlpText('k8s.node.name', run.node),
      otlpText('syncloop.version', version),
    ],
    sender: senderTo(target, {
      timeoutMillis: requestMillis,
      ...(caFile !== undefined && { ca: readFlagFile('--otlp-ca-file', caFile) }),
    }),
    name: targetName(target),
    perMillion,
    own: !(flags['otlp-no-own-spans'] ?? false),
    ...(headersFile !== undefined && { headers: () => readHeaders(headersFile) }),
    warn,
  });
}
