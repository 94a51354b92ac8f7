import type { Incident } from '@syncloop/core/debug/incidents';
import type { PreventAnswer } from '@syncloop/observe/twin/session';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { beforeAll, describe, expect, it } from 'vitest';
import { addCommands } from '../../commands/index.js';
import { addWords, words } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { twinCommands } from './commands.js';
import { en } from './en.js';
import { Prevention, Ranking } from './prevention.js';
import { stopTwinWork } from './twin.js';

const incident = { id: 'a', kind: 'hook', begin: { seq: 7, time: 1 } } as Incident;
const text = (of: string) => ({ en: of, zh: of });
const answer: PreventAnswer = {
  ...{ incident: text('the hook failed'), runs: 4, ended: true, unknown: [text('why it failed')] },
  tried: [
    { effect: 'prevents', text: text('With no hook it does not happen.') },
    { effect: 'nothing', text: text('With v1.25 it happens all the same.') },
  ],
};
const drawn = (of: Partial<PreventAnswer> = {}) =>
  renderToStaticMarkup(createElement(Ranking, { answer: { ...answer, ...of } }));
const doing = (what: 'prevent' | undefined) =>
  useSession.setState(({ run }) => ({
    run: { ...run, twin: { side: 'seen', made: 0, ...(what && { doing: { what, done: 3, of: 60 } }) } },
  }));

describe('what would have prevented an incident', () => {
  beforeAll(() => {
    addWords(words(en, () => import('./zh-cn.js')));
    addCommands(twinCommands);
  });

  it('is run by a button on the incident', () =>
    expect(renderToStaticMarkup(createElement(Prevention, { incident }))).toContain('What would have prevented it?'));

  it('is ranked; what does not help is folded, and each can be opened', () => {
    const page = drawn();
    expect(page.match(/data-testid="remedy-open"/g)).toHaveLength(2);
    const fold = page.indexOf('Changes that do not help: 1');
    expect(page.indexOf('With no hook')).toBeLessThan(fold);
    expect(page.lastIndexOf('With v1.25')).toBeGreaterThan(fold);
    expect(page).toContain('why it failed');
  });

  it('says what it cannot say, and that it was stopped', () => {
    expect(drawn({ incident: null, tried: [] })).toContain('does not show the incident');
    expect(drawn({ ended: false })).toContain('Stopped after 4 runs');
    expect(drawn({ tried: [] })).toContain('No change that belongs to this kind');
    expect(drawn({ tried: answer.tried.slice(1) })).toContain('None of them prevents it');
  });

  it('is stopped by Escape while it runs, as is other work on a twin', () => {
    let stopped = 0;
    const before = session.stop;
    session.stop = async () => ++stopped > 0;
    try {
      doing('prevent');
      expect(stopTwinWork()).toBe(true);
      doing(undefined);
      expect(stopTwinWork()).toBe(false);
    } finally {
      session.stop = before;
    }
    expect(stopped).toBe(1);
  });
});
