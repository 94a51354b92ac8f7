/** An observed kubelet, through its log and other sources; and what went wrong in any run. */
import { createElement, lazy, Suspense } from 'react';
import type { FileKind } from '../../files/file-kind.js';
import { words } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { observedCommands } from './commands.js';
import { en } from './en.js';
import { fileLinkOpener } from './file-link-opener.js';
import { followFindings } from './observed-store.js';
import { takePastes } from './paste.js';

const Banner = lazy(async () => ({ default: (await import('./observed-banner.js')).ObservedBanner }));
const Evidence = lazy(async () => ({ default: (await import('./evidence.js')).Evidence }));
const isObserved = () => useSession.getState().info?.capabilities.observed === true;
const useIsObserved = () => useSession((s) => s.info?.capabilities.observed === true);

/** Kinds of files that may be a log or a part of a capture; their content decides. */
const MAYBE: ReadonlySet<FileKind> = new Set<FileKind>(['log', 'gzip', 'archive', 'text', 'json', 'otlp']);
const opening = () => import('./open-observed.js');

export const observed: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [observedCommands],
  left: [
    {
      id: 'findings',
      order: 45,
      icon: 'findings',
      title: 'panel.findings',
      command: 'view.findings',
      Body: lazy(async () => ({ default: (await import('./findings-panel.js')).FindingsPanel })),
    },
  ],
  slots: [
    {
      at: 'top',
      order: 10,
      Component: () => {
        // With its twin it has another bar.
        const alone = useSession((s) => (s.run.twin?.made ?? 0) === 0);
        return useIsObserved() && alone ? createElement(Suspense, { fallback: null }, createElement(Banner)) : null;
      },
    },
    {
      at: 'inspector.details',
      order: 5,
      Component: ({ selection }: { readonly selection: Selection }) =>
        useIsObserved() ? createElement(Suspense, { fallback: null }, createElement(Evidence, { selection })) : null,
    },
  ],
  dialogs: {
    observed: lazy(async () => ({ default: (await import('./observed-dialog.js')).ObservedDialog })),
    fileLink: lazy(async () => ({ default: (await import('./file-link-dialog.js')).FileLinkDialog })),
  },
  openers: [fileLinkOpener],
  menus: [
    { menu: 'share', order: 115, id: 'observed.copyLink', when: isObserved },
    { menu: 'session', order: 306, id: 'observed.details', when: isObserved },
  ],
  importers: [
    {
      takes: (kind) => MAYBE.has(kind),
      open: async (file) => (await opening()).openObserved([file]),
      together: async (files) => {
        await (await opening()).openObserved(files);
      },
    },
  ],
  start: (page) => {
    if (page !== 'page') return;
    followFindings();
    takePastes();
  },
};

declare module '../../page/ui-store.js' {
  interface LeftPanels {
    findings: true;
  }
  interface Dialogs {
    observed: true;
    fileLink: true;
  }
}
