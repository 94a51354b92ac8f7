import type { RecordOf } from '../records.js';

/** Names the object of a request as kubectl writes it: pods/status default/web. */
export function apiObject({ resource, subresource, namespace, name }: RecordOf<'api'>): string {
  const what = subresource ? `${resource}/${subresource}` : resource;
  const which = [namespace, name].filter(Boolean).join('/');
  return which ? `${what} ${which}` : what;
}
