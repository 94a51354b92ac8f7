/** The visible state of the page apart from the run: each part that followers see, by a name of its own. */
import type { Sight } from '@syncloop/core/classroom';
import type { Json } from '@syncloop/core/trace';
import { useUI } from '../../page/ui-store.js';
import { registered } from '../../shell/registry.js';
import { LEVELS, useGraph } from '../graph/index.js';
import { selectionOf, whatOf } from '../share/share.js';

/** A part of the page that is followed. */
interface ViewPart {
  readonly name: string;
  /** Returns its state on this page. */
  read(): Json;
  /** Applies a state, which may be anything; a part that cannot be understood is left alone. */
  apply(value: Json): void;
  /** Calls back when it may have changed; not needed for state in the store of the page's panels. */
  watch?(then: () => void): () => void;
  /** Left out on small screens: it would cover the rest. */
  readonly wide?: boolean;
}

const parts: readonly ViewPart[] = [
  {
    name: 'selection',
    read() {
      const { selection } = useUI.getState();
      return selection && [selection.kind, whatOf(selection)];
    },
    apply(value) {
      const selection = selectionOf(value) ?? null;
      if (value === null || selection) useUI.setState({ selection });
    },
  },
  {
    name: 'inspector',
    read() {
      const { inspectorOpen, inspectorTab } = useUI.getState();
      return [inspectorOpen, inspectorTab];
    },
    apply(value) {
      if (!Array.isArray(value)) return;
      const [open, name] = value;
      const inspectorTab = registered('inspector').find(({ id }) => id === name)?.id;
      if (typeof open === 'boolean' && inspectorTab) useUI.setState({ inspectorOpen: open, inspectorTab });
    },
    wide: true,
  },
  {
    name: 'level',
    read: () => useGraph.getState().chosen,
    apply(value) {
      // The choice is the presenter's, so it is not remembered.
      const level = LEVELS.find((l) => l === value);
      if (level || value === null) useGraph.setState({ chosen: level ?? null });
    },
    watch: (then) => useGraph.subscribe(then),
    wide: true,
  },
  {
    name: 'followed',
    read: () => useGraph.getState().followed,
    apply(value) {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
        useGraph.setState({ followed: value });
    },
  },
  {
    name: 'left',
    read: () => useUI.getState().left,
    apply(value) {
      const left = registered('left').find(({ id }) => id === value)?.id;
      if (left || value === null) useUI.setState({ left: left ?? null });
    },
    wide: true,
  },
  {
    name: 'bottom',
    read: () => useUI.getState().bottom,
    apply(value) {
      const bottom = registered('bottom').find(({ id }) => id === value)?.id;
      if (bottom || value === null) useUI.setState({ bottom: bottom ?? null });
    },
    wide: true,
  },
];

export function readViewState(): Sight {
  return Object.fromEntries(parts.map((part) => [part.name, part.read()]));
}

/** Calls back whenever something in sight may have changed. */
export function watchViewState(then: () => void): () => void {
  const stops = [useUI.subscribe(then), ...parts.map((part) => part.watch?.(then))];
  return () => {
    for (const stop of stops) stop?.();
  };
}

/**
 * Applies a sight as far as it differs from the one `before`: parts that a follower has opened stay until the presenter
 * touches them.
 */
export function applyViewState(sight: Sight, before: Sight, wide: boolean): void {
  for (const part of parts) {
    const value = sight[part.name];
    if (value === undefined || (part.wide && !wide)) continue;
    if (JSON.stringify(value) !== JSON.stringify(before[part.name])) part.apply(value);
  }
}
