import { create } from 'zustand';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { libraryText } from '../../session/library-text.js';
import { StoppedError, session } from '../../session/session.js';
import { type LoadCommand, loadOf } from '../share/share.js';
import { type Parameter, parametersOf, variationOf } from './parameters.js';

interface Parameters {
  readonly parameters: readonly Parameter[];
  /** The index of the chosen value, by path; missing: the first. */
  readonly chosen: { readonly [path: string]: number };
}

export const useParameters = create<Parameters>(() => ({ parameters: parametersOf(location.search), chosen: {} }));

/** The run as the frame opened it, with its text and from its start. */
let opened: Promise<LoadCommand & { readonly text: string }> | null = null;

async function openedRun(): Promise<LoadCommand & { readonly text: string }> {
  const { clock: _, deviations: __, ...run } = loadOf(await session.command({ do: 'spec' }));
  return { ...run, to: { step: 0, seq: 0 }, text: run.text ?? (await libraryText(run.scenario)) };
}

/** A change is under way, and there was another one meanwhile. */
let changing = false;
let again = false;

async function load(): Promise<void> {
  const { time } = useSession.getState().run;
  opened ??= openedRun();
  const { withNodeSettings } = await import('@syncloop/core/scenario/with-settings');
  const run = await opened;
  do {
    again = false;
    const { parameters, chosen } = useParameters.getState();
    const { settings, ...others } = variationOf(parameters, chosen);
    await session.command({ ...run, ...others, text: withNodeSettings(run.text, settings) });
    await session.command({ do: 'go', to: { time } });
  } while (again);
}

/**
 * Chooses a value of a parameter: the run starts over with it, with what was done from outside, and goes to the time at
 * which it stood. Of several choices in a row the last one counts. Problems are shown to the reader.
 */
export function chooseValue(path: string, index: number): void {
  useParameters.setState(({ chosen }) => ({ chosen: { ...chosen, [path]: index } }));
  again = true;
  if (changing) return;
  changing = true;
  void load()
    .catch((error: unknown) => {
      if (error instanceof StoppedError) return;
      notify(t('embed.notVaried', { why: error instanceof Error ? error.message : String(error) }), true);
    })
    .finally(() => {
      changing = false;
    });
}

/** Chooses by the value itself, as an article's message does. Returns why that is not possible, or null. */
export function setValue(path: string, value: string): string | null {
  const parameter = useParameters.getState().parameters.find((one) => one.path === path);
  if (!parameter) return `the frame's address has no vary=${path}:…`;
  const index = parameter.values.indexOf(value);
  if (index < 0) return `${path} must be one of ${parameter.values.join(', ')}`;
  chooseValue(path, index);
  return null;
}
