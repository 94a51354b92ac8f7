import type { LocalText } from '../../scenario/scenario.js';

/** A lesson as it stands in the list, before its text is loaded. */
export interface LibraryLesson {
  readonly name: string;
  readonly title: LocalText;
  readonly summary: LocalText;
  readonly minutes: number;
  /** Its YAML, as parseLesson takes it. */
  load(): Promise<string>;
}

/** Lessons that come with the program, in the order to take them. Title, summary and minutes are those of their texts. */
export const lessons: readonly LibraryLesson[] = [
  {
    name: 'syncloop',
    title: { en: 'The loop', zh: '主循环' },
    summary: {
      en: 'One goroutine decides everything that happens to pods. See what it waits for, what it hands on, and how it holds back while the runtime is away.',
      zh: 'Pod 的一切都由一个 goroutine 决定。看它在等什么、把什么交出去，以及运行时不在时它怎样收手。',
    },
    minutes: 8,
    load: () => import('./syncloop.js').then((m) => m.syncloop),
  },
  {
    name: 'channels',
    title: { en: 'Eight channels and one select', zh: '八个通道和一个 select' },
    summary: {
      en: 'What each input of the loop brings, how much it holds, and what happens when several are ready while the loop is busy.',
      zh: '循环的每个输入带来什么、能装多少，以及循环正忙时几个输入同时就绪会怎样。',
    },
    minutes: 8,
    load: () => import('./channels.js').then((m) => m.channels),
  },
];
