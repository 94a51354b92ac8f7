import { type Path, parsePath, valueAt } from '../../expression/index.js';
import type { Json, NodeState } from '../../trace/index.js';

/**
 * The value at a path such as `pods["web"].status.conditions[type == "Ready"].status`; null if there is none. Throws
 * an ExpressionError for what is not a path. The value is a part of the state.
 */
export function getPath(state: NodeState, path: string | Path): Json {
  return valueAt(state, typeof path === 'string' ? parsePath(path) : path);
}
