/** Says the actions that computePodActions decided on. */
import type { Json } from '../records.js';

/** The words of one language; `names` are container names, joined. */
export interface ActionWords {
  readonly nothing: string;
  readonly killPod: string;
  readonly createSandbox: string;
  readonly kill: (names: string) => string;
  readonly init: (names: string) => string;
  readonly start: (names: string) => string;
  readonly separator: string;
}

type Fields = { readonly [key: string]: Json | undefined };

export function podActions(actions: Json, words: ActionWords): string {
  const f: Fields =
    typeof actions === 'object' && actions !== null && !Array.isArray(actions) ? (actions as Fields) : {};
  const names = (...keys: string[]): string =>
    keys
      .flatMap((key) => (Array.isArray(f[key]) ? (f[key] as readonly Json[]) : []))
      .map((x) => (typeof x === 'string' ? x : String((x as Fields | null)?.name ?? '')))
      .filter(Boolean)
      .join(words.separator);
  const kill = names('containersToKill', 'containersToReset');
  const init = names('initContainersToStart');
  const start = names('ephemeralContainersToStart', 'containersToStart');
  const todo = [
    // At a pod's first start there is nothing yet that could be killed.
    f.killPod === true && !(f.createSandbox === true && !f.sandboxID) ? words.killPod : '',
    kill && words.kill(kill),
    f.createSandbox === true ? words.createSandbox : '',
    init && words.init(init),
    start && words.start(start),
  ].filter(Boolean);
  return todo.length > 0 ? todo.join(words.separator) : words.nothing;
}
