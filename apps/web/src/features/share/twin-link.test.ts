import { deflateRawSync } from 'node:zlib';
import { twinFragment } from '@syncloop/observe/twin/report';
import { expect, it } from 'vitest';
import { decodeMoment } from './share.js';

it('opens links that stand in the report of a twin', async () => {
  const place = {
    name: 'twin',
    text: `kind: Scenario\n${'# long\n'.repeat(100)}`,
    seq: 412,
    step: 0,
    lang: 'zh' as const,
  };
  for (const deflate of [undefined, (bytes: Uint8Array) => deflateRawSync(bytes)]) {
    const fragment = twinFragment(place, deflate);
    expect(await decodeMoment(fragment.replace(/^run=/, ''))).toMatchObject({
      load: { do: 'load', scenario: 'twin', text: place.text, to: { step: 0, seq: 412 } },
      lang: 'zh-CN',
    });
  }
});
