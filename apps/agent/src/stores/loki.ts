import { anyText, list, object, read, record, ShapeError, text } from '@syncloop/core/shape';
import { SetupError } from '../base/errors.js';
import { jsonOf, type StoreError, type StoreOptions, shown } from './http.js';
import type { LogPage, LogSource, TimeRange } from './log-source.js';

export interface LokiOptions extends StoreOptions {
  readonly url: URL;
  /** LogQL that selects lines, such as `{unit="kubelet.service"}`. */
  readonly query: string;
  /** The label that names a line's node. Default: the first of those that collectors set. */
  readonly nodeLabel?: string;
  /** Lines of one request. A server allows 5000 unless it is configured otherwise. */
  readonly page?: number;
}

const PAGE = 5000;
/** The longest time of one request, ms: servers have a limit (30 days), and answer a day sooner. */
const SPAN = 24 * 3_600_000;
/** Labels by which collectors name a node, the most telling first. */
const NODE_LABELS = ['node_name', 'nodename', 'node', 'hostname', 'host', 'instance'];

const answer = object(
  {
    status: text,
    data: object(
      {
        resultType: text,
        result: list(object({ stream: record(anyText), values: list(list(anyText)) }, 'drop')),
      },
      'drop',
    ),
  },
  'drop',
);

/** A line with its time in nanoseconds since 1970, as a whole number. */
interface Line {
  readonly at: bigint;
  readonly node: string;
  readonly text: string;
  /** Its stream and its text: what makes two lines of one nanosecond the same. */
  readonly id: string;
}

/**
 * Reads Loki through `query_range`, forward. The next page begins at the last line's nanosecond, for more lines may
 * have it; those that came already are left out.
 */
export class Loki implements LogSource {
  constructor(private readonly options: LokiOptions) {}

  async *pages({ from, to }: TimeRange): AsyncGenerator<LogPage> {
    const { page = PAGE } = this.options;
    const end = BigInt(to) * 1_000_000n;
    let start = BigInt(from) * 1_000_000n;
    let seen = new Set<string>();
    while (start < end) {
      const stop = start + BigInt(SPAN) * 1_000_000n < end ? start + BigInt(SPAN) * 1_000_000n : end;
      const lines = await this.ask(start, stop, page);
      const fresh = lines.filter(({ at, id }) => at !== start || !seen.has(id));
      const last = lines.at(-1)?.at;
      const full = lines.length >= page;
      if (full && last === start) {
        if (fresh.length === 0)
          throw new SetupError(
            `${page} lines have the same nanosecond (${new Date(Number(start / 1_000_000n)).toISOString()}), so no request gets past them: ask for larger pages with --page, as far as the server allows`,
          );
      }
      yield { pieces: piecesOf(fresh), until: Number((full ? (last as bigint) : stop) / 1_000_000n) };
      if (full) {
        const next = last as bigint;
        const same = lines.filter(({ at }) => at === next).map(({ id }) => id);
        seen = next === start ? new Set([...seen, ...same]) : new Set(same);
        start = next;
      } else {
        seen = new Set();
        start = stop;
      }
    }
  }

  private async ask(start: bigint, stop: bigint, limit: number): Promise<Line[]> {
    const { url, query } = this.options;
    const at = new URL(url);
    at.pathname = `${at.pathname.replace(/\/+$/, '').replace(/\/loki\/api\/v1(\/query_range)?$/, '')}/loki/api/v1/query_range`;
    const asked = { query, start: String(start), end: String(stop), limit: String(limit), direction: 'forward' };
    for (const [name, value] of Object.entries(asked)) at.searchParams.set(name, value);
    const value = await jsonOf({ url: at }, this.options).catch((error: StoreError) => {
      const { status, words = '' } = error;
      if (status === 400 && /max entries limit/i.test(words))
        throw new SetupError(`Loki allows fewer lines in one answer: ${words}; give --page less`);
      if (status === 400) throw new SetupError(`Loki does not take the query ${JSON.stringify(query)}: ${words}`);
      throw error;
    });
    const { data } = shaped(value, at);
    if (data.resultType !== 'streams')
      throw new SetupError(
        `the query ${JSON.stringify(query)} gives numbers (${data.resultType}) and not lines: give a selector such as {unit="kubelet.service"}`,
      );
    const lines = data.result.flatMap(({ stream, values }) => {
      const node = this.nodeOf(stream);
      const labels = JSON.stringify(stream);
      return values.flatMap(([time = '', line = '']) =>
        /^\d{1,20}$/.test(time) ? [{ at: BigInt(time), node, text: line, id: `${labels} ${line}` }] : [],
      );
    });
    return lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  }

  private nodeOf(stream: { readonly [label: string]: string }): string {
    const { nodeLabel } = this.options;
    if (nodeLabel !== undefined) return stream[nodeLabel] ?? '';
    for (const label of NODE_LABELS) if (stream[label]) return stream[label];
    return '';
  }
}

function shaped(value: unknown, url: URL) {
  try {
    return read(answer, value, 'answer');
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new SetupError(`${shown(url)} does not answer as Loki does: ${error.message}`);
  }
}

/** Lines by node, each ending with a line break. */
export function piecesOf(lines: readonly { readonly node: string; readonly text: string }[]): LogPage['pieces'] {
  const byNode = new Map<string, string[]>();
  for (const { node, text: line } of lines) {
    const said = line.endsWith('\n') ? line : `${line}\n`;
    const known = byNode.get(node);
    if (known) known.push(said);
    else byNode.set(node, [said]);
  }
  return [...byNode].map(([node, said]) => ({ node, bytes: Buffer.from(said.join('')) }));
}
