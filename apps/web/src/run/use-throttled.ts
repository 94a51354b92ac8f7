import { useEffect, useRef, useState } from 'react';
import { trace } from './trace-store.js';

/**
 * A value computed from the records now and then: at most every `every` ms while they come in, and at once when `key`
 * changes. For lists that look at many records, which need not keep up with each frame.
 */
export function useThrottled<T>(compute: () => T, key: string, every = 200): T {
  const latest = useRef(compute);
  latest.current = compute;
  const [held, setHeld] = useState(() => ({ key, value: compute() }));
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last = Number.NEGATIVE_INFINITY;
    const update = () => {
      timer = undefined;
      last = performance.now();
      setHeld({ key, value: latest.current() });
    };
    const unsubscribe = trace.subscribe(() => {
      if (timer !== undefined) return;
      const wait = last + every - performance.now();
      if (wait <= 0) update();
      else timer = setTimeout(update, wait);
    });
    update();
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [key, every]);
  return held.key === key ? held.value : compute();
}
