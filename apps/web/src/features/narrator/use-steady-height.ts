import { type RefObject, useLayoutEffect, useRef } from 'react';

/**
 * Keeps an element as high as it was with its longest text, so that what stands above and below it does not move with
 * each sentence: `--sl-steady` is that height, for its style. A change of the window's width starts over.
 */
export function useSteadyHeight<E extends HTMLElement>(): RefObject<E | null> {
  const ref = useRef<E>(null);
  const kept = useRef({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return;
    const look = () => {
      const width = element.offsetWidth;
      if (width !== kept.current.width) {
        kept.current = { width, height: 0 };
        element.style.removeProperty('--sl-steady');
      }
      const height = element.offsetHeight;
      if (height <= kept.current.height) return;
      kept.current = { width, height };
      element.style.setProperty('--sl-steady', `${height}px`);
    };
    look();
    const observer = new ResizeObserver(look);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return ref;
}
