/** Scenarios, and the shell programs in their pods, executed by `syncloop simulate`. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { jsonOf, mutatedText } from '../values.mjs';
import { scenario } from './programs.mjs';

export default {
  name: 'shell',
  targets: ['commands'],
  packet: 'a scenario',
  make(random) {
    const made = scenario(random);
    const text = random.chance(0.05) ? mutatedText(random, jsonOf(made)) : undefined;
    return [{ op: 'simulate', ...(text === undefined ? { scenario: made } : { text }), seed: random.int(1000) }];
  },
  async perform({ work, run }, operations) {
    for (const { text, scenario, seed = 1 } of operations) {
      const file = join(work, 'scenario.yaml');
      await writeFile(file, text ?? jsonOf(scenario));
      await run('main', { argv: ['simulate', file, '--seed', String(seed), '--until', '20s'] });
    }
    return operations.length;
  },
};
