/** The version of the kubelet that runs, and the comparison of two versions. */
import { eraVersions } from '@syncloop/core/kubelet';
import { lazy } from 'react';
import { runCommand } from '../../commands/index.js';
import { t, words } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { erasCommands } from './commands.js';
import { en } from './en.js';
import { EraChoice } from './era-choice.js';
import { eraOf, fixedBecause, hasEras } from './eras.js';
import { useEras } from './eras-store.js';
import { LeftOutButton, LeftOutOfPod } from './left-out.js';

export const eras: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [erasCommands],
  bottom: [
    {
      id: 'eras',
      order: 82,
      title: 'panel.eras',
      command: 'view.eras',
      when: (can) => can.eras === true,
      Body: lazy(async () => ({ default: (await import('./eras-panel.js')).ErasPanel })),
    },
  ],
  slots: [
    { at: 'header.session', order: 5, Component: EraChoice },
    { at: 'header.session', order: 6, Component: LeftOutButton },
    { at: 'inspector.details', order: 15, Component: LeftOutOfPod },
  ],
  palette: [
    {
      id: 'eras',
      order: 45,
      title: 'palette.eras',
      entries: () => {
        if (!hasEras()) return [];
        const now = eraOf();
        const blocked = fixedBecause();
        return eraVersions
          .filter((version) => version !== now)
          .map((version) => ({
            key: version,
            title: t('eras.run', { era: version }),
            words: `${version} ${version.slice(1)} kubelet version era`,
            ...(blocked !== '' && { blocked }),
            run: () => runCommand('era.choose', version),
          }));
      },
    },
  ],
  menus: [{ menu: 'session', order: 117, id: 'view.eras', title: 'menu.eras', when: () => hasEras() }],
  start: () => {
    // The comparison belongs to one run.
    useSession.subscribe(({ info }, before) => {
      if (info?.id !== before.info?.id) useEras.setState({ compared: null, shown: -1 });
    });
  },
};

declare module '../../page/ui-store.js' {
  interface BottomPanels {
    eras: true;
  }
}
