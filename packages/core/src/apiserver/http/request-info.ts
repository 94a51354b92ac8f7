import { badRequest, internalError } from '../status.js';
import type { ApiRequest } from '../types.js';

/** The meaning of a path and a method. upstream: apiserver pkg/endpoints/request RequestInfo */
export interface RequestInfo {
  readonly isResource: boolean;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path behind the subresource, with its slash. */
  readonly rest: string;
  readonly path: string;
  /** The path begins with a verb (`/api/v1/watch/pods`). Such paths are authorized as upstream, and not served. */
  readonly verbViaPath: boolean;
}

const methods: Readonly<Record<string, string>> = {
  GET: 'get',
  HEAD: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** One value of a query parameter; '' if it is not given. */
export function param(request: Pick<ApiRequest, 'query'>, name: string): string {
  const { query } = request;
  const value = query && Object.hasOwn(query, name) ? query[name] : undefined;
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}
/** Reads a bool parameter: without a value it is true. upstream: Convert_Slice_string_To_bool */
export function flag(request: Pick<ApiRequest, 'query'>, name: string): boolean {
  const { query } = request;
  if (!query || !Object.hasOwn(query, name)) return false;
  return !/^(0|false)$/i.test(param(request, name));
}

/** Verbs that a path may begin with. upstream: request.specialVerbs */
const pathVerbs: readonly string[] = ['proxy', 'watch'];
/** Parts of a namespace that are not resources in it. upstream: request.namespaceSubresources */
const namespaceSubresources: readonly string[] = ['status', 'finalize'];

/**
 * Reads a request's meaning. The verb of a resource is '' for a method that has none, such as OPTIONS. Throws a 400 for
 * a path that is not well encoded, and a 500 for one that ends behind a verb.
 * upstream: (*RequestInfoFactory).NewRequestInfo
 */
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
    verbViaPath: false,
  };
  let parts: string[];
  try {
    parts = trim(path, '/').split('/').map(decodeURIComponent);
  } catch {
    throw badRequest(`the path ${JSON.stringify(path)} is not well encoded`);
  }
  const [prefix] = parts;
  let at: number;
  let group = '';
  if (prefix === 'api' && parts.length >= 3) at = 1;
  else if (prefix === 'apis' && parts.length >= 4) {
    group = parts[1] as string;
    at = 2;
  } else return other;
  const version = parts[at++] as string;
  const verbViaPath = pathVerbs.includes(parts[at] as string);
  let verb = Object.hasOwn(methods, method) ? (methods[method] as string) : '';
  if (verbViaPath) {
    verb = parts[at++] as string;
    if (at === parts.length) throw internalError(`unable to determine kind and namespace from url, ${path}`);
  }
  let namespace = '';
  if (parts[at] === 'namespaces' && parts.length > at + 1) {
    namespace = parts[at + 1] as string;
    if (parts.length > at + 2 && !namespaceSubresources.includes(parts[at + 2] as string)) at += 2;
  }
  const [resource = '', name = '', ...behind] = parts.slice(at);
  const [subresource = '', ...rest] = verb === 'proxy' ? [] : behind;
  if (verb === 'get' && !name) verb = flag(request, 'watch') ? 'watch' : 'list';
  else if (verb === 'delete' && !name) verb = 'deletecollection';
  const slash = rest.length > 0 || (subresource && path.endsWith('/'));
  return {
    isResource: true,
    verb,
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    rest: slash ? `/${rest.map(encodeURIComponent).join('/')}` : '',
    path,
    verbViaPath,
  };
}

/** upstream: strings.Trim */
function trim(text: string, char: string): string {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === char) start++;
  while (end > start && text[end - 1] === char) end--;
  return text.slice(start, end);
}
