import { lazy, Suspense } from 'react';
import { useClass } from './class-store.js';

const ClassBar = lazy(() => import('./class-bar.js').then((m) => ({ default: m.ClassBar })));

/** The class's place on the page; empty on pages that are not part of a class. */
export function ClassPlace() {
  const shows = useClass((s) => s.follows || s.presenting.state !== 'off');
  return shows ? (
    <Suspense fallback={null}>
      <ClassBar />
    </Suspense>
  ) : null;
}
