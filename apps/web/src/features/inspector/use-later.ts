import { useEffect, useRef, useState } from 'react';
import { trace } from '../../run/trace-store.js';

/** A value that takes a moment: `value` is the newest that there is, `error` why the last try failed. */
export interface Later<T> {
  readonly value: T | undefined;
  readonly error: string;
}

/**
 * Computes after the page has been drawn, at once for a new `key` and then at most every `every` ms while records come
 * in. What was found for another key stays in sight until then, so that stepping does not flicker.
 */
export function useLater<T>(compute: () => T | Promise<T>, key: string, every: number): Later<T> {
  const latest = useRef(compute);
  latest.current = compute;
  const [held, setHeld] = useState<Later<T>>({ value: undefined, error: '' });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when there is something else to compute
  useEffect(() => {
    let over = false;
    let busy = false;
    let again = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = Number.NEGATIVE_INFINITY;
    const run = async () => {
      timer = undefined;
      busy = true;
      again = false;
      let next: Later<T>;
      try {
        next = { value: await latest.current(), error: '' };
      } catch (error) {
        next = { value: undefined, error: error instanceof Error ? error.message : String(error) };
      }
      busy = false;
      last = performance.now();
      if (over) return;
      setHeld(next);
      if (again) ask();
    };
    const ask = () => {
      again = busy;
      if (busy || timer !== undefined) return;
      timer = setTimeout(() => void run(), Math.max(0, last + every - performance.now()));
    };
    const unsubscribe = trace.subscribe(ask);
    ask();
    return () => {
      over = true;
      unsubscribe();
      clearTimeout(timer);
    };
  }, [key, every]);
  return held;
}
