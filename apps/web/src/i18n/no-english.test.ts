import { expect, it } from 'vitest';
import { CATALOGUES } from '../fixtures/words.js';

/** Two words in Latin letters one after another, the second in small letters, as English sentences have them. */
const PHRASE = /[A-Za-z']+(?: [a-z']+)+/g;
/** Names that are the same in any language: commands as they are typed, and Kubernetes' names of its parts. */
const NAMES =
  /(kubectl|crictl|syncloop)( [a-z]+)+|-o wide|get pods|describe pod|apiVersion v1|API [Ss]erver|OOM killer|[Pp]od workers?|eviction manager|systemd watchdog|Chrome trace|Kubernetes manifest|OTLP trace/g;

it('no text of the Chinese page has a piece of English', () => {
  const found = Object.entries(CATALOGUES['zh-CN']).flatMap(([key, text]) =>
    [
      ...text
        .replace(/\{\w+\}/g, '·')
        .replace(NAMES, '·')
        .matchAll(PHRASE),
    ].map(([phrase]) => `${key}: ${phrase}`),
  );
  expect(found).toEqual([]);
});
