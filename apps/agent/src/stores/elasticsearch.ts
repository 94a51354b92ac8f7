import { custom, list, object, optional, read, type Shape, ShapeError, text } from '@syncloop/core/shape';
import { SetupError } from '../base/errors.js';
import { jsonOf, StoreError, type StoreOptions, shown } from './http.js';
import type { LogPage, LogSource, TimeRange } from './log-source.js';
import { piecesOf } from './loki.js';

export interface ElasticsearchOptions extends StoreOptions {
  readonly url: URL;
  readonly flavour: 'elasticsearch' | 'opensearch';
  /** The index, an alias, or a pattern. */
  readonly index: string;
  /** In the query language of Lucene, such as `systemd.unit:kubelet.service`. */
  readonly query: string;
  readonly timeField?: string;
  /** Default: the first of those that shippers set. */
  readonly messageField?: string;
  readonly nodeField?: string;
  /** Lines of one request. A server allows 10,000 unless it is configured otherwise. */
  readonly page?: number;
}

const PAGE = 2000;
const KEEP = '2m';
const MESSAGES = ['message', 'MESSAGE', 'log', 'log.original', 'event.original'];
const NODES = [
  'kubernetes.node.name',
  'host.name',
  'host.hostname',
  'kubernetes.host',
  'kubernetes_host',
  '_HOSTNAME',
  'hostname',
  'agent.hostname',
];

/** A JSON value that is looked into field by field. */
const anything: Shape<unknown> = custom(
  {},
  (r) => r.value,
  () => true,
);
const opening = object({ id: optional(text), pit_id: optional(text) }, 'drop');
const answer = object(
  {
    pit_id: optional(text),
    timed_out: optional(anything),
    _shards: optional(object({ failed: optional(anything) }, 'drop')),
    hits: object(
      { hits: list(object({ _source: optional(anything), sort: optional(list(anything)) }, 'drop')) },
      'drop',
    ),
  },
  'drop',
);

/**
 * Reads Elasticsearch or OpenSearch with `search_after` at a point in time, which keeps what a page has from changing
 * under the next. The point is given back at the end.
 */
export class Elasticsearch implements LogSource {
  constructor(private readonly options: ElasticsearchOptions) {}

  async *pages({ from, to }: TimeRange): AsyncGenerator<LogPage> {
    const { flavour, page = PAGE, timeField = '@timestamp', query } = this.options;
    let point = await this.open();
    try {
      let after: readonly unknown[] | undefined;
      for (;;) {
        const found = await this.ask('_search', {
          size: page,
          pit: { id: point, keep_alive: KEEP },
          track_total_hits: false,
          query: {
            bool: {
              filter: [
                { range: { [timeField]: { gte: from, lt: to, format: 'epoch_millis' } } },
                { query_string: { query } },
              ],
            },
          },
          // Documents of one millisecond need an order, too.
          sort: [
            { [timeField]: { order: 'asc', format: 'strict_date_optional_time_nanos' } },
            flavour === 'elasticsearch' ? { _shard_doc: 'asc' } : { _id: 'asc' },
          ],
          ...(after && { search_after: after }),
        });
        const { hits, pit_id: id, timed_out: late, _shards: shards } = this.shaped(answer, found);
        if (late === true || Number(shards?.failed ?? 0) > 0)
          throw new SetupError(
            `${flavour} answered in part (${late === true ? 'it took too long' : `${String(shards?.failed)} shards failed`}): try a shorter time, or smaller pages with --page`,
          );
        point = id ?? point;
        const last = hits.hits.at(-1)?.sort;
        const until = last ? timeOf(last[0]) : null;
        yield { pieces: piecesOf(hits.hits.map(({ _source: source }) => this.line(source))), until: last ? until : to };
        if (hits.hits.length < page || !last) return;
        after = last;
      }
    } finally {
      await this.close(point);
    }
  }

  private line(source: unknown): { readonly node: string; readonly text: string } {
    const { messageField, nodeField } = this.options;
    return {
      node: firstOf(source, nodeField === undefined ? NODES : [nodeField]),
      text: firstOf(source, messageField === undefined ? MESSAGES : [messageField]),
    };
  }

  private async open(): Promise<string> {
    const { flavour, index } = this.options;
    const path = `${encodeURIComponent(index)}/${flavour === 'elasticsearch' ? '_pit' : '_search/point_in_time'}`;
    const opened = await this.ask(`${path}?keep_alive=${KEEP}`, undefined).catch((error: Error) => {
      if (error instanceof StoreError && error.status === 404)
        throw new SetupError(`there is no index ${JSON.stringify(index)} there: ${error.words}; give another --index`);
      if (error instanceof StoreError && (error.status === 400 || error.status === 405))
        throw new SetupError(
          `it opens no point in time: ${error.words}; is it ${flavour === 'elasticsearch' ? 'OpenSearch' : 'Elasticsearch'} instead? Else it takes Elasticsearch 7.12 or OpenSearch 2.4`,
        );
      throw error;
    });
    const { id, pit_id: pit } = this.shaped(opening, opened);
    const point = id ?? pit;
    if (point === undefined) throw new SetupError(`${shown(this.options.url)} gives no point in time`);
    return point;
  }

  /** A point that is not given back ends by itself. */
  private async close(point: string): Promise<void> {
    const { flavour } = this.options;
    const [path, body] =
      flavour === 'elasticsearch' ? ['_pit', { id: point }] : ['_search/point_in_time', { pit_id: [point] }];
    await this.ask(path as string, body, 'DELETE').catch(() => {});
  }

  private async ask(path: string, body: unknown, method: 'POST' | 'DELETE' = 'POST'): Promise<unknown> {
    const url = new URL(this.options.url);
    const [name = '', search = ''] = path.split('?');
    url.pathname = `${url.pathname.replace(/\/+$/, '')}/${name}`;
    url.search = search;
    const request = { method, url, ...(body !== undefined && { body: JSON.stringify(body) }) };
    return await jsonOf(request, this.options).catch((error: Error) => {
      if (error instanceof StoreError && error.status === 400 && name === '_search')
        throw new SetupError(
          `${this.options.flavour} does not take the query ${JSON.stringify(this.options.query)}: ${error.words}`,
        );
      throw error;
    });
  }

  private shaped<T>(shape: Shape<T>, value: unknown): T {
    try {
      return read(shape, value, 'answer');
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      throw new SetupError(
        `${shown(this.options.url)} does not answer as ${this.options.flavour} does: ${error.message}`,
      );
    }
  }
}

/** The first of these fields that is a text. A field with dots is one name, or a path. */
function firstOf(source: unknown, fields: readonly string[]): string {
  for (const field of fields) {
    const value = own(source, field) ?? field.split('.').reduce<unknown>(own, source);
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}
const own = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as { readonly [name: string]: unknown })[name]
    : undefined;

function timeOf(value: unknown): number | null {
  const millis = typeof value === 'number' ? value : Date.parse(String(value));
  return Number.isNaN(millis) ? null : millis;
}
