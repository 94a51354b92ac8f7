import { copyJSON } from '../json.js';
import type { ApiObject } from '../types.js';

/** Returns a copy of an object without one of its finalizers. */
export function withoutFinalizer(object: ApiObject, finalizer: string): ApiObject {
  const next = copyJSON(object);
  next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((f) => f !== finalizer);
  if (next.metadata.finalizers.length === 0) delete next.metadata.finalizers;
  return next;
}
