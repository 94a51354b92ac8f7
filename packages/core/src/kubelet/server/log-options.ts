import { epochMicros, type Kernel } from '../../kernel/index.js';
import { type FeatureGates, featureEnabled } from '../features.js';
import { HTTPError } from './errors.js';
import { parseTimestamp } from './log-line.js';

export type LogStream = 'All' | 'Stdout' | 'Stderr';

/** upstream: core/v1 PodLogOptions */
export interface PodLogOptions {
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines?: number;
  readonly limitBytes?: number;
  readonly sinceSeconds?: number;
  /** ns since 1970. */
  readonly sinceTime?: bigint;
  readonly stream: LogStream;
}

/** Options of a request for a container's log. Names are upstream's; of a name given twice the first counts. */
export type Query = { get(name: string): string | null; has(name: string): boolean };

const undecodable = () => new HTTPError(400, '{"message": "Unable to decode query."}');
const invalid = () => new HTTPError(422, '{"message": "Invalid request."}');

/**
 * Throws an HTTPError: 400 for what is not a number, 422 for what is out of bounds (fidelity 3:HTTP-09).
 * upstream: getContainerLogs, ValidatePodLogOptions
 */
export function parsePodLogOptions(query: Query, config: { readonly featureGates: FeatureGates }): PodLogOptions {
  const tail = query.get('tail');
  const text = (name: string): string | null =>
    name === 'tailLines' && tail ? (tail === 'all' ? null : tail) : query.has(name) ? (query.get(name) ?? '') : null;
  // Any value except a false one means true, even the empty value.
  const flag = (name: string): boolean => {
    const found = text(name);
    return found !== null && found !== '0' && found.toLowerCase() !== 'false';
  };
  const number = (name: string): number | undefined => {
    const found = text(name);
    if (found === null) return undefined;
    if (!/^[+-]?\d{1,19}$/.test(found)) throw undecodable();
    const value = BigInt(found);
    if (value > 2n ** 63n - 1n || value < -(2n ** 63n)) throw undecodable();
    return Number(value);
  };
  const [tailLines, limitBytes, sinceSeconds] = [number('tailLines'), number('limitBytes'), number('sinceSeconds')];
  const since = text('sinceTime');
  const sinceTime = since ? parseTimestamp(since) : undefined;
  if (sinceTime === null) throw undecodable();
  const split = featureEnabled(config, 'PodLogsQuerySplitStreams');
  const wanted = text('stream') ?? 'All';
  if (tailLines !== undefined && tailLines < 0) throw invalid();
  if (limitBytes !== undefined && limitBytes < 1) throw invalid();
  if (sinceSeconds !== undefined && (sinceSeconds < 1 || sinceTime !== undefined)) throw invalid();
  const stream = wanted === 'All' || wanted === 'Stdout' || wanted === 'Stderr' ? wanted : null;
  if (split) {
    if (!stream || (stream !== 'All' && tailLines !== undefined)) throw invalid();
  } else if (stream !== 'All')
    throw new HTTPError(
      400,
      `unable to return the given log stream: ${JSON.stringify(wanted)}. Please enable PodLogsQuerySplitStreams feature gate in kubelet`,
    );
  return {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    ...(tailLines !== undefined && { tailLines }),
    ...(limitBytes !== undefined && { limitBytes }),
    ...(sinceSeconds !== undefined && { sinceSeconds }),
    ...(sinceTime !== undefined && { sinceTime }),
    stream: stream ?? 'All',
  };
}

/** Returns the ns since 1970 from which lines count; null: all. upstream: logs.NewLogOptions */
export function sinceOf(kernel: Kernel, options: PodLogOptions): bigint | null {
  const now = BigInt(Math.round(epochMicros(kernel.clock) + kernel.now())) * 1000n;
  if (options.sinceSeconds !== undefined) return now - BigInt(options.sinceSeconds) * 1_000_000_000n;
  return options.sinceTime ?? null;
}
