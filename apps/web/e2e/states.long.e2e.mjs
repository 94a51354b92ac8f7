/** The ten states look as they did: compared with the pictures in states/, at a tolerance that other machines meet. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { STATES } from '../../../scripts/states.mjs';
import { start } from './browser.mjs';
import { compareState, LOOKS, UNHINTED } from './states.mjs';

describe('states of the page look as they are kept', () => {
  let stage;
  let tools;
  before(async () => {
    stage = await start({ args: UNHINTED });
    tools = await stage.browser.newPage();
  });
  after(async () => {
    await stage?.close();
  });
  for (const state of STATES)
    for (const look of Object.keys(LOOKS))
      it(`${state.title}, ${look}`, async () => {
        const { problem } = await compareState(stage, tools, state, look);
        assert.equal(problem, '');
      });
});
