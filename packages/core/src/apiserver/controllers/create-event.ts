import type { ServerCore } from '../http/core.js';
import type { JsonObject } from '../json.js';
import { newUid } from '../registry/registry.js';
import type { Env } from '../registry/resource.js';
import { events } from '../resources/index.js';
import type { ApiObject } from '../types.js';

/**
 * Creates an event about an object, as the controllers' recorders do. `fields` are what the event has besides the
 * object. `manager` is the name of the controller in managed fields.
 */
export function createEvent(
  { registry }: ServerCore,
  about: { readonly kind: string; readonly apiVersion: string; readonly metadata: ApiObject['metadata'] },
  fields: JsonObject & Record<'reason' | 'message' | 'type', string>,
  { env, manager }: { readonly env: Env; readonly manager: string },
): void {
  const { namespace = 'default', name, uid, resourceVersion } = about.metadata;
  const draft = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: `${name}.${newUid(env).replaceAll('-', '').slice(0, 16)}`, namespace },
    involvedObject: { kind: about.kind, namespace, name, uid, apiVersion: about.apiVersion, resourceVersion },
    ...fields,
  };
  registry.create(events, draft, env, { dryRun: false, manager });
}
