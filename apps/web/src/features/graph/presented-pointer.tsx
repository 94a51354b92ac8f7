import { useStore, ViewportPortal } from '@xyflow/react';
import { LAYOUTS } from './geometry/geometry-levels.js';
import { placeOfPoint } from './geometry/map-point.js';
import { useGraph } from './graph-store.js';
import { useArrangement } from './graph-view.js';

/** Shows where the presenter of a class points. */
export function PresentedPointer() {
  const pointer = useGraph((s) => s.pointer);
  const { boxes } = LAYOUTS[useArrangement()];
  const zoom = useStore((s) => s.transform[2]);
  const at = pointer && placeOfPoint(pointer, boxes);
  if (!at) return null;
  return (
    <ViewportPortal>
      <svg
        className="sl-presented-pointer u-absolute u-no-pointer"
        // It keeps its size on the screen, and its tip its place on the map.
        style={{ transform: `translate(${at.x}px, ${at.y}px) scale(${1 / zoom})` }}
        width="28"
        height="34"
        viewBox="-2 -2 28 34"
        aria-hidden="true"
        data-testid="presented-pointer"
      >
        <path d="M0 0 L0 24 L6.5 18.5 L11 29 L15.5 27 L11 17 L19 16.5 Z" />
      </svg>
    </ViewportPortal>
  );
}
