/** What the header's menus hold. To put a command into one, add its id to a group, or a group. */
import { canPresent } from '../../features/classroom/commands.js';
import { useGraph } from '../../features/graph/graph-store.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { MenuGroup } from '../../ui/menu-logic.js';

const agent = () => useSession.getState().kind === 'agent';
const can = () => useSession.getState().info?.capabilities;
const canLink = () => (can()?.scenarios && can()?.rewind) ?? false;
const theme = (is: string) => () => useUI.getState().theme === is;
const lang = (is: string) => () => useUI.getState().lang === is;
const level = (is: string) => () => {
  const { chosen, narrow } = useGraph.getState();
  return (chosen ?? (narrow ? 'story' : 'loop')) === is;
};

/** Behind the session's name: which run this is, and others. */
export const SESSION_MENU: readonly MenuGroup[] = [
  {
    items: [
      { id: 'view.scenarios', title: 'menu.scenarios', when: () => can()?.scenarios ?? true },
      { id: 'transport.restart', when: () => can()?.scenarios ?? false },
      // From an agent, or a recording.
      { id: 'session.simulate', when: () => agent() || can()?.scenarios === false },
      { id: 'session.liveNode' },
    ],
  },
  { items: [{ id: 'edit.undo' }, { id: 'edit.redo' }] },
  {
    title: 'menu.recordings',
    items: [{ id: 'view.recordings' }, { id: 'recording.open' }, { id: 'recording.keep' }, { id: 'recording.save' }],
  },
];

export const SHARE_MENU: readonly MenuGroup[] = [
  {
    items: [
      { id: 'link.copy', when: canLink },
      { id: 'share.embed', when: canLink },
      { id: 'share.saveMoment', when: canLink },
      { id: 'share.open' },
    ],
  },
  { items: [{ id: 'notes.add' }, { id: 'share.copyStory' }] },
  { items: [{ id: 'picture.open' }, { id: 'recording.save' }] },
  { items: [{ id: 'class.present', when: canPresent }] },
];

export const VIEW_MENU: readonly MenuGroup[] = [
  {
    title: 'menu.level',
    items: [
      { id: 'view.level.story', title: 'level.story', radio: true, checked: level('story') },
      { id: 'view.level.loop', title: 'level.loop', radio: true, checked: level('loop') },
      { id: 'view.level.everything', title: 'level.everything', radio: true, checked: level('everything') },
    ],
  },
  {
    items: [
      { id: 'view.follow', checked: () => useUI.getState().follow },
      { id: 'view.inspector', checked: () => useUI.getState().inspectorOpen },
    ],
  },
  {
    title: 'menu.language',
    items: [
      { id: 'settings.lang.en', radio: true, checked: lang('en') },
      { id: 'settings.lang.zh', radio: true, checked: lang('zh-CN') },
    ],
  },
  {
    title: 'menu.theme',
    items: [
      { id: 'settings.theme.system', title: 'menu.theme.system', radio: true, checked: theme('system') },
      { id: 'settings.theme.light', title: 'menu.theme.light', radio: true, checked: theme('light') },
      { id: 'settings.theme.dark', title: 'menu.theme.dark', radio: true, checked: theme('dark') },
      { id: 'settings.contrast', checked: () => useUI.getState().contrast },
    ],
  },
];
