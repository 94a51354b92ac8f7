import { TimeTravel } from '../session/time-travel.js';
import { toySource } from './toy.js';

/** Begins time travel in a run of the toy program, before its first decision. */
export function toyTravel(seed = 5, options = {}) {
  const source = toySource();
  return { source, travel: new TimeTravel(source, { scenario: 'toy', seed }, options) };
}

/** Takes so many decisions, as far as it goes on. */
export function steps(travel: TimeTravel, n: number): void {
  for (const end = travel.step + n; travel.step < end; ) if (travel.next() !== 'ran') return;
}

/** The records and the state in view, to compare. */
export const textOf = ({ view }: TimeTravel): string => JSON.stringify([[...view.from(1)], view.state]);
