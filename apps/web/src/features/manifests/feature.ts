/** The manifests of the run in view: an editor that knows the fields of a Pod. */
import { createElement, lazy, Suspense } from 'react';
import { words } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { manifestCommands } from './commands.js';
import { en } from './en.js';

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
    {
      at: 'inspector.details',
      order: 20,
      Component: ({ selection }: { readonly selection: Selection }) =>
        selection.kind === 'container'
          ? createElement(Suspense, null, createElement(ContainerImage, { id: selection.id }))
          : null,
    },
  ],
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
}
