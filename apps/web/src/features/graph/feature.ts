/** The graph: the kubelet as a picture with three levels of detail, and the lane of each pod. */

import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { graphCommands } from './commands.js';
import { en } from './en.js';
import { en as everything } from './everything/en.js';
import { GraphStage } from './graph-stage.js';
import { levelNow } from './graph-store.js';
import { laneCommands } from './lanes/commands.js';
import { en as lanes } from './lanes/en.js';
import { en as story } from './story/en.js';
import './styles/frame.css';
import './styles/channels.css';
import './styles/select.css';
import './lanes/lanes.css';
import './styles/lower.css';

export const graph: Feature = {
  words: [
    words(en, () => import('./zh-cn.js')),
    words(story, () => import('./story/zh-cn.js')),
    words(everything, () => import('./everything/zh-cn.js')),
    words(lanes, () => import('./lanes/zh-cn.js')),
  ],
  commands: [graphCommands, laneCommands],
  slots: [{ at: 'stage', order: 10, Component: GraphStage }],
  menus: [
    {
      menu: 'view',
      order: 110,
      heading: 'menu.level',
      id: 'view.level.story',
      title: 'level.story',
      radio: true,
      checked: () => levelNow() === 'story',
    },
    {
      menu: 'view',
      order: 120,
      id: 'view.level.loop',
      title: 'level.loop',
      radio: true,
      checked: () => levelNow() === 'loop',
    },
    {
      menu: 'view',
      order: 130,
      id: 'view.level.everything',
      title: 'level.everything',
      radio: true,
      checked: () => levelNow() === 'everything',
    },
    { menu: 'view', order: 210, id: 'view.follow', checked: () => useUI.getState().follow },
  ],
};

declare module '../../shell/registry.js' {
  interface Slots {
    /** After the containers of a pod's lane, for others of it. `shown`: the names of those in the lane. */
    'lane.absent': { readonly uid: string; readonly shown: readonly string[]; readonly wide: boolean };
    /** After a container in its pod's lane. `name`: the container's. */
    'lane.container': { readonly uid: string; readonly name: string; readonly wide: boolean };
  }
}
