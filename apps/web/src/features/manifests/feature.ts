/** The manifests of the run in view: an editor that knows the fields of a Pod. */
import { createElement, lazy, Suspense } from 'react';
import { words } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { useAssumptions } from './assumptions.js';
import { AssumptionsWatch } from './assumptions-watch.js';
import { manifestCommands } from './commands.js';
import { en } from './en.js';

const AssumedMark = lazy(async () => ({ default: (await import('./assumed-mark.js')).AssumedMark }));

/** Nothing of it is loaded unless something is assumed. */
function Assumed({ uid, name, wide }: { readonly uid: string; readonly name: string; readonly wide: boolean }) {
  const id = `${uid}/${name}`;
  return useAssumptions((s) => Object.hasOwn(s.by, id))
    ? createElement(Suspense, null, createElement(AssumedMark, { id, wide }))
    : null;
}

/** The containers that do not even exist, as their images are assumed not to. */
function Absent({
  uid,
  shown,
  wide,
}: {
  readonly uid: string;
  readonly shown: readonly string[];
  readonly wide: boolean;
}) {
  const ids = useAssumptions((s) =>
    Object.entries(s.by)
      .filter(([id, a]) => id.startsWith(`${uid}/`) && a.does === null && !shown.includes(a.container))
      .map(([id]) => id)
      .join(' '),
  );
  return ids === ''
    ? null
    : createElement(
        Suspense,
        null,
        ids.split(' ').map((id) => createElement(AssumedMark, { key: id, id, wide, named: true })),
      );
}

const InventedLine = lazy(async () => ({ default: (await import('./invented-line.js')).InventedLine }));
const Invented = () =>
  useAssumptions((s) => Object.keys(s.by).length > 0)
    ? createElement(Suspense, null, createElement(InventedLine))
    : null;

const ContainerImage = lazy(() => import('./container-image.js'));

export const manifests: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [manifestCommands],
  importers: [
    {
      takes: (kind) => kind === 'manifest' || kind === 'scenario',
      open: async (file, name) => (await import('./open-manifest.js')).openManifestFile(file, name),
    },
  ],
  slots: [
    { at: 'stage', order: 90, Component: AssumptionsWatch },
    { at: 'narrator.line', order: 5, Component: Invented },
    { at: 'lane.container', order: 10, Component: Assumed },
    { at: 'lane.absent', order: 10, Component: Absent },
    {
      at: 'inspector.details',
      order: 20,
      Component: ({ selection }: { readonly selection: Selection }) =>
        selection.kind === 'container'
          ? createElement(Suspense, null, createElement(ContainerImage, { id: selection.id }))
          : null,
    },
  ],
  dialogs: {
    program: lazy(async () => ({ default: (await import('./program-dialog.js')).ProgramDialog })),
  },
  left: [
    {
      id: 'manifests',
      order: 30,
      icon: 'manifests',
      title: 'panel.manifests',
      command: 'view.manifests',
      when: (can) => can.apply,
      Body: lazy(async () => ({ default: (await import('./manifests-panel.js')).ManifestsPanel })),
    },
  ],
};

declare module '../../page/ui-store.js' {
  interface LeftPanels {
    manifests: true;
  }
  interface Dialogs {
    program: true;
  }
}
