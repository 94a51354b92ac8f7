import { beforeEach, expect, it } from 'vitest';
import { useSession } from '../../run/session-store.js';
import { dropApplied, useManifests, writeDraft } from './manifests-store.js';

beforeEach(() => {
  useSession.setState({ manifests: [{ file: 'web.yaml', text: 'b' }] });
  useManifests.setState({ drafts: {}, current: null });
});

it('what was applied is no draft any more', () => {
  writeDraft('web.yaml', 'a');
  useSession.setState({ manifests: [{ file: 'web.yaml', text: 'a' }] });
  dropApplied('web.yaml', 'a');
  expect(useManifests.getState()).toMatchObject({ drafts: {}, current: 'web.yaml' });
});

it('what was written while it was being applied stays', () => {
  writeDraft('web.yaml', 'a');
  useSession.setState({ manifests: [{ file: 'web.yaml', text: 'a' }] });
  writeDraft('web.yaml', 'ab');
  dropApplied('web.yaml', 'a');
  expect(useManifests.getState().drafts).toEqual({ 'web.yaml': { text: 'ab', fresh: false } });
});
