import { type Mark, setMarks } from '../../run/marks.js';
import { useBranches } from './branches-store.js';

/**
 * Marks the points at which the branch in view began, and at which others leave it. Returns a function that ends it.
 */
export function followBranchMarks(): () => void {
  return useBranches.subscribe(({ branches }, before) => {
    if (branches === before.branches) return;
    const here = branches.find((b) => b.current)?.id;
    const marks: Mark[] = [];
    for (const b of branches)
      if (b.parent !== 0 && (b.id === here || b.parent === here))
        marks.push({ kind: 'branch', seq: Math.max(1, b.forkedAt.seq), text: b.name });
    setMarks('branches', marks);
  });
}
