import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

interface Props<T> {
  readonly items: readonly T[];
  readonly keyOf: (item: T) => string | number;
  readonly row: (item: T) => ReactNode;
  readonly height: number;
  readonly label: string;
  readonly testId?: string;
  /** Position of a row to bring into sight; whenever it becomes another one. -1: none. */
  readonly reveal?: number;
}

/**
 * A long list of rows of one height, oldest first; only those in sight are drawn. It stays at its end unless scrolled
 * away.
 */
export function Rows<T>({ items, keyOf, row, height, label, testId, reveal = -1 }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [view, setView] = useState({ top: 0, room: 400 });
  const measure = () => {
    const element = box.current;
    if (!element) return;
    atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - height;
    setView((v) =>
      v.top === element.scrollTop && v.room === element.clientHeight
        ? v
        : { top: element.scrollTop, room: element.clientHeight },
    );
  };
  const last = items.length > 0 ? keyOf(items[items.length - 1] as T) : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new last row is what moves the list to its end
  useLayoutEffect(() => {
    const element = box.current;
    if (element && atEnd.current) element.scrollTop = element.scrollHeight;
    measure();
  }, [items.length, last]);
  const revealed = reveal < 0 || reveal >= items.length ? undefined : keyOf(items[reveal] as T);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows that come do not move it there again
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || revealed === undefined) return;
    const top = reveal * height;
    if (top >= element.scrollTop && top + height <= element.scrollTop + element.clientHeight) return;
    element.scrollTop = Math.max(0, top - (element.clientHeight - height) / 2);
    measure();
  }, [revealed]);
  const first = Math.max(0, Math.floor(view.top / height) - 5);
  const shown = items.slice(first, first + Math.ceil(view.room / height) + 10);
  return (
    <div
      ref={box}
      className="sl-rows u-height-full u-scroll"
      onScroll={measure}
      role="log"
      aria-live="off"
      aria-label={label}
      data-testid={testId}
    >
      <div style={{ height: items.length * height, position: 'relative' }}>
        {shown.map((item, i) => (
          <div key={keyOf(item)} className="sl-rows-row u-absolute" style={{ top: (first + i) * height, height }}>
            {row(item)}
          </div>
        ))}
      </div>
    </div>
  );
}
