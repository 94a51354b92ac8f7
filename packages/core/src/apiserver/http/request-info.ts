import { badRequest } from '../status.js';
import type { ApiRequest } from '../types.js';

/** What a path and a method mean. upstream: apiserver pkg/endpoints/request RequestInfo */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** What is behind the subresource, with its slash. */
  readonly rest: string;
  readonly path: string;
}

const methods: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** One value of a query parameter; '' where it is not given. */
export function param(request: Pick<ApiRequest, 'query'>, name: string): string {
  const { query } = request;
  const value = query && Object.hasOwn(query, name) ? query[name] : undefined;
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
/** A bool parameter: given without a value it is true. upstream: strconv.ParseBool with conversion of '' */
export function flag(request: Pick<ApiRequest, 'query'>, name: string): boolean {
  const { query } = request;
  if (!query || !Object.hasOwn(query, name)) return false;
  return !/^(0|f|false)$/i.test(param(request, name));
}

/** Throws a 400 for a path that is not well encoded. */
export function requestInfo(request: ApiRequest): RequestInfo {
  const { method, path } = request;
  const other: RequestInfo = {
    isResource: false,
    verb: method.toLowerCase(),
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    rest: '',
    path,
  };
  let parts: string[];
  try {
    parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    throw badRequest(`the path ${JSON.stringify(path)} is not well encoded`);
  }
  const [prefix] = parts;
  const verb = Object.hasOwn(methods, method) ? (methods[method] as string) : '';
  let at: number;
  let group = '';
  if (prefix === 'api' && parts.length >= 3) at = 1;
  else if (prefix === 'apis' && parts.length >= 4) {
    group = parts[1] as string;
    at = 2;
  } else return other;
  const version = parts[at++] as string;
  let namespace = '';
  // A namespace's own parts are not objects in it.
  if (
    parts[at] === 'namespaces' &&
    parts.length > at + 2 &&
    !['status', 'finalize'].includes(parts[at + 2] as string)
  ) {
    namespace = parts[at + 1] as string;
    at += 2;
  }
  const [resource = '', name = '', subresource = '', ...rest] = parts.slice(at);
  let own = verb;
  if (verb === 'get' && !name) own = flag(request, 'watch') ? 'watch' : 'list';
  else if (verb === 'get' && !subresource && flag(request, 'watch')) own = 'watch';
  else if (verb === 'delete' && !name) own = 'deletecollection';
  const slash = rest.length > 0 || (subresource && path.endsWith('/'));
  return {
    isResource: true,
    verb: own || method.toLowerCase(),
    group,
    version,
    namespace: resource === 'namespaces' && name ? name : namespace,
    resource,
    subresource,
    name,
    rest: slash ? `/${rest.map(encodeURIComponent).join('/')}` : '',
    path,
  };
}
