import type { Resource } from '../registry/resource.js';
import { groupVersion } from '../registry/resource.js';
import { pageNotFound, StatusError } from '../status.js';
import type { ApiAnswer, ApiRequest } from '../types.js';
import { accepts } from './negotiate.js';
import { encodeOpenAPIv2 } from './openapi-proto.js';
import { Definitions, definitionName } from './openapi-schemas.js';

const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];
type Json = Record<string, unknown>;

interface Group {
  readonly group: string;
  readonly version: string;
}

/**
 * The OpenAPI documents, for kubectl explain, its checks of arguments and its patches. Made when they are first asked
 * for.
 */
export class OpenAPI {
  private readonly cache = new Map<string, Json>();
  private readonly definitions: Definitions;

  constructor(
    private readonly resources: readonly Resource[],
    private readonly groups: readonly Group[],
    private readonly gitVersion: string,
  ) {
    this.definitions = new Definitions(resources);
  }

  /** The document at a path; null if the path is another's. */
  answer(path: string, request: ApiRequest): ApiAnswer | null {
    if (path === '/openapi/v2') return this.v2(request);
    if (path === '/openapi/v3') {
      const paths: Json = {};
      for (const g of this.groups)
        paths[this.at(g)] = { serverRelativeURL: `/openapi/v3/${this.at(g)}?hash=${this.gitVersion}` };
      return json({ paths });
    }
    if (!path.startsWith('/openapi/v3/')) return null;
    const found = this.groups.find((g) => path === `/openapi/v3/${this.at(g)}`);
    if (!found) throw pageNotFound();
    return json(this.cached(path, () => this.document(found)));
  }
  private at(g: Group): string {
    return g.group ? `apis/${groupVersion(g)}` : 'api/v1';
  }
  private cached(key: string, make: () => Json): Json {
    let found = this.cache.get(key);
    if (!found) {
      found = make();
      this.cache.set(key, found);
    }
    return found;
  }

  private document(g: Group): Json {
    const resources = this.resources.filter((r) => r.group === g.group);
    const paths: Json = {};
    for (const r of resources) Object.assign(paths, pathsOf(r, 3));
    return {
      openapi: '3.0.0',
      info: { title: 'Kubernetes', version: this.gitVersion },
      paths,
      components: { schemas: this.definitions.of(resources, '#/components/schemas/', true) },
    };
  }
  private v2(request: ApiRequest): ApiAnswer {
    const doc = this.cached('v2', () => {
      const paths: Json = {};
      for (const r of this.resources) Object.assign(paths, pathsOf(r, 2));
      return {
        swagger: '2.0',
        info: { title: 'Kubernetes', version: this.gitVersion },
        paths,
        definitions: this.definitions.of(this.resources, '#/definitions/', false),
      };
    });
    const wanted = accepts(request);
    if (wanted.length === 0 || wanted.some((a) => ['application/json', 'application/*', '*/*'].includes(a.type)))
      return json(doc);
    const proto = wanted.find((a) =>
      /^application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf$/.test(a.type),
    );
    // Go's mime package cannot read the type that has an @.
    if (proto)
      return {
        kind: 'answer',
        code: 200,
        headers: { 'content-type': 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf' },
        body: encodeOpenAPIv2(doc),
      };
    throw new StatusError(
      406,
      'NotAcceptable',
      'only the following media types are accepted: application/json, application/com.github.proto-openapi.spec.v2@v1.0+protobuf',
    );
  }
}
/** Makes an answer of a body that is never changed, so it need not be copied. */
const json = (body: object): ApiAnswer => ({
  kind: 'answer',
  code: 200,
  headers: { 'content-type': 'application/json' },
  body,
});

/** The paths of a resource with what clients look for in them. */
function pathsOf(r: Resource, version: 2 | 3): Json {
  const top = r.group ? `/apis/${groupVersion(r)}` : '/api/v1';
  const gvk = { group: r.group, kind: r.kind, version: r.version };
  const ref = `${version === 3 ? '#/components/schemas/' : '#/definitions/'}${definitionName(r, r.kind)}`;
  const parameter = (name: string, type: string, description: string) =>
    version === 3
      ? { name, in: 'query', description, schema: { type, uniqueItems: true } }
      : { name, in: 'query', description, type, uniqueItems: true };
  const writing = [
    parameter('dryRun', 'string', 'With All, nothing is stored.'),
    parameter('fieldManager', 'string', 'The manager that owns the written fields.'),
    parameter('fieldValidation', 'string', 'What to do about unknown fields: Ignore, Warn or Strict.'),
  ];
  const ok = (code: string) => ({
    [code]:
      version === 3
        ? { description: 'OK', content: { 'application/json': { schema: { $ref: ref } } } }
        : { description: 'OK', schema: { $ref: ref } },
  });
  const body = (types: readonly string[], schema: Json = { $ref: ref }): Json =>
    version === 3
      ? { requestBody: { required: true, content: Object.fromEntries(types.map((t) => [t, { schema }])) } }
      : { consumes: types };
  const operation = (action: string, id: string, more: Json = {}, code = '200'): Json => ({
    description: `${action} objects of kind ${r.kind}`,
    operationId: id,
    responses: ok(code),
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
    ...more,
  });
  const inBody = { name: 'body', in: 'body', required: true, schema: { $ref: ref } };
  const parameters = (more: readonly Json[] = []): Json => ({
    parameters: version === 3 ? [...writing, ...more] : [inBody, ...writing, ...more],
  });
  const id = (verb: string) =>
    `${verb}${r.group.split('.')[0]?.replace(/^./, (c) => c.toUpperCase()) || 'Core'}V1${r.namespaced ? 'Namespaced' : ''}${r.kind}`;
  const list: Json = { get: operation('list', id('list')) };
  const collection: Json = { ...list };
  if (r.verbs.includes('create'))
    collection.post = operation('post', id('create'), { ...parameters(), ...body(['application/json']) }, '201');
  if (r.verbs.includes('deletecollection')) collection.delete = operation('deletecollection', id('deleteCollection'));
  const force = parameter('force', 'boolean', 'Apply takes over fields that other managers own.');
  const one: Json = {
    get: operation('get', id('read')),
    put: operation('put', id('replace'), { ...parameters(), ...body(['application/json']) }),
    patch: operation('patch', id('patch'), { ...parameters([force]), ...body(patchTypes, { type: 'object' }) }),
    delete: operation('delete', id('delete'), {
      parameters: [parameter('dryRun', 'string', 'With All, nothing is deleted.')],
    }),
  };
  if (!r.namespaced) return { [`${top}/${r.resource}`]: collection, [`${top}/${r.resource}/{name}`]: one };
  return {
    [`${top}/${r.resource}`]: list,
    [`${top}/namespaces/{namespace}/${r.resource}`]: collection,
    [`${top}/namespaces/{namespace}/${r.resource}/{name}`]: one,
  };
}
