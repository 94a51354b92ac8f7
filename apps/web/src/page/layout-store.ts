import { create } from 'zustand';
import { recall, remember } from './storage.js';

/** Panels whose size can be changed: the width, or for the bottom panel the height. */
export type Side = 'left' | 'inspector' | 'bottom';
export interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly usual: number;
}
/** Sizes in px. The style sheet cuts one that is larger than the window has room for. */
export const BOUNDS: Readonly<Record<Side, Bounds>> = {
  left: { least: 260, most: 900, usual: 360 },
  inspector: { least: 280, most: 900, usual: 420 },
  bottom: { least: 90, most: 900, usual: 240 },
};
const SIDES = Object.keys(BOUNDS) as Side[];

export type Sizes = Readonly<Record<Side, number>>;

/** A size that a panel may have. */
export function bounded(side: Side, size: number): number {
  const { least, most, usual } = BOUNDS[side];
  return Number.isFinite(size) ? Math.round(Math.min(most, Math.max(least, size))) : usual;
}

/** Reads the kept sizes; a panel without a sensible one gets the usual size. */
export function sizesFrom(stored: string | null): Sizes {
  let kept: unknown = null;
  try {
    kept = JSON.parse(stored ?? 'null');
  } catch {
    // The text is not ours: the usual sizes apply.
  }
  const of = (side: Side): number => {
    const value = typeof kept === 'object' && kept !== null ? (kept as Record<string, unknown>)[side] : undefined;
    return typeof value === 'number' ? bounded(side, value) : BOUNDS[side].usual;
  };
  return Object.fromEntries(SIDES.map((side) => [side, of(side)])) as Record<Side, number>;
}

export const useLayout = create<Sizes>(() => sizesFrom(recall('sizes')));

export function resize(side: Side, size: number): void {
  useLayout.setState({ [side]: bounded(side, size) });
  remember('sizes', JSON.stringify(useLayout.getState()));
}
