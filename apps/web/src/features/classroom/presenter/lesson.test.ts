import type { PresenterMessage } from '@syncloop/core/classroom';
import { type Lesson, type LessonState, notStarted } from '@syncloop/core/lessons';
import { describe, expect, it } from 'vitest';
import { useLessons } from '../../lessons/lessons-store.js';
import { keyOf, LessonSender, lessonShown, type ShownLesson } from './lesson.js';

const at = (step: number, more: Partial<ShownLesson> = {}): ShownLesson => ({
  lesson: { name: 'pleg', step, values: { time: '1' } },
  question: null,
  right: null,
  ...more,
});
const question = (step: number) => ({
  question: { en: '?' },
  options: [{ en: 'a' }, { en: 'b' }],
  lesson: { name: 'pleg', step },
});

function setup() {
  const sent: PresenterMessage[] = [];
  let asking: string | null = null;
  const sender = new LessonSender(
    (message) => {
      sent.push(message);
      if (message.type === 'poll') asking = message.poll.lesson ? keyOf(message.poll.lesson) : null;
      if (message.type === 'endPoll') asking = null;
    },
    () => asking,
  );
  const takes = () => sent.splice(0).map((m) => m.type);
  const otherQuestion = () => {
    asking = null;
  };
  return { sender, sent, takes, otherQuestion };
}

describe('a lesson that is presented', () => {
  it('is sent step by step, and not again while its run moves', () => {
    const { sender, sent } = setup();
    sender.changed(at(0));
    sender.changed(at(0));
    sender.changed('moving');
    sender.changed(at(1));
    sender.changed(null);
    sender.changed(null);
    expect(sent).toEqual([
      { type: 'lesson', lesson: at(0).lesson },
      { type: 'lesson', lesson: at(1).lesson },
      { type: 'lesson' },
    ]);
  });

  it('asks its question once, shows the right answer with the run, and puts it away with the next step', () => {
    const { sender, sent, takes } = setup();
    sender.changed(at(4, { question: question(4) }));
    sender.changed(at(4, { question: question(4) }));
    expect(takes()).toEqual(['lesson', 'poll']);
    sender.changed('moving');
    const ended = { ...at(4).lesson, ended: {}, answer: 'b' };
    sender.changed({ lesson: ended, question: null, right: 1 });
    expect(sent).toEqual([
      { type: 'lesson', lesson: ended },
      { type: 'phase', phase: 'revealed', right: 1 },
    ]);
    takes();
    sender.changed(at(5));
    expect(takes()).toEqual(['lesson', 'endPoll']);
  });

  it('asks again when the presenter tries the question again, and closes nothing that is not its own', () => {
    const { sender, takes, otherQuestion } = setup();
    sender.changed(at(4, { question: question(4) }));
    sender.changed(at(4, { right: 1 }));
    sender.changed(at(4, { question: question(4) }));
    expect(takes()).toEqual(['lesson', 'poll', 'phase', 'poll']);
    otherQuestion();
    sender.changed(at(4, { right: 1 }));
    sender.changed(at(5));
    expect(takes()).toEqual(['lesson']);
  });

  it('is sent once more to a server that may have forgotten it, without asking again', () => {
    const { sender, takes } = setup();
    sender.changed(at(4, { question: question(4) }));
    takes();
    sender.anew(at(4, { question: question(4) }));
    expect(takes()).toEqual(['lesson']);
    sender.changed(null);
    takes();
    sender.anew(null);
    expect(takes()).toEqual([]);
  });

  it('asks for a number, and shows the run’s number as the right one', () => {
    const entered = { spot: { session: 's', branch: 1, step: 0, seq: 0 }, values: {} };
    const text = { en: '?', zh: '？' };
    const number = { unit: 's', tolerance: 1 };
    const lesson = { name: 'pleg', steps: [{ ask: { question: text, options: [], number } }] } as unknown as Lesson;
    const play: LessonState = { ...notStarted, phase: 'reading', step: 0, progress: [{ entered }] };
    const shownWith = (progress: LessonState['progress']) =>
      lessonShown({ ...useLessons.getState(), lesson, play: { ...play, progress } });
    expect(shownWith([{ entered }])).toMatchObject({ question: { options: [], number }, right: null });
    const graded = { given: 2, answer: 7.25, right: false };
    const ended = { spot: entered.spot, values: {} };
    expect(shownWith([{ entered, graded, ended }])).toMatchObject({
      question: null,
      right: 7.25,
      lesson: { answer: 7.25 },
    });
    expect(shownWith([{ entered, graded: { ...graded, answer: null }, ended }])).toMatchObject({ right: null });
  });
});
