/** Opens a function's source wherever the run is. Loaded with the sources. */
import { sources } from 'virtual:sources';
import { select, showInspector, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { selectionAt } from '../../selection/map-place.js';
import { graphView } from '../graph/index.js';
import { isOfRuntime, placeOfFile } from './logic/place-of-file.js';
import { sourcesOf } from './logic/sources-of.js';
import { showFunction } from './source-store.js';

/** Selects a function's place on the map, and shows its source. Throws if there is no such function. */
export function openFunction(fn: string): void {
  const { functions } = sourcesOf(sources, useSession.getState().info?.era).index;
  const found = Object.hasOwn(functions, fn) ? functions[fn] : undefined;
  if (!found) throw new Error(`the sources have no function ${fn}`);
  const place = placeOfFile(found.file);
  if (place) select(selectionAt(place, useUI.getState().selection));
  showFunction(fn);
  showInspector('source');
  if (place === 'workers') graphView.reveal(isOfRuntime(found.file) ? 'runtime' : 'worker');
}
