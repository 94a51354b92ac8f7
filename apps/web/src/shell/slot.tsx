import type { ComponentType } from 'react';
import { type SlotPart, type Slots, slotParts } from './registry.js';

type Place<P extends keyof Slots> = { readonly at: P } & (object extends Slots[P]
  ? { readonly props?: Slots[P] }
  : { readonly props: Slots[P] });

/** Renders what features have put at a place, in order. */
export function Slot<P extends keyof Slots>({ at, props }: Place<P>) {
  return slotParts(at).map((part, i) => {
    const Part = part.Component as ComponentType<object>;
    // biome-ignore lint/suspicious/noArrayIndexKey: what is registered does not change while the page is open
    return <Part key={i} {...props} />;
  });
}

/** The first at a place that has something to say. */
export function FirstOf<P extends keyof Slots>({ at, props }: Place<P>) {
  const parts: readonly SlotPart[] = slotParts(at);
  // biome-ignore lint/correctness/useHookAtTopLevel: the list never changes, so the hooks run in the same order
  const wanted = parts.map((part) => part.useWanted?.() ?? true);
  const Part = parts[wanted.indexOf(true)]?.Component as ComponentType<object> | undefined;
  return Part && <Part {...props} />;
}
