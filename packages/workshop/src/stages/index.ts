import { suggest } from '@syncloop/core/shape';
import { list } from './gen/index.js';
import type { Stage } from './types.js';

export type { ExampleCase, ListedStage, LocalText, Stage, StageSchedules } from './types.js';

/** The stages, in order. */
export const stages = list;

/** Loads a stage by its name or number. Throws an Error that names the stages there are. */
export function loadStage(name: string): Promise<Stage> {
  const found = list.find((s) => s.name === name || String(s.number) === name);
  if (!found)
    throw new Error(
      `there is no stage ${JSON.stringify(name)}; ${suggest(
        name,
        list.map((s) => s.name),
      )}`,
    );
  return found.load();
}
