import { lazy, Suspense } from 'react';
import { useClass } from './class-store.js';

const ClassBar = lazy(() => import('./class-bar.js').then((m) => ({ default: m.ClassBar })));

/** Where a class shows, on pages that have to do with one. */
export function ClassPlace() {
  const shows = useClass((s) => s.follows || s.presenting.state !== 'off');
  return shows ? (
    <Suspense fallback={null}>
      <ClassBar />
    </Suspense>
  ) : null;
}
