import { copyJSON } from '../json.js';
import { groupVersion, type Resource, type TablePrinter } from '../registry/resource.js';
import { plainTable } from '../resources/tables.js';
import { StatusError } from '../status.js';
import type { ApiAnswer, ApiObject, ApiRequest } from '../types.js';
import { param } from './request-info.js';

/** In which shape objects are wanted. */
export type Shape =
  | { readonly as: 'object' }
  | { readonly as: 'Table' | 'PartialObjectMetadata'; readonly version: string };

/** One of an Accept header's media types with its parameters. */
interface Accepted {
  readonly type: string;
  readonly params: Readonly<Record<string, string>>;
}
export function accepts(request: ApiRequest): Accepted[] {
  return (request.headers?.accept ?? '')
    .split(',')
    .map((clause) => {
      const [type = '', ...rest] = clause.split(';').map((s) => s.trim());
      const params: Record<string, string> = Object.create(null) as Record<string, string>;
      for (const p of rest) {
        const [k = '', v = ''] = p.split('=');
        params[k.trim()] = v.trim();
      }
      return { type: type.toLowerCase(), params };
    })
    .filter((a) => a.type !== '');
}

/** The first wish that can be met. Throws a 406. upstream: endpoints/handlers/negotiation */
export function shapeOf(request: ApiRequest): Shape {
  const all = accepts(request);
  if (all.length === 0) return { as: 'object' };
  for (const { type, params } of all) {
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const { as, g, v } = params;
    if (as === undefined) return { as: 'object' };
    if (
      g === 'meta.k8s.io' &&
      (v === 'v1' || v === 'v1beta1') &&
      (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
    )
      return { as: as === 'Table' ? 'Table' : 'PartialObjectMetadata', version: v };
  }
  throw new StatusError(
    406,
    'NotAcceptable',
    'only the following media types are accepted: application/json, application/json;as=Table;v=v1;g=meta.k8s.io, application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
  );
}

const partial = (o: ApiObject, version: string, kind = true): object => ({
  ...(kind && { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}` }),
  metadata: copyJSON(o.metadata),
});

/** Length of a part of a list's text, and how many objects one part looks at where few of them are wanted. */
const [partLength, lookedAtOnce] = [32 * 1024, 200];

/** Turns objects into the form that the request asks for; each result is a copy. */
export class Shaper {
  readonly shape: Shape;
  private headSent = false;
  private readonly include: string;
  constructor(
    private readonly resource: Resource,
    request: ApiRequest,
    private readonly now: () => number,
  ) {
    this.shape = shapeOf(request);
    this.include = param(request, 'includeObject') || 'Metadata';
  }

  one(o: ApiObject): object {
    const { shape } = this;
    if (shape.as === 'Table') return this.table([o], { resourceVersion: o.metadata.resourceVersion ?? '' }, true);
    if (shape.as === 'PartialObjectMetadata') return partial(o, shape.version);
    return copyJSON(o);
  }
  /** The object of a watch event: only the first table of a watch has columns. */
  event(o: ApiObject): object {
    const { shape } = this;
    if (shape.as !== 'Table') return this.one(o);
    const table = this.table([o], { resourceVersion: o.metadata.resourceVersion ?? '' }, !this.headSent);
    this.headSent = true;
    return table;
  }
  /** The kind and the columns of a list, which come before its items. */
  private head(): object {
    const { shape, resource } = this;
    if (shape.as === 'Table')
      return { kind: 'Table', apiVersion: `meta.k8s.io/${shape.version}`, columnDefinitions: this.columns() };
    if (shape.as === 'PartialObjectMetadata')
      return { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${shape.version}` };
    return { kind: `${resource.kind}List`, apiVersion: groupVersion(resource) };
  }
  private item(o: ApiObject): object {
    const { shape } = this;
    if (shape.as === 'Table') return this.row(o, shape.version);
    if (shape.as === 'PartialObjectMetadata') return partial(o, shape.version, false);
    const { kind: _k, apiVersion: _v, ...rest } = o;
    return rest;
  }
  /** A list as text, in parts. An undefined item is left out. `metadata` is called at the end. */
  *parts(items: Iterable<ApiObject | undefined>, metadata: () => object): Generator<string, void> {
    const field = this.shape.as === 'Table' ? 'rows' : 'items';
    let text = `${JSON.stringify(this.head()).slice(0, -1)},${JSON.stringify(field)}:[`;
    let comma = '';
    let looked = 0;
    for (const o of items) {
      if (o) {
        text += comma + JSON.stringify(this.item(o));
        comma = ',';
      }
      if (text.length < partLength && ++looked < lookedAtOnce) continue;
      yield text;
      text = '';
      looked = 0;
    }
    yield `${text}],"metadata":${JSON.stringify(metadata())}}\n`;
  }
  /** A list as an answer. Its objects are never changed, so it may be encoded while others have their turn. */
  answer(items: readonly ApiObject[], metadata: object): ApiAnswer {
    const list = () => this.list(items, metadata);
    return {
      kind: 'answer',
      code: 200,
      headers: { 'content-type': 'application/json' },
      get body() {
        return list();
      },
      parts: () => this.parts(items, () => metadata),
    };
  }
  list(items: readonly ApiObject[], metadata: object): object {
    const { shape, resource } = this;
    if (shape.as === 'Table') return this.table(items, metadata, true);
    if (shape.as === 'PartialObjectMetadata')
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: `meta.k8s.io/${shape.version}`,
        metadata,
        items: items.map((o) => partial(o, shape.version, false)),
      };
    return {
      kind: `${resource.kind}List`,
      apiVersion: groupVersion(resource),
      metadata,
      items: items.map((o) => {
        const { kind: _k, apiVersion: _v, ...rest } = o;
        return copyJSON(rest);
      }),
    };
  }
  private table(items: readonly ApiObject[], metadata: object, head: boolean): object {
    const { shape } = this;
    const version = shape.as === 'Table' ? shape.version : 'v1';
    return {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${version}`,
      metadata,
      columnDefinitions: head ? this.columns() : null,
      rows: items.map((o) => this.row(o, version)),
    };
  }
  private columns(): object[] {
    return this.printer.columns.map((c) => ({
      name: c.name,
      type: c.type,
      format: c.format ?? '',
      description: c.description,
      priority: c.priority ?? 0,
    }));
  }
  private row(o: ApiObject, version: string): object {
    return {
      cells: this.printer.cells(o, this.now()),
      object: this.include === 'None' ? null : this.include === 'Object' ? copyJSON(o) : partial(o, version),
    };
  }
  private get printer(): TablePrinter {
    return this.resource.table ?? plainTable;
  }
  /** The key of the shape of a watch's events; null if one event's shape depends on those before it. */
  get key(): string | null {
    const { shape, resource } = this;
    if (shape.as === 'Table') return null;
    return `${groupVersion(resource)} ${resource.resource} ${shape.as === 'object' ? '' : shape.version}`;
  }
}
