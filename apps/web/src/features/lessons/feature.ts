/** Lessons: a text next to a run, with questions and exercises. */
import { lazy } from 'react';
import { isAvailable, runCommand } from '../../commands/index.js';
import { inLang } from '../../i18n/in-lang.js';
import { words } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import type { Feature } from '../../shell/registry.js';
import { lessonCommands } from './commands.js';
import { en } from './en.js';
import { LessonLine } from './lesson-line.js';
import { followLessons, lessonOpener } from './lessons-start.js';
import { useLessons } from './lessons-store.js';

export const lessons: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [lessonCommands],
  left: [
    {
      id: 'lessons',
      order: 10,
      icon: 'lessons',
      title: 'panel.lessons',
      command: 'view.lessons',
      when: (can) => can.scenarios && can.rewind === true && can.control,
      Body: lazy(async () => ({ default: (await import('./lessons-panel.js')).LessonsPanel })),
    },
  ],
  slots: [{ at: 'narrator.suggestion', order: 20, Component: LessonLine }],
  palette: [
    {
      id: 'lessons',
      order: 20,
      title: 'palette.lessons',
      entries: () =>
        isAvailable('lesson.open')
          ? useLessons.getState().list.map(({ name, title, summary }) => ({
              key: name,
              title: inLang({ ...title }, useUI.getState().lang),
              also: `${name} ${inLang({ ...summary }, useUI.getState().lang)}`,
              run: () => runCommand('lesson.open', { name }),
            }))
          : [],
    },
  ],
  openers: [lessonOpener],
  start: (page) => {
    if (page !== 'follower') followLessons();
  },
};

declare module '../../page/ui-store.js' {
  interface LeftPanels {
    lessons: true;
  }
}
